"""The kernels' names in an operator binary, as the runtime takes them from its symbols: the library itself has no list."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator

_SYMBOL_TABLE = 2
_FUNCTION, _GLOBAL, _HIDDEN = 2, 1, 2
_HALVES = ('_mix_aic', '_mix_aiv')  # a kernel for cube and vector cores has two functions


def kernel_names(data: bytes) -> tuple[str, ...]:
    """Of an Ascend ELF file, or the JSON of an AI CPU operator. Empty for anything else."""
    try:
        names = _json_names(data) if data[:1] == b'{' else [whole(name) for name in _functions(data)]
    except (struct.error, ValueError, IndexError, OverflowError):
        return ()
    return tuple(dict.fromkeys(names))


def whole(function: str) -> str:
    """The kernel's name from one of its functions: without the last of the first suffix that is in it."""
    for half in _HALVES:
        before, found, after = function.rpartition(half)
        if found:
            return before + after
    return function


def demangled(name: str) -> str:
    """The plain name in a mangled C++ one: _ZN2ns10add_customEPhS_ -> ns::add_custom. Others as they are."""
    match = re.match(r'_ZL?(N?)', name)
    if match is None:
        return name
    parts, rest = [], name[match.end() :]
    while (length := re.match(r'\d+', rest)) is not None:
        end = length.end() + int(length[0])
        parts.append(rest[length.end() : end])
        rest = rest[end:]
        if not match[1]:
            break
    return '::'.join(parts) or name


def _json_names(data: bytes) -> list[str]:
    return [name for name, kernel in json.loads(data).items() if isinstance(kernel, dict) and isinstance(kernel.get('opInfo'), dict)]


def _functions(data: bytes) -> Iterator[str]:
    """Names of global functions that are not hidden, in the order of the first symbol table."""
    if data[:4] != b'\x7fELF' or data[4] != 2:
        return
    order = '>' if data[5] == 2 else '<'
    table_offset = struct.unpack_from(order + 'Q', data, 0x28)[0]
    entry_size, count = struct.unpack_from(order + 'HH', data, 0x3A)
    sections = [struct.unpack_from(order + 'IIQQQQIIQQ', data, table_offset + i * entry_size) for i in range(count)]
    symbols = next((section for section in sections if section[1] == _SYMBOL_TABLE), None)
    if symbols is None or not symbols[9]:
        return
    strings = sections[symbols[6]]
    names = data[strings[4] : strings[4] + strings[5]]
    for at in range(symbols[4], symbols[4] + symbols[5], symbols[9]):
        name, info, other = struct.unpack_from(order + 'IBB', data, at)
        if name and info == (_GLOBAL << 4 | _FUNCTION) and other & 3 != _HIDDEN:
            yield names[name : names.index(b'\0', name)].decode()
