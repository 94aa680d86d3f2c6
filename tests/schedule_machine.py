"""What the tests of schedules share: streams, events and kernels that show in which order they ran."""

from __future__ import annotations

import os
import pathlib
import struct
from typing import Any

from acl_bind import ffi, lib

STREAMS, EVENTS, CELLS = 3, 3, 5
LOG = 256


def ok(code: int) -> None:
    assert code == 0, ffi.string(lib.aclmock_last_message()).decode()


class Machine:
    """Streams, events and two kernels on device 0."""

    def __init__(self, binary: pathlib.Path) -> None:
        ok(lib.aclrtSetDevice(0))
        place = ffi.new('void **')

        def made(code: int) -> Any:
            ok(code)
            return place[0]

        self.streams = [made(lib.aclrtCreateStream(place)) for _ in range(STREAMS)]
        self.events = [made(lib.aclrtCreateEventExWithFlag(place, lib.ACL_EVENT_SYNC)) for _ in range(EVENTS)]
        self.log = made(lib.aclrtMalloc(place, 4 * LOG, 0))
        self.cells = made(lib.aclrtMalloc(place, 64, 0))
        handle = made(lib.aclrtBinaryLoadFromFile(os.fsencode(binary), ffi.NULL, place))
        self.note = made(lib.aclrtBinaryGetFunction(handle, b'note', place))
        self.mix = made(lib.aclrtBinaryGetFunction(handle, b'mix', place))
        self.clear()

    def clear(self) -> None:
        ok(lib.aclrtSynchronizeDevice())
        ok(lib.aclrtMemset(self.log, 4 * LOG, 0, 4 * LOG))
        ok(lib.aclrtMemset(self.cells, 64, 1, 64))
        self.noted = 0

    def launch(self, function: Any, stream: int, memory: Any, *values: int) -> None:
        args = struct.pack('<Q' + 'Q' * len(values) + 'Q', int(ffi.cast('uintptr_t', memory)), *values, 0)
        buffer = ffi.from_buffer(bytearray(args))
        ok(lib.aclrtLaunchKernelWithHostArgs(function, 1, self.streams[stream], ffi.NULL, buffer, len(args), ffi.NULL, 0))

    def task(self, stream: int) -> int:
        """Queues a task that notes its number."""
        self.launch(self.note, stream, self.log, self.noted)
        self.noted += 1
        return self.noted - 1

    def ran(self) -> list[int]:
        """The numbers of the tasks that have run, in order."""
        log = ffi.cast('int32_t *', lib.aclmock_host_address(self.log))
        return [log[1 + i] for i in range(log[0])]

    def contents(self) -> list[int]:
        cells = ffi.cast('uint32_t *', lib.aclmock_host_address(self.cells))
        return [cells[i] for i in range(CELLS)]
