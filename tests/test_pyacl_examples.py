"""The scripts of examples/pyacl run unchanged, and use nothing but pyACL's names."""

from __future__ import annotations

import ast
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT
from pyacl_facts import FACTS

SCRIPTS = sorted((ROOT / 'examples' / 'pyacl').glob('*.py'))
ARGUMENTS = {'launch_args.py': ['{kernels}'], 'launch_data.py': ['{kernels}'], 'aicpu.py': ['{kernels}', 'add_simple']}
SAYS = {
    'aicpu.py': 'AI CPU: 4.0 4.0',
    'callbacks.py': '5 callbacks, in order',
    'errors.py': 'acl.rt.malloc args parse failed',
    'events.py': '20 memsets took',
    'launch_args.py': '16384 elements are right',
    'launch_data.py': 'add_simple added 16384 numbers',
    'pingpong.py': '1048576 bytes: ',
    'two_devices.py': 'half of device 0 came from device 1',
}


def run(script: pathlib.Path, kernels: pathlib.Path, **variables: str) -> subprocess.CompletedProcess[str]:
    arguments = [argument.format(kernels=kernels) for argument in ARGUMENTS.get(script.name, [])]
    command = [sys.executable, '-c', 'import sys; from acl_bind.commands import main; sys.exit(main())', 'run', str(script), *arguments]
    environment = os.environ | {'ACL_MOCK_KERNEL_PATH': str(kernels)} | variables
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=60)


@pytest.mark.parametrize('script', SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_unchanged(script: pathlib.Path, add_binary: pathlib.Path) -> None:
    done = run(script, add_binary)
    assert done.returncode == 0, done.stdout + done.stderr
    assert SAYS[script.name] in done.stdout


@pytest.mark.parametrize('name', ['launch_args.py', 'launch_data.py', 'pingpong.py', 'callbacks.py'])
@pytest.mark.parametrize('schedule', ['inline', 'worker', 'random:1'])
def test_a_script_runs_on_every_schedule(name: str, schedule: str, add_binary: pathlib.Path) -> None:
    done = run(ROOT / 'examples' / 'pyacl' / name, add_binary, ACL_MOCK_SCHEDULE=schedule)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize('name', ['launch_args.py', 'launch_data.py', 'aicpu.py', 'two_devices.py', 'events.py'])
def test_a_script_stands_strict_mode(name: str, add_binary: pathlib.Path) -> None:
    done = run(ROOT / 'examples' / 'pyacl' / name, add_binary, ACL_BIND_PYACL_STRICT='1')
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize('script', SCRIPTS, ids=lambda path: path.stem)
def test_a_script_uses_names_of_the_table_only(script: pathlib.Path) -> None:
    names = {fact.name for fact in FACTS}
    for node in ast.walk(ast.parse(script.read_text())):
        if isinstance(node, ast.Attribute) and ast.unparse(node).startswith('acl.') and ast.unparse(node) not in ('acl.rt', 'acl.util'):
            assert ast.unparse(node) in names
