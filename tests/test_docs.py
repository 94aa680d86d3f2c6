"""The pages of docs/: their links lead somewhere, their Python runs, and the page of error codes is the table's."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import ROOT

from acl_bind import _loader
from acl_bind._cc import compile_kernels
from acl_bind.commands import codes, main

DOCS = sorted((ROOT / 'docs').glob('*.md'))
OWN_PROGRAMS = {'what-the-mock-catches.md'}  # its examples are programs with output, run by a test of their own
PAGES = [*DOCS, ROOT / 'README.md', ROOT / 'CHANGELOG.md']


def anchors(text: str) -> set[str]:
    return {re.sub(r'[^\w\- ]', '', title.lower()).strip().replace(' ', '-') for title in re.findall(r'^#+ (.*)$', text, re.MULTILINE)}


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: pathlib.Path) -> None:
    text = re.sub(r'^```.*?^```', '', page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r'\]\(([^)\s]+)\)', text):
        if re.match(r'\w+:', target):
            continue  # elsewhere
        name, _, anchor = target.partition('#')
        other = page.parent / name if name else page
        assert other.exists(), f'{page.name} links to {target}'
        assert not anchor or anchor in anchors(other.read_text()), f'{page.name} links to {target}'


def python_blocks(page: pathlib.Path) -> str:
    return '\n'.join(re.findall(r'^```python\n(.*?)^```', page.read_text(), re.MULTILINE | re.DOTALL))


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Where the pages' programs run: it has the binary of the examples."""
    made = tmp_path_factory.mktemp('docs')
    compile_kernels(ROOT / 'examples' / 'kernels' / 'vector.c', made / 'vector.o', _loader.MOCK_PREFIX / 'include')
    return made


WITH_PYTHON = [page for page in DOCS if page.name not in OWN_PROGRAMS and python_blocks(page)]


@pytest.mark.parametrize('page', WITH_PYTHON, ids=lambda page: page.name)
def test_python_runs(page: pathlib.Path, folder: pathlib.Path) -> None:
    environment = {**os.environ, 'ACL_BIND_BACKEND': 'mock'}
    command = [sys.executable, '-W', 'error', '-c', python_blocks(page)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_page_of_error_codes_is_up_to_date() -> None:
    wanted = 'docs/error-codes.md is old: acl-bind codes --markdown > docs/error-codes.md'
    assert (ROOT / 'docs' / 'error-codes.md').read_text() == codes.markdown(), wanted


def test_codes_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['codes', '507035']) == 0
    assert capsys.readouterr().out.startswith('507035 ACL_ERROR_RT_VECTOR_CORE_EXCEPTION: ')
    assert main(['codes', '5']) == 1
    assert 'no such code: 5; acl-bind codes lists all' in capsys.readouterr().err
