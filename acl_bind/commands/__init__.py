"""The command ``acl-bind``: one module a subcommand."""

from __future__ import annotations

import argparse
import sys

from .._cc import BuildError
from ..errors import AclError, AclLibraryNotFoundError, AclSymbolNotFoundError
from . import cc, codes, config, demo, doctor, run, trace

COMMANDS = (demo, doctor, config, cc, codes, run, trace)


def main(arguments: list[str] | None = None) -> int:
    """Run ``acl-bind``. Returns the exit code; an expected failure is a message on stderr and 1."""
    parser = argparse.ArgumentParser(prog='acl-bind', description='Drive Ascend NPU kernels from Python, with and without the hardware.')
    subparsers = parser.add_subparsers(required=True, metavar='COMMAND')
    for module in COMMANDS:
        name = module.__name__.rsplit('.', maxsplit=1)[-1]
        summary = (module.__doc__ or '').split('\n', maxsplit=1)[0]
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        module.add_arguments(subparser)
        subparser.set_defaults(run=module.run)
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except (AclError, AclLibraryNotFoundError, AclSymbolNotFoundError, BuildError, OSError, ValueError) as error:
        print(f'acl-bind: {error}', file=sys.stderr)
        return 1
