"""Runs the C and C++ tests: every tests/c/test_*.c and .cpp is compiled once, and each TEST in it runs in its own process.

ACL_BIND_C_SANITIZE=address,undefined (or thread) builds the mock and the tests with that sanitizer.
"""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import subprocess
import sys
from collections.abc import Callable

import pytest
from conftest import ROOT, TESTS

from acl_bind._cc import compile_kernels, find_compiler

SANITIZE = os.environ.get('ACL_BIND_C_SANITIZE', '')
SOURCES = sorted([*(TESTS / 'c').glob('test_*.c'), *(TESTS / 'c').glob('test_*.cpp')])
TIMEOUT = 60  # s of one test; a test that hangs must not hang the suite
TIMEOUT_LONG = 600
FLAGS = ['-D_GNU_SOURCE', '-pthread', '-O1', '-g', '-Wall', '-Wextra', '-Werror']

Build = Callable[[pathlib.Path], pathlib.Path]


def names_in(source: pathlib.Path) -> list[str]:
    return re.findall(r'^TEST\((\w+)\)', source.read_text(), re.MULTILINE)


@pytest.fixture(scope='session')
def c_prefix(prefix: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The mock that the C tests are linked with."""
    if not SANITIZE:
        return prefix
    out = tmp_path_factory.mktemp('sanitized')
    command = [sys.executable, str(ROOT / 'build_mock.py'), '--out', str(out), '--sanitize', SANITIZE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope='session')
def c_kernels(c_prefix: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with the binary of every source in tests/kernels, and of the samples."""
    folder = tmp_path_factory.mktemp('c_kernels')
    for source in [*(TESTS / 'kernels').glob('*.c*'), *(ROOT / 'mock_libascendcl' / 'kernels').glob('*.c*')]:
        compile_kernels(source, folder / f'{source.stem}.o', c_prefix / 'include', ['-Werror'])
    return folder


@pytest.fixture(scope='session')
def build_test(c_prefix: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compiles a source of tests/c once and returns the program."""
    folder = tmp_path_factory.mktemp('c')
    built: dict[pathlib.Path, pathlib.Path] = {}

    def build(source: pathlib.Path) -> pathlib.Path:
        if source not in built:
            language = [*find_compiler('CC', 'cc'), '-std=c11'] if source.suffix == '.c' else [*find_compiler('CXX', 'c++'), '-std=c++17']
            flags = [*FLAGS, *([f'-fsanitize={SANITIZE}'] if SANITIZE else []), f'-I{c_prefix / "include"}']
            library = c_prefix / 'lib64'
            built[source] = folder / source.name.replace('.', '_')
            link = [f'-L{library}', f'-Wl,-rpath,{library}', '-lascendcl', '-lm']
            command = [*language, *flags, str(source), '-o', str(built[source]), *link]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f'{shlex.join(command)}\n{done.stderr}'
        return built[source]

    return build


def run(program: pathlib.Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith('ACL_MOCK_')} | variables
    timeout = TIMEOUT_LONG if 'CHECK_LONG' in variables else TIMEOUT
    return subprocess.run([program, *arguments], capture_output=True, text=True, env=environment, check=False, timeout=timeout)


@pytest.mark.parametrize(
    ('source', 'name'), [pytest.param(source, name, id=f'{source.name}-{name}') for source in SOURCES for name in names_in(source)]
)
def test_c(source: pathlib.Path, name: str, build_test: Build, c_kernels: pathlib.Path, tmp_path: pathlib.Path, long: bool) -> None:
    full = {'CHECK_LONG': '1'} if long else {}
    done = run(build_test(source), name, CHECK_KERNELS=str(c_kernels), CHECK_SCRATCH=str(tmp_path), **full)
    assert done.returncode == 0, f'{source.name}: {name} ended with {done.returncode}\n{done.stdout}{done.stderr}'


@pytest.mark.parametrize('source', SOURCES, ids=lambda source: source.name)
def test_every_test_of_a_file_is_run(source: pathlib.Path, build_test: Build) -> None:
    listed = run(build_test(source), '--list').stdout.split()
    assert listed
    assert listed == names_in(source)


@pytest.mark.parametrize(
    ('check', 'said'),
    [
        ('CHECK_EQ(1 + 1, 3);', 'wrong.c:2: 1 + 1 == 3\n    seen 2 (0x2), wanted 3 (0x3)'),
        ('CHECK_OK(aclrtSetDevice(-1));', 'last message: EE1003: aclrtSetDevice'),
        ('CHECK(0 > 1);', 'wrong.c:2: 0 > 1'),
        ('CHECK_BYTES("ab", "ac", 2);', 'byte 1 of 2'),
        ('CHECK_HAS("text", "word");', '"word" is not in "text"'),
        ('*(volatile int *)8 = 0;', ''),
    ],
)
def test_a_failing_check_fails_and_says_why(check: str, said: str, build_test: Build, tmp_path: pathlib.Path) -> None:
    source = tmp_path / 'wrong.c'
    source.write_text(f'#include "{TESTS / "c" / "check.h"}"\nTEST(wrong) {{ {check} }}\n')
    done = run(build_test(source), 'wrong')
    assert done.returncode != 0
    assert said in done.stderr
