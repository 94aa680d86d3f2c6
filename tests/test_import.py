"""Importing is cheap and opens nothing; the public names are where they always were."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import acl_bind as ab

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_importing_the_package_brings_no_numpy(run_python: Run) -> None:
    done = run_python("import sys, acl_bind; assert 'numpy' not in sys.modules; acl_bind.Device; assert 'numpy' in sys.modules")
    assert done.returncode == 0, done.stderr


def test_every_public_name_is_there() -> None:
    assert [name for name in ab.__all__ if not hasattr(ab, name)] == []
    assert set(ab.__all__) <= set(dir(ab))
    assert not hasattr(ab, 'no_such_name')


def test_the_function_launch_wins_over_the_module(run_python: Run) -> None:
    done = run_python('import acl_bind.launch; from acl_bind.launch import LaunchConfig; acl_bind.launch.__call__; assert LaunchConfig')
    assert done.returncode == 0, done.stderr
