"""The command ``acl-bind``: one module a subcommand."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Any

from .._cc import BuildError
from ..errors import AclError, AclLibraryNotFoundError, AclSymbolNotFoundError

# What --help says of each. A module is read when its command is given: some need packages that the others do not.
COMMANDS = {
    'demo': 'Run an fp16 vector add, or another binary, step by step, and show how its arguments are laid out.',
    'doctor': 'Tell which libascendcl is used and why, and what is wrong with it.',
    'config': 'Print what a C or C++ program needs to be built against the mock.',
    'cc': 'Compile a host kernel.',
    'codes': 'Print the error codes: what each means and what to do about it.',
    'inspect': 'Tell what is in an operator binary: its kernels, their parameters, its variables.',
    'run': 'Run a script written for pyACL.',
    'trace': 'Run a script on the mock and write what it did as a trace for Perfetto.',
}


def _module(name: str) -> Any:
    try:
        return importlib.import_module(f'.{name}', __package__)
    except ModuleNotFoundError as error:
        if (error.name or '').startswith(str(__package__)):
            raise
        raise SystemExit(f"acl-bind {name} needs the package {error.name}: pip install 'acl-bind[{name}]'") from None


def main(arguments: list[str] | None = None) -> int:
    """Run ``acl-bind``. Returns the exit code; an expected failure is a message on stderr and 1."""
    parser = argparse.ArgumentParser(prog='acl-bind', description='Drive Ascend NPU kernels from Python, with and without the hardware.')
    subparsers = parser.add_subparsers(required=True, metavar='COMMAND')
    given = sys.argv[1:] if arguments is None else arguments
    for name, summary in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        if name in given[:1]:
            module = _module(name)
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    try:
        options = parser.parse_args(given)
        return int(options.run(options))
    except (AclError, AclLibraryNotFoundError, AclSymbolNotFoundError, BuildError, OSError, ValueError) as error:
        print(f'acl-bind: {error}', file=sys.stderr)
        return 1
