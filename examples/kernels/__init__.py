"""Where the examples get their operator binary: built here for the mock. On an NPU set EXAMPLE_BINARY to yours."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).parent / 'vector.c'


def binary_path() -> pathlib.Path:
    """The binary with the kernels add_custom, scale and sum_on_cpu."""
    if os.environ.get('EXAMPLE_BINARY'):
        return pathlib.Path(os.environ['EXAMPLE_BINARY'])
    built = pathlib.Path(tempfile.gettempdir()) / f'acl_bind_examples_{os.getuid()}' / 'vector.o'
    if not built.exists() or built.stat().st_mtime < SOURCE.stat().st_mtime:
        built.parent.mkdir(exist_ok=True)
        fresh = built.with_suffix(f'.{os.getpid()}')
        command = [sys.executable, '-c', 'from acl_bind.commands import main; main()', 'cc', str(SOURCE), '-o', str(fresh)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        fresh.replace(built)
    return built
