"""Launches of one signature: its arguments' places are worked out once, a launch packs the values and makes one C call.

Two classes do the same: PlainKernel, in Python (struct and cffi), and FastKernel, in C for plain arguments (_fast.c).
Both leave what is not plain to TypedKernel, which checks everything and has the messages.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from ._checks import counted
from ._ffi import Launcher, call_error, connect, connect_sync, disconnect, ffi, is_fast, raw
from ._handle import is_forked
from .args import KernelArgs
from .config import LaunchConfig, as_config
from .kernel import Kernel, KernelMakers
from .layout import check_count, check_table
from .memory import DeviceBuffer
from .plan import HiddenValues, Plan, has_code, target_of
from .signature import Slot, slot_of_type, slot_of_value
from .stream import Stream
from .typed import TypedKernel
from .values import POINTER_SIZE, Argument, Placeholder, label

PARAMS_AT_MOST = 128
BLOCK_AT_MOST = 1024  # bytes of arguments that the call in C takes
CACHE_SIZE = 256  # signatures a kernel, sizes a signature
FLOAT_SIZE = 4


def _template(slots: Sequence[Slot], sizes: Sequence[int]) -> list[Argument]:
    """Arguments of those sizes, for their places."""
    kinds = {'p': 'pointer', 'd': 'placeholder'}
    return [Argument(kinds.get(slot.kind, 'value'), bytes(size), align=slot.align) for slot, size in zip(slots, sizes, strict=True)]


# ---- in C ------------------------------------------------------------------------------------------------------------


class FastKernel(Launcher, TypedKernel):
    """A TypedKernel that C calls (_fast.c)."""

    def __init__(self, kernel: Kernel, slots: Sequence[Slot], *, bound: bool, by_handles: bool) -> None:
        TypedKernel.__init__(self, kernel, slots, bound=bound, by_handles=by_handles)
        plan = Plan(kernel, _template(slots, [0 if slot.kind == 'd' else slot.size for slot in slots]))
        rows = [(s.kind, offset, s.size, s.low, s.high, s.type) for s, offset in zip(slots, plan.offsets, strict=True)]
        places = plan.size, plan.c.sync_size, plan.overflow_offset, 1 if kernel.layout == 'packed' else POINTER_SIZE
        self._set_up(kernel.handle, rows, *places, by_handles, plan.c.host_args_only, (self.keep, *(slot.type for slot in slots)))

    def _slow(self, stream: Any, config: LaunchConfig | int, *args: Any) -> None:
        self.call(sys._getframe(1), stream, config, args)

    def call(self, frame: FrameType, stream: Any, config: LaunchConfig | int, args: Sequence[Any]) -> None:
        TypedKernel.call(self, frame, stream, config, args)
        self.learn(config)

    def learn(self, config: LaunchConfig | int) -> None:
        """Tell C what the launch that was just made has found out."""
        hidden = self.kernel.launchers.hidden.newest
        self._set_hidden(int(ffi.cast('uintptr_t', hidden.context)), hidden.epoch, hidden.sync, hidden.overflow)
        if isinstance(config, LaunchConfig) and config.num_blocks:
            self._set_config(config, config._c_config[0], config.num_blocks)

    def _failed(self, code: int) -> None:
        raise call_error(code)


# ---- in Python -------------------------------------------------------------------------------------------------------


class NotPlain(Exception):
    """A value that the packer leaves to the slow way."""


def _other_pointer(value: Any) -> int:
    if value is None:
        return 0
    raise NotPlain


def _index(slot: Slot) -> Callable[[Any], int]:
    def index(value: Any) -> int:
        if slot.type is not None and type(value) is slot.type:
            return int(value)
        raise NotPlain

    return index


def _bits(slot: Slot) -> Callable[[Any], bytes]:
    def bits(value: Any) -> bytes:
        if slot.kind == 'f' and type(value) is float:
            return struct.pack('<f' if slot.size == FLOAT_SIZE else '<d', value)
        if slot.type is not None and type(value) is slot.type:
            return value.tobytes()  # type: ignore[no-any-return]
        raise NotPlain

    return bits


def _not_plain(_: Any) -> bytes:
    raise NotPlain


Plans = dict[tuple[int, ...], Plan]  # by the sizes of placeholders' data


def make_packer(slots: Sequence[Slot], plans: Plans) -> Callable[..., tuple[Plan, bytes]]:
    """A function (context, values...) that returns plan and bytes, or raises NotPlain, struct.error, OverflowError, or KeyError
    with the sizes that `plans` has none for.

    It is written out for the signature, since a loop over it would take longer than the launch.
    """
    names = [f'a{index}' for index in range(len(slots))]
    space: dict[str, Any] = {'DeviceBuffer': DeviceBuffer, 'Placeholder': Placeholder, 'plans': plans}
    space |= {'pointer': _other_pointer, 'not_plain': _not_plain}
    lines, values, data = [], [], []
    for name, slot in zip(names, slots, strict=True):
        if slot.kind == 'p':
            values.append(f'{name}._handle if type({name}) is DeviceBuffer and {name}._context == context else pointer({name})')
        elif slot.kind == 'd':
            lines.append(f'{name} = {name}.data if type({name}) is Placeholder else not_plain({name})')
            data.append(name)
        elif has_code(slot):
            space[f'int_{name}'] = _index(slot)
            values.append(f'{name} if type({name}) is int else int_{name}({name})')
        else:
            space[f'bits_{name}'] = _bits(slot)
            values.append(f'bits_{name}({name})')
    sizes = f'({"".join(f"len({name}), " for name in data)})'
    lines += [f'sizes = {sizes}', 'plan = plans[sizes]']
    lines.append(f'return plan, plan.pack({", ".join(values + data)})')
    exec(f'def pack({", ".join(["context", *names])}):\n    ' + '\n    '.join(lines), space)
    return space.pop('pack')  # type: ignore[no-any-return]


class PlainKernel(TypedKernel):
    """A TypedKernel without the extension."""

    def __init__(self, kernel: Kernel, slots: Sequence[Slot], *, bound: bool, by_handles: bool) -> None:
        TypedKernel.__init__(self, kernel, slots, bound=bound, by_handles=by_handles)
        self._hidden = kernel.launchers.hidden
        self._plans: Plans = {}
        self._pack = make_packer(slots, self._plans)

    def _make_plan(self, data_sizes: tuple[int, ...]) -> None:
        data = iter(data_sizes)
        sizes = [next(data) if slot.kind == 'd' else slot.size for slot in self.slots]
        plan = Plan(self.kernel, _template(self.slots, sizes), by_handles=self.by_handles)
        plan.use_struct(self.slots, sizes)
        if len(self._plans) >= CACHE_SIZE:
            self._plans.clear()
        self._plans[data_sizes] = plan

    def __call__(self, stream: Any, config: LaunchConfig | int, *args: Any) -> None:
        self.call(sys._getframe(1), stream, config, args)

    def call(self, frame: FrameType, stream: Any, config: LaunchConfig | int, args: Sequence[Any]) -> None:
        if type(stream) is not Stream or self.keep.is_closed or is_forked():
            TypedKernel.call(self, frame, stream, config, args)
            return
        handle, context = stream._handle, stream._context
        shape = as_config(config)
        try:
            try:
                plan, packed = self._pack(context, *args)
            except KeyError as missing:
                self._make_plan(missing.args[0])
                plan, packed = self._pack(context, *args)
        except (NotPlain, struct.error, OverflowError, TypeError):
            handle = None
        if handle is None or not context or not shape.num_blocks:
            TypedKernel.call(self, frame, stream, shape, args)
            return
        code = raw.acl_bind_launch(plan.c, self._hidden.newest, target_of(stream, shape, context), packed)
        if code == raw.ACL_BIND_STALE:
            TypedKernel.call(self, frame, stream, shape, args)
            return
        if code:
            raise call_error(code)
        stream._ring.keep(self, frame.f_code, frame.f_lasti, args)


# ---- what a kernel makes ---------------------------------------------------------------------------------------------

implementation: Callable[..., TypedKernel] = FastKernel if is_fast else PlainKernel


def _has_fixed_places(slots: Sequence[Slot]) -> bool:
    """Whether the arguments' places are known before the values, but for placeholders' data, and C has room for them."""
    room = sum(slot.size + POINTER_SIZE for slot in slots) + 2 * POINTER_SIZE
    return len(slots) <= PARAMS_AT_MOST and all(slot.size for slot in slots) and room <= BLOCK_AT_MOST


class Launchers(dict[tuple[type, ...], 'TypedKernel | None']):
    """A kernel's typed calls by the classes of a plain launch's arguments; None: the classes do not tell the places."""

    def __init__(self, _: Kernel) -> None:
        super().__init__()
        self.hidden = HiddenValues()

    def learn(self, kernel: Kernel, values: Sequence[Any], arguments: Sequence[Argument]) -> None:
        """From a launch that went the slow way, for the next ones of its kind."""
        if len(self) >= CACHE_SIZE:
            self.clear()
        slots = [slot_of_value(value, argument) for value, argument in zip(values, arguments, strict=True)]
        make = implementation if _has_fixed_places(slots) else None
        self[tuple(map(type, values))] = make and make(kernel, slots, bound=False, by_handles=False)


def _check_signature(kernel: Kernel, slots: Sequence[Slot]) -> None:
    """Raise for types that are not what the binary says of the kernel's parameters."""
    table = kernel.arg_info
    if table is None:
        return
    check_count(kernel, len(slots))
    for index, (slot, param) in enumerate(zip(slots, table, strict=True)):
        if slot.size not in (0, param.size):
            name = label(index, kernel.param_names)
            raise TypeError(f'{name}: {slot.name} has {counted(slot.size, "byte")}, the parameter in the binary has {param.size}')
    sizes = [param.size if slot.kind != 'd' else 0 for slot, param in zip(slots, table, strict=True)]
    check_table(kernel, _template(slots, sizes), table)


