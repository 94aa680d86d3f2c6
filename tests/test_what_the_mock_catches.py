"""docs/what-the-mock-catches.md: every example is run, and must print what the page says."""

from __future__ import annotations

import linecache
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
from types import ModuleType

import pytest
from conftest import ROOT

from acl_bind import _loader
from acl_bind._cc import compile_kernels

PAGE = (ROOT / 'docs' / 'what-the-mock-catches.md').read_text()
EXAMPLES = [
    pytest.param(code, printed, id=title.split('.', maxsplit=1)[0][:60])
    for title, code, printed in re.findall(r'^([^\n]+)\n\n```python\n(.*?)```\n```text\n(.*?)```\n', PAGE, re.MULTILINE | re.DOTALL)
]
CRASH = 'host-dereference'


@pytest.fixture(scope='module')
def kernels(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The page's kernels.o."""
    folder = tmp_path_factory.mktemp('page')
    (source,) = re.findall(r'```c\n(.*?)```', PAGE, re.DOTALL)
    (folder / 'kernels.c').write_text(source)
    compile_kernels(folder / 'kernels.c', folder / 'kernels.o', _loader.MOCK_PREFIX / 'include', ['-Werror'])
    return folder / 'kernels.o'


@pytest.fixture
def folder(kernels: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The working directory of an example."""
    shutil.copy(kernels, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pattern(printed: str) -> str:
    """A regular expression for the page's text: addresses may differ, and ... stands for anything."""
    return re.sub(r'0x[0-9a-f]+', '0x[0-9a-f]+', re.escape(printed)).replace(re.escape('...'), '(.|\n)*')


def run_here(code: str) -> str:
    """Run an example. Returns the last part of the traceback that it would end with."""
    linecache.clearcache()  # where launches were is shown with the source line
    try:
        exec(compile(code, 'example.py', 'exec'), {'__name__': '__main__'})
    except Exception as error:
        kind = type(error)
        return f'{"" if kind.__module__ == "builtins" else kind.__module__ + "."}{kind.__name__}: {error}\n'
    return ''


@pytest.mark.parametrize(('code', 'printed'), [each for each in EXAMPLES if CRASH not in str(each.values[1])])
def test_the_example_prints_what_the_page_says(
    code: str, printed: str, folder: pathlib.Path, acl_mock: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / 'example.py').write_text(code)
    with acl_mock.checks('warn'):
        error = run_here(code)
    said = capfd.readouterr()
    seen = (said.err + error + said.out).replace(f'{folder}{os.sep}', '')
    assert re.fullmatch(pattern(printed), seen), seen


def test_the_example_that_dies(tmp_path: pathlib.Path) -> None:
    ((code, printed),) = (each.values for each in EXAMPLES if CRASH in str(each.values[1]))
    (tmp_path / 'example.py').write_text(str(code))
    done = subprocess.run(
        [sys.executable, 'example.py'],
        cwd=tmp_path,
        env={**os.environ, 'ACL_MOCK_CHECK': 'warn'},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == -signal.SIGSEGV
    assert re.fullmatch(pattern(str(printed)), done.stderr.replace(f'{tmp_path}{os.sep}', '')), done.stderr


def test_the_page_has_nothing_but_examples() -> None:
    assert PAGE.count('```python') == PAGE.count('```text') == len(EXAMPLES) > 20
