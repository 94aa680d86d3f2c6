"""The README says what is so."""

from __future__ import annotations

import pathlib
import re
import subprocess
from collections.abc import Callable

from conftest import ROOT

from acl_bind._cc import compile_kernels

README = (ROOT / 'README.md').read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf'^```{language}\n(.*?)^```', README, re.MULTILINE | re.DOTALL)


Run = Callable[..., subprocess.CompletedProcess[str]]


def test_the_example_runs(tmp_path: pathlib.Path, prefix: pathlib.Path, run_python: Run) -> None:
    (kernel,) = blocks('c')
    (example,) = blocks('python')
    (tmp_path / 'add.c').write_text(kernel)
    compile_kernels(tmp_path / 'add.c', tmp_path / 'add.o', prefix / 'include', ['-Werror'])
    done = run_python(f'import os; os.chdir({str(tmp_path)!r})\n{example}\nassert (out == a + b).all(); print("right")')
    assert (done.stdout, done.stderr) == ('right\n', '')


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r'\]\((?!http)([^)#]+)\)', README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_its_commands_are_the_ones_that_are_checked() -> None:
    text = (ROOT / '.ci' / 'run').read_text()
    assert 'pip install . && acl-bind demo' in README
    assert "pip install -e '.[test]' && pytest" in README
    assert 'README: pip install .' in text
    assert "new_venv test -e '.[test]'" in text
