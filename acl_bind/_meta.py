"""What the Ascend compiler notes about a kernel in its section .ascend.meta.NAME: records of type, length and value."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterator

FUNCTION_TYPE, SYNC, RATIO, DFX, UBUF_SIZE, STACK_SIZE, EARLY_START, VECTOR_TYPE = 1, 2, 3, 4, 7, 8, 11, 12
ENTRY, PARAM_SUMMARY, PARAM, SCHEDULE_MODE = 14, 16, 17, 18
RATIOS = {(0, 0): 2, (1, 2): 2, (2, 1): 2, (1, 1): 1, (1, 0): 0, (0, 1): 0}
NO_ENTRY = 0x80


@dataclasses.dataclass(frozen=True)
class Param:
    """A row of a kernel's parameter table, in bytes of the argument block."""

    offset: int
    size: int


@dataclasses.dataclass
class Meta:
    """Of one kernel symbol."""

    function_type: int = 0
    sync: bool = False
    ratio: int = 2
    simt: bool = False
    schedule_mode: int = 0
    entry: int | None = None
    has_entry: bool = True
    params: tuple[Param, ...] | None = None
    not_understood: list[str] = dataclasses.field(default_factory=list)


def records(section: bytes) -> Iterator[tuple[int, bytes]]:
    """Type and value of each; a record that leaves the section ends them, as in the runtime."""
    at = 0
    while len(section) - at > 4:
        kind, length = struct.unpack_from('<HH', section, at)
        at += 4
        if length > len(section) - at:
            return
        yield kind, section[at : at + length]
        at += length


def _number(value: bytes) -> int:
    return int.from_bytes(value[:8], 'little') & 0xFFFFFFFF


def _params(count: int, rows: list[bytes]) -> tuple[Param, ...]:
    found = [Param(0, 0)] * count
    for row in rows:
        _, ordinal, offset, size = struct.unpack_from('<4I', row)
        if ordinal < count:
            found[ordinal] = Param(offset, size)
    return tuple(found)


def _read_entry(meta: Meta, value: bytes) -> None:
    flag, entry = value[0], int.from_bytes(value[4:12], 'little')
    meta.has_entry = flag != NO_ENTRY
    meta.entry = entry if flag == 0 else None


def read(section: bytes) -> Meta:
    """The section of a kernel's symbol."""
    meta = Meta()
    count: int | None = None
    rows: list[bytes] = []
    for kind, value in records(section):
        if kind == FUNCTION_TYPE:
            meta.function_type = _number(value)
        elif kind == SYNC:
            meta.sync = _number(value) == 1
        elif kind == RATIO and len(value) >= 4:
            cube_to_vector = struct.unpack_from('<HH', value)
            if cube_to_vector in RATIOS:
                meta.ratio = RATIOS[cube_to_vector]
            else:
                meta.not_understood.append(f'ratio {cube_to_vector[0]}:{cube_to_vector[1]}')
        elif kind == VECTOR_TYPE:
            meta.simt = _number(value) in (3, 4)
        elif kind == ENTRY and len(value) >= 12:
            _read_entry(meta, value)
        elif kind == PARAM_SUMMARY and len(value) >= 4:
            count = _number(value[:4])
        elif kind == PARAM and len(value) >= 16:
            rows.append(value)
        elif kind == SCHEDULE_MODE:
            meta.schedule_mode = _number(value)
        elif kind not in (0, DFX, UBUF_SIZE, STACK_SIZE, EARLY_START):
            meta.not_understood.append(f'record of type {kind}, {len(value)} bytes')
    if count is not None and len(rows) == count:
        meta.params = _params(count, rows)
    elif count is not None:
        meta.params = () if count == 0 else None
        meta.not_understood.append(f'{len(rows)} parameter records for {count} parameters')
    return meta
