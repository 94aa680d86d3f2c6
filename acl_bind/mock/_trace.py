"""What the library did: every call and every task, and a file of it for Perfetto or chrome://tracing."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any

from .._ffi import ffi, lib

KEEP = 65536


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of a C function. Times are seconds of the monotonic clock; ``end`` is None for one that went on.

    ``arguments``: as they were passed, pointers as ints. ``text``: the first string among them. ``result``: the code, 0
    also for functions that return none. ``thread``: the system's number. ``task``: what it queued, 0 for nothing.
    """

    name: str
    arguments: dict[str, int]
    text: str
    thread: int
    start: float
    end: float | None
    result: int
    task: int


@dataclasses.dataclass(frozen=True)
class Task:
    """Work that ran on a stream: ``name`` 'launch', 'memcpy', 'memset', 'record event', 'wait for event' ...

    ``kernel`` and ``num_blocks`` are a launch's. ``number``: no other task has it. ``after``: the task that a wait waited
    for, 0 for none.
    """

    name: str
    kernel: str
    num_blocks: int
    device: int
    stream: int
    thread: int
    start: float
    end: float | None
    number: int
    after: int


class Trace:
    """What trace() recorded: ``calls`` and ``tasks``, in the order of their starts, and ``lost`` older ones."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.tasks: list[Task] = []
        self.lost = 0

    def _read(self, keep: int) -> None:
        count = lib.aclmock_trace_count()
        self.lost = max(0, count - keep)
        row: Any = ffi.new('aclmock_record *')
        for index in range(self.lost, count):
            if lib.aclmock_get_record(index, row):
                if row.is_task:
                    self.tasks.append(_task(row))
                else:
                    self.calls.append(_call(row))

    def events(self) -> list[dict[str, Any]]:
        """The same as events of Chrome's trace format: a lane a thread, a lane a stream, arrows from call to task and from
        the record of an event to the wait for it."""
        return [*_lanes(self), *map(_call_event, self.calls), *map(_task_event, self.tasks), *_arrows(self)]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that Perfetto (ui.perfetto.dev) and chrome://tracing open."""
        pathlib.Path(path).write_text(json.dumps({'traceEvents': self.events(), 'displayTimeUnit': 'ns'}))

    def __repr__(self) -> str:
        return f'<Trace of {len(self.calls)} calls and {len(self.tasks)} tasks{f", {self.lost} older ones lost" if self.lost else ""}>'


@contextlib.contextmanager
def trace(keep: int = KEEP) -> Iterator[Trace]:
    """Record the library's calls and tasks inside the block, the last ``keep`` of them (1 to 2^24; some 500 bytes each).

    The Trace is filled when the block ends. Only one can be recorded at a time: an inner one ends the outer one. C
    functions: aclmock_trace_start, aclmock_get_record.
    """
    if not 1 <= keep <= 1 << 24:
        raise ValueError(f'keep is {keep}, expected 1 to {1 << 24}')
    if not lib.aclmock_trace_start(keep):
        raise MemoryError(f'no memory for {keep} records')
    recorded = Trace()
    try:
        yield recorded
    finally:
        lib.aclmock_trace_stop()
        recorded._read(keep)


def _text(row: Any) -> str:
    return str(ffi.string(row.text).decode(errors='replace'))


def _end(row: Any) -> float | None:
    return row.end_ns / 1e9 if row.end_ns else None


def _arguments(row: Any) -> dict[str, int]:
    names = ffi.string(row.argument_names).decode().split(', ')  # one, empty, for no arguments
    kinds = ffi.string(row.argument_kinds).decode()
    signed = ffi.cast('int64_t *', row.arguments)
    return {name: int((signed if kind == 'i' else row.arguments)[i]) for i, (name, kind) in enumerate(zip(names, kinds, strict=False))}


def _call(row: Any) -> Call:
    name = ffi.string(row.name).decode()
    return Call(name, _arguments(row), _text(row), row.thread, row.start_ns / 1e9, _end(row), row.result, row.task)


def _task(row: Any) -> Task:
    name = ffi.string(row.name).decode()
    return Task(name, _text(row), row.num_blocks, row.device, row.stream, row.thread, row.start_ns / 1e9, _end(row), row.task, row.after)


# ---- Chrome's format --------------------------------------------------------------------------------------------------

HOST = 1  # the process that calls are shown in; devices come after it


def _lane(task: Task) -> dict[str, int]:
    return {'pid': HOST + 1 + task.device, 'tid': task.stream}


def _lanes(recorded: Trace) -> Iterator[dict[str, Any]]:
    yield {'ph': 'M', 'name': 'process_name', 'pid': HOST, 'args': {'name': 'host'}}
    for thread in sorted({call.thread for call in recorded.calls}):
        yield {'ph': 'M', 'name': 'thread_name', 'pid': HOST, 'tid': thread, 'args': {'name': f'thread {thread}'}}
    for device in sorted({task.device for task in recorded.tasks}):
        yield {'ph': 'M', 'name': 'process_name', 'pid': HOST + 1 + device, 'args': {'name': f'device {device}'}}
    for device, stream in sorted({(task.device, task.stream) for task in recorded.tasks}):
        yield {'ph': 'M', 'name': 'thread_name', 'pid': HOST + 1 + device, 'tid': stream, 'args': {'name': f'stream {stream}'}}


def _span(start: float, end: float | None) -> dict[str, float]:
    return {'ts': start * 1e6, 'dur': max(0.0, (end - start) * 1e6) if end is not None else 0.0}


def _call_event(call: Call) -> dict[str, Any]:
    arguments: dict[str, Any] = {name: hex(value) if value > 1 << 32 else value for name, value in call.arguments.items()}
    details = {**arguments, **({'text': call.text} if call.text else {}), 'result': call.result}
    return {'ph': 'X', 'name': call.name, 'cat': 'call', 'pid': HOST, 'tid': call.thread, **_span(call.start, call.end), 'args': details}


def _task_event(task: Task) -> dict[str, Any]:
    details = {'kernel': task.kernel, 'num_blocks': task.num_blocks} if task.kernel else {}
    return {'ph': 'X', 'name': task.kernel or task.name, 'cat': task.name, **_lane(task), **_span(task.start, task.end), 'args': details}


def _arrow(name: str, number: int, tail: dict[str, Any], head: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Both ends lie in the spans that start then."""
    yield {'ph': 's', 'name': name, 'cat': name, 'id': number, **tail}
    yield {'ph': 'f', 'bp': 'e', 'name': name, 'cat': name, 'id': number, **head}


def _arrows(recorded: Trace) -> Iterator[dict[str, Any]]:
    tasks = {task.number: task for task in recorded.tasks}
    for call in recorded.calls:
        if call.task in tasks:
            task = tasks[call.task]
            tail = {'pid': HOST, 'tid': call.thread, 'ts': call.start * 1e6}
            yield from _arrow('queued', task.number, tail, {**_lane(task), 'ts': task.start * 1e6})
    for wait in recorded.tasks:
        if wait.after in tasks:
            record = tasks[wait.after]
            tail = {**_lane(record), 'ts': record.start * 1e6}
            yield from _arrow('event', wait.number, tail, {**_lane(wait), 'ts': wait.start * 1e6})
