"""Print what a C or C++ program needs to build against the mock: acl-bind config --cflags --libs"""

from __future__ import annotations

import argparse
import shlex

from .._loader import MOCK_PREFIX


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('--prefix', action='store_true', help="the mock's folder, laid out like a CANN installation")
    parser.add_argument('--cflags', action='store_true', help='flags for compiling')
    parser.add_argument('--libs', action='store_true', help='flags for linking; the program finds the mock where it is now')


def run(options: argparse.Namespace) -> int:
    library = MOCK_PREFIX / 'lib64'
    parts: list[str] = []
    if options.prefix:
        parts.append(str(MOCK_PREFIX))
    if options.cflags or not (options.prefix or options.libs):
        parts.append(f'-I{MOCK_PREFIX / "include"}')
    if options.libs or not (options.prefix or options.cflags):
        parts += [f'-L{library}', f'-Wl,-rpath,{library}', '-lascendcl']
    print(shlex.join(parts))
    return 0
