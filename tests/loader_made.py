"""Metadata records and look-ups for tests on made binaries."""

from __future__ import annotations

import struct
from typing import Any

from elf_writer import ElfWriter
from loader_replay import Loaded, handle_out, load_data, message

from acl_bind import ffi, lib

LITTLE = ElfWriter()
TYPE = {number: LITTLE.record(1, struct.pack('<I', number)) for number in range(10)}
SYNC = LITTLE.record(2, struct.pack('<I', 1))


def ratio(cube: int, vector: int) -> bytes:
    return LITTLE.record(3, struct.pack('<HH', cube, vector))


def dfx(*lengths: int, kind: int = 5) -> bytes:
    """A DFX record with argument records of so many 8-byte units."""
    return LITTLE.record(4, b''.join(struct.pack('>HH', kind, length) + bytes(8 * length) for length in lengths))


def summary(count: int, total: int) -> bytes:
    return LITTLE.record(16, struct.pack('<IQ', count, total))


def param(ordinal: int, offset: int, size: int) -> bytes:
    return LITTLE.record(17, struct.pack('<IIIIHHIIII', 0, ordinal, offset, size, 8, 0, 0, 0, 0, 0))


def load(writer: ElfWriter) -> Loaded:
    return load_data(writer.build())


def kernel_of(loaded: Loaded, name: str) -> Any:
    assert loaded.rc == 0, message()
    out = handle_out()
    assert lib.aclrtBinaryGetFunction(loaded.handle, name.encode(errors='surrogateescape'), out) == 0, message()
    return out[0]


def names_of(loaded: Loaded) -> list[str]:
    assert loaded.rc == 0, message()
    room = ffi.new('char[]', 1 << 16)
    lib.aclmock_kernel_names(loaded.handle, room, 1 << 16)
    return sorted(ffi.string(room).decode(errors='surrogateescape').split('\n')[:-1])
