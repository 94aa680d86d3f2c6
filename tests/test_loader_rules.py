"""What the loader refuses and why, and what it lets pass, on files made for each rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from elf_writer import (
    SHF_ALLOC,
    SHT_NOBITS,
    STB_LOCAL,
    STB_WEAK,
    STT_NOTYPE,
    STT_OBJECT,
    STV_HIDDEN,
    STV_INTERNAL,
    STV_PROTECTED,
    ElfWriter,
    Section,
    Symbol,
    one_kernel,
)
from loader_made import LITTLE, TYPE, dfx, kernel_of, load, names_of, param, ratio, summary
from loader_replay import BAD_PARAM, attribute, load_data, message, one_size, two_sizes

from acl_bind import ffi, lib

pytestmark = pytest.mark.usefixtures('device', 'no_leaks')


@pytest.fixture(scope='module')
def device() -> Iterator[None]:
    assert lib.aclrtSetDevice(0) == 0
    yield
    assert lib.aclrtResetDevice(0) == 0


# ---- what is refused ----------------------------------------------------------------------------------------------


def edited(**header: int) -> Callable[[], ElfWriter]:
    def make() -> ElfWriter:
        writer = one_kernel()
        writer.header = header
        return writer

    return make


def table(name: str, **header: int) -> Callable[[], ElfWriter]:
    def make() -> ElfWriter:
        writer = one_kernel()
        writer.tables = {name: header}
        return writer

    return make


def sections(*more: Section) -> Callable[[], ElfWriter]:
    def make() -> ElfWriter:
        writer = one_kernel()
        writer.sections += more
        return writer

    return make


def made(writer: ElfWriter) -> Callable[[], ElfWriter]:
    return lambda: writer


HUGE = 1 << 40
REFUSED = {
    'entry size': (edited(e_shentsize=63), r'e_shentsize \(offset 58\) is 63, expected 64'),
    'no sections': (edited(e_shnum=0), r'e_shnum \(offset 60\) is 0'),
    'headers past the end': (edited(e_shoff=HUGE), r'5 section headers at offset 1099511627776 end behind'),
    'headers that wrap': (edited(e_shoff=(1 << 64) - 64), r'section headers at offset 18446744073709551552'),
    'a link too far': (sections(Section('x', header={'sh_link': 7})), r'section 2 \(header at offset \d+\): sh_link is 7, the file has 6'),
    'names of no section': (edited(e_shstrndx=9), r'e_shstrndx \(offset 62\) is 9, the file has 5'),
    'names past the end': (table('.shstrtab', sh_size=HUGE), r'the section names .* end behind'),
    'a name behind the names': (sections(Section('x', header={'sh_name': 9999})), r'the name of section 2 .*sh_name 9999'),
    'no symbols': (table('.symtab', sh_type=1), r'no symbol table'),
    'symbols past the end': (table('.symtab', sh_offset=HUGE), r'no symbol table whose symbols all lie'),
    'symbols that wrap': (table('.symtab', sh_offset=(1 << 64) - 8), r'no symbol table whose symbols all lie'),
    'entries larger than the table': (table('.symtab', sh_entsize=1000), r'no symbol table'),
    'records larger than entries': (table('.symtab', sh_entsize=8), r'no symbol table'),
    'symbol names of the section behind the last': (table('.symtab', sh_link=5), r'sh_link is 5, the file has 5'),
    'symbol names past the end': (table('.strtab', sh_size=HUGE), r"the symbols' names .* end behind"),
    'no function': (made(ElfWriter(Symbol('k', type=STT_NOTYPE))), r'none of the 2 symbols at offset \d+ is a function'),
    'a kernel without a name': (made(ElfWriter(Symbol('k'), Symbol('', name_offset=3))), r'has no name'),
    'a kernel that is only a suffix': (made(one_kernel('_mix_aiv')), r'has no name'),
    'a kernel whose name is elsewhere': (made(ElfWriter(Symbol('k', name_offset=77))), r'function symbol .*st_name 77'),
    'an object whose name is elsewhere': (
        made(ElfWriter(Symbol('k'), Symbol('o', name_offset=77, type=STT_OBJECT))), r'object symbol .*st_name 77'),
    'two of a name': (made(ElfWriter(Symbol('k'), Symbol('k'))), r'symbol at offset \d+ is one more for kernel k'),
    'two halves of a kind': (made(ElfWriter(Symbol('k_mix_aic'), Symbol('k_mix_aic'))), r'one more for kernel k'),
    'a plain one after a half': (made(ElfWriter(Symbol('k_mix_aiv'), Symbol('k'))), r'one more for kernel k'),
    'three halves': (made(ElfWriter(*(Symbol(f'k_mix_{half}', value=8) for half in ('aic', 'aiv', 'aic')))), r'one more for kernel k'),
    'main without a half': (made(one_kernel('k', TYPE[4])), r'function type 4, but its name has neither'),
    'loaded code before the first': (
        sections(Section('x', b'abc', flags=SHF_ALLOC, header={'sh_offset': 63, 'sh_size': 9})), r'is loaded from offset 63, before'),
    'code past the end': (sections(Section('x', flags=SHF_ALLOC, header={'sh_size': 5000})), r'bytes to load from offset 64 end behind'),
    'uninitialised data behind the file': (
        sections(Section('.bss', bytes(9999), SHT_NOBITS, SHF_ALLOC)), r'bytes to load from offset 64 end behind'),
    'stack sizes past the end': (
        sections(Section('.ascend.stack.size.record', header={'sh_size': HUGE})), r'the stack sizes .* end behind'),
    'metadata past the end': (
        sections(Section('.ascend.meta.k_3', header={'sh_offset': HUGE, 'sh_size': 8})), r'metadata record at offset 1099511627776'),
    'ratio': (made(one_kernel('k', ratio(3, 1))), r'ratio of cube to vector cores at offset \d+ is 3:1'),
    'schedule mode': (made(one_kernel('k', LITTLE.record(18, b'\2\0\0\0'))), r'schedule mode at offset \d+ is 2, expected 0 or 1'),
    'stack': (made(one_kernel('k', LITTLE.record(8, b'\1\x80\0\0'))), r'minimum stack size at offset \d+ is 32769, expected at most 32768'),
    'entry flag': (made(one_kernel('k', LITTLE.record(14, b'\1' + bytes(11)))), r'flag of the function entry at offset \d+ is 1'),
    'DFX without its head': (made(one_kernel('k', LITTLE.record(4, b'\0\0'), LITTLE.record(1, bytes(4)))), r'length of the DFX record'),
    'parameters missing': (made(one_kernel('k', summary(2, 16), param(0, 0, 8))), r'says 2 parameters and describes 1'),
    'a parameter too many': (made(one_kernel('k', summary(1, 16), param(1, 0, 8))), r'describes parameter 1 of 1'),
    'a parameter twice': (made(one_kernel('k', summary(2, 16), param(0, 0, 8), param(0, 8, 8))), r'describes a parameter twice'),
}


@pytest.mark.parametrize('name', REFUSED)
def test_a_refused_file_says_which_rule_it_breaks(name: str) -> None:
    make, wanted = REFUSED[name]
    with load(make()) as loaded:
        assert loaded.rc == BAD_PARAM
        assert loaded.handle == ffi.NULL
    assert re.search(wanted, message()), message()


@pytest.mark.parametrize('size', [1, 63])
def test_a_file_shorter_than_a_header(size: int) -> None:
    with load_data(one_kernel().build()[:size]) as loaded:
        assert loaded.rc == BAD_PARAM
    assert f'the file has {size} bytes, an ELF header takes 64' in message()


@pytest.mark.parametrize(('ident', 'text'), [(b'\x7fELF\x01', 'not a 64-bit ELF file'), (b'#!/bin', 'not an ELF file: byte 4 is 105')])
def test_what_is_no_64_bit_elf(ident: bytes, text: str) -> None:
    data = one_kernel().build()
    with load_data(ident + data[len(ident) :]) as loaded:
        assert loaded.rc == BAD_PARAM
    assert text in message()


# ---- what loads ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    'make',
    [edited(e_machine=62), edited(e_type=9), table('.strtab', sh_type=0), sections(Section('x', header={'sh_link': 6}))],
    ids=['machine', 'type', 'type of the strings', 'a link to the section behind the last'],
)
def test_what_nobody_looks_at(make: Callable[[], ElfWriter]) -> None:
    with load(make()) as loaded:
        assert names_of(loaded) == ['k_3']


def test_the_magic_bytes_are_not_looked_at() -> None:
    with load_data(bytes(4) + one_kernel().build()[4:]) as loaded:
        assert names_of(loaded) == ['k_3']


def test_which_symbols_are_kernels() -> None:
    symbols = [Symbol('global'), Symbol('internal', visibility=STV_INTERNAL), Symbol('protected', visibility=STV_PROTECTED)]
    others = [Symbol('local', binding=STB_LOCAL), Symbol('weak', binding=STB_WEAK), Symbol('hidden', visibility=STV_HIDDEN)]
    others += [Symbol('os', binding=10), Symbol('data', type=STT_OBJECT), Symbol('unnamed', name_offset=0), Symbol('x' * 4096)]
    with load(ElfWriter(*others, *symbols)) as loaded:
        assert names_of(loaded) == ['global', 'internal', 'protected']


def test_a_file_without_global_kernels_loads() -> None:
    with load(ElfWriter(Symbol('k', binding=STB_LOCAL))) as loaded:
        assert names_of(loaded) == []


def test_a_big_endian_file() -> None:
    writer = ElfWriter(Symbol('k_mix_aiv', value=16, size=32), big_endian=True)
    records = [writer.record(1, writer.numbers('I', 5)), writer.record(3, writer.numbers('HH', 1, 1)), dfx(1, 1, 1)]
    records[2] = writer.record(4, records[2][4:])
    with load(writer.meta('k_mix_aiv', *records)) as loaded:
        kernel = kernel_of(loaded, 'k')
        assert attribute(kernel, 1) == (0, lib.ACL_KERNEL_TYPE_VECTOR)
        assert two_sizes(lib.aclrtGetFunctionSize, kernel) == (0, 0, 32)
        assert one_size(lib.aclrtKernelArgsGetHandleMemSize, kernel) == (0, 96 + 48 * 3)


def test_the_first_usable_symbol_table_counts() -> None:
    writer = one_kernel()
    writer.sections.insert(1, Section('.symtab0', bytes(24), type=2, header={'sh_entsize': 0}))
    with load(writer) as loaded:
        assert names_of(loaded) == ['k_3']


def test_unnamed_sections_have_no_metadata() -> None:
    writer = one_kernel('k_3', TYPE[3])
    writer.header['e_shstrndx'] = 0
    with load(writer) as loaded:
        assert attribute(kernel_of(loaded, 'k_3'), 1) == (0, lib.ACL_KERNEL_TYPE_CUBE)


def test_the_last_string_ends_with_its_table() -> None:
    writer = one_kernel('abcdef')
    writer.tables['.strtab'] = {'sh_size': 5}
    with load(writer) as loaded:
        assert names_of(loaded) == ['abcd']
