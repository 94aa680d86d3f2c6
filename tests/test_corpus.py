"""Real operator binaries: they load, their kernels are those that their symbols and companions state, and broken ones do no harm."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import pathlib
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from corpus import Corpus, find_corpus, open_corpus
from loader_made import kernel_of, names_of
from loader_replay import BAD_PARAM, Loaded, addresses, attribute, handle_out, load_data, load_file, message, one_size, two_sizes

from acl_bind import ffi, lib

pytestmark = pytest.mark.usefixtures('device', 'no_leaks')
HALF = re.compile(r'^(.*)_mix_ai[cv](.*?)$', re.DOTALL)


@pytest.fixture(scope='module')
def device() -> Iterator[None]:
    assert lib.aclrtSetDevice(0) == 0
    yield
    assert lib.aclrtResetDevice(0) == 0


@pytest.fixture(scope='module')
def corpus() -> Corpus:
    return find_corpus()


def keys() -> list[Any]:
    found = open_corpus()
    return sorted(found.expected) if found else [pytest.param('', id='none')]


def stripped(symbol: str) -> str:
    for suffix in ('_mix_aic', '_mix_aiv'):
        before, found, behind = symbol.rpartition(suffix)
        if found:
            return before + behind
    return symbol


def companion_of(corpus: Corpus, entry: dict[str, Any]) -> dict[str, Any]:
    path = corpus.folder / entry['companion'] if entry['companion'] else None
    companion: dict[str, Any] = json.loads(path.read_text()) if path and path.exists() else {}
    return companion


@pytest.mark.parametrize('key', keys())
def test_the_kernels_are_those_of_the_symbols_and_of_the_companion(corpus: Corpus, key: str) -> None:
    entry = corpus.expected[key]
    companion = companion_of(corpus, entry)
    with load_file(corpus.folder / key) as loaded:
        if 'printf' in companion.get('debugOptions', ''):
            assert loaded.rc == BAD_PARAM
            assert 'debugOptions' in message()
            return
        names = names_of(loaded)
        assert names == sorted({stripped(symbol['name']) for symbol in entry['function_symbols'] if symbol['bind'] == 'GLOBAL'})
        for kernel in [kernel['kernelName'] for kernel in companion.get('kernelList', [])] + entry.get('names_in_companion', []):
            kernel_of(loaded, stripped(kernel))
        check_args_sizes(loaded, names, entry['kernel_arg_size'])
        for name in names:
            check_answers(loaded, name)


def check_args_sizes(loaded: Loaded, names: list[str], expected: list[int] | None) -> None:
    traits = ffi.new('aclmock_traits *')
    sizes = []
    for name in names:
        assert lib.aclmock_get_traits(kernel_of(loaded, name), traits) == 0
        sizes.append(traits.args_size)
    assert {size for size in sizes if size} == set(expected or [])


def check_answers(loaded: Loaded, name: str) -> None:
    """The answers about a kernel agree with each other."""
    kernel = kernel_of(loaded, name)
    rc, cube, vector = two_sizes(lib.aclrtGetFunctionSize, kernel)
    assert rc == 0
    assert cube or vector
    found = addresses(kernel)
    assert found[0] == 0
    assert any(found[1:])
    number = name.rpartition('_')[2]
    if number.isdigit() and int(number) < 1 << 64:
        lib.aclrtBinaryGetFunctionByEntry(loaded.handle, int(number), handle_out())
    ask(kernel)


def ask(kernel: Any) -> None:
    """Every question that there is about a kernel; what the answers are is looked at elsewhere."""
    for number in (1, 2, 3):
        attribute(kernel, number)
    two_sizes(lib.aclrtGetFunctionSize, kernel)
    addresses(kernel)
    one_size(lib.aclrtFunctionGetAvailDynUbufPerBlock, kernel, 0)
    one_size(lib.aclrtKernelArgsGetHandleMemSize, kernel)
    rc, count = one_size(lib.aclrtFunctionGetParamCount, kernel)
    if rc == 0 and count:
        assert two_sizes(lib.aclrtFunctionGetParamInfo, kernel, count - 1)[0] == 0


# ---- broken files ---------------------------------------------------------------------------------------------------


def peak_memory() -> int:
    """The most bytes that the process had in memory since the last clearing."""
    found = re.search(r'VmHWM:\s+(\d+) kB', pathlib.Path('/proc/self/status').read_text())
    assert found
    return int(found[1]) * 1024


@contextlib.contextmanager
def bounded(bytes_more: int) -> Iterator[None]:
    """Ends the process when its body hangs, and fails when it takes more memory."""
    pathlib.Path('/proc/self/clear_refs').write_text('5')
    before = peak_memory()
    faulthandler.dump_traceback_later(240, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
    assert peak_memory() - before <= bytes_more


def survive(data: bytes) -> None:
    with load_data(data) as loaded:
        if loaded.rc != 0:
            assert loaded.rc == BAD_PARAM
            assert message()
            return
        out = handle_out()
        for name in names_of(loaded)[:3]:
            if lib.aclrtBinaryGetFunction(loaded.handle, name.encode(errors='surrogateescape'), out) == 0:
                ask(out[0])
        lib.aclrtBinaryGetGlobal(loaded.handle, b'g_opSystemRunCfg', out, ffi.NULL)


@pytest.mark.parametrize('key', keys())
def test_a_broken_file_does_no_harm(corpus: Corpus, key: str, long: bool) -> None:
    data = (corpus.folder / key).read_bytes()
    chance = random.Random(key)
    with bounded(4 * len(data) + (64 << 20)):
        for place in range(200) if long else range(0, 200, 25):
            survive(data[: len(data) * place // 200])
        for _ in range(2000 if long else 60):
            broken = bytearray(data)
            broken[chance.randrange(len(data))] ^= chance.randrange(1, 256)
            survive(bytes(broken))
