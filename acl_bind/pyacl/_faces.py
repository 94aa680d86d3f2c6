"""The names of acl, acl.rt and acl.util: each function is made when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _engine, _memory, _special, _strict, _threads
from ._engine import ROWS

_REGISTERED = (_memory, _special, _threads)  # imported for the functions that they register


def make(module: str, name: str) -> Callable[..., Any]:
    """The function of a name in the table. Raises AttributeError for another."""
    row = ROWS[module].get(name)
    if row is None:
        raise AttributeError(f'module {module!r} has no attribute {name!r}')
    if not _engine.has(row):
        return _engine.missing(row)
    return _strict.guard(row, _engine.make(row)) if _strict.ENABLED else _engine.make(row)


def fill(module: str, scope: dict[str, Any], extra: tuple[str, ...] = ()) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """__getattr__ and __dir__ for a module that has the names of `module` in the table."""

    def getattr_(name: str) -> Any:
        face = make(module, name)
        scope[name] = face  # the next access does not come here
        return face

    return getattr_, lambda: sorted([*ROWS[module], *extra])
