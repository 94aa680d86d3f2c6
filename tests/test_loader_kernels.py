"""What a kernel is that loads: its name, entry, halves, parameters, code and variables, on files made for each rule."""

from __future__ import annotations

import pathlib
import struct
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
from elf_writer import SHF_ALLOC, SHN_ABS, SHT_NOTE, STB_LOCAL, STB_WEAK, STT_OBJECT, STV_HIDDEN, ElfWriter, Section, Symbol, one_kernel
from hypothesis import strategies as st
from loader_made import LITTLE, SYNC, TYPE, kernel_of, load, names_of, param, ratio, summary
from loader_replay import BAD_PARAM, Loaded, addresses, attribute, handle_out, message, one_size, two_sizes

from acl_bind import ffi, lib

pytestmark = pytest.mark.usefixtures('device', 'no_leaks')


@pytest.fixture(scope='module')
def device() -> Iterator[None]:
    assert lib.aclrtSetDevice(0) == 0
    yield
    assert lib.aclrtResetDevice(0) == 0


# ---- names, entries, halves -----------------------------------------------------------------------------------------


@hypothesis.given(st.text('abc_', max_size=8), st.text('0123456789 +-ax', max_size=22))
@hypothesis.settings(deadline=None, max_examples=60)
def test_the_entry_is_the_number_behind_the_last_underscore(prefix: str, suffix: str) -> None:
    name = f'k{prefix}_{suffix}'
    digits = suffix.isascii() and suffix.isdigit()
    entry = int(suffix) if digits and int(suffix) < 1 << 64 else 0
    with load(one_kernel(name)) as loaded:
        out = handle_out()
        assert lib.aclrtBinaryGetFunctionByEntry(loaded.handle, entry, out) == 0
        assert out[0] == kernel_of(loaded, name)
        if entry:
            assert lib.aclrtBinaryGetFunctionByEntry(loaded.handle, 0, out) == BAD_PARAM


def test_metadata_names_the_entry() -> None:
    entry = LITTLE.record(14, b'\0' + bytes(3) + struct.pack('<Q', 77))
    none = LITTLE.record(14, b'\x80' + bytes(11))
    writer = ElfWriter(Symbol('a_5'), Symbol('b_6')).meta('a_5', entry).meta('b_6', none)
    with load(writer) as loaded:
        out = handle_out()
        assert lib.aclrtBinaryGetFunctionByEntry(loaded.handle, 77, out) == 0
        assert out[0] == kernel_of(loaded, 'a_5')
        for missing in (5, 6, 0):
            assert lib.aclrtBinaryGetFunctionByEntry(loaded.handle, missing, out) == BAD_PARAM


@pytest.mark.parametrize(
    ('symbol', 'name'),
    [('k_mix_aic', 'k'), ('k_mix_aiv_7', 'k_7'), ('a_mix_aic_mix_aiv', 'a_mix_aiv'), ('a_mix_aic_mix_aic', 'a_mix_aic'), ('mix_aic',) * 2],
)
def test_suffixes_of_halves_are_no_part_of_the_name(symbol: str, name: str) -> None:
    with load(one_kernel(symbol)) as loaded:
        assert names_of(loaded) == [name]


# symbols with their function types -> type, ratio (vector, cube), offsets, sizes
HALVES: dict[str, tuple[list[tuple[str, bytes]], tuple[int, int], tuple[int, int]]] = {
    'cube leads': ([('k_mix_aic', TYPE[4]), ('k_mix_aiv', TYPE[4])], (2, 1), (16, 64)),
    'in the other order': ([('k_mix_aiv', TYPE[4]), ('k_mix_aic', TYPE[4])], (2, 1), (64, 16)),
    'vector leads': ([('k_mix_aic', TYPE[5]), ('k_mix_aiv', TYPE[5])], (1, 2), (16, 64)),
    'one to one': ([('k_mix_aic', TYPE[4] + ratio(1, 1)), ('k_mix_aiv', TYPE[4])], (1, 1), (16, 64)),
    'alone': ([('k_mix_aic', TYPE[4] + ratio(1, 0)), ('k_mix_aiv', TYPE[4])], (0, 0), (16, 64)),
    'plain first': ([('k', b''), ('k_mix_aic', b'')], (2, 1), (16, 64)),
    'by sync': ([('k_mix_aic', TYPE[2] + SYNC), ('k_mix_aiv', TYPE[3] + SYNC)], (2, 1), (16, 64)),
}


@pytest.mark.parametrize('case', HALVES)
def test_two_halves_are_one_kernel(case: str) -> None:
    halves, (vector, cube), offsets = HALVES[case]
    writer = ElfWriter(*(Symbol(name, value=value, size=8 + value) for (name, _), value in zip(halves, (16, 64), strict=True)))
    for name, records in halves:
        if records:
            writer.meta(name, records)
    with load(writer) as loaded:
        kernel = kernel_of(loaded, 'k')
        base = base_of(loaded)
        assert attribute(kernel, 1) == (0, lib.ACL_KERNEL_TYPE_MIX)
        assert attribute(kernel, 2)[1] & 0xFFFF_FFFF == cube << 16 | vector
        assert addresses(kernel) == (0, base + offsets[0], base + offsets[1])
        assert two_sizes(lib.aclrtGetFunctionSize, kernel) == (0, offsets[0] + 8, offsets[1] + 8)


