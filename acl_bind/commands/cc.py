"""Compile a host kernel: acl-bind cc add_custom.c -o add_custom.o"""

from __future__ import annotations

import argparse
import pathlib

from .._cc import compile_kernels
from .._loader import MOCK_PREFIX


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('source', type=pathlib.Path, help='a .c file, or a C++17 file (.cpp, .cc), that includes aclmock/kernel.h or .hpp')
    parser.add_argument('-o', '--output', type=pathlib.Path, help='the binary (default: the source with .o)')
    parser.add_argument('flags', nargs='*', help='more flags for the compiler, after --')


def run(options: argparse.Namespace) -> int:
    output = options.output or options.source.with_suffix('.o')
    if not options.source.is_file():
        raise FileNotFoundError(f'no source file {options.source}')
    compile_kernels(options.source, output, MOCK_PREFIX / 'include', options.flags)
    print(f'{output}: load it with Binary.from_file({str(output)!r})')
    return 0
