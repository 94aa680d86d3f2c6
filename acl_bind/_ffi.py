"""The door to the library: ``ffi``, ``lib`` (raw) and ``acl`` (checked). The only importer of ``_acl``.

The library is opened with the first function that is taken from ``lib``.
"""

from __future__ import annotations

import atexit
import functools
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _loader, _site, errors
from ._acl import ffi as _compiled
from ._acl import lib as _raw

if TYPE_CHECKING:
    from ._plain import Cell, Launcher, Ring, connect, connect_sync, disconnect

    is_fast: bool
    make_face: Any
else:
    try:
        from ._fast import Cell, Launcher, Ring, connect, connect_sync, disconnect

        is_fast = True
    except ImportError:  # not built: everything goes through cffi
        from ._plain import Cell, Launcher, Ring, connect, connect_sync, disconnect

        is_fast = False
    try:
        from ._pyacl import make as make_face
    except ImportError:  # not built: pyACL's functions are Python
        make_face = None

ffi: Any = _compiled
raw: Any = _raw  # with what is no function of the library: acl_bind_launch and its kind

__all__ = [
    'Cell',
    'Launcher',
    'Ring',
    'Signature',
    'acl',
    'call_error',
    'callback',
    'connect',
    'connect_sync',
    'disconnect',
    'error_for',
    'ffi',
    'flat',
    'flat_result',
    'is_fast',
    'lib',
    'make_face',
    'opened',
    'raw',
    'signatures',
    'thunk',
]


class Param(NamedTuple):
    name: str
    output: bool  # the function writes it


class Signature(NamedTuple):
    """A function of the headers."""

    name: str
    since: str  # the first CANN that has it, e.g. '9.1'; 'mock' for the mock's own
    params: tuple[Param, ...]


@functools.cache
def signatures() -> dict[str, Signature]:
    """Every function of the headers, by name."""
    found = {}
    for line in ffi.string(_raw.acl_bind_description()).decode().splitlines():
        name, since, params = line.split('|')
        split = [Param(param.lstrip('>'), param.startswith('>')) for param in params.split(',') if param]
        found[name] = Signature(name, since, tuple(split))
    return found


class Opened(NamedTuple):
    """The library in use."""

    path: str
    kind: str  # 'cann' or 'mock'
    reason: str
    attempts: tuple[_loader.Attempt, ...]


_open_lock = threading.RLock()  # a collection inside it may run anything
_opened: Opened | None = None


def _dlopen(path: str) -> str | None:
    failure = _raw.acl_bind_open(os.fsencode(path))
    return None if failure == ffi.NULL else ffi.string(failure).decode(errors='replace')


def opened() -> Opened:
    """Open the library if that has not happened yet. Raises AclLibraryNotFoundError."""
    global _opened  # noqa: PLW0603
    with _open_lock:
        if _opened is None:
            candidate, attempts = _loader.choose(_dlopen)
            path = ffi.string(_raw.acl_bind_path()).decode(errors='replace')
            kind = 'mock' if _raw.acl_bind_has(b'aclmock_version') else 'cann'
            _opened = Opened(path, kind, candidate.reason, tuple(attempts))
            if kind == 'mock':
                _raw.aclmock_set_site_callback(callback('acl_bind_site', _tell_site))
                atexit.register(_raw.aclmock_set_site_callback, ffi.NULL)  # Python is no place to call any more
        return _opened


def _tell_site(site: Any, room: int) -> None:
    """The mock's checks ask where the program is, to tell where something was made."""
    text = _site.where().encode(errors='replace')[: room - 1]
    ffi.memmove(site, text + b'\0', len(text) + 1)


def _missing(signature: Signature) -> Callable[..., Any]:
    def call(*_: object) -> None:
        library = opened()
        if signature.since == 'mock':
            raise errors.AclSymbolNotFoundError(f'{signature.name} is a function of the mock; {library.path} is a real libascendcl')
        raise errors.AclSymbolNotFoundError(
            f'{signature.name} is not in {library.path} (version {version_text()}); CANN {signature.since} is the first to have it'
        )

    return call


