"""Run a script on the mock and write what it did as a trace for Perfetto: acl-bind trace script.py -o out.json"""

from __future__ import annotations

import argparse
import os
import pathlib
import runpy
import sys

from .._ffi import opened
from ..mock import trace
from ..mock._trace import KEEP


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('-o', '--output', type=pathlib.Path, default=pathlib.Path('trace.json'), help='the file (default: %(default)s)')
    parser.add_argument('--keep', type=int, default=KEEP, metavar='N', help='keep the last N calls and tasks (default: %(default)s)')
    parser.add_argument('script', type=pathlib.Path, help='the program')
    parser.add_argument('arguments', nargs=argparse.REMAINDER, help='what it is given')


def run(options: argparse.Namespace) -> int:
    """The script's exit code. The file is written however the script ends."""
    if not options.script.is_file():
        raise FileNotFoundError(f'no script {options.script}')
    if opened().kind != 'mock':
        raise ValueError(f'only the mock records a trace, and {opened().path} is a real libascendcl: set ACL_BIND_BACKEND=mock')
    sys.argv = [str(options.script), *options.arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.script)))
    with trace(options.keep) as recorded:
        code = _run_script(str(options.script))
    recorded.save(options.output)
    print(f'{options.output}: {recorded!r}; open it at https://ui.perfetto.dev', file=sys.stderr)
    return code


def _run_script(path: str) -> int:
    try:
        runpy.run_path(path, run_name='__main__')
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except Exception as error:
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0
