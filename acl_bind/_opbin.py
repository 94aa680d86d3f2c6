"""What is in an operator binary, as the runtime's loader sees it. Reads ELF with pyelftools (the extra ``inspect``)."""

from __future__ import annotations

import dataclasses
import io
import json
import pathlib
import struct
from collections.abc import Iterator
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from . import _elf, _meta

MACHINE = 0x1029  # of Ascend's cores
META, ARGS_SIZES = '.ascend.meta', '__CCE_KernelArgSize'
HALVES = {'_mix_aic': 'aic', '_mix_aiv': 'aiv'}
MAGICS = {
    'RT_DEV_BINARY_MAGIC_ELF': 'mix',
    'RT_DEV_BINARY_MAGIC_ELF_AIVEC': 'vector',
    'RT_DEV_BINARY_MAGIC_ELF_AICUBE': 'cube',
    'FFTS_BINARY_MAGIC_ELF_MIX_AIC': 'vector',
    'FFTS_BINARY_MAGIC_ELF_MIX_AIV': 'vector',
}
IMPLICIT = {1: 'print FIFO', 2: 'inter-core sync address', 3: 'L2 hint', 4: 'SIMT print FIFO', 5: 'assert FIFO'}


@dataclasses.dataclass
class Code:
    """One symbol's code: the whole kernel, or its half for one kind of core."""

    symbol: str
    address: int
    size: int


@dataclasses.dataclass
class Kernel:
    """A kernel. ``kind``: aicore, cube, vector, mix or aicpu. ``mix``: which halves run: aic, aiv, main aic, main aiv, or ''."""

    name: str
    kind: str
    mix: str = ''
    ratio: int = 2
    schedule_mode: int = 0
    simt: bool = False
    key: int = 0  # the digits behind the last underscore
    entry: int | None = 0  # what aclrtBinaryGetFunctionByEntry finds it by; None: nothing
    params: tuple[_meta.Param, ...] | None = None
    args_size: int | None = None  # bytes of its arguments, where the compiler noted them
    code: list[Code] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Global:
    """A variable: its address in the file's sections, and its size in bytes."""

    name: str
    address: int
    size: int


@dataclasses.dataclass
class Contents:
    """All of one binary."""

    name: str
    machine: str
    flags: int = 0
    kernels: list[Kernel] = dataclasses.field(default_factory=list)
    globals: list[Global] = dataclasses.field(default_factory=list)
    implicit: list[str] = dataclasses.field(default_factory=list)  # what the runtime puts into the code
    not_understood: list[str] = dataclasses.field(default_factory=list)


def key_of(name: str) -> int:
    """The tiling key in a kernel's name: the digits behind the last underscore, 0 when there are none."""
    digits = name.rpartition('_')[2]
    number = int(digits) if digits.isascii() and digits.isdigit() else 0
    return number if number < 1 << 64 else 0


# ---- one symbol ---------------------------------------------------------------------------------------------------------


def _half_of(symbol: str) -> str:
    return next((half for suffix, half in HALVES.items() if suffix in symbol), '')


def _kind_of(symbol: str, meta: _meta.Meta, standard: str) -> tuple[str, str]:
    """Kind and mix of the kernel that one symbol makes."""
    half = _half_of(symbol)
    if meta.function_type in (2, 6):
        return 'cube', 'aic' if meta.sync else ''
    if meta.function_type in (3, 7):
        return 'vector', 'aiv' if meta.sync else ''
    if meta.function_type == 1:
        return 'aicore', half
    return {'aic': 'cube', 'aiv': 'vector'}.get(half, standard), half


def _merge(kernel: Kernel, second: Kernel, first_type: int, second_type: int) -> None:
    """The second half of a kernel whose first one is there."""
    kernel.kind = 'mix'
    kernel.mix = 'main aiv' if first_type in (4, 5) and second_type != 4 else 'main aic'
    kernel.simt = second.simt if _half_of(second.code[0].symbol) == 'aiv' else kernel.simt
    kernel.code += second.code


