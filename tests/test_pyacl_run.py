"""The three ways into pyACL, what strict mode finds, and what an import costs."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from collections.abc import Callable

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

SCRIPT = """
import sys
import acl, acl.rt as r
from acl import util
from acl.rt import malloc
assert malloc is r.malloc is acl.rt.malloc
assert 'bytes_to_ptr' in dir(acl.util)
assert 'install' not in dir(acl)
assert {'rt', 'mdl', 'media', 'op', 'blas', 'util', 'prof', 'himpi', 'fv'} <= set(dir(acl))
try:
    import acl.no_such
except ModuleNotFoundError as error:
    assert str(error) == "No module named 'acl.no_such'; 'acl' is not a package"
import acl.himpi
print(__name__, sys.argv[1:], acl.init(), acl.rt.set_device(0), acl.finalize())
"""


@pytest.fixture
def script(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / 'script.py'
    path.write_text(SCRIPT)
    return path


def run(*command: str, folder: pathlib.Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False, timeout=60, cwd=folder)


STARTS = [['-m', 'acl_bind.pyacl'], ['-c', 'from acl_bind.commands import main; main()', 'run']]


@pytest.mark.parametrize('start', STARTS, ids=['-m', 'run'])
def test_a_script_runs_as_main_with_its_arguments(start: list[str], script: pathlib.Path) -> None:
    done = run(*start, str(script), '-m', '--option', folder=script.parent)
    assert done.stdout == "__main__ ['-m', '--option'] 0 0 0\n", done.stderr
    done = run(*start, '-m', 'script', '--option', folder=script.parent)
    assert done.stdout == "__main__ ['--option'] 0 0 0\n", done.stderr


def test_nothing_to_run_is_said() -> None:
    done = run('-c', 'import sys; from acl_bind.commands import main; sys.exit(main())', 'run')
    assert done.returncode == 1
    assert 'nothing to run' in done.stderr


def test_a_scripts_own_error_comes_with_its_lines_only(tmp_path: pathlib.Path) -> None:
    path = tmp_path / 'bad.py'
    path.write_text('import acl\ndef f():\n    acl.rt.malloc("x")\nf()\n')
    done = run('-m', 'acl_bind.pyacl', str(path))
    assert done.returncode == 1
    assert 'TypeError: acl.rt.malloc args parse failed' in done.stderr
    assert 'runpy' not in done.stderr
    path.write_text('import sys\nsys.exit(7)\n')
    assert run('-m', 'acl_bind.pyacl', str(path)).returncode == 7


def test_install_twice_is_harmless_and_a_foreign_acl_is_refused(run_python: Run) -> None:
    done = run_python('import sys, acl_bind.pyacl as a; a.install(); import acl; a.install(); assert sys.modules["acl"] is acl')
    assert done.returncode == 0, done.stderr
    done = run_python('import sys, types; sys.modules["acl"] = types.ModuleType("acl"); import acl_bind.pyacl as a; a.install()')
    assert 'ImportError: another acl module is loaded already' in done.stderr


def test_the_import_opens_nothing_and_brings_no_numpy(run_python: Run) -> None:
    done = run_python(
        'import sys, acl_bind.pyacl as acl\n'
        "assert 'numpy' not in sys.modules and 'ctypes' not in sys.modules and 'inspect' not in sys.modules\n"
        "dir(acl.rt); assert not any('libascendcl' in line for line in open('/proc/self/maps'))\n"
        'acl.get_version(); assert any("libascendcl" in line for line in open("/proc/self/maps"))'
    )
    assert done.returncode == 0, done.stderr


# ---- strict -----------------------------------------------------------------------------------------------------------

STRICT = [
    ('acl.rt.malloc(64, 0)', 'AclContextError: aclrtMalloc failed, error code is 107002'),
    ('acl.rt.create_stream()', 'AclContextError: aclrtCreateStream failed, error code is 107002'),
    ('acl.rt.set_device(99)', 'AclInvalidArgumentError: aclrtSetDevice failed, error code is 107001'),
    ('acl.rt.set_device(0); acl.rt.malloc(-1, 0)', 'OverflowError: acl.rt.malloc: argument 1 is -1'),
    ('acl.rt.create_event_with_flag(1 << 32)', 'OverflowError: acl.rt.create_event_with_flag: argument 1 is 4294967296'),
    (
        'acl.rt.set_device(0); s, r = acl.rt.create_stream(); acl.rt.set_stream_attribute(s, 3, {"userCustomTag": "7"})',
        "TypeError: 'userCustomTag' is '7', which would be taken for 0",
    ),
    (
        'acl.rt.set_device(0); d, r = acl.rt.malloc(64, 0)\n'
        'p = acl.util.bytes_to_ptr(bytes(bytearray(64))); acl.rt.memcpy(d, 64, p, 64, 1)',
        'came from acl.util.bytes_to_ptr of an object that the program holds no more',
    ),
    (
        'import numpy\nacl.rt.set_device(0); d, r = acl.rt.malloc(64, 0)\n'
        'def f(): return acl.util.numpy_contiguous_to_ptr(numpy.zeros((8, 8), "u1").T)[0]\n'
        'acl.rt.memcpy(d, 64, f() + 8, 56, 1)',
        'came from acl.util.numpy_contiguous_to_ptr of an object that the program holds no more',
    ),
    (
        'import ctypes\nacl.rt.set_device(0); d, r = acl.rt.malloc(64, 0)\n'
        'p = ctypes.addressof((ctypes.c_char * 64)())\nacl.rt.memcpy(d, 64, p, 64, 1)',
        'came from ctypes.addressof of an object that the program holds no more',
    ),
]


@pytest.mark.parametrize(('code', 'said'), STRICT)
def test_strict_mode_raises_at_the_line(run_python: Run, code: str, said: str) -> None:
    start = 'import acl_bind.pyacl as a; a.install(); import acl; acl.init()\n'
    done = run_python(start + code, ACL_BIND_PYACL_STRICT='1')
    assert done.returncode == 1
    assert said in done.stderr, done.stderr
    relaxed = run_python(start + code, ACL_BIND_PYACL_STRICT=None)
    assert said not in relaxed.stderr
    assert relaxed.returncode == 0, relaxed.stderr


def test_strict_mode_takes_what_is_right(run_python: Run) -> None:
    code = """
