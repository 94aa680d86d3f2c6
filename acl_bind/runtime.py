"""The process's use of ACL: initialised with the first object, counted, ended once at exit."""

from __future__ import annotations

import atexit
import contextlib
import threading
from typing import NamedTuple

from . import _handle
from ._ffi import error_for, ffi, lib, opened, signatures, version_text

_lock = threading.RLock()  # a collection inside it may run anything
_initialised = False


def ensure_init() -> None:
    """Initialise ACL if this process has not. 100002 means that somebody else did: then it is shared."""
    global _initialised  # noqa: PLW0603
    _handle.check_process()
    if _initialised:
        return
    with _lock:
        if not _initialised:
            code = lib.aclInit(ffi.NULL)
            if code not in (0, lib.ACL_ERROR_REPEAT_INITIALIZE):
                raise error_for('aclInit', code)
            atexit.register(_at_exit)
            _handle.mark_in_use()
            _initialised = True


def is_initialised() -> bool:
    """Whether objects of this package use ACL."""
    return _initialised


def forget_init() -> None:
    """ACL was ended behind this package's back (the mock's reset): the next object initialises it again."""
    global _initialised  # noqa: PLW0603
    with _lock:
        atexit.unregister(_at_exit)
        _initialised = False


def _at_exit() -> None:
    if _handle.is_forked():
        return  # everything is the parent's
    _handle.close_all()
    with contextlib.suppress(Exception):  # gives back our share only
        if lib.has('aclFinalizeReference'):
            lib.aclFinalizeReference(ffi.NULL)


class Backend(NamedTuple):
    """What ``backend()`` tells. ``missing``: functions of this package that the library lacks."""

    kind: str
    path: str
    reason: str
    version: str
    soc: str | None
    missing: tuple[str, ...]


def backend() -> Backend:
    """The library in use: kind ('cann' or 'mock'), path, why it was chosen, version, SoC, missing functions.

    Opens the library, but no device. C functions: aclrtGetVersion, aclrtGetSocName.
    """
    library = opened()
    name = lib.aclrtGetSocName() if lib.has('aclrtGetSocName') else ffi.NULL
    missing = tuple(function for function, signature in signatures().items() if signature.since != 'mock' and not lib.has(function))
    soc = None if name == ffi.NULL else ffi.string(name).decode()
    return Backend(library.kind, library.path, library.reason, version_text(), soc, missing)
