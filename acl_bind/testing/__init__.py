"""pytest plugin for programs that use acl_bind; installing acl_bind is enough to have it.

It turns the mock's checks on (ACL_MOCK_CHECK=warn, unless the environment says otherwise). What they find in a test
becomes an AclCheckWarning at the line that did it: pytest lists them at the end, and
``-W error::acl_bind.testing.AclCheckWarning`` makes the test fail. Tests that do not use acl_bind cost nothing.

* fixture ``acl_mock``: the module ``acl_bind.mock``, with the mock reset before and after the test; skips the test on a
  real CANN
* fixture ``acl_no_leaks``: fails the test when contexts, streams, events, binaries or memory that it made outlive it
* in the ini file: ``acl_check = warn | error | off``, the mode (``error``: the C calls fail);
  ``acl_no_leaks = true``, the leak check for every test; ``acl_reset = true``, a reset after every test
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

__all__ = ['AclCheckWarning', 'acl_mock', 'acl_no_leaks']

MODES = ('off', 'warn', 'error')


class AclCheckWarning(UserWarning):
    """A mistake that a real library would take without a word (acl_bind.mock.Diagnosis)."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini('acl_check', "what the mock's checks do: warn, error or off (ACL_MOCK_CHECK wins)", default='warn')
    parser.addini('acl_no_leaks', 'fail every test whose ACL objects outlive it', type='bool', default=False)
    parser.addini('acl_reset', 'reset the mock after every test', type='bool', default=False)


def pytest_configure(config: pytest.Config) -> None:
    mode = str(config.getini('acl_check'))
    if mode not in MODES:
        raise pytest.UsageError(f'acl_check is {mode!r}, expected one of {", ".join(MODES)}')
    os.environ.setdefault('ACL_MOCK_CHECK', mode)  # the mock reads it when it is opened


def _mock() -> ModuleType | None:
    """acl_bind.mock when the mock is open in this process; None when nothing is, or a real library."""
    door: Any = sys.modules.get('acl_bind._ffi')
    if door is None or door._opened is None or door.opened().kind != 'mock':
        return None
    return importlib.import_module('acl_bind.mock')


def _warn(diagnosis: Any) -> None:
    file, _, line = diagnosis.site.rpartition(':')
    warnings.warn_explicit(str(diagnosis), AclCheckWarning, file or '(unknown)', int(line or 0))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """After the test's own fixtures."""
    mock = _mock()
    if mock is None:
        return
    found = mock.report()
    mock.clear_report()
    if item.config.getini('acl_reset'):
        mock.reset()
    for diagnosis in found:
        _warn(diagnosis)


def _library_kind() -> str:
    return str(importlib.import_module('acl_bind._ffi').opened().kind)


@pytest.fixture
def acl_mock() -> Iterator[ModuleType]:
    """``acl_bind.mock``, with the mock as newly loaded before the test and after it."""
    if _library_kind() != 'mock':
        pytest.skip('needs the mock, and the library in use is a real libascendcl: set ACL_BIND_BACKEND=mock')
    mock = importlib.import_module('acl_bind.mock')
    mock.reset()
    yield mock
    mock.reset()


@pytest.fixture(autouse=True)
def _acl_options(request: pytest.FixtureRequest) -> None:
    if request.config.getini('acl_no_leaks'):
        request.getfixturevalue('acl_no_leaks')


@pytest.fixture
def acl_no_leaks() -> Iterator[None]:
    """Fails the test when ACL objects that it made are still there after it, and says where each was made.

    Objects in cycles are collected first. Knows nothing on a real CANN, or while checks are off.
    """
    if _library_kind() != 'mock':
        yield
        return
    mock = importlib.import_module('acl_bind.mock')
    start = mock.mark()
    yield
    gc.collect()
    left = mock.leaks_since(start)
    mock.clear_report()
    if left:
        pytest.fail('\n'.join([f'{len(left)} ACL objects outlive the test:', *map(str, left)]), pytrace=False)
