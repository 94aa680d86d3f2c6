"""Mistakes that a real library takes without a word, as the mock's ACL_MOCK_CHECK finds them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from .._ffi import ffi, lib

MODES = ('off', 'warn', 'error')


class Diagnosis(NamedTuple):
    """One mistake.

    ``kind``: 'unwritten-read', 'overrun', 'use-after-free', 'write-after-free', 'free-in-use', 'double-free', 'bad-free',
    'wrong-device', 'leak', 'lost-arguments', 'unfilled-placeholder', 'foreign-parameter', 'foreign-arguments',
    'argument-size', 'blocks-cut'. ``function``: the C call that found it. ``site``: where that call is, as 'file:line', ''
    when it was not made from Python. ``text``: what is wrong, where the object was made, what to do.
    """

    kind: str
    function: str
    site: str
    text: str

    def __str__(self) -> str:
        return f'{self.kind}: {self.function}: {self.text}' + (f' [{self.site}]' if self.site else '')


def report() -> list[Diagnosis]:
    """What was found since the start or the last clear_report(), the oldest first; the last 256."""
    row: Any = ffi.new('aclmock_diagnosis *')
    count = lib.aclmock_diagnoses()
    found = []
    for index in range(max(0, count - 256), count):
        if lib.aclmock_get_diagnosis(index, row):
            found.append(Diagnosis(*(ffi.string(field).decode(errors='replace') for field in (row.kind, row.function, row.site, row.text))))
    return found


def clear_report() -> None:
    """Forget what was found."""
    lib.aclmock_clear_diagnoses()


@contextlib.contextmanager
def checks(mode: str) -> Iterator[None]:
    """Check as ACL_MOCK_CHECK=mode does: 'off', 'warn' (one line each on stderr) or 'error' (the call fails too).

    What was made while checks were off stays unchecked.
    """
    if mode not in MODES:
        raise ValueError(f'mode is {mode!r}, expected one of {", ".join(MODES)}')
    before = lib.aclmock_get_check()
    lib.aclmock_set_check(MODES.index(mode))
    try:
        yield
    finally:
        lib.aclmock_set_check(before)


def mark() -> int:
    """A number for now, for leaks_since()."""
    return int(lib.aclmock_mark())


def leaks_since(start: int) -> list[Diagnosis]:
    """What was made since mark() returned ``start`` and is still there, at most 64 objects. They go into report() as well.

    What was made while checks were off is not known.
    """
    before = lib.aclmock_diagnoses()
    lib.aclmock_report_leaks(start)
    made = lib.aclmock_diagnoses() - before
    return report()[-made:] if made else []
