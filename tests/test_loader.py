"""Which libascendcl is opened, and what is said when one cannot be."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
from collections.abc import Callable, Iterator

import pytest

from acl_bind import _loader
from acl_bind._cc import find_compiler
from acl_bind.errors import AclLibraryNotFoundError

Run = Callable[..., subprocess.CompletedProcess[str]]
VARIABLES = ('ACL_BIND_LIBRARY', 'ACL_BIND_BACKEND', *_loader.HOMES)
NOTHING: dict[str, str | None] = dict.fromkeys(VARIABLES)
ABSENT = '{}: cannot open shared object file: No such file or directory'
SHOW = 'import acl_bind as ab; found = ab.backend(); print(found.kind, found.path, found.reason, sep="|")'


def compile_library(path: pathlib.Path, source: str, *flags: str) -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    command = [*find_compiler('CC', 'cc'), '-shared', '-fPIC', '-x', 'c', '-', '-o', str(path), *flags]
    subprocess.run(command, input=source, text=True, check=True)
    return path


@pytest.fixture(scope='session')
def old_cann(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The home of a CANN with three functions."""
    home = tmp_path_factory.mktemp('cann')
    functions = (
        'int aclInit(const char *path) { return path ? 100003 : 0; } '
        'int aclrtGetVersion(int *a, int *b, int *c) { *a = 1; *b = 14; *c = 3; return 0; } '
        'const char *aclrtGetSocName(void) { return "Ascend910B4"; }'
    )
    compile_library(home / 'lib64' / 'libascendcl.so', functions)
    return home


