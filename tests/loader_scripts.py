"""Step scripts of the real loader: runs each step through the exported functions and lists what differs from its record."""

from __future__ import annotations

import base64
import pathlib
import zlib
from typing import Any

from loader_replay import BAD_PARAM, UNTOUCHED, Record, attribute, handle_out, one_size, two_sizes

from acl_bind import ffi, lib

# What only the recorder could see: copies and tasks of its driver, and the loader's own objects.
NOT_SHOWN = ('state', 'dump', 'log', 'clear_log')
# The real library computes 2^64 - 1 + 64 + 8 * 128 and wraps; the mock says that it does not fit.
WRAPS = {'op': 'mem', 'user': 0xFFFF_FFFF_FFFF_FFFF}


def write_files(files: Record, folder: pathlib.Path) -> None:
    for name, entry in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry.get('directory'):
            path.mkdir(exist_ok=True)
        elif 'symlink' in entry:
            path.symlink_to(entry['symlink'])
        else:
            path.write_bytes(entry['text'].encode() if 'text' in entry else zlib.decompress(base64.b64decode(entry['zlib_b64'])))


def text_of(step: Record, name: str, folder: pathlib.Path) -> Any:
    value = step[name]
    return ffi.NULL if value is None else value.replace('$ABS', str(folder)).encode()


