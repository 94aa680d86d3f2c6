"""Loads a binary as a record of the real loader says and compares everything the exported functions show of it."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterator
from typing import Any

from acl_bind import ffi, lib

Record = dict[str, Any]
DEFAULT = '<default>'
UNTOUCHED = 0x7777
BAD_PARAM = lib.ACL_ERROR_RT_PARAM_INVALID


# ---- records ----------------------------------------------------------------------------------------------------


def merged(base: Record, changes: Record) -> Record:
    """`base` with the changes of a diff, where DEFAULT takes a field away."""
    result = {**base, **changes}
    return {name: value for name, value in result.items() if value != DEFAULT}


def changed(base: Record, result: Any) -> Record:
    """What a variant or mutation answers: the base's answers with its differences."""
    if result == 'same':
        return base
    if 'functions' in result or 'rc' in result:
        return dict(result)
    record = merged(base, result.get('diff', {}))
    functions = list(base.get('functions', []))
    for which, changes in result.get('fn_diff', []):
        for index in range(len(functions)) if which == 'all' else which:
            functions[index] = merged(functions[index], changes)
    return {**record, 'functions': functions}


def is_undefined(entry: Record, result: Any) -> bool:
    """Whether the real loader read memory that was not the file's, or died."""
    return 'ub' in entry or entry['rc'] == 'crash' or (isinstance(result, dict) and 'crash' in result)


def unescaped(name: str) -> bytes:
    """A name as bytes: the records write what is not ASCII as \\xNN."""
    return re.sub(rb'\\x([0-9a-f]{2})', lambda match: bytes.fromhex(match[1].decode()), name.encode())


# ---- loading ------------------------------------------------------------------------------------------------------


class Loaded:
    """A binary loaded in one of the ways that records know, as a context manager that unloads it."""

    def __init__(self, rc: int, handle: Any, failed_out: str = 'null') -> None:
        self.rc = rc
        self.handle = handle
        self.failed_out = failed_out  # what this way of loading leaves in *binHandle when it fails

    def out(self) -> str:
        return {0: 'null', UNTOUCHED: 'untouched'}.get(int(ffi.cast('uintptr_t', self.handle)), 'something')

    def __enter__(self) -> Loaded:
        return self

    def __exit__(self, *_: object) -> None:
        if self.rc == 0:
            assert lib.aclrtBinaryUnLoad(self.handle) == 0


def handle_out() -> Any:
    return ffi.new('void **', ffi.cast('void *', UNTOUCHED))


def load_file(path: pathlib.Path) -> Loaded:
    out = handle_out()
    return Loaded(lib.aclrtBinaryLoadFromFile(str(path).encode(), ffi.NULL, out), out[0])


def load_data(data: bytes, magic: int | None = None) -> Loaded:
    out = handle_out()
    options = ffi.NULL
    if magic is not None:
        option = ffi.new('aclrtBinaryLoadOption *', {'type': lib.ACL_RT_BINARY_LOAD_OPT_MAGIC, 'value': {'magic': magic}})
        options = ffi.new('aclrtBinaryLoadOptions *', {'options': option, 'numOpt': 1})
    return Loaded(lib.aclrtBinaryLoadFromData(data, len(data), options, out), out[0])


def load_old(data: bytes) -> Loaded:
    out = handle_out()
    memory = ffi.new('char[]', data)
    descriptor = lib.aclrtCreateBinary(memory, len(data))
    rc = lib.aclrtBinaryLoad(descriptor, out)
    assert lib.aclrtDestroyBinary(descriptor) == 0
    ffi.memmove(memory, b'\xee' * len(data), len(data))  # nobody needs it any more
    return Loaded(rc, out[0], 'untouched')


MAGICS = {
    'data': None,
    'data_ELF': lib.ACL_RT_BINARY_MAGIC_ELF_AICORE,
    'data_AIVEC': lib.ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE,
    'data_AICUBE': lib.ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE,
}


def load_variant(variant: str, data: bytes) -> Loaded:
    return load_old(data) if variant == 'old' else load_data(data, MAGICS[variant])


# ---- comparing ----------------------------------------------------------------------------------------------------