@pytest.fixture
def clean(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    return monkeypatch


def opens(*names: str) -> Callable[[str], str | None]:
    """A dlopen that finds these only."""
    return lambda path: None if path in names else ABSENT.format(path)


# ---- the order --------------------------------------------------------------------------------------------------------


def test_a_library_by_its_path_wins(clean: pytest.MonkeyPatch) -> None:
    clean.setenv('ACL_BIND_LIBRARY', '/opt/mine.so')
    clean.setenv('ACL_BIND_BACKEND', 'mock')
    clean.setenv('ASCEND_HOME_PATH', '/cann')
    assert [candidate.path for candidate in _loader.candidates()] == ['/opt/mine.so']


def test_the_mock_by_name(clean: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clean.setenv('ACL_BIND_BACKEND', 'mock')
    clean.setenv('ASCEND_HOME_PATH', '/cann')
    candidate, _ = _loader.choose(opens(str(_loader.MOCK_LIBRARY)))
    assert candidate.path == str(_loader.MOCK_LIBRARY)
    assert capsys.readouterr().err == ''


def test_homes_then_the_system_then_the_mock(clean: pytest.MonkeyPatch) -> None:
    clean.setenv('ASCEND_HOME_PATH', '/a')
    clean.setenv('ASCEND_TOOLKIT_HOME', '/b')
    assert [candidate.path for candidate in _loader.candidates()] == [
        '/a/lib64/libascendcl.so',
        '/a/lib64/libacl_rt.so',
        '/b/lib64/libascendcl.so',
        '/b/lib64/libacl_rt.so',
        'libascendcl.so',
        'libacl_rt.so',
        str(_loader.MOCK_LIBRARY),
    ]


def test_the_other_name_of_a_cann(clean: pytest.MonkeyPatch) -> None:
    clean.setenv('ASCEND_HOME_PATH', '/a')
    candidate, attempts = _loader.choose(opens('/a/lib64/libacl_rt.so'))
    assert candidate.path == '/a/lib64/libacl_rt.so'
    assert [attempt.failure is None for attempt in attempts] == [False, True]


def test_cann_forbids_the_mock(clean: pytest.MonkeyPatch) -> None:
    clean.setenv('ACL_BIND_BACKEND', 'cann')
    with pytest.raises(AclLibraryNotFoundError, match=r'no libascendcl found, tried: libascendcl.so, libacl_rt.so'):
        _loader.choose(opens(str(_loader.MOCK_LIBRARY)))


def test_the_mock_as_last_resort_says_so_once(clean: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    candidate, _ = _loader.choose(opens(str(_loader.MOCK_LIBRARY)))
    assert candidate.path == str(_loader.MOCK_LIBRARY)
    said = capsys.readouterr().err
    assert said.count('\n') == 1
    assert 'ACL_BIND_BACKEND=cann' in said


def test_an_unknown_backend(clean: pytest.MonkeyPatch) -> None:
    clean.setenv('ACL_BIND_BACKEND', 'cuda')
    with pytest.raises(AclLibraryNotFoundError, match="'cuda', expected cann or mock"):
        _loader.choose(opens())


# ---- never from a named CANN to the mock ------------------------------------------------------------------------------

FAILURES = {
    'not there': ABSENT.format('/a/lib64/libacl_rt.so'),
    'a missing dependency': 'libascend_hal.so: cannot open shared object file: No such file or directory',
    'a text file': '/a/lib64/libascendcl.so: invalid ELF header',
    'an undefined symbol': '/a/lib64/libascendcl.so: undefined symbol: MsprofSysCycleTime',
}


@pytest.mark.parametrize('failure', FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize('variable', _loader.HOMES)
def test_a_named_cann_that_does_not_open_is_an_error(clean: pytest.MonkeyPatch, variable: str, failure: str) -> None:
    clean.setenv(variable, '/a')
    opened: list[str] = []

    def dlopen(path: str) -> str | None:
        opened.append(path)
        if path == str(_loader.MOCK_LIBRARY):
            return None
        return ABSENT.format(path) if failure == FAILURES['not there'] else failure

    with pytest.raises(AclLibraryNotFoundError, match=variable):
        _loader.choose(dlopen)
    assert str(_loader.MOCK_LIBRARY) not in opened


def test_a_cann_found_by_the_system_that_does_not_open_is_an_error(clean: pytest.MonkeyPatch) -> None:
    with pytest.raises(AclLibraryNotFoundError, match=r'libascend_hal.so.*set_env.sh'):
        _loader.choose(lambda path: None if path == str(_loader.MOCK_LIBRARY) else FAILURES['a missing dependency'])


# ---- real files -------------------------------------------------------------------------------------------------------


def bad_homes(folder: pathlib.Path, prefix: pathlib.Path) -> Iterator[tuple[pathlib.Path, str]]:
    """(home, what must be said)"""
    yield folder / 'nowhere', 'The path is wrong'
    text = folder / 'text' / 'lib64' / 'libascendcl.so'
    text.parent.mkdir(parents=True)
    text.write_text('GROUP ( libacl_rt.so )\n')
    yield folder / 'text', 'no library for this machine'
    other = folder / 'other' / 'lib64' / 'libascendcl.so'
    other.parent.mkdir(parents=True)
    content = bytearray((prefix / 'lib64' / 'libascendcl.so').read_bytes())
    content[18] = 22  # e_machine: S/390
    other.write_bytes(content)
    yield folder / 'other', 'no library for this machine'
    driver = compile_library(folder / 'driver' / 'libascend_hal.so', 'int hal(void) { return 0; }')
    link = [f'-L{driver.parent}', '-Wl,--no-as-needed', '-lascend_hal']
    compile_library(folder / 'needs' / 'lib64' / 'libascendcl.so', 'int aclInit(void *p) { return p == 0; }', *link)
    yield folder / 'needs', 'It needs libascend_hal.so'
    undefined = 'int missing(void); int aclInit(void *p) { return p == 0 && missing(); }'
    compile_library(folder / 'undefined' / 'lib64' / 'libascendcl.so', undefined)
    yield folder / 'undefined', 'undefined symbol: missing'


def test_files_that_are_no_usable_library(run_python: Run, tmp_path: pathlib.Path, prefix: pathlib.Path) -> None:
    for home, said in bad_homes(tmp_path, prefix):
        done = run_python(SHOW, **NOTHING | {'ASCEND_HOME_PATH': str(home)})
        assert done.returncode != 0
        assert 'AclLibraryNotFoundError' in done.stderr
        assert said in done.stderr, home
        assert 'runs on the mock' not in done.stderr


def test_a_cann_that_is_found(run_python: Run, old_cann: pathlib.Path) -> None:
    done = run_python(SHOW, **NOTHING | {'ASCEND_TOOLKIT_HOME': str(old_cann)})
    assert done.stdout.split('|') == ['cann', str(old_cann / 'lib64' / 'libascendcl.so'), 'ASCEND_TOOLKIT_HOME\n']
    assert done.stderr == ''


def test_a_cann_on_the_library_path(run_python: Run, old_cann: pathlib.Path) -> None:
    done = run_python(SHOW, **NOTHING | {'LD_LIBRARY_PATH': str(old_cann / 'lib64')})
    assert done.stdout.startswith(f'cann|{old_cann}')


def test_the_mock_as_a_cann_by_its_path(run_python: Run, tmp_path: pathlib.Path, prefix: pathlib.Path) -> None:
    shutil.copytree(prefix, tmp_path / 'home', symlinks=True)
    done = run_python(SHOW, **NOTHING | {'ASCEND_HOME_PATH': str(tmp_path / 'home')})
    assert done.stdout.startswith('mock|')
    assert done.stderr == ''


def test_a_function_that_the_library_lacks(run_python: Run, old_cann: pathlib.Path) -> None:
    code = (
        'import acl_bind as ab\n'
        'print(ab.lib.has("aclrtMalloc"), ab.lib.has("aclInit"), len(ab.backend().missing) > 100)\n'
        'for name in ("aclrtBinaryGetGlobal", "aclmock_version"):\n'
        '    try: getattr(ab.lib, name)()\n'
        '    except ab.AclSymbolNotFoundError as error: print(error)\n'
        'print(ab.lib.aclInit(ab.ffi.NULL))\n'
    )
    lines = run_python(code, **NOTHING | {'ASCEND_HOME_PATH': str(old_cann)}).stdout.splitlines()
    assert lines[0] == 'False True True'
    assert lines[1] == f'aclrtBinaryGetGlobal is not in {old_cann}/lib64/libascendcl.so (version 1.14.3); CANN 9.1 is the first to have it'
    assert lines[2].startswith('aclmock_version is a function of the mock')
    assert lines[3] == '0'


def test_importing_opens_nothing(run_python: Run) -> None:
    code = 'import acl_bind.rt; from acl_bind import lib, ffi; print([line for line in open("/proc/self/maps") if "ascendcl" in line])'
    done = run_python(code, **NOTHING | {'ACL_BIND_LIBRARY': '/nowhere/at/all.so'})
    assert (done.stdout, done.stderr) == ('[]\n', '')


def test_naming_the_backend_after_the_fact_is_too_late_but_harmless(run_python: Run) -> None:
    code = 'import os, acl_bind as ab; ab.backend(); os.environ["ACL_BIND_BACKEND"] = "cann"; print(ab.backend().kind)'
    assert run_python(code, **NOTHING | {'ACL_BIND_BACKEND': 'mock'}).stdout == 'mock\n'