def bind(kernel: Kernel, *types: Any, by_handles: bool = False, check: bool = False) -> TypedKernel:
    slots = [slot_of_type(spec, position) for position, spec in enumerate(types)]
    _check_signature(kernel, slots)
    make = implementation if _has_fixed_places(slots) and not check else TypedKernel
    typed = make(kernel, slots, bound=True, by_handles=by_handles)
    typed.check = check
    return typed


def in_c(launch: Callable[..., None]) -> Callable[..., None]:
    """The same function, begun in C, which leaves what is not plain to the one given."""
    if not is_fast:
        return launch
    text = f'launch(stream, config, kernel, /, *args)\n--\n\n{launch.__doc__}'.encode()
    return connect(_address('acl_bind_launch_block'), Stream, DeviceBuffer, Placeholder, KernelArgs, launch, text)


def _address(function: str) -> int:
    return int(ffi.cast('uintptr_t', ffi.addressof(raw, function)))


def _sync_in_c() -> Any:
    """Stream.sync, begun in C likewise."""
    text = f'sync($self, /, timeout=None)\n--\n\n{Stream.sync.__doc__}'.encode()
    return connect_sync(_address('acl_bind_sync'), _address('acl_bind_epoch'), Stream, Stream.sync, text)


def _after_fork() -> None:
    if is_forked():
        disconnect()  # the slow way says what is wrong in a child


if is_fast:
    Stream.sync = _sync_in_c()  # type: ignore[method-assign]
os.register_at_fork(after_in_child=_after_fork)
KernelMakers.launchers = Launchers
KernelMakers.bind = bind
