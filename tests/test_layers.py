"""The house rules that a machine can check: imports go down only, files stay small, numbers stay in the headers."""

from __future__ import annotations

import ast
import pathlib
import re
import subprocess

import pytest
from conftest import ROOT

PACKAGE = ROOT / 'acl_bind'
SOURCES = ROOT / 'mock_libascendcl' / 'src'

# From the bottom up; a module imports only from rows above its own in this list, or from its own row.
PYTHON_LAYERS = [
    {'_codes', '_cc', '_checks', '_elf', '_meta', '_opbin', '_plain', '_site', '_svg'},
    {'errors'},
    {'_loader'},
    {'_ffi'},
    {'_handle', '_dlpack', 'scalars'},
    {'_lives', 'runtime', 'rt', '_host'},
    {'device', 'callback'},
    {'context'},
    {'_inflight'},
    {'event', 'stream'},
    {'memory'},
    {'kernel'},
    {'binary'},
    {'values'},
    {'config', 'signature'},
    {'layout'},
    {'args'},
    {'plan'},
    {'typed'},
    {'compiled'},
    {'launch'},
    {'replay'},
    {'interop'},
    {'_public'},
    {'__init__'},
    {'commands', 'mock', 'pyacl', 'testing'},
]
C_LAYERS = [
    {'base'},
    {'file', 'json', 'elf', 'meta', 'soc', 'table'},
    {'call', 'error', 'check', 'inject', 'trace', 'log', 'float16'},
    {'handle', 'trap', 'watchdog'},
    {'arena', 'guard', 'range', 'databuffer'},
    {'device'},
    {'context', 'hostreg', 'peer', 'devinfo', 'option', 'vmm'},
    {'memory', 'memcheck', 'memcopy', 'cache', 'reach'},
    {'binary', 'hostbin', 'opbin', 'cpubin', 'image', 'load', 'lookup', 'use', 'bind', 'function', 'hidden', 'traits'},
    {'args', 'argscheck', 'argsfill', 'argsview'},
    {'queue'},
    {'stream', 'engine', 'engine_inner', 'random', 'ticker', 'worker', 'streamattr', 'streamfault', 'streamstate', 'reslimit'},
    {'event', 'eventid', 'eventwait', 'eventquery', 'job', 'hostfunc', 'report', 'exception'},
    {'argring', 'launchcfg', 'launchlog', 'transfer', 'transfer2d', 'batch'},
    {'exec'},
    {'launch', 'launchsize', 'simt', 'leak', 'runtime', 'version'},
]
BUILD_TIME = {'_build'}


def level(layers: list[set[str]], name: str) -> int:
    levels = [index for index, layer in enumerate(layers) if name in layer]
    assert levels, f'{name} is in no layer: add it to the list where it belongs'
    return levels[0]


def python_modules() -> list[pathlib.Path]:
    return [path for path in sorted(PACKAGE.rglob('*.py')) if path.stem not in BUILD_TIME]


def module_name(path: pathlib.Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0].removesuffix('.py')


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == 'TYPE_CHECKING'


def imports(tree: ast.AST, package_depth: int) -> list[str]:
    """Modules of the package that a file imports at run time. A type checker's imports may point anywhere."""
    found: list[str] = []
    for node in ast.iter_child_nodes(tree):
        if is_type_checking(node):
            continue
        if isinstance(node, ast.ImportFrom) and node.level == package_depth:
            found += [node.module.split('.')[0]] if node.module else [alias.name for alias in node.names]
        found += imports(node, package_depth)
    return found


@pytest.mark.parametrize('path', python_modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_python_imports_go_down(path: pathlib.Path) -> None:
    depth = len(path.relative_to(PACKAGE).parts)
    own = level(PYTHON_LAYERS, module_name(path))
    for imported in imports(ast.parse(path.read_text()), depth):
        if imported in ('_acl', 'lib', 'ffi'):
            continue
        assert level(PYTHON_LAYERS, imported) <= own, f'{path.name} imports {imported}, which is above it'


def test_only_the_door_imports_the_extension() -> None:
    users = [path.name for path in python_modules() if re.search(r'\bfrom \.+_acl import|import _acl\b', path.read_text())]
    assert users == ['_ffi.py']


def test_no_import_hides_in_a_function() -> None:
    for path in python_modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                inner = [child for child in ast.walk(node) if isinstance(child, (ast.Import, ast.ImportFrom))]
                assert not inner, f'{path.name}: {node.name} imports'


def includes(path: pathlib.Path) -> list[str]:
    return re.findall(r'^#include "([\w/]+)\.h"', path.read_text(), re.MULTILINE)


@pytest.mark.parametrize('path', sorted(SOURCES.glob('*.[ch]')), ids=lambda path: path.name)
def test_c_includes_go_down(path: pathlib.Path) -> None:
    own = level(C_LAYERS, path.stem)
    for included in includes(path):
        if not included.startswith(('acl/', 'aclmock/')):
            assert level(C_LAYERS, included) <= own, f'{path.name} includes {included}.h, which is above it'


def test_headers_of_the_abi_know_nothing_of_the_mock() -> None:
    for path in (ROOT / 'mock_libascendcl' / 'include' / 'acl').glob('*.h'):
        assert 'aclmock' not in ''.join(re.findall(r'#include.*', path.read_text()))


def test_c_tests_are_black_boxes() -> None:
    for path in (ROOT / 'tests' / 'c').glob('*.[ch]'):
        assert not re.search(r'#include ".*src/', path.read_text()), path.name


def test_the_mock_needs_only_libc() -> None:
    names = (
        r'std\w+|string|errno|time|pthread|unistd|fcntl|limits|dlfcn|signal|setjmp|ctype|locale|elf|sched|math|inttypes'
        r'|dirent|fnmatch|sys/\w+'
    )
    allowed = re.compile(rf'(?:{names})\.h')
    for path in SOURCES.glob('*.[ch]'):
        for header in re.findall(r'#include <([^>]+)>', path.read_text()):
            assert allowed.fullmatch(header), f'{path.name} includes <{header}>'


def test_no_function_of_the_abi_calls_another() -> None:
    for path in SOURCES.glob('*.c'):
        code = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', '', path.read_text(), flags=re.DOTALL)
        for line in code.splitlines():
            indented = line.startswith(' ')
            assert not (indented and re.search(r'\bacl(rt)?[A-Z]\w+\(', line) and 'API(' not in line), f'{path.name}: {line.strip()}'


def tracked(*patterns: str) -> list[pathlib.Path]:
    listed = subprocess.run(['git', 'ls-files', *patterns], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip('not a git checkout: the list of tracked files is what this test is about')
    return [ROOT / name for name in listed.stdout.split()]


def test_files_stay_small() -> None:
    limits = {'.py': 300, '.c': 500, '.h': 500}
    for path in tracked('*.py', '*.c', '*.h'):
        if path.exists() and 'tests/golden' not in str(path):
            assert len(path.read_text().splitlines()) <= limits[path.suffix], path


def test_no_number_of_the_abi_is_in_python() -> None:
    codes = re.compile(r'\b(?:1000\d\d|1070\d\d|2000\d\d|2070\d\d|5000\d\d|507\d\d\d)\b')
    for path in python_modules():
        code = ast.unparse(ast.parse(path.read_text()))  # without comments
        code = re.sub(r"'''.*?'''|\"\"\".*?\"\"\"|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", '', code, flags=re.DOTALL)
        assert not codes.search(code), path


def test_nothing_generated_is_tracked() -> None:
    for path in tracked():
        assert path.suffix not in ('.so', '.o', '.pyc', '.whl'), path
        assert '_mock/' not in str(path), path
