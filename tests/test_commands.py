"""The command acl-bind."""

from __future__ import annotations

import pathlib
import re
import shlex
import subprocess
import sys
from collections.abc import Callable

import pytest
from pytest_mock import MockerFixture

from acl_bind import commands, rt
from acl_bind._cc import compile_kernels, find_compiler
from acl_bind._loader import HOMES
from acl_bind.commands import doctor

MODES = {'placeholder': (5, 8), 'simple': (3, 4)}  # arguments, rows of the layout
WRONG_SUM = """
#include <aclmock/kernel.h>
ACLMOCK_KERNEL(wrong) { if (aclmock_block_idx(ctx) == 0) ACLMOCK_GM(ctx, 2, aclmock_half, 1)[0] = 0; }
ACLMOCK_KERNEL(outside) { (void)ACLMOCK_GM(ctx, 0, char, 1 << 30); }
"""


@pytest.fixture
def wrong_binary(tmp_path: pathlib.Path, prefix: pathlib.Path) -> pathlib.Path:
    source = tmp_path / 'wrong.c'
    source.write_text(WRONG_SUM)
    compile_kernels(source, tmp_path / 'wrong.o', prefix / 'include')
    return tmp_path / 'wrong.o'


@pytest.mark.parametrize('mode', MODES)
def test_demo(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(['demo', '--mode', mode]) == 0
    out = capsys.readouterr().out
    assert [int(number) for number in re.findall(r'^(\d)\. .* us$', out, re.MULTILINE)] == list(range(1, 10))
    arguments, rows = MODES[mode]
    layout = re.findall(r'^ +(\d+) +(\d+)  (pointer|placeholder|hidden|data) +(.*?)  +(\S.*)$', out, re.MULTILINE)
    assert len(layout) == rows
    assert [int(row[0]) for row in layout[: arguments + 1]] == [8 * i for i in range(arguments + 1)]
    assert layout[arguments][2:4] == ('hidden', 'overflow')
    assert 'correct: all 16384 elements' in out


def test_demo_shows_what_the_device_saw(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(['demo']) == 0
    out = capsys.readouterr().out
    assert re.search(r'24 +8  placeholder +argument 3 +\(filled at launch\) [0-9a-f]{16}\n', out)
    assert re.search(r'48 +4  data +of argument 3 +00400000 +00400000\n', out)  # 16384, little endian
    assert re.search(r'56 +4  data +of argument 4 +08000000 +08000000\n', out)


def test_demo_with_another_binary(add_binary: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ['demo', '--binary', str(add_binary), '--kernel', 'add_custom', '--device', '1']
    assert commands.main(command) == 0
    assert 'aclrtSetDevice(1)' in capsys.readouterr().out


def test_demo_with_a_wrong_result(wrong_binary: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(['demo', '--binary', str(wrong_binary), '--kernel', 'wrong']) == 1
    out = capsys.readouterr().out
    assert "WRONG: 16384 of 16384 elements differ from numpy's x + y" in out
    assert 'Check that the kernel adds fp16 vectors' in out


FAILING = [
    (['--binary', '{binary}', '--kernel', 'outside'], 'error code is 507035'),
    (['--binary', '{binary}', '--kernel', 'wrung'], 'did you mean wrong'),
    (['--binary', '/no/such/file.o', '--kernel', 'wrong'], 'no operator binary at /no/such/file.o'),
    (['--binary', '{binary}'], '--binary and --kernel go together'),
    (['--device', '7'], 'error code is 107001'),
]


@pytest.mark.parametrize(('options', 'said'), FAILING, ids=[said for _, said in FAILING])
def test_demo_that_fails(options: list[str], said: str, wrong_binary: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(['demo', *(option.format(binary=wrong_binary) for option in options)]) == 1
    assert said in capsys.readouterr().err


def test_demo_leaves_nothing_behind_when_it_fails(wrong_binary: pathlib.Path, no_leaks: None) -> None:
    assert commands.main(['demo', '--binary', str(wrong_binary), '--kernel', 'outside']) == 1
    with pytest.raises(Exception, match='error code is 507007'):
        rt.reset_device(0)  # the demo gave its own share back


def test_demo_on_a_cann_that_is_not_there(run_python: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    code = 'import sys; from acl_bind.commands import main; sys.exit(main(["demo", "--backend", "cann"]))'
    done = run_python(code, ACL_BIND_BACKEND=None, **dict.fromkeys(HOMES))
    assert done.returncode == 1
    assert 'acl-bind: no libascendcl found' in done.stderr
    assert 'Traceback' not in done.stderr


def test_the_command_is_installed() -> None:
    script = pathlib.Path(sys.executable).with_name('acl-bind')
    done = subprocess.run([script, 'demo', '--mode', 'simple'], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert 'correct' in done.stdout


def test_config_builds_a_program(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(['config', '--cflags', '--libs']) == 0
    flags = shlex.split(capsys.readouterr().out)
    source = tmp_path / 'program.c'
    source.write_text('#include <acl/acl.h>\nint main(void) { return aclInit(NULL); }\n')
    subprocess.run([*find_compiler('CC', 'cc'), str(source), *flags, '-o', str(tmp_path / 'program')], check=True)
    assert subprocess.run([tmp_path / 'program'], check=False).returncode == 0


def test_config_alone_and_the_prefix(prefix: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(['config', '--prefix']) == 0
    assert capsys.readouterr().out.strip() == str(prefix)
    assert commands.main(['config']) == 0
    assert '-lascendcl' in capsys.readouterr().out


def test_cc(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / 'mine.c'
    source.write_text('#include <aclmock/kernel.h>\nACLMOCK_KERNEL(mine) { (void)ctx; }\n')
    assert commands.main(['cc', str(source)]) == 0
    assert (tmp_path / 'mine.o').exists()
    assert 'mine.o' in capsys.readouterr().out
    source.write_text('#include <aclmock/kernel.h>\nACLMOCK_KERNEL(mine) { oops; }\n')
    assert commands.main(['cc', str(source), '-o', str(tmp_path / 'bad.o')]) == 1
    assert 'oops' in capsys.readouterr().err
    assert not (tmp_path / 'bad.o').exists()
    assert commands.main(['cc', str(tmp_path / 'none.c')]) == 1
    assert 'no source file' in capsys.readouterr().err


def test_cc_without_a_compiler(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('CC', 'no-such-compiler')
    source = tmp_path / 'mine.c'
    source.write_text('')
    assert commands.main(['cc', str(source)]) == 1
    assert 'apt install gcc' in capsys.readouterr().err


def test_doctor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ACL_MOCK_SOMETHING', 'seen')
    assert commands.main(['doctor']) == 0
    out = capsys.readouterr().out
    assert 'ACL_BIND_BACKEND=mock\n' in out
    assert 'ACL_MOCK_SOMETHING=seen\n' in out
    assert '(from ACL_BIND_BACKEND=mock): opened' in out
    assert 'is the mock' in out
    assert 'SoC Ascend910B1, devices 2\n  missing functions: none' in out


def test_doctor_finds_stubs(
    tmp_path: pathlib.Path, run_python: Callable[..., subprocess.CompletedProcess[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    library = tmp_path / 'devlib' / 'libascendcl.so'
    library.parent.mkdir()
    stub = 'int aclInit(void) { return 100039; } int aclrtGetVersion(void) { return 100039; }'
    command = [*find_compiler('CC', 'cc'), '-shared', '-fPIC', '-x', 'c', '-', '-o', str(library)]
    subprocess.run(command, input=stub, text=True, check=True)
    code = 'import sys; from acl_bind.commands import main; sys.exit(main(["doctor"]))'
    done = run_python(code, ACL_BIND_LIBRARY=str(library))
    assert done.returncode == 1
    assert 'THIS IS A STUB' in done.stdout
    assert 'devices unknown' in done.stdout


def test_doctor_without_a_library(run_python: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    code = 'import sys; from acl_bind.commands import main; sys.exit(main(["doctor"]))'
    done = run_python(code, ACL_BIND_LIBRARY='/nowhere/libascendcl.so')
    assert done.returncode == 1
    assert 'no library: /nowhere/libascendcl.so (from ACL_BIND_LIBRARY) does not open' in done.stdout
    assert done.stderr == ''


def test_a_result_from_nowhere_is_no_traceback(mocker: MockerFixture, capsys: pytest.CaptureFixture[str]) -> None:
    mocker.patch.object(doctor, 'backend', side_effect=OSError('the disk is gone'))
    assert commands.main(['doctor']) == 1
    assert capsys.readouterr().err == 'acl-bind: the disk is gone\n'
