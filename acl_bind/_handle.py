"""What owns a C handle: closes it once, under the context that made it, and never from a dead or forked process."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Iterator
from typing import Any, TypeVar

from ._ffi import Cell, acl, error_for, ffi, lib
from .errors import AclError, AclForkError, AclHandleError

_Self = TypeVar('_Self')  # typing.Self is there from Python 3.11

_owner_pid = os.getpid()  # the process that initialised ACL; a fork before that is none of ours
_in_use = False
_forked = False
_ending = False
_ended = False  # set by the one atexit step: what is still alive then has been closed by it


def mark_in_use() -> None:
    """ACL is initialised in this process: from now on a fork makes a child that cannot use it."""
    global _in_use, _owner_pid
    _in_use, _owner_pid = True, os.getpid()


def _after_fork() -> None:
    global _forked  # noqa: PLW0603
    _forked = _in_use


os.register_at_fork(after_in_child=_after_fork)


def is_forked() -> bool:
    """Whether this is the child of a process that had ACL initialised."""
    return _forked


def check_process() -> None:
    """Raise AclForkError in a forked child: its parent's devices are not its own."""
    if _forked:
        raise AclForkError(
            'this process was forked after ACL was initialised in its parent; start workers with multiprocessing\'s "spawn" method'
        )


def current_context() -> int:
    """The calling thread's context, 0 when it has none."""
    place = ffi.new('aclrtContext *')
    return int(ffi.cast('uintptr_t', place[0])) if lib.aclrtGetCurrentContext(place) == 0 else 0


@contextlib.contextmanager
def in_context(context: int, *, must: bool = True) -> Iterator[None]:
    """Run under a context and put back the thread's own. A thread that had none keeps this one: ACL cannot take it away.

    ``must=False``: go on in the thread's own when the context is gone.
    """
    check_process()
    before = current_context()
    if context in (0, before):
        yield
        return
    code = lib.aclrtSetCurrentContext(ffi.cast('void *', context))
    if code and (must or code != lib.ACL_ERROR_RT_PARAM_INVALID):  # which it answers for a context that is gone
        raise error_for('aclrtSetCurrentContext', code)
    try:
        yield
    except BaseException:
        if before:
            lib.aclrtSetCurrentContext(ffi.cast('void *', before))
        raise
    if before:
        acl.aclrtSetCurrentContext(ffi.cast('void *', before))  # to go on elsewhere in silence would be worse


def device_of(context: int) -> int | None:
    """The number of the device that a context is on (0: the thread's own), None when there is no such context."""
    number = ffi.new('int32_t *')
    try:
        with in_context(context):
            acl.aclrtGetDevice(number)
    except AclError as error:
        if error.code in (lib.ACL_ERROR_RT_CONTEXT_NULL, lib.ACL_ERROR_RT_PARAM_INVALID):  # the thread's own; a destroyed one
            return None
        raise
    return int(number[0])


def take_message() -> None:
    """Drop the text of a call that was expected to fail, so that no later error has it."""
    if lib.has('aclGetRecentErrMsg'):
        lib.aclGetRecentErrMsg()


class Life:
    """Whether a context, or the memory of a device, is still what it was; see _lives.py."""

    alive = True


