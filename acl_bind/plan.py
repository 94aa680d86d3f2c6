"""A launch of packed arguments: where everything goes, what the hidden slots get, and the one C call."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from ._ffi import call_error, ffi, raw
from ._handle import current_context, in_context
from .args import probe_hidden
from .config import LaunchConfig
from .kernel import Kernel
from .layout import lay_out
from .signature import Slot
from .stream import Stream
from .values import POINTER_SIZE, Argument

TARGETS_AT_MOST = 64  # a stream
_INT_CODES = {(size, signed): code for size, codes in ((1, 'Bb'), (2, 'Hh'), (4, 'Ii'), (8, 'Qq')) for signed, code in enumerate(codes)}


def has_code(slot: Slot) -> bool:
    """Whether struct has a format with the range of an int slot."""
    return slot.kind == 'i' and not (slot.low < 0 and slot.high >= 1 << (8 * slot.size - 1))


class HiddenValues:
    """A kernel's hidden slots by context, as C takes them."""

    def __init__(self) -> None:
        self._known: dict[int, Any] = {}
        self.newest = ffi.new('acl_bind_hidden *')  # of no context, for a kernel that has no such slots

    def find(self, kernel: Kernel) -> Any:
        """Of the current context."""
        context = current_context()
        known = self._known.get(context)
        if known is None or known.epoch != raw.acl_bind_epoch():
            epoch = raw.acl_bind_epoch()  # before it is found, which may take long
            sync, overflow = probe_hidden(kernel)
            known = ffi.new('acl_bind_hidden *', {'context': ffi.cast('void *', context), 'epoch': epoch})
            known.sync, known.overflow = sync or 0, overflow or 0
            self._known[context] = known
        self.newest = known
        return known


# ---- plans -----------------------------------------------------------------------------------------------------------


class Plan:
    """Where everything goes for one list of sizes: the C plan, and the struct that packs values into it."""

    def __init__(self, kernel: Kernel, arguments: Sequence[Argument], *, by_handles: bool = False) -> None:
        rows = lay_out(arguments, kernel.hidden_slots, kernel.layout)
        slots = [row for row in rows if row.kind not in ('hidden', 'data')]
        data = iter([row for row in rows if row.kind == 'data'])
        params, table = [], []
        for row in slots:
            behind = next(data) if row.kind == 'placeholder' else None
            params.append((row.offset, behind.size if behind else row.size, behind.offset if behind else 0))
            table += [(row.offset, behind.offset)] if behind else []
        hidden = [row.offset for row in rows if row.kind == 'hidden']
        own = kernel.layout == 'bisheng'  # hidden slots are the caller's own
        head = 0 if own else kernel.hidden_slots.head
        self.size = rows.size
        self.offsets = [row.offset for row in slots]
        self.overflow_offset = 0 if own or not kernel.hidden_slots.tail else hidden[head // POINTER_SIZE]
        self._arrays = ffi.new('acl_bind_param[]', params), ffi.new('aclrtPlaceHolderInfo[]', table)
        self.c = ffi.new('acl_bind_plan *')
        self.c.function, self.c.size, self.c.by_handles = kernel._pointer, self.size, by_handles
        self.c.params, self.c.placeholders = self._arrays
        self.c.num_params, self.c.num_placeholders = len(params), len(table)
        self.c.sync_size, self.c.overflow_offset, self.c.host_args_only = head, self.overflow_offset, own
        self._data_at = [offset for _, offset in table]
        self.pack: Callable[..., bytes] = struct.Struct('<').pack

    def packed(self, arguments: Sequence[Argument]) -> bytes:
        """The bytes, once."""
        block = bytearray(self.size)
        data_at = iter(self._data_at)
        for argument, offset in zip(arguments, self.offsets, strict=True):
            start = next(data_at) if argument.kind == 'placeholder' else offset
            block[start : start + len(argument.data)] = argument.data
        return bytes(block)

    def use_struct(self, slots: Sequence[Slot], sizes: Sequence[int]) -> None:
        """Make `pack`: values in order of the slots, placeholders' data behind them."""
        fields = []  # offset, size, code
        data_sizes = [size for slot, size in zip(slots, sizes, strict=True) if slot.kind == 'd']
        for slot, offset, size in zip(slots, self.offsets, sizes, strict=True):
            if slot.kind == 'p':
                fields.append((offset, POINTER_SIZE, 'Q'))
            elif has_code(slot):
                fields.append((offset, slot.size, _INT_CODES[slot.size, slot.low < 0]))
            elif slot.kind != 'd':
                fields.append((offset, size, f'{size}s'))
        fields += [(offset, size, f'{size}s') for offset, size in zip(self._data_at, data_sizes, strict=True)]
        text, end = '<', 0
        for offset, size, code in fields:
            text += (f'{offset - end}x' if offset > end else '') + code
            end = offset + size
        self.pack = struct.Struct(text + (f'{self.size - end}x' if self.size > end else '')).pack


# ---- launching -------------------------------------------------------------------------------------------------------


def target_of(stream: Stream, config: LaunchConfig, context: int) -> Any:
    """Where to and with which shape, as C takes it: made once, since C's numbers cost more than the launch."""
    key = id(config), context
    known = stream._targets.get(key)
    if known is None:
        if len(stream._targets) >= TARGETS_AT_MOST:
            stream._targets.clear()
        pointers = (ffi.cast('void *', number) for number in (context, stream.handle, config._c_config[0]))
        known = config, ffi.new('acl_bind_target *', [*pointers, config.num_blocks])
        stream._targets[key] = known  # with the config, whose id no other gets meanwhile
    return known[1]


def run(plan: Plan, kernel: Kernel, stream: Stream, config: LaunchConfig, packed: Any) -> None:
    """One launch of packed arguments, by the route that the library has."""
    context = stream._context or kernel._context
    stream.handle  # noqa: B018  (a closed one says so)
    target, hidden, launch = target_of(stream, config, context), kernel.launchers.hidden, raw.acl_bind_launch
    code = launch(plan.c, hidden.newest, target, packed)
    for _ in range(2):  # twice, when the look-up could not tell the context
        if code != raw.ACL_BIND_STALE:
            break
        with in_context(context):
            code = launch(plan.c, hidden.find(kernel), target, packed)
    if code:
        raise call_error(code)
