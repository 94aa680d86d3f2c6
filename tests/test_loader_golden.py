"""What the real loader does with binaries, replayed: hand-made files, real files and their mutations.

tests/golden/ has the records that need no other file. ACL_BIND_LOADER_GOLDEN names one more record file (.json or
.json.gz); its files and mutations need the real binaries, found by their sha256 in the corpus (ACL_BIND_CORPUS).
"""

from __future__ import annotations

import base64
import pathlib
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from corpus import Corpus, find_corpus
from loader_records import entries, real_files
from loader_replay import BAD_PARAM, Loaded, Record, changed, differences, is_undefined, load_file, load_variant, message, write_companion

from acl_bind import lib


@pytest.fixture(scope='module')
def corpus() -> Corpus:
    return find_corpus()


@pytest.fixture(scope='module')
def device() -> Iterator[None]:
    assert lib.aclrtSetDevice(0) == 0
    yield
    assert lib.aclrtResetDevice(0) == 0


def check(loaded: Loaded, want: Record, records: Record, data: bytes) -> None:
    form = records['meta']['format']
    with loaded:
        assert differences(loaded, want, (form['program_defaults'], form['function_defaults']), data) == []


def check_refused(loaded: Loaded) -> None:
    """Where the real loader reads what is not the file's, ours says which rule the file breaks."""
    with loaded:
        assert (loaded.rc, loaded.out()) == (BAD_PARAM, loaded.failed_out)
        assert 'does not load: ' in message()


def variants_of(entry: Record) -> Record:
    return {**dict.fromkeys(entry.get('same', []), 'same'), **entry.get('variants', {})}


def check_variants(entry: Record, base: Record, records: Record, data: bytes) -> None:
    for variant, result in variants_of(entry).items():
        if variant.startswith('json:'):
            continue
        if is_undefined(entry, result):
            check_refused(load_variant(variant, data))
        else:
            check(load_variant(variant, data), changed(base, result), records, data)


def check_entry(entry: Record, want: Record, records: Record, data: bytes, path: pathlib.Path) -> None:
    path.write_bytes(data)
    if is_undefined(entry, entry.get('result')):
        check_refused(load_file(path))
    else:
        check(load_file(path), want, records, data)
    check_variants(entry, want, records, data)


@pytest.mark.usefixtures('device', 'no_leaks')
@pytest.mark.parametrize(('entry', 'records'), entries('synthetic'))
def test_a_made_file(entry: Record, records: Record, tmp_path: pathlib.Path) -> None:
    path = tmp_path / 'made.o'
    if 'companion' in entry:
        write_companion(path, entry['companion'])
    want = entry.get('result') or {'rc': entry['rc']}
    check_entry(entry, want, records, zlib.decompress(base64.b64decode(entry['zlib_b64'])), path)


@pytest.mark.usefixtures('device', 'no_leaks')
@pytest.mark.parametrize(('sha', 'records'), real_files())
def test_a_real_file(sha: str, records: Record, corpus: Corpus, tmp_path: pathlib.Path) -> None:
    entry = records['files'][sha]
    data = corpus.bytes_of(sha)
    path = tmp_path / 'real.o'
    check_entry(entry, entry, records, data, path)
    for variant, result in variants_of(entry).items():
        kind, _, companion = variant.partition(':')
        if kind == 'json' and corpus.has(companion):  # some binaries have more companions than the corpus shows
            path.with_suffix('.json').write_bytes(corpus.bytes_of(companion))
            check(load_file(path), changed(entry, result), records, data)


def mutated(data: bytes, edits: list[list[Any]]) -> bytes:
    result = bytearray(data)
    for edit in edits:
        if edit[0] == 'set':
            patch = bytes.fromhex(edit[2])
            result[edit[1] : edit[1] + len(patch)] = patch
        elif edit[0] == 'truncate':
            del result[edit[1] :]
        else:
            result += bytes.fromhex(edit[1])
    return bytes(result)


@pytest.mark.usefixtures('device', 'no_leaks')
@pytest.mark.parametrize(('entry', 'records'), entries('mutations'))
def test_a_mutation(entry: Record, records: Record, corpus: Corpus, tmp_path: pathlib.Path) -> None:
    sha = entry['base_sha256']
    result = entry.get('result')
    known = entry['rc'] == 0 and not is_undefined(entry, result)
    want = changed(records['files'][sha], result) if known else {'rc': entry['rc']}
    check_entry(entry, want, records, mutated(corpus.bytes_of(sha), entry['edits']), tmp_path / 'mutated.o')
