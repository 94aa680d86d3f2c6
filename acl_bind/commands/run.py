"""Run a program written for pyACL: acl-bind run script.py arguments, or acl-bind run -m module arguments"""

from __future__ import annotations

import argparse

from ..pyacl._run import run as run_program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    rest = argparse.REMAINDER
    parser.add_argument('-m', dest='module', nargs=rest, metavar='MODULE ...', help='a module and its arguments')
    parser.add_argument('script', nargs=rest, metavar='SCRIPT ...', help='a script and its arguments')


def run(options: argparse.Namespace) -> int:
    return run_program(options.script if options.module is None else ['-m', *options.module])
