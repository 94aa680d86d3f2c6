"""A user's module is clean under mypy --strict and pyright, and their mistakes are found. pyright runs where it is installed."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT, TESTS

SAMPLES = TESTS / 'typing'


def run(command: list[str], folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    # Type checkers do not follow the import hooks of an editable install.
    environment = {**os.environ, 'MYPYPATH': str(ROOT)}
    command = [sys.executable, '-m', *command]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False, timeout=300)


def has(module: str) -> bool:
    return run([module, '--version'], ROOT).returncode == 0


@pytest.mark.parametrize('sample', ['user.py', 'mistakes.py'])
def test_mypy(tmp_path: pathlib.Path, sample: str) -> None:
    """--warn-unused-ignores, part of --strict, finds a mistake that mypy accepts."""
    if not has('mypy'):
        pytest.skip('mypy is not installed: pip install acl-bind[dev]')
    options = ['--strict', '--config-file=', '--follow-imports=silent', f'--cache-dir={tmp_path}']
    done = run(['mypy', *options, str(SAMPLES / sample)], tmp_path)
    assert done.returncode == 0, done.stdout


def test_pyright(tmp_path: pathlib.Path) -> None:
    if not has('pyright'):
        pytest.skip('pyright is not installed (pip install pyright, which needs node)')
    settings = {
        'include': [os.path.relpath(SAMPLES, tmp_path)],  # an absolute one is ignored
        'extraPaths': [str(ROOT)],
        'typeCheckingMode': 'strict',
        'enableTypeIgnoreComments': False,
        'pythonVersion': '3.10',
    }
    (tmp_path / 'pyrightconfig.json').write_text(json.dumps(settings))
    done = run(['pyright', '--outputjson', '--pythonpath', sys.executable], tmp_path)
    found = [each for each in json.loads(done.stdout)['generalDiagnostics'] if each['severity'] == 'error']
    in_user = [f'{each["range"]["start"]["line"] + 1}: {each["message"]}' for each in found if each['file'].endswith('user.py')]
    assert not in_user, '\n'.join(in_user)
    wrong = {each['range']['start']['line'] + 1 for each in found if each['file'].endswith('mistakes.py')}
    lines = (SAMPLES / 'mistakes.py').read_text().splitlines()
    assert wrong == {number for number, line in enumerate(lines, 1) if 'type: ignore' in line}
