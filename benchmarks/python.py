"""The Python side: launches through acl_bind over a library that does nothing, the ways side by side."""

from __future__ import annotations

import functools
import os
import struct
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .measure import Gate, Row
from .native import HANDLE_FLOOR, Native

RAW = 'acl_bind: struct.pack and one call in C'
TYPED = 'acl_bind: typed call of kernel.bind()'
IN_PYTHON = 'acl_bind: typed call, without the extension'
LAUNCH = 'acl_bind: launch()'
PREPARED = 'acl_bind: launch() of KernelArgs'
MANY = 'acl_bind: launch_many, a launch of 32'
SYNC = 'acl_bind: typed call and sync()'
PAYLOAD = bytes(range(64))
NUMBER = 42
BATCH = 32
BETWEEN_SYNCS = 512


def loop(call: Callable[[], Any], count: int, after: Callable[[], Any] | None = None) -> float:
    """Nanoseconds a call, without those of the loop. ``after``: called every so many, outside of the time."""
    clock, spent = time.perf_counter_ns, 0
    for start in range(0, count, BETWEEN_SYNCS):
        turns = range(min(BETWEEN_SYNCS, count - start))
        begun = clock()
        for _ in turns:
            pass
        middle = clock()
        for _ in turns:
            call()
        spent += clock() - middle - (middle - begun)
        if after is not None:
            after()
    return spent / count


class Python:
    """acl_bind on the null library, which has to be named before anything of acl_bind opens another one."""

    def __init__(self, native: Native) -> None:
        os.environ['ACL_BIND_LIBRARY'] = str(native.build('null'))
        import acl_bind as ab  # noqa: PLC0415  (now that the library is named)
        from acl_bind import compiled, layout, plan, signature  # noqa: PLC0415
        from acl_bind._ffi import is_fast  # noqa: PLC0415

        self.ab, self.compiled, self.is_fast = ab, compiled, is_fast
        self.device = ab.Device(0)
        self.stream = self.device.create_stream()
        self.kernel = ab.Binary.from_bytes(b'anything').get_kernel('empty')
        self.kernel.__dict__['hidden_slots'] = layout.Hidden(0, 0, 8)  # the floor's payload has none
        self.buffers = [self.device.empty(256, np.float16) for _ in range(3)]
        self.placeholder = ab.Placeholder(PAYLOAD)
        types = (ab.DeviceBuffer, ab.DeviceBuffer, ab.DeviceBuffer, np.int32, ab.Placeholder)
        self.slots = [signature.slot_of_type(spec, index) for index, spec in enumerate(types)]
        self.plan = plan.Plan(self.kernel, self.kernel.args(*self.buffers, np.int32(NUMBER), self.placeholder)._arguments)

    def typed(self, implementation: Any) -> Callable[[], None]:
        typed = implementation(self.kernel, self.slots, bound=True, by_handles=False)
        x, y, z = self.buffers
        stream, placeholder = self.stream, self.placeholder
        return lambda: typed(stream, 8, x, y, z, NUMBER, placeholder)

    def raw(self) -> Callable[[], None]:
        """What a program does that packs its arguments itself."""
        from acl_bind._ffi import raw  # noqa: PLC0415  (as above)

        pack, launch = struct.Struct('<QQQi4x8x64s').pack, raw.acl_bind_launch
        plan, hidden = self.plan.c, self.kernel.launchers.hidden.newest
        x, y, z = (buffer.handle for buffer in self.buffers)
        context, stream = self.stream._context, self.stream.handle
        return lambda: launch(plan, hidden, context, stream, 0, 8, pack(x, y, z, NUMBER, PAYLOAD))

    def calls(self) -> dict[str, Callable[[], Any]]:
        ab, stream, kernel, (x, y, z), placeholder = self.ab, self.stream, self.kernel, self.buffers, self.placeholder
        number, prepared = np.int32(NUMBER), kernel.args(x, y, z, np.int32(NUMBER), placeholder)
        found = {
            RAW: self.raw(),
            IN_PYTHON: self.typed(self.compiled.PlainKernel),
            LAUNCH: lambda: ab.launch(stream, 8, kernel, x, y, z, number, placeholder),
            PREPARED: lambda: ab.launch(stream, 8, kernel, prepared),
        }
        if self.is_fast:
            found[TYPED] = self.typed(self.compiled.FastKernel)
        typed: Callable[[], Any] = found.get(TYPED, found[IN_PYTHON])

        def and_sync() -> None:
            typed()
            stream.sync()

        return {**found, SYNC: and_sync}

    def rows(self, scale: float) -> list[Row]:
        count = max(1, int(20_000 * scale))
        rows = [Row(name, functools.partial(loop, call, count, self.stream.sync)) for name, call in self.calls().items()]
        batch = self.ab.LaunchList([(8, self.kernel.args(*self.buffers, np.int32(NUMBER), self.placeholder)) for _ in range(BATCH)])
        replay = functools.partial(self.ab.launch_many, self.stream, batch)
        rows.append(Row(MANY, lambda: loop(replay, max(1, count // BATCH), self.stream.sync) / BATCH))
        return rows


GATES = [Gate(RAW, HANDLE_FLOOR, 10, 7), Gate(TYPED, HANDLE_FLOOR, 12.5, 4)]
