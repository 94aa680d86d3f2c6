"""What the mock recorded of launches, for tests that look at argument bytes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import acl_bind as ab

ROOM = 1 << 16


@contextlib.contextmanager
def recording() -> Iterator[None]:
    """Launches inside are recorded."""
    ab.lib.aclmock_record_launches(1)
    try:
        yield
    finally:
        ab.lib.aclmock_record_launches(0)


def last_bytes() -> bytes:
    """The argument block of the last launch, as the device saw it."""
    launch, room = ab.ffi.new('aclmock_launch *'), ab.ffi.new('char[]', ROOM)
    assert ab.lib.aclmock_get_launch(0, launch, room, ROOM) == 1, 'no launch was recorded'
    return bytes(ab.ffi.buffer(room, launch.args_size))


def count() -> int:
    return int(ab.lib.aclmock_recorded_launches())


def sent(stream: ab.Stream, kernel: ab.Kernel, *values: Any) -> bytes:
    """Launches, and returns the argument block as the device saw it."""
    with recording():
        ab.launch(stream, 1, kernel, *values)
        stream.sync()
        return last_bytes()
