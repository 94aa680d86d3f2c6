"""How host kernels are compiled. Standard library only: build_mock.py uses this file before the package exists."""

from __future__ import annotations

import os
import pathlib
import shlex
import shutil
import subprocess


class BuildError(Exception):
    """A compiler is missing, or did not like what it was given."""


def find_compiler(variable: str, standard: str) -> list[str]:
    """The command in an environment variable such as CC, else the standard one."""
    words = shlex.split(os.environ.get(variable, '')) or [standard]
    if shutil.which(words[0]) is None:
        raise BuildError(f'no compiler: {words[0]} is not on PATH. Install one (Debian: apt install gcc g++ libc6-dev) or set {variable}.')
    return words


def run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f'{shlex.join(command)}\n{done.stdout}{done.stderr}')


def compile_kernels(source: pathlib.Path, out: pathlib.Path, include: pathlib.Path, extra: list[str] | None = None) -> None:
    """Make a host-kernel binary of a C file (.c) or a C++17 file (anything else)."""
    language = [*find_compiler('CC', 'cc'), '-std=gnu11'] if source.suffix == '.c' else [*find_compiler('CXX', 'c++'), '-std=c++17']
    flags = ['-O2', '-g1', '-shared', '-fPIC', '-Wall', '-Wextra', f'-I{include}', *(extra or [])]
    run([*language, *flags, str(source), '-o', str(out), '-lm'])
