"""The Python side: launches through acl_bind over a library that does nothing, the ways side by side."""

from __future__ import annotations

import os
import statistics
import struct
import time
import timeit
from collections.abc import Callable
from typing import Any, NamedTuple

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
REPLAYED = 32
BATCH = 200


class Statement(NamedTuple):
    """A launch as a program writes it. ``after``: called every so many, outside of the time."""

    text: str
    names: dict[str, Any]
    after: Callable[[], Any] | None = None


def loop(statement: Statement, count: int) -> float:
    """Nanoseconds a statement, without those of the loop around it.

    The median of short batches, so that one in which the system ran something else does not count.
    """
    clock, batches = time.perf_counter_ns, []
    timer = timeit.Timer(statement.text, globals=statement.names, timer=clock)
    empty = timeit.Timer(timer=clock)
    for start in range(0, count, BATCH):
        turns = min(BATCH, count - start)
        batches.append((timer.timeit(turns) - empty.timeit(turns)) / turns)
        if statement.after is not None:
            statement.after()
    return statistics.median(batches)


class Python:
    """acl_bind on the null library, which has to be named before anything of acl_bind opens another one."""

    def __init__(self, native: Native) -> None:
        os.environ['ACL_BIND_LIBRARY'] = str(native.build('null'))
        import acl_bind as ab  # noqa: PLC0415  (now that the library is named)
        from acl_bind import compiled, layout, plan, signature  # noqa: PLC0415
        from acl_bind._ffi import is_fast  # noqa: PLC0415

        self.ab, self.targets = ab, plan.target_of
        self.implementations: dict[str, Any] = {IN_PYTHON: compiled.PlainKernel, **({TYPED: compiled.FastKernel} if is_fast else {})}
        self.device = ab.Device(0)
        self.stream = self.device.create_stream()
        self.kernel = ab.Binary.from_bytes(b'anything').get_kernel('empty')
        self.kernel.__dict__['hidden_slots'] = layout.Hidden(0, 0, 8)  # the floor's payload has none
        self.buffers = [self.device.empty(256, np.float16) for _ in range(3)]
        self.placeholder = ab.Placeholder(PAYLOAD)
        types = (ab.DeviceBuffer, ab.DeviceBuffer, ab.DeviceBuffer, np.int32, ab.Placeholder)
        self.slots = [signature.slot_of_type(spec, index) for index, spec in enumerate(types)]
        self.plan = plan.Plan(self.kernel, self.kernel.args(*self.buffers, np.int32(NUMBER), self.placeholder)._arguments)

    def statements(self) -> dict[str, Statement]:
        from acl_bind._ffi import raw  # noqa: PLC0415  (as above)

        ab, sync = self.ab, self.stream.sync
        values = (*self.buffers, np.int32(NUMBER), self.placeholder)
        names: dict[str, Any] = {'stream': self.stream, 'kernel': self.kernel, 'launch': ab.launch, 'number': NUMBER}
        names |= dict(zip('xyzid', values, strict=True))
        addresses = dict(zip('xyz', (buffer.handle for buffer in self.buffers), strict=True))
        packing = {'pack': struct.Struct('<QQQi4x8x64s').pack, 'data': PAYLOAD, 'launch': raw.acl_bind_launch}
        packing |= {'plan': self.plan.c, 'hidden': self.kernel.launchers.hidden.newest}
        packing['target'] = self.targets(self.stream, ab.LaunchConfig(8), self.stream._context)
        typed = {name: make(self.kernel, self.slots, bound=True, by_handles=False) for name, make in self.implementations.items()}
        batch = ab.LaunchList([(8, self.kernel.args(*values)) for _ in range(REPLAYED)])
        call, fastest = 'typed(stream, 8, x, y, z, number, d)', typed.get(TYPED, typed[IN_PYTHON])
        return {
            RAW: Statement(
                'launch(plan, hidden, target, pack(x, y, z, number, data))',
                {**names, **packing, **addresses},
                sync,
            ),
            **{name: Statement(call, {**names, 'typed': each}, sync) for name, each in typed.items()},
            LAUNCH: Statement('launch(stream, 8, kernel, x, y, z, i, d)', names, sync),
            PREPARED: Statement('launch(stream, 8, kernel, args)', {**names, 'args': self.kernel.args(*values)}, sync),
            SYNC: Statement(f'{call}; stream.sync()', {**names, 'typed': fastest}),
            MANY: Statement('launch_many(stream, batch)', {**names, 'launch_many': ab.launch_many, 'batch': batch}, sync),
        }

    def rows(self, scale: float) -> list[Row]:
        count = max(1, int(10_000 * scale))

        def row(name: str, statement: Statement) -> Row:
            launches = REPLAYED if name == MANY else 1
            return Row(name, lambda: loop(statement, max(1, count // launches)) / launches)

        return [row(name, statement) for name, statement in self.statements().items()]


GATES = [Gate(RAW, HANDLE_FLOOR, 10, 7), Gate(TYPED, HANDLE_FLOOR, 12.5, 4)]
