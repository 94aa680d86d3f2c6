"""Operator binaries and their kernels."""

from __future__ import annotations

import functools
import os
import pathlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._ffi import acl, error_for, ffi, lib
from ._handle import Handle, current_context, in_context
from .errors import AclContextError, AclKernelNotFoundError
from .runtime import ensure_init

if TYPE_CHECKING:
    from .args import Hidden, KernelArgs


class KernelMakers:
    """What a kernel makes is defined in args.py, which is above this module and puts its makers here."""

    args: Callable[..., KernelArgs]
    hidden: Callable[[Kernel], Hidden]


class Binary(Handle):
    """A loaded operator binary: ``Binary.from_file(path)`` or ``Binary.from_bytes(data)``.

    Its kernels keep it loaded. It belongs to the context that was current when it was loaded (without one: when its first
    kernel was asked for); kernels are looked up there.
    """

    name: str

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
        return self

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, magic: str | None = None, lazy: bool = False) -> Binary:
        """Load a file (aclrtBinaryLoadFromFile; with ``magic``, which that function refuses, by aclrtBinaryLoadFromData).

        Raises FileNotFoundError, IsADirectoryError and ValueError (empty file) before the library is asked,
        AclInvalidArgumentError when it refuses the content.
        """
        absolute = pathlib.Path(os.fspath(path)).absolute()
        if not absolute.exists():
            raise FileNotFoundError(f'no operator binary at {absolute}')
        if absolute.is_dir():
            raise IsADirectoryError(f'{absolute} is a directory, expected an operator binary')
        if absolute.stat().st_size == 0:
            raise ValueError(f'{absolute} is empty, expected an operator binary')
        if magic is not None:
            return cls.from_bytes(absolute.read_bytes(), magic=magic, lazy=lazy, name=str(absolute))
        options, keep = _options(None, lazy)
        return cls._load('aclrtBinaryLoadFromFile', ffi.new('char[]', os.fsencode(absolute)), options, keep=keep, name=str(absolute))

    @classmethod
    def from_bytes(cls, data: bytes, *, magic: str | None = None, lazy: bool = False, name: str = 'bytes') -> Binary:
        """Load from memory (aclrtBinaryLoadFromData). ``data`` is kept as long as the binary.

        ``magic``: 'aicore', 'vector' or 'cube', the type of kernels that say nothing of their own.
        """
        if not len(data):
            raise ValueError('data is empty, expected the bytes of an operator binary')
        options, keep = _options(magic, lazy)
        return cls._load('aclrtBinaryLoadFromData', ffi.from_buffer(data), len(data), options, keep=(data, keep), name=name)

    def get_kernel(self, name: str) -> Kernel:
        """The kernel of that name (aclrtBinaryGetFunction).

        Raises AclKernelNotFoundError, whose text has the names there are, and AclContextError without a device.
        """
        place = ffi.new('aclrtFuncHandle *')
        self._context = self._context or current_context()  # loaded before there was a device: this one is its own now
        if not self._context:
            raise AclContextError('aclrtBinaryGetFunction', lib.ACL_ERROR_RT_CONTEXT_NULL, 'ACL_ERROR_RT_CONTEXT_NULL')
        with in_context(self._context):
            code = lib.aclrtBinaryGetFunction(self._pointer, ffi.new('char[]', name.encode()), place)
            if code:
                refused = code == lib.ACL_ERROR_RT_PARAM_INVALID
                raise error_for('aclrtBinaryGetFunction', code, AclKernelNotFoundError if refused else None)
        return Kernel._create(self, int(ffi.cast('uintptr_t', place[0])), name)

    def _destructor(self) -> tuple[Any, str]:
        return lib.aclrtBinaryUnLoad, 'aclrtBinaryUnLoad'

    def __repr__(self) -> str:
        return f'<Binary {self.name}, {self._state()}>'


class Kernel(Handle):
    """A kernel of a binary, from ``binary.get_kernel(name)``. Keeps the binary loaded; needs no closing."""

    name: str

    def __init__(self, *_: object) -> None:
        raise TypeError('kernels come from binary.get_kernel(name)')

    @classmethod
    def _create(cls, binary: Binary, handle: int, name: str) -> Kernel:
        self = cls.__new__(cls)
        Handle.__init__(self, handle, context=binary._context, parent=binary, owned=False)
        self.name = name
        return self

    @property
    def binary(self) -> Binary:
        return self._parent  # type: ignore[return-value]

    @property
    def handle(self) -> int:
        """The C handle. Raises AclHandleError when the binary was closed."""
        self.binary.handle  # noqa: B018
        return super().handle

    def args(self, *values: Any) -> KernelArgs:
        """An argument list for this kernel that can be launched many times and changed in between."""
        return KernelMakers.args(self, *values)

    @functools.cached_property
    def hidden_slots(self) -> Hidden:
        """What the runtime puts into this kernel's argument list besides its parameters."""
        return KernelMakers.hidden(self)

    def __repr__(self) -> str:
        return f'<Kernel {self.name} of {self.binary.name}>'


def _magic(name: str) -> int:
    values = {
        'aicore': lib.ACL_RT_BINARY_MAGIC_ELF_AICORE,
        'vector': lib.ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE,
        'cube': lib.ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE,
    }
    if name not in values:
        raise ValueError(f'magic is {name!r}, expected one of {", ".join(values)}')
    return int(values[name])


def _options(magic: str | None, lazy: bool) -> tuple[Any, object]:
    """The C options, and what they point to."""
    wanted = []
    if lazy:
        wanted.append({'type': lib.ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 'value': {'isLazyLoad': 1}})
    if magic is not None:
        wanted.append({'type': lib.ACL_RT_BINARY_LOAD_OPT_MAGIC, 'value': {'magic': _magic(magic)}})
    if not wanted:
        return ffi.NULL, None
    rows = ffi.new('aclrtBinaryLoadOption[]', wanted)
    return ffi.new('aclrtBinaryLoadOptions *', {'options': rows, 'numOpt': len(wanted)}), rows
