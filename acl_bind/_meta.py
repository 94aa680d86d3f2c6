"""What the Ascend compiler notes about a kernel in its section .ascend.meta.NAME: records of type, length and value."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Iterator

FUNCTION_TYPE, SYNC, RATIO, VECTOR_TYPE, ENTRY, PARAM_SUMMARY, PARAM, SCHEDULE_MODE = 1, 2, 3, 12, 14, 16, 17, 18
PASSED_OVER = (0, 4, 7, 8, 11)  # padding; sizes and switches that say nothing to a person
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


def _read_ratio(meta: Meta, value: bytes) -> None:
    cube_to_vector = struct.unpack_from('<HH', value.ljust(4, b'\0'))
    if cube_to_vector in RATIOS:
        meta.ratio = RATIOS[cube_to_vector]
    else:
        meta.not_understood.append(f'ratio {cube_to_vector[0]}:{cube_to_vector[1]}')


def _read_entry(meta: Meta, value: bytes) -> None:
    flag, entry = value[:1], int.from_bytes(value[4:12], 'little')
    meta.has_entry = flag != bytes([NO_ENTRY])
    meta.entry = entry if flag == b'\0' else None


def _setter(field: str, convert: Callable[[int], object]) -> Callable[[Meta, bytes], None]:
    return lambda meta, value: setattr(meta, field, convert(_number(value)))


READERS: dict[int, Callable[[Meta, bytes], None]] = {
    FUNCTION_TYPE: _setter('function_type', int),
    SYNC: _setter('sync', lambda number: number == 1),
    RATIO: _read_ratio,
    VECTOR_TYPE: _setter('simt', lambda number: number in (3, 4)),
    ENTRY: _read_entry,
    SCHEDULE_MODE: _setter('schedule_mode', int),
}


def read(section: bytes) -> Meta:
    """The section of a kernel's symbol."""
    meta = Meta()
    counts: list[int] = []
    rows: list[bytes] = []
    for kind, value in records(section):
        if kind == PARAM_SUMMARY:
            counts.append(_number(value[:4]))
        elif kind == PARAM and len(value) >= 16:
            rows.append(value)
        elif kind in READERS:
            READERS[kind](meta, value)
        elif kind not in PASSED_OVER:
            meta.not_understood.append(f'record of type {kind}, {len(value)} bytes')
    if counts and counts[-1] in (0, len(rows)):
        meta.params = _params(counts[-1], rows)
    elif counts:
        meta.not_understood.append(f'{len(rows)} parameter records for {counts[-1]} parameters')
    return meta
