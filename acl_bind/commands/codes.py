"""Tell what error codes mean and what to do: acl-bind codes 507035, or all of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from .._codes import CODES
from .._ffi import lib
from ..errors import error_class

INTRODUCTION = """# Error codes

What the library returns, what it means and what to do. `acl_bind` raises the class of the last column; its message has all
of this, and what the library itself said. `acl-bind codes 507035` prints one. This page is made by
`acl-bind codes --markdown > docs/error-codes.md`.

Codes of the form 1000xx, 2000xx and 5000xx come from the acl layer, before the runtime is entered; 1070xx are the runtime's
for the caller's mistakes, 2070xx for what is not there, 5070xx for failures inside and on the device.

| code | name | meaning | what to do | raised as |
|---|---|---|---|---|
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('code', nargs='*', type=int, help='the codes to explain (default: all)')
    parser.add_argument('--markdown', action='store_true', help='as a page of the documentation')


def rows() -> Iterator[tuple[int, str, str, str, str]]:
    """Code, name, meaning, what to do and class of everything known, in the codes' order."""
    for code, name in sorted((int(getattr(lib, name)), name) for name in CODES):
        yield code, name, *CODES[name], error_class(code, name).__name__


def markdown() -> str:
    return INTRODUCTION + ''.join(f'| {code} | {name} | {meaning} | {fix} | {kind} |\n' for code, name, meaning, fix, kind in rows())


def run(options: argparse.Namespace) -> int:
    if options.markdown:
        print(markdown(), end='')
        return 0
    known = {row[0]: row for row in rows()}
    unknown = [code for code in options.code if code not in known]
    if unknown:
        raise ValueError(f'no such code: {", ".join(map(str, unknown))}; acl-bind codes lists all')
    for code, name, meaning, fix, kind in (known[code] for code in options.code or known):
        print(f'{code} {name}: {meaning}. {fix} Raised as {kind}.')
    return 0
