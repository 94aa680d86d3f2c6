"""Shared fixtures. The suite runs on the mock; ACL_BIND_BACKEND decides before anything is opened."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

os.environ.setdefault('ACL_BIND_BACKEND', 'mock')

import acl_bind as ab
import acl_bind.pyacl as acl
from acl_bind import _loader
from acl_bind._cc import compile_kernels

TESTS = pathlib.Path(__file__).resolve().parent
ROOT = TESTS.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption('--long', action='store_true', help='longer runs of the tests that have a long mode, and the tests marked long')


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption('long'):
        for item in items:
            if item.get_closest_marker('long'):
                item.add_marker(pytest.mark.skip(reason='a long test: run pytest --long'))


@pytest.fixture(scope='session')
def long(request: pytest.FixtureRequest) -> bool:
    """Whether pytest --long asks for the long mode."""
    return bool(request.config.getoption('long'))


@pytest.fixture(scope='session')
def prefix() -> pathlib.Path:
    """The mock's folder, laid out like a CANN installation."""
    return _loader.MOCK_PREFIX


@pytest.fixture(scope='session')
def build_kernels(tmp_path_factory: pytest.TempPathFactory, prefix: pathlib.Path) -> Callable[[str], pathlib.Path]:
    """Compiles a source of tests/kernels once and returns the binary's path."""
    folder = tmp_path_factory.mktemp('kernels')
    built: dict[str, pathlib.Path] = {}

    def build(name: str) -> pathlib.Path:
        if name not in built:
            built[name] = folder / f'{name}.o'
            compile_kernels(TESTS / 'kernels' / name, built[name], prefix / 'include', ['-Werror'])
        return built[name]

    return build


@pytest.fixture
def add_binary(prefix: pathlib.Path) -> pathlib.Path:
    return prefix / 'kernels' / 'add_custom.o'


def live() -> dict[str, int]:
    """How many of each kind of object the mock holds."""
    kinds = {name: getattr(ab.lib, name) for name in dir(ab.lib) if name.startswith('ACLMOCK_') and name.isupper()}
    names = ('STREAMS', 'EVENTS', 'BINARIES', 'FUNCTIONS', 'BLOCKS')
    return {name: ab.lib.aclmock_live(kinds[f'ACLMOCK_{name}']) for name in names}


@pytest.fixture
def no_leaks() -> Iterator[None]:
    """Fails a test after which the mock holds more than before."""
    before = live()
    yield
    assert live() == before


@pytest.fixture
def device(no_leaks: None) -> Iterator[ab.Device]:
    with ab.Device(0) as opened:
        yield opened


@pytest.fixture
def stream(device: ab.Device) -> Iterator[ab.Stream]:
    with device.create_stream() as opened:
        yield opened


@pytest.fixture
def run_python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs Python code in a process of its own, with changed environment variables (None removes one)."""

    def run(code: str, **variables: str | None) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in {**os.environ, **variables}.items() if value is not None}
        return subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, env=environment, check=False, timeout=60)

    return run


@pytest.fixture
def used() -> Iterator[None]:
    """A program that uses pyACL: ACL is initialised, and device 0 set."""
    before = live()
    assert acl.init() == 0
    assert acl.rt.set_device(0) == 0
    yield
    assert acl.rt.reset_device(0) == 0
    assert acl.finalize() == 0
    assert live() == before