class Handle(Cell):
    """Base of all objects that stand for a C handle.

    ``close()`` ends it (once; more often is harmless), ``with`` closes at the end, and an object that is dropped closes
    itself. Borrowed ones (``from_handle``) are never destroyed. ``int(obj)`` and ``.handle`` give the C handle; equality
    and hash are the handle's.
    """

    _life: Life | None = None  # of what it was made in; None: of nothing that could end before it
    _order = 0  # when the atexit step closes it: low ones first
    # What is alive, by id(). Without a lock: a collection inside it could end an object, which would wait for it. Each use
    # is one step of the interpreter's.
    _registry: dict[int, weakref.ref[Handle]] = {}  # noqa: RUF012

    def __init__(self, handle: int, *, context: int, parent: object = None, owned: bool = True) -> None:
        self._handle = handle
        self._hash = hash((type(self), handle))  # stays when it is closed
        self._context = context
        self._parent = parent  # kept alive: a child never outlives what it was made from
        self._owned = owned
        if owned:
            key = id(self)
            Handle._registry[key] = weakref.ref(self, lambda _: Handle._registry.pop(key, None))

    @property
    def handle(self) -> int:
        """The C handle. Raises AclHandleError after close(), AclForkError in a forked child."""
        if _forked:
            check_process()
        if self._handle is None:
            kind = type(self).__name__
            raise AclHandleError(f'{kind}.handle', lib.ACL_ERROR_RT_INVALID_HANDLE, 'ACL_ERROR_RT_INVALID_HANDLE', f'this {kind} is closed')
        if self._life is not None and not self._life.alive:
            kind = type(self).__name__
            why = f'the device or context of this {kind} was closed, and the {kind} with it'
            raise AclHandleError(f'{kind}.handle', lib.ACL_ERROR_RT_INVALID_HANDLE, 'ACL_ERROR_RT_INVALID_HANDLE', why)
        return self._handle

    @property
    def is_closed(self) -> bool:
        return self._handle is None

    @property
    def _pointer(self) -> Any:
        return ffi.cast('void *', self.handle)

    def _here(self) -> contextlib.AbstractContextManager[None]:
        """Its context, to run under. Raises AclHandleError when it is closed, before C is entered."""
        self.handle  # noqa: B018
        return in_context(self._context)

    def close(self) -> None:
        """End the handle. Raises AclError when the library refuses; the object is closed all the same."""
        if self._handle is not None and self._owned and not _ended and not self._park():
            self._close()
        self._handle = None

    def _park(self) -> bool:
        """Leave the handle to streams whose queued work uses it, if there are any."""
        return False

    def _close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is None:
            return  # another thread was quicker
        check_process()
        Handle._registry.pop(id(self), None)
        if self._life is not None and not self._life.alive:
            return  # it went with its context, and the handle may be another's now
        with in_context(self._context, must=False):
            self._end(handle)

    def _end(self, handle: int) -> None:
        function, name = self._destructor()
        code = function(ffi.cast('void *', handle)) if handle else 0
        if code:
            raise error_for(name, code)

    def _destructor(self) -> tuple[Any, str]:
        """The C function that ends the handle, and its name."""
        raise NotImplementedError

    def __enter__(self: _Self) -> _Self:
        return self

    def _twin(self) -> Handle:
        """Another object for the same handle, which it takes over: this one is closed without ending anything."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        Handle.__init__(twin, self.handle, context=self._context, parent=self._parent)
        Handle._registry.pop(id(self), None)
        self._handle = None
        return twin

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, '_handle', None) is not None and self._owned and not _ended and os.getpid() == _owner_pid:
            with contextlib.suppress(Exception):  # nobody is there to catch it
                self._close()  # nothing keeps it, so no stream does

    def __int__(self) -> int:
        return self.handle

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Handle) or self._handle is None or self._handle != other._handle:
            return False
        return self._handle != 0 or self._context == other._context  # each context has a default stream

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Any:
        raise TypeError(f'a {type(self).__name__} stands for a handle of this process and cannot be pickled')

    def _state(self) -> str:
        return 'closed' if self._handle is None else f'{self._handle:#x}' + ('' if self._owned else ', borrowed')

    def __repr__(self) -> str:
        return f'<{type(self).__name__} {self._state()}>'


def _alive() -> list[Handle]:
    return [handle for ref in list(Handle._registry.values()) if (handle := ref()) is not None]


def forget_all() -> None:
    """Every handle is gone already (the mock's reset): mark the objects closed and end nothing."""
    for handle in _alive():
        handle._handle = None
    Handle._registry.clear()


def is_ending() -> bool:
    """Whether the atexit step is closing what is alive."""
    return _ending


def close_all() -> None:
    """The atexit step: close what is alive, children before parents, and let nothing be closed after it."""
    global _ended, _ending  # noqa: PLW0603
    if os.getpid() == _owner_pid:
        _ending = True
        alive = _alive()
        for handle in sorted(alive, key=lambda each: each._order):
            with contextlib.suppress(Exception):  # an exit must not fail over what it leaves behind
                handle._close()  # streams first, so no queued work uses the rest
    _ended = True