def base_of(loaded: Loaded) -> int:
    address, size = ffi.new('void **'), ffi.new('size_t *')
    assert lib.aclrtBinaryGetDevAddress(loaded.handle, address, size) == 0
    return int(ffi.cast('uintptr_t', address[0]))


# ---- metadata -------------------------------------------------------------------------------------------------------


@hypothesis.given(st.lists(st.tuples(st.sampled_from([1, 5]), st.integers(0, 3)), min_size=1, max_size=200))
@hypothesis.settings(deadline=None, max_examples=60)
def test_room_for_as_many_parameters_as_argument_records(records: list[tuple[int, int]]) -> None:
    data = b''.join(struct.pack('>HH', kind, length) + bytes(8 * length) for kind, length in records)
    budget = len(data) - 4
    count, at = 1, 0
    for kind, length in records:  # the last one never fits into what the loader counts with
        if budget - at <= 4 or 4 + 8 * length > budget - at:
            break
        count += kind == 5
        at += 4 + 8 * length
    with load(one_kernel('k', LITTLE.record(4, data))) as loaded:
        kernel = kernel_of(loaded, 'k')
        assert one_size(lib.aclrtKernelArgsGetHandleMemSize, kernel) == (0, 96 + 48 * count)


@hypothesis.given(st.permutations(range(6)), st.integers(0, 6))
@hypothesis.settings(deadline=None, max_examples=30)
def test_parameters_are_found_by_their_ordinals(order: list[int], place: int) -> None:
    records = [param(ordinal, 8 * ordinal, 4 + ordinal) for ordinal in order]
    records.insert(place, summary(6, 48))
    with load(one_kernel('k', *records)) as loaded:
        kernel = kernel_of(loaded, 'k')
        assert one_size(lib.aclrtFunctionGetParamCount, kernel) == (0, 6)
        for ordinal in range(6):
            assert two_sizes(lib.aclrtFunctionGetParamInfo, kernel, ordinal) == (0, 8 * ordinal, 4 + ordinal)


@pytest.mark.parametrize(
    ('records', 'mode'),
    [((b'\1',), 1), ((b'\1' + bytes(7),), 1), ((bytes(9),), 0), ((b'\1', b'\0'), 0)],
    ids=['one byte', 'eight bytes', 'nine bytes', 'the last one counts'],
)
def test_schedule_modes_of_any_length(records: tuple[bytes, ...], mode: int) -> None:
    with load(one_kernel('k', *(LITTLE.record(18, value) for value in records))) as loaded:
        assert attribute(kernel_of(loaded, 'k'), 3) == (0, mode)


def test_unknown_records_are_passed_over_and_cut_ones_end_the_reading() -> None:
    records = [LITTLE.record(99, b'abc'), TYPE[3], b'\0\0\0\0', struct.pack('<HH', 1, 400), TYPE[2]]
    with load(one_kernel('k', *records)) as loaded:
        assert attribute(kernel_of(loaded, 'k'), 1) == (0, lib.ACL_KERNEL_TYPE_VECTOR)


def test_metadata_of_symbols_that_are_no_kernels_is_not_read() -> None:
    writer = ElfWriter(Symbol('k'), Symbol('helper', binding=STB_LOCAL)).meta('helper', LITTLE.record(18, b'\7'))
    with load(writer) as loaded:
        assert names_of(loaded) == ['k']


@pytest.mark.parametrize(('used', 'wanted'), [(0, (0, 229376)), (229376, (0, 0)), (229377, (BAD_PARAM, 0x7777))])
def test_free_unified_buffer(used: int, wanted: tuple[int, int]) -> None:
    records = [LITTLE.record(12, struct.pack('<I', 3)), LITTLE.record(7, struct.pack('<I', used))]
    with load(one_kernel('k', *records)) as loaded:
        assert one_size(lib.aclrtFunctionGetAvailDynUbufPerBlock, kernel_of(loaded, 'k'), 0) == wanted


# ---- the image and its variables ------------------------------------------------------------------------------------


def data_section() -> Section:
    return Section('.data', struct.pack('<4Q', 1, 2, 3, 4), flags=SHF_ALLOC, address=0x1000)


def variable(name: str, value: int = 0x1008, **fields: int) -> Symbol:
    return Symbol(name, **{'value': value, 'size': 8, 'section': 2, 'type': STT_OBJECT, **fields})


def global_of(loaded: Loaded, name: str) -> tuple[int, Any, int]:
    address, size = ffi.new('void **'), ffi.new('size_t *')
    rc = lib.aclrtBinaryGetGlobal(loaded.handle, name.encode(), address, size)
    return rc, address[0], size[0]


def word_at(address: Any) -> int:
    word = ffi.new('uint64_t *')
    assert lib.aclrtMemcpy(word, 8, address, 8, lib.ACL_MEMCPY_DEVICE_TO_HOST) == 0
    return int(word[0])


