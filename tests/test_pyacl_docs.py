"""docs/pyacl.md lists what is there."""

from __future__ import annotations

import subprocess
import sys

from conftest import ROOT
from pyacl_facts import FACTS

from acl_bind.pyacl._list import DIFFERS, lines

PAGE = ROOT / 'docs' / 'pyacl.md'


def test_the_list_is_current() -> None:
    listed = [line for line in PAGE.read_text().partition('## All functions')[2].splitlines() if line.startswith('|')]
    assert listed == lines(), 'run python -m acl_bind.pyacl._list and put the result into docs/pyacl.md'


def test_every_function_is_in_it() -> None:
    page = PAGE.read_text()
    assert [fact.name for fact in FACTS if f'| `{fact.name}` |' not in page] == []
    assert set(DIFFERS) <= {fact.name for fact in FACTS if fact.bound}


def test_the_command_prints_it() -> None:
    done = subprocess.run([sys.executable, '-m', 'acl_bind.pyacl._list'], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == lines()
