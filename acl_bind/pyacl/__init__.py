"""Huawei's `acl` module (pyACL) over this package's binding, so that scripts written for it run unchanged.

    import acl_bind.pyacl as acl          # in place of `import acl`
    acl_bind.pyacl.install()              # from now on `import acl` finds this one
    acl-bind run script.py arguments      # the same, for a script
    python -m acl_bind.pyacl script.py arguments

Names, arguments, results and error texts are pyACL's; docs/pyacl.md lists what works and what differs.
ACL_BIND_PYACL_STRICT=1 raises at the line of a mistake that pyACL lets pass.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

from . import _strict, rt, util
from ._faces import fill
from ._table import OTHER_MODULES

__all__ = ['install', 'rt', 'util']

_SUBMODULES = ('rt', 'util', *OTHER_MODULES)
_functions, _names = fill('acl', globals(), (*_SUBMODULES, 'install'))


def _other(name: str) -> types.ModuleType:
    """A submodule that is there and has no function that works."""
    module = types.ModuleType(f'acl.{name}')

    def getattr_(function: str) -> Callable[..., Any]:
        if function.startswith('_'):
            raise AttributeError(f'module {module.__name__!r} has no attribute {function!r}')

        def missing(*_: Any, **__: Any) -> Any:
            raise NotImplementedError(f'acl.{name}.{function}: acl.{name} is {OTHER_MODULES[name]}, which acl_bind does not bind')

        return missing

    module.__dict__['__getattr__'] = getattr_
    return module


def __getattr__(name: str) -> Any:
    if name in OTHER_MODULES:
        globals()[name] = _other(name)
        return globals()[name]
    return _functions(name)


def __dir__() -> list[str]:
    return _names()


# ---- as `acl` ---------------------------------------------------------------------------------------------------------


def _plain(name: str, get: Callable[[str], Any], names: Callable[[], list[str]]) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__dict__.update(__getattr__=get, __dir__=names, _is_acl_bind=True)
    return module


def install() -> None:
    """Make `import acl`, `acl.rt`, `acl.util` and the other submodules find this module. Raises ImportError if the real
    one is loaded already. More than once is harmless."""
    loaded = sys.modules.get('acl')
    if loaded is not None:
        if not hasattr(loaded, '_is_acl_bind'):
            where = getattr(loaded, '__file__', 'no file')
            raise ImportError(f'another acl module is loaded already ({where}): call install() before it is imported')
        return
    top = _plain('acl', __getattr__, lambda: [name for name in _names() if name != 'install'])
    parts = {name: __getattr__(name) for name in OTHER_MODULES}
    parts['rt'] = _plain('acl.rt', lambda name: getattr(rt, name), rt.__dir__)
    parts['util'] = _plain('acl.util', lambda name: getattr(util, name), util.__dir__)
    for name, part in parts.items():
        setattr(top, name, part)
        sys.modules[f'acl.{name}'] = part
    sys.modules['acl'] = top
    if _strict.ENABLED:
        _strict.watch_addressof()
