"""Checks of plain arguments, before C is entered."""

from __future__ import annotations

from typing import Any

_FOREVER = -1
_MOST_MS = (1 << 31) - 1


def check_int(name: str, value: Any, low: int, high: int) -> None:
    """Raise TypeError for what is no int (a bool is none), ValueError outside of low to high."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f'{name} is {value!r}, expected an int from {low} to {high}')
    if not low <= value <= high:
        raise ValueError(f'{name} is {value}, expected {low} to {high}')


def milliseconds(timeout: float | None) -> int:
    """Seconds as the C functions want them: whole milliseconds, -1 for None (no limit)."""
    if timeout is None:
        return _FOREVER
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f'timeout is {timeout!r}, expected seconds as a number, or None for no limit')
    if not 0 <= timeout * 1000 <= _MOST_MS:
        raise ValueError(f'timeout is {timeout} s, expected 0 to {_MOST_MS / 1000} s, or None for no limit')
    return max(1, round(timeout * 1000))  # 0 is refused by the library


def counted(number: int, noun: str) -> str:
    """1 byte, 2 bytes."""
    return f'{number} {noun}{"" if number == 1 else "s"}'
