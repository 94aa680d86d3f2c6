"""Callbacks and threads of pyACL: launch_callback, process_report, set_exception_info_callback, start_thread, stop_thread."""

from __future__ import annotations

import errno
import itertools
import sys
import threading
from collections.abc import Callable
from typing import Any

from .._ffi import callback, ffi, lib
from ._engine import ROWS, special

Call = Callable[..., Any]


def _print_raised() -> None:
    """The traceback of what was just raised, on stderr whatever sys.excepthook is."""
    sys.__excepthook__(*sys.exc_info())


# ---- callbacks on a stream --------------------------------------------------------------------------------------------

_queued: dict[int, tuple[Call, object]] = {}  # until they have run, by the number that C hands back
_numbers = itertools.count(1)
_thread = threading.local()  # .reporting: in process_report; .raised: what a callback raised there


def _run_queued(data: Any) -> None:
    function, argument = _queued.pop(int(ffi.cast('uintptr_t', data)))
    try:
        function(argument)
    except BaseException as error:
        if getattr(_thread, 'reporting', False):
            _thread.raised = error
        else:
            _print_raised()  # nobody is there to take it


_queued_pointer = callback('acl_bind_pyacl_callback', _run_queued)


@special('acl.rt')
def launch_callback(function: Any, argument: object, block_type: int, stream: int) -> int:
    """The callback always gets one argument, None included."""
    if not callable(function):
        raise TypeError('parameter must be callable')
    number = next(_numbers)
    _queued[number] = function, argument
    code = lib.aclrtLaunchCallback(_queued_pointer, ffi.cast('void *', number), block_type & 0xFFFFFFFF, ffi.cast('void *', stream))
    if code:
        del _queued[number]
    return int(code)


@special('acl.rt')
def process_report(timeout: int) -> int:
    """What a callback raises comes out of here, as it does from a C function that returns with an exception set."""
    outer, _thread.reporting, _thread.raised = getattr(_thread, 'reporting', False), True, None
    try:
        code = lib.aclrtProcessReport(timeout)
    finally:
        _thread.reporting = outer
    if _thread.raised is not None:
        raise SystemError('<built-in function process_report> returned a result with an exception set') from _thread.raised
    return int(code)


# ---- exceptions of the device -----------------------------------------------------------------------------------------

_on_exception: Call | None = None  # one a process


def _run_exception(info: Any) -> None:
    function = _on_exception
    try:
        if function is not None:
            function(int(ffi.cast('uintptr_t', info)))
    except BaseException:
        _print_raised()  # the original forgets the callback here and calls NULL the next time


_exception_pointer = callback('acl_bind_pyacl_exception', _run_exception)


@special('acl.rt')
def set_exception_info_callback(function: Any = None) -> int:
    global _on_exception  # noqa: PLW0603
    if function is not None and not callable(function):
        raise TypeError(ROWS['acl.rt']['set_exception_info_callback'].refusal)
    _on_exception = function
    return int(lib.aclrtSetExceptionInfoCallback(ffi.NULL if function is None else _exception_pointer))


# ---- functions that let PyArg's own words out -------------------------------------------------------------------------


def _natural(args: tuple[Any, ...], count: int) -> None:
    if len(args) != count:
        raise TypeError(f'function takes exactly {count} argument{"s" * (count > 1)} ({len(args)} given)')


@special('acl.rt', raw=True)
def get_event_id(*args: Any) -> tuple[int, int]:
    _natural(args, 1)
    if not isinstance(args[0], int):
        raise TypeError(f'argument 1 must be int, not {"None" if args[0] is None else type(args[0]).__name__}')
    found = ffi.new('uint32_t *')
    code = lib.aclrtGetEventId(ffi.cast('void *', args[0] & 0xFFFFFFFFFFFFFFFF), found)
    return found[0], code


# ---- threads ----------------------------------------------------------------------------------------------------------


class _Started:
    """A thread of start_thread's, until stop_thread has joined it. It stays until then: its id must mean no other one."""

    def __init__(self, function: Call, argument: object) -> None:
        self.function, self.argument = function, argument
        self.raised: str | None = None
        self.joined = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)  # as the original's, it keeps no program alive

    def _run(self) -> None:
        try:
            if self.argument is None:
                self.function()
            else:
                self.function(self.argument)
        except BaseException as error:
            self.raised = type(error).__name__
            _print_raised()
        finally:
            del self.function, self.argument
            self.joined.wait()


_started: dict[int, _Started] = {}


@special('acl.util', raw=True)
def start_thread(*args: Any) -> tuple[int, int]:
    """Runs function() when the argument is None, else function(argument). The original also sets SIGINT to its default."""
    _natural(args, 2)
    function, argument = args
    if not callable(function):
        raise TypeError('parameter must be callable')
    started = _Started(function, argument)
    try:
        started.thread.start()
    except RuntimeError:  # the system has no thread left
        return 0, errno.EAGAIN
    identity = started.thread.ident or 0
    _started[identity] = started
    return identity, 0


@special('acl.util')
def stop_thread(identity: int) -> int:
    """Joins the thread; asks nothing of it. An unknown one gives ESRCH, where the original crashes."""
    if identity == threading.get_ident():
        return errno.EDEADLK
    started = _started.pop(identity, None)
    if started is None:
        return errno.ESRCH
    started.joined.set()
    started.thread.join()
    if started.raised is not None:
        raise RuntimeError(f'exception={started.raised},msg=thread call failed;')
    return 0