class Lib:
    """The library as it is: C names, C argument order, the returned int, and the headers' constants.

    ``has(name)`` tells whether the opened library has a function; calling one that it lacks raises
    AclSymbolNotFoundError.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in signatures():
            return getattr(_raw, name)  # a constant
        opened()
        function = getattr(_raw, name) if self.has(name) else _missing(signatures()[name])
        setattr(self, name, function)  # the next access does not come here
        return function

    def has(self, name: str) -> bool:
        """Whether the opened library has the function. Calls nothing."""
        opened()
        return bool(_raw.acl_bind_has(name.encode()))

    def __dir__(self) -> list[str]:
        return ['has', *(name for name in dir(_raw) if not name.startswith('acl_bind_'))]

    def _hide(self, name: str, hidden: bool) -> None:
        """For tests: play a library without the function."""
        opened()
        _raw.acl_bind_hide(name.encode(), hidden)
        self.__dict__.pop(name, None)


lib: Any = Lib()


def flat(name: str) -> Callable[..., Any]:
    """The flat face of a function, with pointers as integers (_build.flat_face); ``lib``'s function where there is none."""
    known = f'acl_bind_flat_{name}' if lib.has(name) else ''
    function: Callable[..., Any] = getattr(_raw, known, None) or getattr(lib, name)
    return function


def callback(name: str, function: Callable[..., None]) -> Any:
    """A C function pointer that calls a Python function; the names are those of _build.BINDING_CDEF."""
    ffi.def_extern(name)(function)
    return getattr(_raw, name)


def thunk(name: str) -> int:
    """The address of a function's flat face that takes an array (_pyacl.c); 0 where there is none."""
    return int(_raw.acl_bind_thunk(name.encode())) if lib.has(name) else 0


def flat_result(signed: bool) -> tuple[int, int]:
    """(output, code) of the call whose flat face just returned its mark that there is more to know."""
    code, value = _raw.acl_bind_flat_code(), _raw.acl_bind_flat_value()
    return (value - (1 << 64) if signed and value >> 63 else value), code


def version_text() -> str:
    """The ACL version of the opened library, '?' when it does not say."""
    if not _raw.acl_bind_has(b'aclrtGetVersion'):
        return '?'
    numbers = ffi.new('int32_t[3]')
    code = _raw.aclrtGetVersion(numbers, numbers + 1, numbers + 2)
    return '.'.join(map(str, numbers)) if code == 0 else '?'


# ---- errors ---------------------------------------------------------------------------------------------------------


@functools.cache
def _code_names() -> dict[int, str]:
    return {getattr(_raw, name): name for name in reversed(dir(_raw)) if name.startswith('ACL_ERROR_')}


def _recent_text() -> str:
    """The library's own words for this thread's last failure. Reading takes them, so read once, at once."""
    # The mock has a text where the real library is silent, and no older ones in front of it.
    exact = ffi.string(_raw.aclmock_last_message()) if _raw.acl_bind_has(b'aclmock_last_message') else b''
    recent = _raw.aclGetRecentErrMsg() if _raw.acl_bind_has(b'aclGetRecentErrMsg') else ffi.NULL
    text = exact or (b'' if recent == ffi.NULL else ffi.string(recent))
    return str(text.decode(errors='replace'))


def error_for(api: str, code: int, kind: type[errors.AclError] | None = None, extra: str = '') -> errors.AclError:
    """The exception for a code that a function returned just now, in this thread."""
    name = _code_names().get(code, '')
    return (kind or errors.error_class(code, name))(api, code, name, _recent_text(), extra)


def call_error(code: int) -> Exception:
    """The exception for what a call of the extension's own (raw.acl_bind_launch and its kind) returned just now, in this thread."""
    name = ffi.string(_raw.acl_bind_failed()).decode()
    if code == _raw.ACL_BIND_MISSING:
        try:
            getattr(lib, name)()
        except AttributeError as error:
            return error
    return error_for(name, code)


class Checked:
    """The same functions; a nonzero code is raised as an AclError. Functions that return something else pass through."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(lib, name)
        if name not in _returns_code():
            return function

        def checked(*args: Any) -> None:
            code = function(*args)
            if code:
                raise error_for(name, code)

        setattr(self, name, checked)
        return checked


@functools.cache
def _returns_code() -> frozenset[str]:
    error = ffi.typeof('aclError')
    names = (name for name in signatures() if name not in ('aclrtPeekAtLastError', 'aclrtGetLastError'))
    return frozenset(name for name in names if ffi.typeof(getattr(_raw, name)).result is error)


acl: Any = Checked()
