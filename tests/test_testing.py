"""The pytest plugin, run by a pytest of its own."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

import pytest
from conftest import ROOT

HEADER = """
import numpy as np
import pytest
import acl_bind as ab
"""
MISTAKE = """
def test_mistake():
    with ab.Device(0) as device:
        buffer = device.empty(100, np.uint8)
        buffer.to_numpy()
"""
LEAK = """
kept = []

def test_leak():
    device = ab.Device(0)
    kept.append(device.create_stream())
"""


class Outcome(NamedTuple):
    code: int
    text: str


def run(folder: pathlib.Path, tests: str, *arguments: str, ini: str = '', autoload: bool = False) -> Outcome:
    """autoload: find the plugin as an installed one; else it is named, and no other plugin takes time."""
    (folder / 'test_it.py').write_text(HEADER + tests)
    (folder / 'pytest.ini').write_text(f'[pytest]\n{ini}\n')
    environment = {name: value for name, value in os.environ.items() if not name.startswith(('ACL_MOCK_', 'PYTEST_'))}
    if not autoload:
        environment['PYTEST_DISABLE_PLUGIN_AUTOLOAD'] = '1'
    plugin = [] if autoload else ['-p', 'acl_bind.testing']
    command = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', *plugin, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False, timeout=60)
    return Outcome(done.returncode, done.stdout + done.stderr)


def test_mistakes_become_warnings_at_their_line(tmp_path: pathlib.Path) -> None:
    done = run(tmp_path, MISTAKE, autoload=True)
    assert done.code == 0
    assert 'AclCheckWarning: unwritten-read: aclrtMemcpy: bytes 0 to 99 of the 100-byte block' in done.text
    assert f'{tmp_path / "test_it.py"}:9: AclCheckWarning' in done.text
    assert f'made at {tmp_path / "test_it.py"}:8' in done.text


def test_a_mistake_can_fail_its_test(tmp_path: pathlib.Path) -> None:
    done = run(tmp_path, MISTAKE, '-W', 'error::acl_bind.testing.AclCheckWarning')
    assert done.code == 1
    assert 'unwritten-read' in done.text


@pytest.mark.parametrize(('mode', 'code', 'said'), [('error', 1, True), ('off', 0, False), ('warn', 0, True)])
def test_the_mode_is_an_option(tmp_path: pathlib.Path, mode: str, code: int, said: bool) -> None:
    done = run(tmp_path, MISTAKE, ini=f'acl_check = {mode}')
    assert done.code == code, done.text
    assert ('unwritten-read' in done.text) == said


def test_an_unknown_mode_is_refused(tmp_path: pathlib.Path) -> None:
    done = run(tmp_path, MISTAKE, ini='acl_check = loud')
    assert done.code == 4
    assert "acl_check is 'loud', expected one of off, warn, error" in done.text


@pytest.mark.parametrize(('tests', 'ini'), [(LEAK, 'acl_no_leaks = true'), (LEAK.replace('leak()', 'leak(acl_no_leaks)'), '')])
def test_leaks_fail_their_test(tmp_path: pathlib.Path, tests: str, ini: str) -> None:
    done = run(tmp_path, tests, ini=ini)
    assert done.code == 1
    assert 'ACL objects outlive the test' in done.text
    assert f'aclrtCreateStream made at {tmp_path / "test_it.py"}:10' in done.text


def test_what_is_closed_or_dropped_is_no_leak(tmp_path: pathlib.Path) -> None:
    tests = """
def test_cycle():
    cycle = [ab.Device(0)]
    cycle += [cycle, cycle[0].create_stream(), cycle[0].allocate(64)]
"""
    assert run(tmp_path, tests, ini='acl_no_leaks = true').code == 0


def test_a_reset_between_tests(tmp_path: pathlib.Path) -> None:
    tests = """
def test_first():
    from acl_bind import mock
    mock.fault('aclrtMalloc', 207001, times=None)
    test_first.device = ab.Device(0)

def test_second():
    assert test_first.device.is_closed
    with ab.Device(0) as device:
        device.allocate(64).fill(0)
"""
    assert run(tmp_path, tests, ini='acl_reset = true').code == 0
    assert run(tmp_path, tests).code == 1


def test_the_fixture_gives_a_new_mock(tmp_path: pathlib.Path) -> None:
    tests = """
def test_first(acl_mock):
    acl_mock.fault('aclrtMalloc', 207001, times=None)

@pytest.mark.parametrize('round', range(2))
def test_second(acl_mock, round):
    assert acl_mock.faults_left() == 0
    assert acl_mock.live()['blocks'] == 0
    with ab.Device(0) as device:
        device.allocate(64).fill(0)
"""
    assert run(tmp_path, tests).code == 0


def test_the_pages_examples(tmp_path: pathlib.Path) -> None:
    """docs/testing.md: its blocks are one test file, which makes no mistake."""
    blocks = re.findall(r'```python\n(.*?)```', (ROOT / 'docs' / 'testing.md').read_text(), re.DOTALL)
    done = run(tmp_path, '\n\n'.join(blocks), '-W', 'error')
    assert done.code == 0, done.text
    assert f'{sum(block.count("def test_") for block in blocks)} passed' in done.text


def test_other_tests_import_nothing(tmp_path: pathlib.Path) -> None:
    test = "import sys\ndef test_other():\n    assert not {'acl_bind._ffi', 'numpy'} & set(sys.modules)\n"
    (tmp_path / 'test_other.py').write_text(test)
    done = run(tmp_path, '', 'test_other.py')
    assert done.code == 0, done.text
