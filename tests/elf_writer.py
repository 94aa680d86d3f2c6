"""Writes small ELF files like those of the Ascend compiler, in both byte orders, and broken ones on purpose."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterable

SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_NOTE, SHT_NOBITS = 1, 2, 3, 7, 8
SHF_ALLOC = 2
STT_NOTYPE, STT_OBJECT, STT_FUNC = 0, 1, 2
STB_LOCAL, STB_GLOBAL, STB_WEAK = 0, 1, 2
STV_DEFAULT, STV_INTERNAL, STV_HIDDEN, STV_PROTECTED = 0, 1, 2, 3
SHN_ABS = 0xFFF1

Fields = list[tuple[str, str]]
HEADER: Fields = [('e_type', 'H'), ('e_machine', 'H'), ('e_version', 'I'), ('e_entry', 'Q'), ('e_phoff', 'Q'), ('e_shoff', 'Q')]
HEADER += [('e_flags', 'I'), ('e_ehsize', 'H'), ('e_phentsize', 'H'), ('e_phnum', 'H'), ('e_shentsize', 'H'), ('e_shnum', 'H')]
HEADER += [('e_shstrndx', 'H')]
SECTION: Fields = [('sh_name', 'I'), ('sh_type', 'I'), ('sh_flags', 'Q'), ('sh_addr', 'Q'), ('sh_offset', 'Q'), ('sh_size', 'Q')]
SECTION += [('sh_link', 'I'), ('sh_info', 'I'), ('sh_addralign', 'Q'), ('sh_entsize', 'Q')]


@dataclasses.dataclass
class Section:
    name: str
    data: bytes = b''
    type: int = SHT_PROGBITS
    flags: int = 0
    address: int = 0
    header: dict[str, int] = dataclasses.field(default_factory=dict)  # what the file says instead of the truth


@dataclasses.dataclass
class Symbol:
    name: str
    value: int = 0
    size: int = 0
    section: int = 1
    type: int = STT_FUNC
    binding: int = STB_GLOBAL
    visibility: int = STV_DEFAULT
    name_offset: int | None = None  # st_name instead of the true one


class ElfWriter:
    """Sections and symbols; section 1 is .text unless others are given."""

    def __init__(self, *symbols: Symbol, sections: Iterable[Section] | None = None, big_endian: bool = False) -> None:
        self.order = '>' if big_endian else '<'
        self.big_endian = big_endian
        self.symbols = list(symbols)
        self.sections = [Section('.text', bytes(range(256)), flags=SHF_ALLOC)] if sections is None else list(sections)
        self.header: dict[str, int] = {}  # what the file header says instead of the truth
        self.tables: dict[str, dict[str, int]] = {}  # the same for .symtab, .shstrtab, .strtab
        self.ident = b'\x7fELF\x02' + (b'\x02' if big_endian else b'\x01') + b'\x01' + bytes(9)

    def add(self, section: Section) -> ElfWriter:
        self.sections.append(section)
        return self

    def meta(self, symbol: str, *records: bytes) -> ElfWriter:
        """A kernel's metadata."""
        return self.add(Section(f'.ascend.meta.{symbol}', b''.join(records), type=SHT_NOTE))

    def record(self, kind: int, value: bytes) -> bytes:
        """A metadata record."""
        return struct.pack(f'{self.order}HH', kind, len(value)) + value

    def numbers(self, layout: str, *values: int) -> bytes:
        return struct.pack(self.order + layout, *values)

    def _pack(self, fields: Fields, values: dict[str, int]) -> bytes:
        return b''.join(struct.pack(self.order + kind, values.get(name, 0)) for name, kind in fields)

    def _symbols(self, names: bytearray) -> bytes:
        result = bytes(24)
        for symbol in self.symbols:
            at = len(names) if symbol.name_offset is None else symbol.name_offset
            if symbol.name_offset is None:
                names += symbol.name.encode() + b'\0'
            info = symbol.binding << 4 | symbol.type
            result += struct.pack(f'{self.order}IBBHQQ', at, info, symbol.visibility, symbol.section, symbol.value, symbol.size)
        return result

    def build(self) -> bytes:
        names = bytearray(b'\0')
        symbols = self._symbols(names)
        first = len(self.sections) + 1
        # The loader takes a big-endian file's sh_info for its sh_link, so both name the strings here.
        tables = [Section('.symtab', symbols, SHT_SYMTAB, header={'sh_link': first + 2, 'sh_info': first + 2, 'sh_entsize': 24})]
        tables += [Section('.shstrtab', type=SHT_STRTAB), Section('.strtab', bytes(names), SHT_STRTAB)]
        sections = [*self.sections, *tables]
        section_names = bytearray(b'\0')
        places = []
        for section in sections:
            places.append(len(section_names))
            section_names += section.name.encode() + b'\0'
        tables[1].data = bytes(section_names)
        return self._lay_out(sections, places)

    def _lay_out(self, sections: list[Section], places: list[int]) -> bytes:
        body = bytearray()
        headers = bytes(64)
        for section, place in zip(sections, places, strict=True):
            body += bytes(-len(body) % 8)
            true = {'sh_name': place, 'sh_type': section.type, 'sh_flags': section.flags, 'sh_addr': section.address}
            true |= {'sh_offset': 64 + len(body), 'sh_size': len(section.data), 'sh_addralign': 8}
            headers += self._pack(SECTION, {**true, **section.header, **self.tables.get(section.name, {})})
            body += b'' if section.type == SHT_NOBITS else section.data
        body += bytes(-len(body) % 8)
        true = {'e_type': 2, 'e_machine': 0x1029, 'e_version': 1, 'e_ehsize': 64, 'e_shentsize': 64, 'e_shoff': 64 + len(body)}
        true |= {'e_shnum': len(sections) + 1, 'e_shstrndx': len(sections) - 1}
        return self.ident + self._pack(HEADER, {**true, **self.header}) + bytes(body) + headers


def one_kernel(name: str = 'k_3', *records: bytes, **fields: int) -> ElfWriter:
    """A file with one kernel of 32 bytes at 16, and its metadata where there are records."""
    writer = ElfWriter(Symbol(name, **{'value': 16, 'size': 32, **fields}))
    return writer.meta(name, *records) if records else writer