class Program:
    """Asks a loaded binary what its record answers, and lists the differences."""

    def __init__(self, handle: Any, want: Record, defaults: Record, function_defaults: Record, data: bytes) -> None:
        self.handle = handle
        self.want = {**defaults, **want}
        self.function_defaults = function_defaults
        self.data = data
        self.base = 0
        self.functions: dict[bytes, Any] = {}

    def get(self, name: bytes) -> tuple[int, Any]:
        out = handle_out()
        return lib.aclrtBinaryGetFunction(self.handle, name, out), out[0]

    def get_entry(self, entry: int) -> tuple[int, Any]:
        out = handle_out()
        return lib.aclrtBinaryGetFunctionByEntry(self.handle, entry, out), out[0]

    def name_of(self, function: Any) -> bytes:
        room = ffi.new('char[8192]')
        assert lib.aclrtGetFunctionName(function, 8192, room) == 0
        return bytes(ffi.string(room))

    def facts(self) -> Iterator[tuple[str, Any, Any]]:
        """(what, seen, wanted)"""
        yield from self.address_facts()
        yield from self.lookup_facts()
        for record in self.want['functions']:
            name = unescaped(record['name'])
            want = {**self.function_defaults, **record}
            for what, seen, wanted in function_facts(self, name, want):
                yield f'{what} of {name!r}', seen, wanted
        yield from self.global_facts()

    def address_facts(self) -> Iterator[tuple[str, Any, Any]]:
        address, size = ffi.new('void **'), ffi.new('size_t *')
        rc = lib.aclrtBinaryGetDevAddress(self.handle, address, size)
        yield 'GetDevAddress', rc, self.want['dev_rc']
        if rc == 0:
            self.base = int(ffi.cast('uintptr_t', address[0]))
            yield 'a base', self.base == 0, self.want['dev_addr_null']
            yield 'alignment', self.base % 4096, self.want['dev_addr_mod_4096']
            yield 'size', size[0], self.want.get('dev_size', self.want['text_size'])
            if not self.want.get('implicit_words') and size[0] == self.want['text_size']:
                yield 'the code', self.device_bytes(size[0]), self.data[self.want['text_offset'] :][: size[0]]

    def device_bytes(self, size: int) -> bytes:
        room = ffi.new('char[]', size)
        assert lib.aclrtMemcpy(room, size, ffi.cast('void *', self.base), size, lib.ACL_MEMCPY_DEVICE_TO_HOST) == 0
        return bytes(ffi.buffer(room))

    def lookup_facts(self) -> Iterator[tuple[str, Any, Any]]:
        want = self.want
        for name, rc in ((b'no such kernel', want['unknown_name_rc']), (b'', want['empty_name_rc'])):
            got = self.get(name)
            yield f'GetFunction {name!r}', got, (rc, ffi.NULL)
        got = self.get_entry(0xFEDC_BA98_7654_3210)
        yield 'a missing entry', got, (want['missing_entry_rc'], ffi.NULL)
        rc, function = self.get_entry(0)
        yield 'entry 0', rc, want['entry0_rc']
        if rc == 0:
            yield 'the name of entry 0', self.name_of(function), unescaped(want['entry0_name'])

    def get_global(self, name: bytes) -> tuple[int, int, int]:
        address, size = ffi.new('void **'), ffi.new('size_t *')
        rc = lib.aclrtBinaryGetGlobal(self.handle, name, address, size)
        return rc, int(ffi.cast('uintptr_t', address[0])), size[0]

    def global_facts(self) -> Iterator[tuple[str, Any, Any]]:
        yield 'a missing global', self.get_global(b'no such global')[0], self.want['unknown_global_rc']
        for name, offset, size in self.want['globals'] if self.base else []:
            wanted = (0, (self.base + offset) % (1 << 64), size)
            yield f'global {name}', self.get_global(name.encode()), wanted


def attribute(function: Any, number: int) -> tuple[int, int]:
    value = ffi.new('int64_t *', -0x5555555555555556)
    return lib.aclrtGetFunctionAttribute(function, number & 0xFFFF_FFFF, value), value[0] & 0xFFFF_FFFF_FFFF_FFFF


def two_sizes(call: Any, function: Any, *before: int) -> tuple[int, int, int]:
    out = ffi.new('size_t[2]', [UNTOUCHED, UNTOUCHED])
    return call(function, *before, out, out + 1), out[0], out[1]


def one_size(call: Any, function: Any, *before: int) -> tuple[int, int]:
    out = ffi.new('size_t *', UNTOUCHED)
    return call(function, *before, out), out[0]


def addresses(function: Any) -> tuple[int, int | None, int | None]:
    out = ffi.new('void *[2]')
    rc = lib.aclrtGetFunctionAddr(function, out, out + 1)
    return rc, *(int(ffi.cast('uintptr_t', address)) if address else None for address in out)