import acl_bind.pyacl as a; a.install()
import ctypes, numpy, acl
assert acl.init() == 0 and acl.rt.set_device(0) == 0
d, ret = acl.rt.malloc(64, 0)
data, array, struct = bytes(bytearray(64)), numpy.zeros(64, 'u1'), (ctypes.c_char * 64)()
for p in (acl.util.bytes_to_ptr(data), acl.util.numpy_to_ptr(array[8:]) - 8, ctypes.addressof(struct)):
    assert acl.rt.memcpy(d, 64, p, 64, 1) == 0
acl.rt.peek_at_last_error(0)
thread, ret = acl.util.start_thread(print, 1)
acl.util.stop_thread(thread)
for i in range(3000): acl.util.bytes_to_ptr(b'%d' % i)
"""
    done = run_python(code, ACL_BIND_PYACL_STRICT='1')
    assert done.returncode == 0, done.stderr


def test_strict_mode_warns_of_a_tuple_taken_for_a_code(run_python: Run) -> None:
    code = (
        'import acl_bind.pyacl as acl; acl.init(); acl.rt.set_device(0)\n'
        'ret = acl.rt.create_stream()\n'
        'assert ret != 0 and ret == tuple(ret) and len({ret}) == 1'
    )
    done = run_python(code, ACL_BIND_PYACL_STRICT='1')
    assert done.returncode == 0, done.stderr
    assert '<string>:3: Warning: a tuple is compared with an int' in done.stderr
