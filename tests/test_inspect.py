"""acl-bind inspect: what it finds in binaries is what the mock's own parser finds; files inside other files."""

from __future__ import annotations

import base64
import json
import pathlib
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from corpus import find_corpus, open_corpus
from golden_data import GOLDEN
from golden_data import load as load_records

import acl_bind as ab
from acl_bind import _opbin, ffi, lib, rt
from acl_bind.commands import main

SYNTHETIC = [entry for entry in load_records(GOLDEN / 'loader_vectors.json.gz')['synthetic'] if entry.get('rc') == 0]
CORPUS = open_corpus()
CORPUS_FILES = [path for path in (CORPUS.paths.values() if CORPUS else ()) if path.suffix == '.o']
KINDS = {0: 'aicore', 1: 'cube', 2: 'vector', 3: 'mix', 100: 'aicpu'}


def synthetic_bytes(entry: dict[str, Any]) -> bytes:
    return zlib.decompress(base64.b64decode(entry['zlib_b64']))


@pytest.fixture
def load(device: ab.Device) -> Iterator[Any]:
    """Loads a file in the mock and returns its kernels by name."""
    loaded = []

    def load(path: pathlib.Path) -> dict[str, int]:
        binary = ab.Binary.from_file(path)
        loaded.append(binary)
        return {name: rt.binary_get_function(binary, name.encode()) for name in binary.kernel_names}

    yield load
    for binary in loaded:
        binary.close()


def params_of(function: Any) -> tuple[tuple[int, int], ...] | None:
    count = ffi.new('size_t *')
    if lib.aclrtFunctionGetParamCount(ffi.cast('void *', int(function)), count) != 0:
        return None
    place, size = ffi.new('size_t *'), ffi.new('size_t *')
    rows = []
    for index in range(count[0]):
        assert lib.aclrtFunctionGetParamInfo(ffi.cast('void *', int(function)), index, place, size) == 0
        rows.append((place[0], size[0]))
    return tuple(rows)


def ratio_of(kernel: _opbin.Kernel) -> int:
    """Attribute 2 as the runtime packs it: vector cores in the low 16 bits, cube cores above."""
    most, least = kernel.ratio, 1 if kernel.ratio else 0
    vector, cube = {'aic': (0, 1), 'aiv': (1, 0), 'main aic': (most, least), 'main aiv': (least, most)}.get(kernel.mix, (0, 0))
    return cube << 16 | vector


@pytest.mark.skipif(CORPUS is None, reason='no real binaries: set ACL_BIND_CORPUS to a folder with an expected.json')
@pytest.mark.parametrize('path', CORPUS_FILES, ids=lambda path: path.stem[:40])
def test_real_binaries_are_seen_as_the_mock_sees_them(path: pathlib.Path, load: Any) -> None:
    (contents,) = _opbin.read_file(path)
    functions = load(path)
    assert [kernel.name for kernel in contents.kernels] == sorted(functions)
    for kernel in contents.kernels:
        function = functions[kernel.name]
        attribute = [rt.get_function_attribute(function, number) for number in (1, 2, 3)]
        assert KINDS[attribute[0]] == kernel.kind
        assert attribute[1] & 0xFFFFFFFF == ratio_of(kernel)
        assert attribute[2] == kernel.schedule_mode
        assert params_of(function) == (None if kernel.params is None else tuple((row.offset, row.size) for row in kernel.params))
        assert sorted(filter(None, rt.get_function_size(function))) == sorted(filter(None, (code.size for code in kernel.code)))


def test_the_corpus_states_the_same_kernels() -> None:
    corpus = find_corpus()
    for name, facts in corpus.expected.items():
        if not name.endswith('.o'):
            continue
        (contents,) = _opbin.read_file(corpus.folder / name)
        stated = {symbol['name'] for symbol in facts['function_symbols'] if symbol['bind'] == 'GLOBAL'}
        assert {code.symbol for kernel in contents.kernels for code in kernel.code} == stated, name


@pytest.mark.parametrize('entry', SYNTHETIC[::8], ids=lambda entry: entry['name'])
def test_made_binaries_are_seen_as_the_mock_sees_them(entry: dict[str, Any], load: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / 'made.o'
    path.write_bytes(synthetic_bytes(entry))
    try:
        (contents,) = _opbin.read_file(path)
    except ValueError as error:
        pytest.skip(f'the runtime takes ELF files that others do not: {error}')
    assert {kernel.name for kernel in contents.kernels} >= set(load(path))


def made_for_ascend(entry: dict[str, Any]) -> bytes:
    data = bytearray(synthetic_bytes(entry))
    struct.pack_into('<H', data, 18, _opbin.MACHINE)
    return bytes(data)


@pytest.fixture(scope='module')
def simple() -> bytes:
    """An ELF file for Ascend with a kernel in it."""
    for entry in SYNTHETIC:
        data = made_for_ascend(entry)
        if _opbin._extent(data) == len(data) and _opbin.read_elf(data, 'x').kernels:
            return data
    raise AssertionError('no made binary is whole')


def host_file(parts: list[bytes]) -> bytes:
    head = b'\x7fELF\x02\x01' + bytes(12) + struct.pack('<H', 62) + bytes(100)
    return head + b''.join(part + b'between' * 9 for part in parts)


def test_binaries_inside_a_host_file_are_listed_and_extracted(
    simple: bytes, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / 'libhost.so'
    path.write_bytes(host_file([simple, simple]))
    assert main(['inspect', str(path)]) == 0
    assert capsys.readouterr().out.count('libhost.so[0x') == 2
    assert main(['inspect', str(path), '--extract', str(tmp_path / 'out')]) == 0
    written = [pathlib.Path(line) for line in capsys.readouterr().out.split()]
    assert [file.read_bytes() for file in written] == [simple, simple]


def test_what_is_cut_off_inside_a_host_file_is_not_taken(simple: bytes) -> None:
    assert list(_opbin.embedded(host_file([]) + simple[:-1])) == []


def test_json_has_what_the_table_has(simple: bytes, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / 'made.o'
    path.write_bytes(simple)
    assert main(['inspect', str(path), '--json']) == 0
    (document,) = json.loads(capsys.readouterr().out)
    assert main(['inspect', str(path)]) == 0
    shown = capsys.readouterr().out
    assert document['machine'] == 'Ascend'
    assert all(kernel['name'] in shown and kernel['kind'] in shown for kernel in document['kernels'])


def test_an_ai_cpu_programs_kernels_are_listed(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / 'program.json'
    path.write_text(json.dumps({'one': {'opInfo': {}}, 'two': {'opInfo': {}}, 'other': {}}))
    assert main(['inspect', str(path)]) == 0
    shown = capsys.readouterr().out
    assert 'AI CPU' in shown
    assert '2 kernels' in shown
    assert 'other' not in shown


@pytest.mark.parametrize('data', [b'', b'text', b'\x7fELF', b'\x7fELF\x02\x01' + bytes(200)])
def test_other_files_are_refused_in_words(data: bytes, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / 'other'
    path.write_bytes(data)
    assert main(['inspect', str(path)]) == 1
    assert 'other' in capsys.readouterr().err


@pytest.mark.parametrize('name', ['a_12', 'a_007', 'a_', 'a', '12', 'a_18446744073709551615', 'a_18446744073709551616', 'a_1x', 'a_-1'])
def test_the_key_is_the_digits_behind_the_last_underscore(name: str) -> None:
    wanted = {'a_12': 12, 'a_007': 7, '12': 12, 'a_18446744073709551615': 2**64 - 1}
    assert _opbin.key_of(name) == wanted.get(name, 0)