def function_facts(program: Program, name: bytes, want: Record) -> Iterator[tuple[str, Any, Any]]:
    rc, function = program.get(name)
    yield 'GetFunction', rc, want['get_rc']
    if rc != 0:
        return
    room = ffi.new('char[]', len(name) + 1)
    yield 'the name', (lib.aclrtGetFunctionName(function, len(name) + 1, room), ffi.string(room)), (0, name)
    yield 'a short name', lib.aclrtGetFunctionName(function, len(name), room), want['name_short_rc']
    yield 'another handle', program.get(name)[1], function
    owner = handle_out()
    yield 'the binary', (lib.aclrtFunctionGetBinary(function, owner), owner[0]), (want['bin_rc'], program.handle)
    yield 'with a suffix', program.get(name + b'_mix_aic')[0], want['get_with_mix_suffix_rc']
    yield from attribute_facts(function, want)
    yield from code_facts(program, function, want)
    yield from entry_facts(program, function, name, want)
    yield from param_facts(function, want)


def attribute_facts(function: Any, want: Record) -> Iterator[tuple[str, Any, Any]]:
    yield 'attribute 1', attribute(function, 1), (0, want['attr'])
    ratio = want['attr2'] | int(want['attr2_hi'], 16) << 32
    yield 'attribute 2', attribute(function, 2), (0, ratio)
    yield 'attribute 3', attribute(function, 3), (0, want['sched'])
    got = one_size(lib.aclrtFunctionGetAvailDynUbufPerBlock, function, 0)
    yield 'free unified buffer', got, (want['ubuf_rc'], UNTOUCHED) if 'ubuf_rc' in want else (0, want['ubuf'])


def code_facts(program: Program, function: Any, want: Record) -> Iterator[tuple[str, Any, Any]]:
    vector_only = want['off2'] == 0 and (want['attr'] == 2 or want['mix'] == 2)
    first, second = want['len1'], want['len2']
    yield 'sizes', two_sizes(lib.aclrtGetFunctionSize, function), (0, 0, first) if vector_only else (0, first, second)
    first_address = program.base + want['off1']
    second_address = program.base + want['off2'] if want['off2'] else None
    wanted = (0, None, first_address) if vector_only else (0, first_address, second_address)
    yield 'addresses', addresses(function), wanted


def entry_facts(program: Program, function: Any, name: bytes, want: Record) -> Iterator[tuple[str, Any, Any]]:
    rc, found = program.get_entry(want['key'])
    yield f'entry {want["key"]}', rc, want['entry_rc']
    if rc == 0:
        yield 'found by its entry', program.name_of(found), unescaped(want.get('entry_other', '')) or name
    if 'suffix_entry' in want:
        number, wanted, same = want['suffix_entry']
        rc, found = program.get_entry(number)
        yield f'entry {number}', (rc, found == function), (wanted, same)


def param_facts(function: Any, want: Record) -> Iterator[tuple[str, Any, Any]]:
    user = want['user']
    yield 'handle memory', one_size(lib.aclrtKernelArgsGetHandleMemSize, function), (0, 96 + 48 * user)
    yield 'buffer memory', one_size(lib.aclrtKernelArgsGetMemSize, function, 0), (0, 64 + 8 * user)
    args = handle_out()
    yield 'hidden slots', (lib.aclrtKernelArgsInit(function, args), head_size(args[0])), (0, 8 * (want['sys'] - 1))
    count = one_size(lib.aclrtFunctionGetParamCount, function)
    yield 'parameters', count, (0, want['param_count']) if want['has_summary'] else (want['pcount_rc'], UNTOUCHED)
    for row in want.get('params', []):
        got = two_sizes(lib.aclrtFunctionGetParamInfo, function, row[1])
        yield f'parameter {row[1]}', got, (0, row[2], row[3])
    past = two_sizes(lib.aclrtFunctionGetParamInfo, function, want['param_count'])
    yield 'a parameter too many', past[0], want['pinfo_past_rc']


def head_size(args: Any) -> int:
    view = ffi.new('aclmock_args *')
    assert lib.aclmock_get_args(args, view) == 0
    return int(view.head_size)


def differences(loaded: Loaded, want: Record, defaults: tuple[Record, Record], data: bytes) -> list[str]:
    """What a loaded binary shows that its record does not, one line each."""
    if loaded.rc != want['rc']:
        return [f'loading: {loaded.rc}, wanted {want["rc"]} {message()}']
    if loaded.rc != 0:
        wanted = want.get('out', loaded.failed_out)
        return [f'*binHandle: {loaded.out()}, wanted {wanted}'] * (loaded.out() != wanted) + ['no message'] * (not message())
    program = Program(loaded.handle, want, *defaults, data)
    return [f'{what}: {seen!r}, wanted {wanted!r}' for what, seen, wanted in program.facts() if seen != wanted]


def message() -> str:
    return bytes(ffi.string(lib.aclmock_last_message())).decode('utf-8', 'replace')


def write_companion(path: pathlib.Path, companion: Any) -> None:
    text = companion if isinstance(companion, str) else json.dumps(companion)
    path.with_suffix('.json').write_text(text)
