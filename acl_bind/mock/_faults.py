"""Calls and kernels that fail, or come late, on purpose."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from .._ffi import ffi, lib, signatures


class Rule:
    """A failure or delay that is waiting to happen. As ``with`` it ends with the block; remove() ends it too."""

    def __init__(self, number: int) -> None:
        self._number = number

    def remove(self) -> None:
        """It does not happen any more. More often is harmless."""
        lib.aclmock_take_back(self._number)

    def __enter__(self) -> Rule:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def _check_function(name: str) -> None:
    if name not in signatures() or signatures()[name].since == 'mock':
        raise ValueError(f'{name} is no function of libascendcl: give a C name, such as aclrtMalloc')


def _count(nth: int, times: int | None) -> tuple[int, int]:
    if nth < 1:
        raise ValueError(f'nth is {nth}, expected 1 (the next call) or more')
    if times is not None and times < 1:
        raise ValueError(f'times is {times}, expected 1 or more, or None for all from there on')
    return nth, lib.ACLMOCK_ALWAYS if times is None else times


def _code(code: int | str) -> int:
    number = getattr(lib, code, None) if isinstance(code, str) else code
    if isinstance(number, bool) or not isinstance(number, int) or number == 0:
        raise ValueError(f'code is {code!r}, expected a nonzero code or the name of one, such as ACL_ERROR_RT_MEMORY_ALLOCATION')
    return number


def _rule(number: int) -> Rule:
    if number == 0:
        raise RuntimeError('the mock has 256 rules already, or the name is too long: remove some (clear_faults)')
    return Rule(number)


def _microseconds(seconds: float) -> int:
    if not 0 < seconds < 1e6:
        raise ValueError(f'seconds is {seconds}, expected more than 0')
    return max(1, round(seconds * 1e6))


def fault(function: str, code: int | str, text: str | None = None, *, nth: int = 1, times: int | None = 1) -> Rule:
    """The C function's ``nth`` call from now (1: the next) and those after it, ``times`` in all, fail and do nothing.

    ``code``: a number or a constant's name. ``text``: what aclGetRecentErrMsg says. Raises ValueError for a function or
    code that does not exist. C function: aclmock_fail_call.
    """
    _check_function(function)
    words = ffi.NULL if text is None else text.encode()
    return _rule(lib.aclmock_fail_call(function.encode(), *_count(nth, times), _code(code), words))


def fault_kernel(kernel: str, code: int | str, text: str | None = None, *, nth: int = 1, times: int | None = 1) -> Rule:
    """The same for launches of a kernel, counted as they run: the kernel writes nothing, and the next sync raises.

    C function: aclmock_fail_kernel.
    """
    words = ffi.NULL if text is None else text.encode()
    return _rule(lib.aclmock_fail_kernel(kernel.encode(), *_count(nth, times), _code(code), words))


def latency(function: str, seconds: float, *, nth: int = 1, times: int | None = None) -> Rule:
    """The C function's calls take so much longer (aclmock_delay_call)."""
    _check_function(function)
    return _rule(lib.aclmock_delay_call(function.encode(), *_count(nth, times), _microseconds(seconds)))


def latency_kernel(kernel: str, seconds: float, *, nth: int = 1, times: int | None = None) -> Rule:
    """Launches of the kernel take so much longer (aclmock_delay_kernel)."""
    return _rule(lib.aclmock_delay_kernel(kernel.encode(), *_count(nth, times), _microseconds(seconds)))


def faults_left() -> int:
    """How many rules are not used up: 0 after a test says that all of them happened."""
    return int(lib.aclmock_faults_left())


def clear_faults() -> None:
    """Remove all rules."""
    lib.aclmock_clear_faults()


@contextlib.contextmanager
def hide(*functions: str) -> Iterator[None]:
    """Play an older library, which lacks these functions: calling one raises AclSymbolNotFoundError."""
    for name in functions:
        _check_function(name)
    hidden = [name for name in functions if lib.has(name)]
    for name in hidden:
        lib._hide(name, True)
    try:
        yield
    finally:
        for name in hidden:
            lib._hide(name, False)
