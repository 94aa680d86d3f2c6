"""Which libascendcl is used: one list, read in order. Nothing is opened before the first call into the library.

1. ACL_BIND_LIBRARY, a path
2. ACL_BIND_BACKEND=mock: the mock of this package. ACL_BIND_BACKEND=cann: only the places below, never the mock
3. ASCEND_HOME_PATH or ASCEND_TOOLKIT_HOME: lib64/libascendcl.so, then lib64/libacl_rt.so
4. what the system's loader finds under those two names (LD_LIBRARY_PATH, ld.so.conf)
5. the mock of this package, with one line on stderr

A CANN that is named, or found, and cannot be opened is an error that says why: never a silent step on to the mock.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from .errors import AclLibraryNotFoundError

if TYPE_CHECKING:
    import pathlib

    MOCK_PREFIX: pathlib.Path

NAMES = ('libascendcl.so', 'libacl_rt.so')
HOMES = ('ASCEND_HOME_PATH', 'ASCEND_TOOLKIT_HOME')
_MOCK = os.path.join(os.path.dirname(os.path.realpath(__file__)), '_mock')
MOCK_LIBRARY = os.path.join(_MOCK, 'lib64', NAMES[0])


def __getattr__(name: str) -> pathlib.Path:
    """MOCK_PREFIX, the mock's folder: pathlib is a fifth of what importing the package costs, and most do not need it."""
    if name != 'MOCK_PREFIX':
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    path: pathlib.Path = importlib.import_module('pathlib').Path(_MOCK)
    return path


NOTICE = (
    'acl_bind: no CANN found (set ASCEND_HOME_PATH, or source set_env.sh), so this runs on the mock, without an NPU. '
    'ACL_BIND_BACKEND=cann forbids that, ACL_BIND_BACKEND=mock says so and is silent.'
)

# dlopen's words when the file that was asked for is not there, as opposed to one that it needs.
_MISSING = re.compile(r'^(?P<library>[^:]+): cannot open shared object file: No such file or directory')

# Its words for a file that is no library, or one of another machine.
_NO_LIBRARY = ('wrong ELF class', 'invalid ELF header', 'file too short', 'cannot open shared object file')


class Candidate(NamedTuple):
    """A library that could be opened, and the reason to try it."""

    path: str
    reason: str
    named: bool  # somebody asked for this very one, so that its absence is an error
    notice: bool = False  # say that the mock was chosen


class Attempt(NamedTuple):
    candidate: Candidate
    failure: str | None


def candidates() -> Iterator[Candidate]:
    """All there are, in order."""
    library = os.environ.get('ACL_BIND_LIBRARY')
    if library:
        yield Candidate(library, 'ACL_BIND_LIBRARY', named=True)
        return
    backend = os.environ.get('ACL_BIND_BACKEND', '')
    if backend not in ('', 'cann', 'mock'):
        raise AclLibraryNotFoundError(f'ACL_BIND_BACKEND is {backend!r}, expected cann or mock')
    if backend == 'mock':
        yield Candidate(MOCK_LIBRARY, 'ACL_BIND_BACKEND=mock', named=True)
        return
    for variable in HOMES:
        home = os.environ.get(variable)
        if home:
            for name in NAMES:
                yield Candidate(os.path.join(home, 'lib64', name), variable, named=name == NAMES[-1])
    for name in NAMES:
        yield Candidate(name, "the system's library path", named=False)
    if backend != 'cann':
        yield Candidate(MOCK_LIBRARY, 'nothing else was found', named=True, notice=True)


def missing_dependency(candidate: Candidate, failure: str) -> str | None:
    """The library that the candidate needs and the system does not find; None when the trouble is another one."""
    match = _MISSING.match(failure)
    return match['library'] if match and match['library'] != candidate.path else None


def is_absent(candidate: Candidate, failure: str) -> bool:
    """Whether the candidate itself is not there, so that the next may be tried."""
    match = _MISSING.match(failure)
    if match is None or match['library'] != candidate.path:
        return False
    return '/' not in candidate.path or not os.path.exists(candidate.path)  # dlopen says the same of a file for another machine


def explain(candidate: Candidate, failure: str) -> str:
    """What to do about a library that does not open."""
    needed = missing_dependency(candidate, failure)
    text = f'{candidate.path} (from {candidate.reason}) does not open: {failure}.'
    if needed:
        text += f' It needs {needed}: source set_env.sh of that CANN, or put the folder of {needed} on LD_LIBRARY_PATH'
        text += ' (libraries of the driver are under /usr/local/Ascend/driver/lib64).'
    elif is_absent(candidate, failure):
        text += ' The path is wrong, or CANN is not installed there.'
    elif any(words in failure for words in _NO_LIBRARY):
        text += f' It is no library for this machine ({os.uname().machine}).'
    return text


def choose(open_library: Callable[[str], str | None]) -> tuple[Candidate, list[Attempt]]:
    """Open the first candidate that is there.

    open_library takes a path and returns None or what dlopen said. Raises AclLibraryNotFoundError with all that was
    tried when the first one there does not open, or none is there.
    """
    attempts: list[Attempt] = []
    for candidate in candidates():
        failure = open_library(candidate.path)
        attempts.append(Attempt(candidate, failure))
        if failure is None:
            if candidate.notice:
                print(NOTICE, file=sys.stderr)
            return candidate, attempts
        if candidate.named or not is_absent(candidate, failure):
            raise AclLibraryNotFoundError(explain(candidate, failure))
    tried = ', '.join(attempt.candidate.path for attempt in attempts)
    raise AclLibraryNotFoundError(f'no libascendcl found, tried: {tried}. Source set_env.sh of a CANN, or set ACL_BIND_BACKEND=mock.')