class Script:
    """The names that a script has given to handles, and the folder that it runs in."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.handles: dict[str, Any] = {}
        self.memory = ffi.new('char[256]')  # zeroed, and no handle

    def run(self, step: Record) -> list[str]:
        """The differences of one step."""
        if step['op'] in NOT_SHOWN:
            return []
        lib.aclrtGetLastError(0)
        seen = getattr(self, step['op'])(step)
        seen['last_error'] = lib.aclrtPeekAtLastError(0)
        wanted = {'rc': BAD_PARAM, 'last_error': BAD_PARAM} if WRAPS.items() <= step.items() else step
        return [f'{step}: {name} is {seen[name]!r}' for name in seen if name in wanted and seen[name] != wanted[name]]

    def close(self) -> None:
        """Unloads what is loaded, with a device at hand."""
        assert lib.aclrtSetDevice(0) == 0
        for handle in {int(ffi.cast('uintptr_t', handle)) for handle in self.handles.values()}:
            lib.aclrtBinaryUnLoad(ffi.cast('void *', handle))
        for device in (0, 1):
            while lib.aclrtResetDevice(device) == 0:
                pass

    # ---- handles ----

    def handle(self, name: str | None) -> Any:
        if name == '@stack':
            return self.memory
        return self.handles.get((name or '').removeprefix('F:').removeprefix('B:'), ffi.NULL)

    def keep(self, step: Record, rc: int, out: Any) -> Record:
        """What a step shows that gives a handle."""
        untouched = out[0] == ffi.cast('void *', UNTOUCHED)
        seen: Record = {'rc': rc}
        if rc != 0:
            seen['out'] = 'untouched' if untouched else 'null' if out[0] == ffi.NULL else 'something'
        elif 'as' in step:
            self.handles[step['as']] = out[0]
        if rc == 0 and 'same_handle_as' in step:
            seen['same_handle_as'] = step['same_handle_as'] if out[0] == self.handles[step['same_handle_as']] else 'another'
        return seen

    def out(self, step: Record, flag: str = 'null_out') -> Any:
        return ffi.NULL if step.get(flag) else handle_out()

    def given(self, step: Record, rc: int, out: Any) -> Record:
        return {'rc': rc} if out == ffi.NULL else self.keep(step, rc, out)

    # ---- loading ----

    def options(self, step: Record) -> Any:
        self.kept = []
        asked = step.get('options')
        if asked is None:
            return ffi.NULL
        entries = asked.get('list') if isinstance(asked, dict) else asked
        count = asked['numOpt'] if isinstance(asked, dict) else len(asked)
        array = ffi.NULL
        if entries is not None:
            array = ffi.new('aclrtBinaryLoadOption[]', max(len(entries), 1))
            for option, (kind, value) in zip(array, entries, strict=False):  # an empty list has one unused element
                ffi.cast('int32_t *', ffi.addressof(option))[0] = kind
                option.value.isLazyLoad = value & 0xFFFF_FFFF
        options = ffi.new('aclrtBinaryLoadOptions *', {'options': array, 'numOpt': count})
        self.kept = [array, options]
        return options

    def load_file(self, step: Record) -> Record:
        out = self.out(step)
        return self.given(step, lib.aclrtBinaryLoadFromFile(text_of(step, 'path', self.folder), self.options(step), out), out)

    def load_data(self, step: Record) -> Record:
        data = (self.folder / step['path']).read_bytes()
        out = self.out(step)
        memory = ffi.NULL if step.get('null_data') else ffi.new('char[]', data)
        return self.given(step, lib.aclrtBinaryLoadFromData(memory, step.get('length', len(data)), self.options(step), out), out)

    def load_old(self, step: Record) -> Record:
        data = (self.folder / step['path']).read_bytes()
        out = self.out(step)
        memory = ffi.new('char[]', data)
        descriptor = lib.aclrtCreateBinary(memory, len(data))
        rc = lib.aclrtBinaryLoad(descriptor, out)
        assert lib.aclrtDestroyBinary(descriptor) == 0
        return self.given(step, rc, out)

    def unload(self, step: Record) -> Record:
        return {'rc': lib.aclrtBinaryUnLoad(self.handle(step['bin']))}

    def set_device(self, step: Record) -> Record:
        return {'rc': lib.aclrtSetDevice(step.get('dev', 0))}

    def reset_device(self, step: Record) -> Record:
        return {'rc': lib.aclrtResetDevice(step.get('dev', 0))}

    # ---- look-ups ----

    def get(self, step: Record) -> Record:
        out = self.out(step)
        return self.given(step, lib.aclrtBinaryGetFunction(self.handle(step['bin']), text_of(step, 'name', self.folder), out), out)

    def get_entry(self, step: Record) -> Record:
        out = self.out(step)
        return self.given(step, lib.aclrtBinaryGetFunctionByEntry(self.handle(step['bin']), step['entry'], out), out)

    def reg_cpu(self, step: Record) -> Record:
        out = self.out(step)
        names = [text_of(step, name, self.folder) for name in ('func', 'kernel')]
        return self.given(step, lib.aclrtRegisterCpuFunc(self.handle(step['bin']), *names, out), out)

    def dev_addr(self, step: Record) -> Record:
        out = self.out(step)
        if step.get('null_size'):
            return {'rc': lib.aclrtBinaryGetDevAddress(self.handle(step['bin']), out, ffi.NULL)}
        size = ffi.new('size_t *', UNTOUCHED)
        rc = lib.aclrtBinaryGetDevAddress(self.handle(step['bin']), out, size)
        if rc != 0:
            return {'rc': rc, 'size_after': size[0]}
        address = int(ffi.cast('uintptr_t', out[0]))
        return {'rc': rc, 'size': size[0], 'addr_null': address == 0, 'addr_mod_4096': address % 4096}

    def global_(self, step: Record) -> Record:
        out = self.out(step)
        size = ffi.NULL if step.get('null_size') else ffi.new('size_t *', UNTOUCHED)
        rc = lib.aclrtBinaryGetGlobal(self.handle(step['bin']), text_of(step, 'name', self.folder), out, size)
        if rc != 0:
            return {'rc': rc}
        seen: Record = {'rc': rc, 'size': size[0] if size else UNTOUCHED}
        if out != ffi.NULL:
            seen.update(addr_null=out[0] == ffi.NULL, addr_kind=kind_of(out[0]))
        return seen

    # ---- questions about a function ----

    def name(self, step: Record) -> Record:
        room = ffi.NULL if step.get('null_out') else ffi.new('char[4096]')
        rc = lib.aclrtGetFunctionName(self.handle(step['fn']), step.get('max', 4096), room)
        return {'rc': rc, 'got': ffi.string(room).decode()} if rc == 0 else {'rc': rc}

    def attr(self, step: Record) -> Record:
        if step.get('null_out'):
            return {'rc': lib.aclrtGetFunctionAttribute(self.handle(step['fn']), step['attr'], ffi.NULL)}
        rc, value = attribute(self.handle(step['fn']), step['attr'])
        return {'rc': rc, 'value': hex(value)}

    def size(self, step: Record) -> Record:
        if step.get('null_out'):
            return {'rc': lib.aclrtGetFunctionSize(self.handle(step['fn']), ffi.NULL, ffi.NULL)}
        rc, aic, aiv = two_sizes(lib.aclrtGetFunctionSize, self.handle(step['fn']))
        return {'rc': rc, 'aic': aic, 'aiv': aiv}

    def addr(self, step: Record) -> Record:
        if step.get('null_out'):
            return {'rc': lib.aclrtGetFunctionAddr(self.handle(step['fn']), ffi.NULL, ffi.NULL)}
        out = ffi.new('void *[2]')
        rc = lib.aclrtGetFunctionAddr(self.handle(step['fn']), out, out + 1)
        return {'rc': rc, 'aic': kind_of(out[0]), 'aiv': kind_of(out[1])} if rc == 0 else {'rc': rc}

    def fn_bin(self, step: Record) -> Record:
        out = self.out(step)
        rc = lib.aclrtFunctionGetBinary(self.handle(step['fn']), out)
        return {'rc': rc, 'is': step['is'] if out[0] == self.handles[step['is']] else 'another'} if rc == 0 else {'rc': rc}

    def number(self, step: Record, call: Any, *before: int) -> Record:
        if step.get('null_out'):
            return {'rc': call(self.handle(step['fn']), *before, ffi.NULL)}
        rc, value = one_size(call, self.handle(step['fn']), *before)
        return {'rc': rc, 'n': value} if rc == 0 or step.get('n') == UNTOUCHED else {'rc': rc}

    def pcount(self, step: Record) -> Record:
        return self.number(step, lib.aclrtFunctionGetParamCount)

    def ubuf(self, step: Record) -> Record:
        return self.number(step, lib.aclrtFunctionGetAvailDynUbufPerBlock, step.get('flags', 0))

    def hmem(self, step: Record) -> Record:
        return self.number(step, lib.aclrtKernelArgsGetHandleMemSize)

    def mem(self, step: Record) -> Record:
        return self.number(step, lib.aclrtKernelArgsGetMemSize, step['user'])

    def pinfo(self, step: Record) -> Record:
        if step.get('null_out'):
            return {'rc': lib.aclrtFunctionGetParamInfo(self.handle(step['fn']), step['idx'], ffi.NULL, ffi.NULL)}
        rc, offset, size = two_sizes(lib.aclrtFunctionGetParamInfo, self.handle(step['fn']), step['idx'])
        return {'rc': rc, 'got': [offset, size]} if rc == 0 else {'rc': rc}


setattr(Script, 'global', Script.global_)  # the operation is named so


def kind_of(address: Any) -> str:
    number = int(ffi.cast('uintptr_t', address))
    return 'null' if number == 0 else 'device' if number >= 1 << 32 else hex(number)
