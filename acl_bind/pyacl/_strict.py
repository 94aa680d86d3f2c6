"""ACL_BIND_PYACL_STRICT=1: what pyACL lets pass in silence is an error at the line that does it."""

from __future__ import annotations

import collections
import importlib
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

from .._ffi import error_for
from ._engine import Row, named

ENABLED = os.environ.get('ACL_BIND_PYACL_STRICT', '') not in ('', '0')

_RANGES = {'k': 64, 'K': 64, 'I': 32, 'H': 16}  # the codes that wrap around
_NO_CODE = {'get_last_error', 'peek_at_last_error', 'app_log', 'get_data_buffer_size'}  # what they return is no failure
REMEMBERED = 1024


class Result(tuple[Any, ...]):
    """A returned tuple. Comparing it with an int is the mistake of forgetting that the values come before the code."""

    __slots__ = ()

    def _compared(self, other: object) -> None:
        if isinstance(other, int):
            warnings.warn('a tuple is compared with an int: the function returns (value, ..., ret)', Warning, stacklevel=3)

    def __eq__(self, other: object) -> bool:
        self._compared(other)
        return tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        self._compared(other)
        return tuple.__ne__(self, other)

    __hash__ = tuple.__hash__


def refuse_member(source: dict[str, Any], key: str) -> None:
    """A dict's value that is there and no int: pyACL takes it for 0."""
    if ENABLED and source.get(key) is not None:
        raise TypeError(f'{key!r} is {source[key]!r}, which would be taken for 0: use int(...)')


# ---- addresses of Python objects --------------------------------------------------------------------------------------


class _Watched:
    __slots__ = ('held', 'size', 'what')

    def __init__(self, held: object, size: int, what: str) -> None:
        self.held, self.size, self.what = held, size, what

    def count(self) -> int:
        return sys.getrefcount(self.held)


_ALONE = _Watched([], 0, '').count()  # the count of an object that only its entry holds
_watched: collections.OrderedDict[int, _Watched] = collections.OrderedDict()


def watch(address: int, held: object, size: int, what: str) -> None:
    """Remember which object an address came from. It is kept alive, so that reporting it is safe."""
    if ENABLED:
        while getattr(held, 'base', None) is not None:
            held = held.base  # type: ignore[attr-defined]  # a view lives as long as what it looks at
        _watched[address] = _Watched(held, size, what)
        _watched.move_to_end(address)
        while len(_watched) > REMEMBERED:
            _watched.popitem(last=False)


def check_alive(value: int) -> None:
    for address, entry in list(_watched.items()):
        if address <= value < address + max(entry.size, 1) and entry.count() <= _ALONE:
            raise ValueError(
                f'{value:#x} came from {entry.what} of an object that the program holds no more: the pointer dangles. '
                'Keep the object in a variable until the call, or the stream, is done with it.'
            )


def watch_addressof() -> None:
    """Have ctypes.addressof remember as well."""
    ctypes = importlib.import_module('ctypes')
    plain = ctypes.addressof

    def addressof(obj: Any) -> int:
        address: int = plain(obj)
        watch(address, obj, ctypes.sizeof(obj), 'ctypes.addressof')
        return address

    ctypes.addressof = addressof  # type: ignore[attr-defined]  # an Any of importlib


# ---- calls ------------------------------------------------------------------------------------------------------------


def _check_argument(row: Row, at: int, code: str, value: Any) -> None:
    if not isinstance(value, int):
        return
    bits = _RANGES.get(code)
    if bits is not None and not 0 <= value < 1 << bits:
        raise OverflowError(f'{row.module}.{row.name}: argument {at} is {value}, which pyACL cuts to {value & ((1 << bits) - 1)}')
    if code in 'kK':
        check_alive(value)


def _code_of(row: Row, result: Any) -> int:
    if row.module == 'acl.util' or row.name in _NO_CODE or row.shape in ('n', 'u', 'f', 's'):
        return 0
    return int(result[-1] if isinstance(result, tuple) else result)


def guard(row: Row, call: Callable[..., Any]) -> Callable[..., Any]:
    """The function with strict rules around it."""

    def face(*args: Any, **kw: Any) -> Any:
        for at, (code, value) in enumerate(zip(row.codes.replace('|', ''), args, strict=False), 1):
            _check_argument(row, at, code, value)
        result = call(*args, **kw)
        failure = _code_of(row, result)
        if failure:
            raise error_for(row.function, failure)
        return Result(result) if isinstance(result, tuple) else result

    return named(row, face)