def test_variables_are_read_and_written_on_the_device() -> None:
    symbols = [Symbol('k'), variable('g'), variable('weak', binding=STB_WEAK), variable('hidden', visibility=STV_HIDDEN)]
    with load(ElfWriter(*symbols).add(data_section())) as loaded:
        rc, address, size = global_of(loaded, 'g')
        assert (rc, size, word_at(address)) == (0, 8, 2)
        assert lib.aclrtMemcpy(address, 8, ffi.new('uint64_t *', 99), 8, lib.ACL_MEMCPY_HOST_TO_DEVICE) == 0
        assert word_at(global_of(loaded, 'g')[1]) == 99
        assert global_of(loaded, 'hidden')[0] == 0
        assert global_of(loaded, 'weak')[0] == lib.ACL_ERROR_RT_SYMBOL_NOT_FOUND
        assert 'no global variable named weak. It has 2: g hidden' in message()


def test_an_object_of_no_section_ends_the_variables() -> None:
    symbols = [Symbol('k'), variable('g'), variable('absolute', section=SHN_ABS), variable('lost')]
    with load(ElfWriter(*symbols).add(data_section())) as loaded:
        assert global_of(loaded, 'g')[0] == 0
        assert global_of(loaded, 'lost')[0] == lib.ACL_ERROR_RT_SYMBOL_NOT_FOUND


@pytest.mark.parametrize(('info', 'name'), [(1, 'g_sysPrintFifoSpace'), (5, 'g_sysPrintFifoSpace'), (4, 'g_sysSimtPrintFifoSpace')])
def test_the_runtime_points_print_buffers_at_device_memory(info: int, name: str) -> None:
    writer = ElfWriter(Symbol('k'), variable(name)).add(data_section())
    writer.add(Section('.ascend.meta', writer.record(4, struct.pack('<I', info)), SHT_NOTE))
    with load(writer) as loaded:
        fifo = ffi.cast('void *', word_at(global_of(loaded, name)[1]))
        assert lib.aclrtMemset(fifo, 2097152, 0, 2097152) == 0, message()


def test_the_sync_address_in_the_image_takes_no_slot() -> None:
    writer = one_kernel('k_mix_aic', TYPE[4])
    writer.symbols.append(variable('g_sysFftsAddr', section=3))
    writer.add(data_section()).add(Section('.ascend.meta', writer.record(4, struct.pack('<I', 2)), SHT_NOTE))
    with load(writer) as loaded:
        sync = ffi.new('void **')
        assert lib.aclrtGetHardwareSyncAddr(sync) == 0
        assert word_at(global_of(loaded, 'g_sysFftsAddr')[1]) == int(ffi.cast('uintptr_t', sync[0]))
        traits = ffi.new('aclmock_traits *')
        assert lib.aclmock_get_traits(kernel_of(loaded, 'k'), traits) == 0
        assert (traits.ffts, traits.system_slots) == (0, 1)


def test_an_empty_image_loads_and_has_nothing_to_look_up() -> None:
    writer = one_kernel()
    writer.sections[0].flags = 0
    with load(writer) as loaded:
        out = handle_out()
        assert loaded.rc == 0
        assert lib.aclrtBinaryGetFunction(loaded.handle, b'k_3', out) == BAD_PARAM
        assert lib.aclrtBinaryGetFunctionByEntry(loaded.handle, 3, out) == lib.ACL_ERROR_RT_INTERNAL_ERROR
        assert 'has no code to load' in message()


# ---- names that are not there ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('wanted', 'text'),
    [('add_custm_7', '; did you mean add_custom_7? It has 3: add_custom_7 add_custom_12 mul'), ('nothing', 'nothing. It has 3:')],
)
def test_a_missing_kernel_names_those_there_are(wanted: str, text: str) -> None:
    with load(ElfWriter(*(Symbol(name) for name in ('add_custom_7', 'add_custom_12', 'mul')))) as loaded:
        assert lib.aclrtBinaryGetFunction(loaded.handle, wanted.encode(), handle_out()) == BAD_PARAM
        assert text in message()


# ---- memory that runs out -------------------------------------------------------------------------------------------


def test_every_allocation_may_fail(tmp_path: pathlib.Path) -> None:
    records = [TYPE[4], summary(2, 16), param(0, 0, 8), param(1, 8, 8)]
    symbols = [Symbol('k_mix_aic'), Symbol('other_5'), variable('g', section=3)]
    path = tmp_path / 'made.o'
    path.write_bytes(ElfWriter(*symbols).meta('k_mix_aic', *records).add(data_section()).build())
    path.with_suffix('.json').write_text('{"magic": "RT_DEV_BINARY_MAGIC_ELF"}')
    out = handle_out()
    for after in range(200):
        lib.aclmock_fail_host_alloc(after)
        rc = lib.aclrtBinaryLoadFromFile(str(path).encode(), ffi.NULL, out)
        lib.aclmock_fail_host_alloc(-1)
        if rc == 0:
            assert lib.aclrtBinaryUnLoad(out[0]) == 0
        else:
            assert (rc, out[0]) == (BAD_PARAM, ffi.NULL)
    assert rc == 0  # the last ones need no allocation that fails
