"""What launches made of their arguments: the device's bytes of the newest ones, as the mock recorded them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

import acl_bind as ab
from acl_bind import compiled, ffi, lib
from acl_bind._ffi import is_fast
from acl_bind.signature import slot_of_type

ROOM = 1 << 17
IMPLEMENTATIONS = {'python': compiled.PlainKernel, **({'extension': compiled.FastKernel} if is_fast else {})}


class Launched(NamedTuple):
    kernel: str
    num_blocks: int
    address: int
    data: bytes


@contextlib.contextmanager
def recording() -> Iterator[None]:
    lib.aclmock_record_launches(1)
    try:
        yield
    finally:
        lib.aclmock_record_launches(0)


def newest(back: int = 0) -> Launched:
    """The launch so many ago."""
    entry, data = ffi.new('aclmock_launch *'), ffi.new('uint8_t[]', ROOM)
    assert lib.aclmock_get_launch(back, entry, data, ROOM)
    return Launched(ffi.string(entry.kernel).decode(), entry.num_blocks, entry.args, bytes(ffi.buffer(data, entry.args_size)))


def meaning(launched: Launched, layout: ab.Layout) -> tuple[tuple[int, str], ...]:
    """Offset and bytes of every slot, pointers of placeholders as offsets. Padding is whatever the list's buffer held."""
    assert len(launched.data) == layout.size
    slots = []
    for row in layout:
        data = launched.data[row.offset : row.offset + row.size]
        if row.kind == 'placeholder':
            data = (int.from_bytes(data, 'little') - launched.address).to_bytes(8, 'little')
        slots.append((row.offset, data.hex()))
    return tuple(slots)


@contextlib.contextmanager
def without(name: str) -> Iterator[None]:
    """A library that lacks a function."""
    lib._hide(name, True)
    try:
        yield
    finally:
        lib._hide(name, False)


def make(how: str, kernel: ab.Kernel, *types: object, by_handles: bool = False) -> ab.TypedKernel:
    """kernel.bind() in one of the implementations."""
    slots = [slot_of_type(spec, position) for position, spec in enumerate(types)]
    return IMPLEMENTATIONS[how](kernel, slots, bound=True, by_handles=by_handles)
