"""Operator binaries: loading them, and finding kernels and variables in them."""

from __future__ import annotations

import difflib
import functools
import os
import pathlib
import weakref
from collections.abc import Sequence
from typing import Any

from ._checks import check_int
from ._elf import demangled, kernel_names
from ._ffi import acl, error_for, ffi, lib
from ._handle import Handle, current_context, device_of, in_context
from .device import Scope
from .errors import AclContextError, AclError, AclKernelNotFoundError
from .kernel import Kernel
from .memory import DeviceBuffer
from .rt import get_function_name
from .runtime import ensure_init
from .stream import park

NAMES_SHOWN = 20


class Binary(Handle):
    """A loaded operator binary: ``Binary.from_file(path)`` or ``Binary.from_bytes(data)``.

    Its kernels keep it loaded. It belongs to the context that was current when it was loaded (without one: when its first
    kernel was asked for); kernels are looked up there.
    """

    name: str
    _kernels: weakref.WeakValueDictionary[int, Kernel]  # those in use, by id()

    _order = 4

    def __init__(self, *_: object) -> None:
        raise TypeError('binaries come from Binary.from_file(path) or Binary.from_bytes(data)')

    @classmethod
    def _load(cls, function: str, *arguments: Any, keep: object, name: str) -> Binary:
        ensure_init()
        place = ffi.new('aclrtBinHandle *')
        getattr(acl, function)(*arguments, place)
        self = cls.__new__(cls)
        Handle.__init__(self, int(ffi.cast('uintptr_t', place[0])), context=current_context(), parent=keep)
        self.name = name
        self._kernels = weakref.WeakValueDictionary()
        return self

    @classmethod
    def from_file(
        cls, path: str | bytes | os.PathLike[str], *, magic: str | None = None, lazy: bool = False, cpu_mode: int | None = None
    ) -> Binary:
        """Load a file (aclrtBinaryLoadFromFile; with ``magic``, which that function refuses, by aclrtBinaryLoadFromData).

        cpu_mode: the file is an AI CPU program, of which ``.json`` (mode 0, kernels of CANN's own libraries) or ``.json``
        and ``.so`` (mode 1) are read.

        Raises FileNotFoundError, IsADirectoryError and ValueError (empty file) before the library is asked,
        AclInvalidArgumentError when it refuses the content.
        """
        absolute = pathlib.Path(os.fsdecode(path)).absolute()
        if not absolute.exists():
            raise FileNotFoundError(f'no operator binary at {absolute}')
        if absolute.is_dir():
            raise IsADirectoryError(f'{absolute} is a directory, expected an operator binary')
        if absolute.stat().st_size == 0:
            raise ValueError(f'{absolute} is empty, expected an operator binary')
        if magic is not None:
            return cls.from_bytes(absolute.read_bytes(), magic=magic, lazy=lazy, name=str(absolute))
        if cpu_mode not in (None, 0, 1):
            raise ValueError(f'cpu_mode is {cpu_mode!r}, expected 0 (.json) or 1 (.json and .so); .so alone: from_bytes(data, cpu=True)')
        options, keep = _options(None, lazy, cpu_mode)
        return cls._load('aclrtBinaryLoadFromFile', ffi.new('char[]', os.fsencode(absolute)), options, keep=keep, name=str(absolute))

    @classmethod
    def from_bytes(cls, data: bytes, *, magic: str | None = None, lazy: bool = False, cpu: bool = False, name: str = 'bytes') -> Binary:
        """Load from memory (aclrtBinaryLoadFromData). ``data`` is kept as long as the binary.

        ``magic``: 'aicore', 'vector' or 'cube', the type of kernels that say nothing of their own. ``cpu``: the data is the
        shared library of an AI CPU program, whose kernels ``register_cpu_kernel`` makes known.
        """
        if not len(data):
            raise ValueError('data is empty, expected the bytes of an operator binary')
        options, keep = _options(magic, lazy, 2 if cpu else None)
        return cls._load('aclrtBinaryLoadFromData', ffi.from_buffer(data), len(data), options, keep=(data, keep), name=name)

    @classmethod
    def from_handle(cls, handle: int, owner: object = None, *, name: str = 'borrowed') -> Binary:
        """A binary that somebody else loaded and will unload. ``owner`` is kept alive."""
        self = cls.__new__(cls)
        Handle.__init__(self, handle, context=current_context(), parent=owner, owned=False)
        self.name = name
        self._kernels = weakref.WeakValueDictionary()
        return self

    def get_kernel(self, name: str, *, on: Scope | None = None, param_names: Sequence[str] = ()) -> Kernel:
        """The kernel of that name (aclrtBinaryGetFunction).

        on: the device or context to put the code on, if it is not the binary's own. param_names: what to call the
        parameters in messages and layouts. Raises AclKernelNotFoundError, whose text has the names there are, and
        AclContextError without a device.
        """
        return self._look_up('aclrtBinaryGetFunction', name, ffi.new('char[]', name.encode()), on, param_names)

    def get_kernel_by_entry(self, entry: int, *, on: Scope | None = None, param_names: Sequence[str] = ()) -> Kernel:
        """The kernel with that tiling key (aclrtBinaryGetFunctionByEntry). Raises as ``get_kernel``."""
        check_int('entry', entry, 0, (1 << 64) - 1)
        return self._look_up('aclrtBinaryGetFunctionByEntry', '', entry, on, param_names)

    def register_cpu_kernel(self, function: str, name: str | None = None, *, param_names: Sequence[str] = ()) -> Kernel:
        """Make a function of an AI CPU program's library a kernel of that name, by default its own (aclrtRegisterCpuFunc).

        Whether the library has the function shows at the launch.
        """
        place = ffi.new('aclrtFuncHandle *')
        kernel_name = name or function
        with in_context(self._context):
            acl.aclrtRegisterCpuFunc(self._pointer, ffi.new('char[]', function.encode()), ffi.new('char[]', kernel_name.encode()), place)
        return self._kernel(int(ffi.cast('uintptr_t', place[0])), kernel_name, self._context, param_names)

    def _look_up(self, api: str, name: str, key: Any, on: Scope | None, param_names: Sequence[str]) -> Kernel:
        place = ffi.new('aclrtFuncHandle *')
        self._context = self._context or current_context()  # loaded before there was a device: this one is its own now
        context = on.handle if on is not None else self._context
        if not context:
            raise AclContextError(api, lib.ACL_ERROR_RT_CONTEXT_NULL, 'ACL_ERROR_RT_CONTEXT_NULL')
        with in_context(context):
            code = getattr(lib, api)(self._pointer, key, place)
            if code:
                refused = code == lib.ACL_ERROR_RT_PARAM_INVALID
                raise self._not_found(error_for(api, code, AclKernelNotFoundError), name) if refused else error_for(api, code)
        handle = int(ffi.cast('uintptr_t', place[0]))
        return self._kernel(handle, name or get_function_name(handle), context, param_names)

    def _kernel(self, handle: int, name: str, context: int, param_names: Sequence[str]) -> Kernel:
        kernel = Kernel._create(self, handle, name, context)
        kernel.param_names = tuple(param_names)
        self._kernels[id(kernel)] = kernel
        return kernel

    @functools.cached_property
    def kernel_names(self) -> tuple[str, ...]:
        """The names of its kernels, in the file's order; empty when they cannot be told (a borrowed binary on CANN)."""
        if not lib.has('aclmock_kernel_names'):
            return kernel_names(self._bytes())
        room = lib.aclmock_kernel_names(self._pointer, ffi.NULL, 0)
        text = ffi.new('char[]', room + 1)
        lib.aclmock_kernel_names(self._pointer, text, room)
        return tuple(ffi.string(text).decode(errors='replace').splitlines())

    def _bytes(self) -> bytes:
        """What it was loaded from, b'' when that is gone."""
        kept = self._parent[0] if isinstance(self._parent, tuple) else None
        try:
            return bytes(kept) if isinstance(kept, (bytes, bytearray, memoryview)) else pathlib.Path(self.name).read_bytes()
        except OSError:
            return b''

    def _not_found(self, error: AclError, name: str) -> AclError:
        names = self.kernel_names
        plain = {each: demangled(each) for each in names}
        mangled = [each for each in names if each != name and plain[each].rpartition('::')[2] == name]
        closest = mangled or difflib.get_close_matches(name, names, 1)
        lines = [f'{each} is {plain[each]}(...): ask for it by that name.' for each in mangled]
        if closest and not mangled and 'did you mean' not in error.detail:
            lines.append(f'Did you mean {closest[0]}?')
        if names and names[0] not in error.detail:
            shown = ', '.join(names[:NAMES_SHOWN]) + (' ...' if len(names) > NAMES_SHOWN else '')
            lines.append(f'{self.name} has {len(names)} kernels: {shown}')
        found = AclKernelNotFoundError(error.api, error.code, error.name, error.detail, '\n'.join(lines))
        found.kernel_names, found.closest = names, closest[0] if closest else None
        return found

    def get_global(self, name: str) -> DeviceBuffer:
        """A global variable of the binary, as a borrowed buffer of uint8 on its device (aclrtBinaryGetGlobal, CANN 9.1).

        Raises AclKernelNotFoundError when there is none of that name.
        """
        place, size = ffi.new('void **'), ffi.new('size_t *')
        with in_context(self._context):
            acl.aclrtBinaryGetGlobal(self._pointer, ffi.new('char[]', name.encode()), place, size)
            address = int(ffi.cast('uintptr_t', place[0]))
            return DeviceBuffer.from_handle(address, int(size[0]), owner=self, device_id=device_of(0))

    def close(self, *, force: bool = False) -> None:
        """Unload it (aclrtBinaryUnLoad), after queued work that uses it.

        Raises RuntimeError while kernels of it are in use; ``force=True`` closes it all the same, and they with it.
        """
        if self._kernels and not force and not self.is_closed and self._owned:
            names = ', '.join(sorted({kernel.name for kernel in self._kernels.values()}))
            raise RuntimeError(f'{self.name} has kernels in use ({names}); drop them first, or close(force=True)')
        super().close()

    def __exit__(self, *_: object) -> None:
        self.close(force=True)

    def _park(self) -> bool:
        return park(self)

    def _destructor(self) -> tuple[Any, str]:
        return lib.aclrtBinaryUnLoad, 'aclrtBinaryUnLoad'

    def __repr__(self) -> str:
        return f'<Binary {self.name}, {self._state()}>'


def _magic(name: str) -> int:
    values = {
        'aicore': lib.ACL_RT_BINARY_MAGIC_ELF_AICORE,
        'vector': lib.ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE,
        'cube': lib.ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE,
    }
    if name not in values:
        raise ValueError(f'magic is {name!r}, expected one of {", ".join(values)}')
    return int(values[name])


def _options(magic: str | None, lazy: bool, cpu_mode: int | None) -> tuple[Any, object]:
    """The C options, and what they point to."""
    wanted = []
    if lazy:
        wanted.append({'type': lib.ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 'value': {'isLazyLoad': 1}})
    if magic is not None:
        wanted.append({'type': lib.ACL_RT_BINARY_LOAD_OPT_MAGIC, 'value': {'magic': _magic(magic)}})
    if cpu_mode is not None:
        wanted.append({'type': lib.ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 'value': {'cpuKernelMode': cpu_mode}})
    if not wanted:
        return ffi.NULL, None
    rows = ffi.new('aclrtBinaryLoadOption[]', wanted)
    return ffi.new('aclrtBinaryLoadOptions *', {'options': rows, 'numOpt': len(wanted)}), rows
