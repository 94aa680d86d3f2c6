"""Random calls on argument lists, compared one by one with a model written from the specification."""

from __future__ import annotations

from typing import Any

import pytest
from args_model import BAD, OK, PREFILL, STALE, SYSTEM_PARAMS, SYSTEM_ROOM, KernelModel, ListModel, ParamModel
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test

import acl_bind as ab
from acl_bind import ffi, lib

OVERFLOW, SYNC = 0x0F10F10F10F10000, 0x0C2C0C2C0C2C0000
LONG_STEPS = 20_000
SIZES = st.one_of(st.integers(0, 40), st.sampled_from([64, 100, 1024, 8192, 30000, 65528, 65535, 65536, 65537]))
DATA = st.builds(lambda size, byte: bytes([byte]) * size, SIZES, st.integers(0, 255))
ROOMS = st.one_of(st.integers(1, 80), st.sampled_from([128, 1024, 4096]))
KERNELS = st.builds(
    KernelModel, cpu=st.booleans(), system_slots=st.integers(0, 3), overflow=st.booleans(), ffts=st.booleans(),
    max_params=st.sampled_from([0, 1, 2, 3, 8, 128, 255, 256, 300])
)  # fmt: skip
LISTS = 3  # 0 is the thread's, the others are in memory of our own
WHICH = st.integers(0, LISTS - 1)
PICK = st.integers(0, 2**16)

steps = 0


class List:
    def __init__(self, room: int) -> None:
        self.model = ListModel(room)
        self.handle: Any = ffi.NULL
        self.handles: list[Any] = []  # of parameters, by index; those of a former life are still here, and stale
        self.memory: list[Any] = []  # kept alive
        self.buffer: Any = ffi.NULL

    def param(self, index: int) -> ParamModel | None:
        return self.model.params[index] if self.model.started and index < len(self.model.params) else None


class ArgsMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.binaries: list[Any] = []
        self.kernels: list[tuple[KernelModel, Any]] = []
        self.lists = [List(SYSTEM_ROOM), *(List(0) for _ in range(LISTS - 1))]

    @initialize(models=st.lists(KERNELS, min_size=2, max_size=2))
    def make_kernels(self, models: list[KernelModel]) -> None:
        assert lib.aclmock_set_hidden(OVERFLOW, SYNC) == OK
        for model in models:
            self.kernels.append((model, self.make(model)))
        view, handle = ffi.new('aclmock_args *'), ffi.new('aclrtArgsHandle *')
        assert lib.aclrtKernelArgsInit(self.kernels[0][1], handle) == OK
        assert lib.aclmock_get_args(handle[0], view) == OK
        ffi.memmove(ffi.cast('void *', view.buffer), bytes([PREFILL]) * SYSTEM_ROOM, SYSTEM_ROOM)

    def make(self, model: KernelModel) -> Any:
        name = ffi.new('char[]', b'random')
        entry = ffi.new('aclmock_kernel *', {'name': name, 'type': lib.ACLMOCK_AICPU if model.cpu else lib.ACLMOCK_AICORE})
        binary, function = ffi.new('aclrtBinHandle *'), ffi.new('aclrtFuncHandle *')
        assert lib.aclmock_make_binary(entry, 1, binary) == OK
        assert lib.aclrtBinaryGetFunction(binary[0], name, function) == OK
        traits = {
            'system_slots': model.system_slots, 'overflow': model.overflow, 'ffts': model.ffts, 'max_params': model.max_params
        }  # fmt: skip
        assert lib.aclmock_set_traits(function[0], ffi.new('aclmock_traits *', traits)) == OK
        self.binaries.append(binary[0])
        return function[0]

    def teardown(self) -> None:
        assert lib.aclrtSynchronizeStream(ffi.NULL) == OK
        for binary in self.binaries:
            assert lib.aclrtBinaryUnLoad(binary) == OK

    def started(self) -> bool:
        return any(one.model.started for one in self.lists)

    def same(self, code: int, wanted: int) -> bool:
        """Compares return codes; whether the call succeeded."""
        global steps  # noqa: PLW0603 - counts over all examples
        steps += 1
        assert code == wanted, ffi.string(lib.aclmock_last_message())
        return code == OK

    # ---- rules ----------------------------------------------------------------------------------------------

    @rule(which=st.integers(0, 1))
    def init(self, which: int) -> None:
        model, function = self.kernels[which]
        one, out = self.lists[0], ffi.new('aclrtArgsHandle *')
        self.same(lib.aclrtKernelArgsInit(function, out), one.model.init(model, SYSTEM_PARAMS))
        one.handle = out[0]
        one.buffer = self.view(one).buffer

    @rule(which=st.integers(0, 1), where=st.integers(1, LISTS - 1), room=ROOMS, shift=st.integers(0, 7))
    def init_in_own_memory(self, which: int, where: int, room: int, shift: int) -> None:
        model, function = self.kernels[which]
        size = ffi.new('size_t *')
        params = SYSTEM_PARAMS if model.cpu else model.max_params
        assert lib.aclrtKernelArgsGetHandleMemSize(function, size) == OK
        assert size[0] == 96 + 48 * params
        one = self.lists[where] = List(room)
        memory = ffi.new('uint64_t[]', size[0] // 8)
        block = ffi.new('char[]', bytes([PREFILL]) * (room + shift))
        one.memory = [memory, block]
        one.buffer = block + shift
        self.same(lib.aclrtKernelArgsInitByUserMem(function, memory, one.buffer, room), one.model.init(model, params))
        one.handle = ffi.cast('aclrtArgsHandle', memory)

    @precondition(started)
    @rule(which=WHICH, data=DATA)
    def append(self, which: int, data: bytes) -> None:
        one, out = self.lists[which], ffi.new('aclrtParamHandle *')
        if one.model.started and self.same(
            lib.aclrtKernelArgsAppend(one.handle, ffi.from_buffer(data), len(data), out), one.model.append(data)
        ):
            self.remember(one, out[0])

    @precondition(started)
    @rule(which=WHICH)
    def append_placeholder(self, which: int) -> None:
        one, out = self.lists[which], ffi.new('aclrtParamHandle *')
        if one.model.started and self.same(lib.aclrtKernelArgsAppendPlaceHolder(one.handle, out), one.model.placeholder()):
            self.remember(one, out[0])

    def remember(self, one: List, handle: Any) -> None:
        """A parameter's handle is the same whenever its index is in use."""
        index = len(one.model.params) - 1
        if index < len(one.handles):
            assert one.handles[index] == handle
        else:
            one.handles.append(handle)

    def pick_param(self, owner: int, pick: int) -> tuple[Any, ParamModel | None] | None:
        handles = self.lists[owner].handles
        if not handles:
            return None
        index = pick % len(handles)
        return handles[index], self.lists[owner].param(index)

    @precondition(started)
    @rule(which=WHICH, owner=WHICH, pick=PICK, size=SIZES)
    def get_buffer(self, which: int, owner: int, pick: int, size: int) -> None:
        one, picked = self.lists[which], self.pick_param(owner, pick)
        if not one.model.started or picked is None:
            return
        out = ffi.new('void **')
        code = lib.aclrtKernelArgsGetPlaceHolderBuffer(one.handle, picked[0], size, out)
        if self.same(code, one.model.get_buffer(picked[1], size, OVERFLOW)):
            assert picked[1] is not None
            data = bytes([pick % 251]) * size
            assert int(ffi.cast('uintptr_t', out[0])) == int(ffi.cast('uintptr_t', one.buffer)) + picked[1].data_offset
            ffi.memmove(out[0], data, size)
            one.model.write(picked[1].data_offset, data)

    @precondition(started)
    @rule(which=WHICH, owner=WHICH, pick=PICK, right=st.booleans(), data=DATA)
    def update(self, which: int, owner: int, pick: int, right: bool, data: bytes) -> None:
        one, picked = self.lists[which], self.pick_param(owner, pick)
        if not one.model.started or picked is None:
            return
        if right and picked[1] is not None:  # of the size that it has
            data = (data or b'\1')[:1] * picked[1].size
        code = lib.aclrtKernelArgsParaUpdate(one.handle, picked[0], ffi.from_buffer(data), len(data))
        self.same(code, one.model.update(picked[1], data))

    @precondition(started)
    @rule(which=WHICH)
    def finalize(self, which: int) -> None:
        one = self.lists[which]
        if one.model.started:
            self.same(lib.aclrtKernelArgsFinalize(one.handle), one.model.finalize(OVERFLOW, SYNC))

    @precondition(started)
    @rule(which=WHICH, kernel=st.integers(0, 1), blocks=st.sampled_from([1, 2, 65535, 65536, 65537]))
    def launch(self, which: int, kernel: int, blocks: int) -> None:
        one = self.lists[which]
        if not one.model.started:
            return
        code = lib.aclrtLaunchKernelWithConfig(self.kernels[kernel][1], blocks, ffi.NULL, ffi.NULL, one.handle, ffi.NULL)
        if self.same(code, one.model.launch()):
            launch, seen = ffi.new('aclmock_launch *'), ffi.new('char[]', SYSTEM_ROOM)
            assert lib.aclmock_get_launch(0, launch, seen, SYSTEM_ROOM) == 1
            assert launch.num_blocks == blocks & 0xFFFF
            assert bytes(ffi.buffer(seen, launch.args_size)) == one.model.launched(launch.args)

    @rule(kernel=st.integers(0, 1), data=DATA, table=st.lists(st.tuples(st.integers(0, 48), st.integers(0, 48)), max_size=4))
    def launch_host_args(self, kernel: int, data: bytes, table: list[tuple[int, int]]) -> None:
        model, function = self.kernels[kernel]
        size = len(data)
        outside = any(at + 8 > size or (offset >= size and not model.cpu) for at, offset in table)
        host = ffi.new('char[]', data)
        holders = ffi.new('aclrtPlaceHolderInfo[]', table)
        code = lib.aclrtLaunchKernelWithHostArgs(function, 1, ffi.NULL, ffi.NULL, host, size, holders, len(table))
        if not self.same(code, BAD if size == 0 or outside else OK):
            assert bytes(ffi.buffer(host, size)) == data
            return
        launch, seen = ffi.new('aclmock_launch *'), ffi.new('char[]', max(size, 1))
        assert lib.aclmock_get_launch(0, launch, seen, size) == 1
        wanted = bytearray(data)
        for at, offset in table:
            wanted[at : at + 8] = (launch.args + offset).to_bytes(8, 'little')
        assert bytes(ffi.buffer(seen, size)) == bytes(ffi.buffer(host, size)) == wanted

    @precondition(started)
    @rule(which=WHICH, wrong=st.sampled_from(['kernel', 'param', 'memory']))
    def use_what_is_no_list(self, which: int, wrong: str) -> None:
        one = self.lists[which]
        handle = {'kernel': self.kernels[0][1], 'param': (one.handles or [self.kernels[0][1]])[0], 'memory': ffi.new('char[]', 8192)}[wrong]
        self.same(lib.aclrtKernelArgsFinalize(handle), STALE)

    # ---- what always holds ----------------------------------------------------------------------------------

    def view(self, one: List) -> Any:
        view = ffi.new('aclmock_args *')
        assert lib.aclmock_get_args(one.handle, view) == OK
        return view

    @invariant()
    def lists_are_as_modelled(self) -> None:
        for one in self.lists:
            if not one.model.started:
                continue
            view, model = self.view(one), one.model
            seen = (view.args_size, view.head_size, view.num_params, view.max_params, view.buffer_size)
            assert seen == (model.size, model.head, len(model.params), model.max_params, len(model.buffer))
            flags = (view.got_buffer, view.overflow_done, view.finalized, view.updating)
            assert flags == (model.got_buffer, model.overflow_done, model.finalized, model.updating)
            size = min(model.size + 64, len(model.buffer))
            assert bytes(ffi.buffer(ffi.cast('char *', one.buffer), size)) == model.buffer[:size]


@pytest.fixture
def recorded_launches(device: ab.Device) -> Any:
    lib.aclmock_record_launches(1)
    yield
    lib.aclmock_record_launches(0)


def test_random_calls(recorded_launches: None, long: bool) -> None:
    """200 sequences; with --long, until 20,000 calls are done."""
    before = steps
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    chosen = settings(max_examples=200, stateful_step_count=50 if long else 20, deadline=None, suppress_health_check=checks)
    run_state_machine_as_test(ArgsMachine, settings=chosen)
    while long and steps - before < LONG_STEPS:
        run_state_machine_as_test(ArgsMachine, settings=chosen)
    print(f'{steps - before} calls')