class _Reader:
    """One ELF file."""

    def __init__(self, data: bytes, standard: str, contents: Contents) -> None:
        self.elf: Any = ELFFile(io.BytesIO(data))
        self.contents = contents
        self.standard = standard
        self.types: dict[str, int] = {}
        self.metas: dict[str, _meta.Meta] = {}
        table: Any = self.elf.get_section_by_name('.symtab') or next(
            (s for s in self.elf.iter_sections() if s['sh_type'] == 'SHT_SYMTAB'), None
        )
        if table is None:
            raise ValueError('it has no symbol table')
        self.symbols = list(table.iter_symbols())

    def read(self) -> None:
        self.read_sections()
        for symbol in self.symbols:
            kind, binding = symbol['st_info']['type'], symbol['st_info']['bind']
            if kind == 'STT_FUNC' and binding == 'STB_GLOBAL' and symbol['st_other']['visibility'] != 'STV_HIDDEN' and symbol.name:
                self.read_kernel(symbol)
            elif kind == 'STT_OBJECT' and binding == 'STB_GLOBAL' and isinstance(symbol['st_shndx'], int):
                self.contents.globals.append(Global(symbol.name, symbol['st_value'], symbol['st_size']))
        self.read_args_sizes()
        self.contents.kernels.sort(key=lambda kernel: kernel.name)

    def read_sections(self) -> None:
        for section in self.elf.iter_sections():
            if section['sh_type'] not in ('SHT_PROGBITS', 'SHT_NOTE'):
                continue
            if section.name == META:
                self.read_implicit(section.data())
            elif META + '.' in section.name:
                meta = _meta.read(section.data())
                self.metas[section.name[len(META) + 1 :]] = meta
                self.contents.not_understood += [f'{section.name}: {what}' for what in meta.not_understood]

    def read_implicit(self, data: bytes) -> None:
        for kind, value in _meta.records(data):
            number = int.from_bytes(value[:4], 'little')
            if kind == 4 and number in IMPLICIT:
                self.contents.implicit.append(IMPLICIT[number])
            elif kind != 0:
                self.contents.not_understood.append(f'{META}: record of type {kind}, {len(value)} bytes')

    def read_kernel(self, symbol: Any) -> None:
        meta = self.metas.get(symbol.name, _meta.Meta())
        kind, mix = _kind_of(symbol.name, meta, self.standard)
        name = _elf.whole(symbol.name)
        key = key_of(name)
        entry = (meta.entry if meta.entry is not None else key) if meta.has_entry else None
        code = [Code(symbol.name, symbol['st_value'], symbol['st_size'])]
        made = Kernel(name, kind, mix, meta.ratio, meta.schedule_mode, meta.simt, key, entry, meta.params, code=code)
        known = next((kernel for kernel in self.contents.kernels if kernel.name == name), None)
        if known is None:
            self.types[name] = meta.function_type
            self.contents.kernels.append(made)
        else:
            _merge(known, made, self.types[name], meta.function_type)

    def read_args_sizes(self) -> None:
        section = self.elf.get_section_by_name(ARGS_SIZES)
        if section is None:
            return
        kernels = {kernel.name: kernel for kernel in self.contents.kernels}
        data, start = section.data(), section['sh_addr']
        for symbol in self.symbols:
            kernel = kernels.get(_elf.whole(symbol.name.removesuffix('__'))) if symbol.name.endswith('__') else None
            at = symbol['st_value'] - start
            if kernel is not None and symbol['st_info']['type'] == 'STT_OBJECT' and 0 <= at <= len(data) - 4:
                kernel.args_size = struct.unpack_from('<I', data, at)[0]


# ---- files --------------------------------------------------------------------------------------------------------------


def read_elf(data: bytes, name: str, companion: dict[str, Any] | None = None) -> Contents:
    """An operator binary's ELF file. ``companion``: the JSON beside it. Raises ValueError when it is none."""
    try:
        elf: Any = ELFFile(io.BytesIO(data))
        machine = elf['e_machine']
        machine = 'Ascend' if machine == MACHINE else str(machine).removeprefix('EM_')
        contents = Contents(name, machine, elf['e_flags'])
        _Reader(data, MAGICS.get(str((companion or {}).get('magic')), 'cube'), contents).read()
    except (ELFError, struct.error, UnicodeDecodeError, KeyError, AttributeError, ValueError) as error:
        raise ValueError(f'{name} is no ELF file that can be read: {error}') from None
    return contents


def read_cpu_json(data: bytes, name: str) -> Contents:
    """The description of an AI CPU program."""
    contents = Contents(name, 'AI CPU')
    document = json.loads(data)
    rows = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in rows:
        if isinstance(value, dict) and 'opInfo' in value:
            contents.kernels.append(Kernel(str(key), 'aicpu', entry=None))
    return contents


def embedded(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Offset and bytes of each Ascend ELF file inside another file, wherever it is."""
    at = data.find(b'\x7fELF\x02\x01', 1)
    while at != -1:
        size = _extent(data[at:])
        if size:
            yield at, data[at : at + size]
        at = data.find(b'\x7fELF\x02\x01', at + max(size, 4))


def _extent(data: bytes) -> int:
    """Bytes of the Ascend ELF file at the start; 0: there is none."""
    if len(data) < 64 or struct.unpack_from('<H', data, 18)[0] != MACHINE:
        return 0
    table = struct.unpack_from('<Q', data, 40)[0]
    entry_size, count = struct.unpack_from('<HH', data, 58)
    end = table + entry_size * count
    if entry_size != 64 or count == 0 or end > len(data):
        return 0
    for at in range(table, end, entry_size):
        kind, offset, size = struct.unpack_from('<4xI16xQQ', data, at)
        end = max(end, offset + size if kind != 8 else 0)  # NOBITS has no bytes in the file
    return end if end <= len(data) else 0


def companion_of(path: pathlib.Path) -> dict[str, Any] | None:
    """The JSON object beside a binary, if there is one that can be read."""
    try:
        document = json.loads(path.resolve().with_suffix('.json').read_bytes())
    except (OSError, ValueError):
        return None
    return document if isinstance(document, dict) else None


def read_file(path: pathlib.Path) -> list[Contents]:
    """What is in a .o, an AI CPU .json, or in the device binaries that a host library or program carries."""
    data = path.read_bytes()
    if not data:
        raise ValueError(f'{path} is empty, expected an operator binary')
    if data[:4] != b'\x7fELF':
        try:
            return [read_cpu_json(data, path.name)]
        except ValueError:
            raise ValueError(f'{path} is neither an ELF file nor the JSON of an AI CPU program') from None
    inside = list(embedded(data))
    if inside and struct.unpack_from('<H', data, 18)[0] != MACHINE:
        return [read_elf(part, f'{path.name}[{at:#x}]') for at, part in inside]
    return [read_elf(data, path.name, companion_of(path))]
