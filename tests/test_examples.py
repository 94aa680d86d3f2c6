"""Every example runs as it is, on the mock, and says what it should."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT

EXAMPLES = ROOT / 'examples'
SAID = {
    'aicpu_operator': 'the sum is 499500',
    'callbacks': 'before the kernel, after the kernel\nsync() raised it: said by a callback',
    'device_fault': 'AclVectorCoreError 507035 from aclrtSynchronizeStream',
    'dlpack_with_torch': 'float32 and bfloat16 there and back',
    'from_pyacl': 'pyACL and acl_bind in one process: right',
    'multi_device': 'device 0: 2\ndevice 1: 3\nrefused: argument 0: the buffer is on device 1, the kernel scale on device 0',
    'placeholders_and_tiling': 'a numpy struct: right\na ctypes struct: right\nbytes: right\n',
    'two_streams': '3 x 5 = 15; the second stream was done after the first began',
    'update_arguments': '6! = 720',
    'vector_add': '16384 sums are right, the last one is 2.0',
}


def test_every_example_is_here() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob('*.py')) == sorted(SAID)


@pytest.mark.parametrize('name', SAID)
def test_examples_are_short(name: str) -> None:
    assert len((EXAMPLES / f'{name}.py').read_text().splitlines()) < 60


@pytest.mark.parametrize('name', SAID)
def test_example(name: str, tmp_path: pathlib.Path) -> None:
    if 'torch' in name and importlib.util.find_spec('torch') is None:
        pytest.skip('torch is not installed: pip install acl-bind[interop]')
    environment = {**os.environ, 'ACL_BIND_BACKEND': 'mock', 'TMPDIR': str(tmp_path)}
    command = [sys.executable, '-W', 'error', str(EXAMPLES / f'{name}.py')]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert SAID[name] in done.stdout
    assert done.stderr == ''
