"""In which order tasks run: random programs of streams and events against a small model, under every ACL_MOCK_SCHEDULE."""

from __future__ import annotations

import dataclasses
import itertools
import os
import pathlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schedule_machine import CELLS, EVENTS, STREAMS, Machine, ok

from acl_bind import ffi, lib

SCHEDULES = ['deferred', 'inline', 'worker', 'random:7', 'random:8']
Clock = tuple[int, ...]  # for each stream, how many of its tasks are known to have run


@pytest.fixture(scope='module', params=SCHEDULES)
def machine(request: pytest.FixtureRequest, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[Machine]:
    before = os.environ.get('ACL_MOCK_SCHEDULE')
    os.environ['ACL_MOCK_SCHEDULE'] = request.param
    lib.aclmock_reset()
    yield Machine(build_kernels('order.c'))
    if before is None:
        del os.environ['ACL_MOCK_SCHEDULE']
    else:
        os.environ['ACL_MOCK_SCHEDULE'] = before
    lib.aclmock_reset()


@pytest.fixture(scope='module')
def examples(request: pytest.FixtureRequest) -> settings:
    """More programs in the long mode."""
    many = 2000 if request.config.getoption('long') else 150
    return settings(max_examples=many, deadline=None, suppress_health_check=list(HealthCheck), database=None)


# ---- forbidden orders never happen ------------------------------------------------------------------------------------


class Model:
    """What is known to have run before what."""

    def __init__(self) -> None:
        self.clocks: list[Clock] = [(0,) * STREAMS] * STREAMS
        self.events: dict[int, Clock] = {}
        self.numbers: list[list[int]] = [[] for _ in range(STREAMS)]  # of each stream's tasks
        self.before: dict[int, Clock] = {}

    def task(self, stream: int, number: int) -> None:
        self.before[number] = self.clocks[stream]
        self.numbers[stream].append(number)
        clock = list(self.clocks[stream])
        clock[stream] += 1
        self.clocks[stream] = tuple(clock)

    def record(self, event: int, stream: int) -> None:
        self.events[event] = self.clocks[stream]

    def wait(self, stream: int, event: int) -> None:
        if event in self.events:
            self.clocks[stream] = tuple(map(max, self.clocks[stream], self.events[event]))

    def tasks(self, clock: Clock) -> set[int]:
        return {number for numbers, count in zip(self.numbers, clock, strict=True) for number in numbers[:count]}

    def check_order(self, ran: list[int]) -> None:
        place = {number: at for at, number in enumerate(ran)}
        assert len(place) == len(ran), 'a task ran twice'
        for number, at in place.items():
            for earlier in self.tasks(self.before[number]):
                assert place.get(earlier, at) < at, f'task {number} ran before {earlier}: {ran}'


streams, events = st.integers(0, STREAMS - 1), st.integers(0, EVENTS - 1)
operations = st.one_of(
    st.tuples(st.just('task'), streams),
    st.tuples(st.just('task'), streams),
    st.tuples(st.just('record'), events, streams),
    st.tuples(st.just('wait'), streams, events),
    st.tuples(st.just('query'), streams),
    st.tuples(st.just('sync_event'), events),
    st.tuples(st.just('sync'), streams),
)


def step(machine: Machine, model: Model, name: str, *args: int) -> None:
    """One call, on both. After what waits, the tasks waited for have run."""
    done: Clock | None = None
    if name == 'task':
        model.task(args[0], machine.task(args[0]))
    elif name == 'record':
        ok(lib.aclrtRecordEvent(machine.events[args[0]], machine.streams[args[1]]))
        model.record(*args)
    elif name == 'wait':
        ok(lib.aclrtStreamWaitEvent(machine.streams[args[0]], machine.events[args[1]]))
        model.wait(*args)
    elif name == 'query':
        status = ffi.new('aclrtStreamStatus *')
        ok(lib.aclrtStreamQuery(machine.streams[args[0]], status))
        done = model.clocks[args[0]] if status[0] == lib.ACL_STREAM_STATUS_COMPLETE else None
    elif name == 'sync_event':
        ok(lib.aclrtSynchronizeEvent(machine.events[args[0]]))
        done = model.events.get(args[0])
    else:
        ok(lib.aclrtSynchronizeStream(machine.streams[args[0]]))
        done = model.clocks[args[0]]
    assert done is None or model.tasks(done) <= set(machine.ran())


def test_no_order_that_the_api_forbids(machine: Machine, examples: settings) -> None:
    @examples
    @given(st.lists(operations, min_size=1, max_size=40))
    def run(program: list[tuple[Any, ...]]) -> None:
        machine.clear()
        model = Model()
        for event in range(EVENTS):  # their records of the last program are over
            model.events[event] = (0,) * STREAMS
        for operation in program:
            step(machine, model, *operation)
            model.check_order(machine.ran())
        ok(lib.aclrtSynchronizeDevice())
        assert sorted(machine.ran()) == list(range(machine.noted))
        model.check_order(machine.ran())

    run()


# ---- allowed orders do ------------------------------------------------------------------------------------------------


def possible(before: dict[int, set[int]]) -> set[tuple[int, ...]]:
    orders = itertools.permutations(before)
    return {order for order in orders if all(before[task] <= set(order[:at]) for at, task in enumerate(order))}


def test_every_order_that_the_api_allows(build_kernels: Callable[[str], pathlib.Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks 0 and 1 on one stream, 2 and 3 on a second, which waits for task 0 between them, 4 on a third."""
    monkeypatch.setenv('ACL_MOCK_SCHEDULE', 'random:1')
    lib.aclmock_reset()
    machine = Machine(build_kernels('order.c'))
    wanted = possible({0: set(), 1: {0}, 2: set(), 3: {0, 2}, 4: set()})
    seen: set[tuple[int, ...]] = set()
    for _ in range(5000):
        machine.clear()
        machine.task(0)
        ok(lib.aclrtRecordEvent(machine.events[0], machine.streams[0]))
        machine.task(0)
        machine.task(1)
        ok(lib.aclrtStreamWaitEvent(machine.streams[1], machine.events[0]))
        machine.task(1)
        machine.task(2)
        ok(lib.aclrtSynchronizeDevice())
        seen.add(tuple(machine.ran()))
        if seen == wanted:
            break
    lib.aclmock_reset()
    assert seen == wanted


# ---- programs without races -------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Mix:
    stream: int
    to: int
    a: int
    b: int

    def conflicts(self, other: Mix) -> bool:
        return self.to in (other.to, other.a, other.b) or other.to in (self.a, self.b)


cells = st.integers(0, CELLS - 1)


def run_without_races(machine: Machine, program: list[Mix]) -> list[int]:
    """Each task behind those of other streams that it conflicts with. Returns what the cells must hold."""
    place = ffi.new('void **')
    made: list[Any] = []
    expected = [0x01010101] * CELLS
    for number, mix in enumerate(program):
        for earlier, event in zip(program, made, strict=False):
            if earlier.stream != mix.stream and mix.conflicts(earlier):
                ok(lib.aclrtStreamWaitEvent(machine.streams[mix.stream], event))
        machine.launch(machine.mix, mix.stream, machine.cells, mix.to, mix.a, mix.b, number)
        ok(lib.aclrtCreateEventExWithFlag(place, lib.ACL_EVENT_SYNC))
        made.append(place[0])
        ok(lib.aclrtRecordEvent(place[0], machine.streams[mix.stream]))
        expected[mix.to] = (3 * expected[mix.a] + 5 * expected[mix.b] + number) & 0xFFFFFFFF
    for event in made:
        ok(lib.aclrtDestroyEvent(event))  # what is queued keeps it
    return expected


def test_without_races_all_schedules_agree(machine: Machine, examples: settings) -> None:
    @examples
    @given(st.lists(st.builds(Mix, streams, cells, cells, cells), min_size=1, max_size=25))
    def run(program: list[Mix]) -> None:
        machine.clear()
        expected = run_without_races(machine, program)
        ok(lib.aclrtSynchronizeDevice())
        assert machine.contents() == expected

    run()


# ---- no deadlock ------------------------------------------------------------------------------------------------------


def test_a_callback_that_needs_a_lock_of_the_waiter(machine: Machine) -> None:
    lock = threading.Lock()
    calls = []

    @ffi.callback('void(void *)')  # type: ignore[untyped-decorator]
    def call(_: Any) -> None:
        with lock:
            calls.append(threading.get_ident())

    with lock:
        ok(lib.aclrtLaunchHostFunc(machine.streams[0], call, ffi.NULL))
        number = machine.task(0)
        assert lib.aclrtSynchronizeStreamWithTimeout(machine.streams[0], 5) == lib.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
        assert number not in machine.ran()
    ok(lib.aclrtSynchronizeStream(machine.streams[0]))
    assert number in machine.ran()
    assert len(calls) == 1
    assert calls[0] != threading.get_ident()


def test_a_wait_for_what_another_thread_records(machine: Machine) -> None:
    place = ffi.new('void **')
    ok(lib.aclrtCreateEventWithFlag(place, lib.ACL_EVENT_SYNC))
    event = place[0]
    ok(lib.aclrtStreamWaitEvent(machine.streams[0], event))
    number = machine.task(0)

    def record() -> None:
        ok(lib.aclrtSetDevice(0))
        ok(lib.aclrtRecordEvent(event, machine.streams[1]))
        ok(lib.aclrtResetDevice(0))

    timer = threading.Timer(0.01, record)
    timer.start()
    ok(lib.aclrtSynchronizeStream(machine.streams[0]))
    timer.join()
    assert number in machine.ran()
    ok(lib.aclrtDestroyEvent(event))
