"""Run a program written for pyACL: acl-bind run script.py arguments, or acl-bind run -m module arguments"""

from __future__ import annotations

import argparse

from ..pyacl._run import run as run_program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('program', nargs=argparse.REMAINDER, metavar='[-m] PROGRAM ...', help='a script, or -m and a module')


def run(options: argparse.Namespace) -> int:
    return run_program(options.program)
