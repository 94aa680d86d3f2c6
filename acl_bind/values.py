"""What a Python value becomes as a kernel argument: bytes by value, an address, or data that travels along.

| value                                                    | becomes                                              |
|----------------------------------------------------------|------------------------------------------------------|
| DeviceBuffer, Ptr(int), None                             | an 8-byte pointer; null for None and empty buffers   |
| numpy fixed-width scalar, ctypes scalar                  | its bytes, bit for bit                               |
| bool, np.bool_                                           | 1 byte                                               |
| ctypes or cffi struct, aligned np.void, bytes            | its bytes                                            |
| Placeholder(any of the last row, or a numpy array)       | a pointer to a copy on the device                    |
| bare int or float, host array, packed np.void            | TypeError, which says what to write instead          |
"""

from __future__ import annotations

import ctypes
import dataclasses
import struct
from typing import Any

import numpy as np

from ._ffi import ffi
from .memory import DeviceBuffer

POINTER_SIZE = 8


class Ptr:
    """An address for a kernel, said to be one: ``Ptr(0x12c0...)``. Nothing is kept alive by it."""

    __slots__ = ('address',)

    def __init__(self, address: int) -> None:
        if isinstance(address, bool) or not isinstance(address, int) or not 0 <= address < 1 << 64:
            raise ValueError(f'Ptr takes an int from 0 to 2**64 - 1, not {address!r}')
        self.address = address

    def __repr__(self) -> str:
        return f'Ptr({self.address:#x})'


class Placeholder:
    """A pointer argument whose data travels with the arguments: small host data such as tiling, at most some KiB.

    ``data``: bytes, a numpy array or structured scalar, a ctypes or cffi struct. Copied now.
    """

    __slots__ = ('data',)

    def __init__(self, data: Any) -> None:
        self.data = placeholder_bytes(data)

    def __repr__(self) -> str:
        return f'Placeholder({len(self.data)} bytes)'


@dataclasses.dataclass(frozen=True)
class Argument:
    """One argument, converted. ``keep`` is what must live until the launch is over."""

    kind: str  # 'pointer', 'value' or 'placeholder'
    data: bytes  # a placeholder's: what it points to
    keep: object = None

    @property
    def slot_size(self) -> int:
        """Bytes in the argument list itself."""
        return POINTER_SIZE if self.kind == 'placeholder' else len(self.data)


def placeholder_bytes(data: Any) -> bytes:
    if isinstance(data, np.ndarray):
        if not data.flags.c_contiguous:
            raise TypeError('a Placeholder takes C-contiguous arrays; use np.ascontiguousarray')
        if data.dtype.hasobject:
            raise TypeError(f'a Placeholder cannot hold Python objects (dtype {data.dtype})')
        raw = data.tobytes()
    elif isinstance(data, np.generic):
        raw = data.tobytes()
    elif isinstance(data, (bytes, bytearray, memoryview)):
        raw = bytes(data)
    else:
        raw = struct_bytes(data) or b''
        if not raw:
            raise TypeError(f'a Placeholder takes bytes, a numpy array or scalar, or a ctypes or cffi struct, not {type(data).__name__}')
    if not raw:
        raise ValueError('a Placeholder needs at least one byte of data')
    return raw


def struct_bytes(value: Any) -> bytes | None:
    """The bytes of a ctypes or cffi value; None for anything else."""
    if isinstance(value, (ctypes.Structure, ctypes.Union, ctypes.Array)):
        return bytes(value)
    if isinstance(value, ffi.CData) and ffi.typeof(value).kind in ('struct', 'union', 'array'):
        return bytes(ffi.buffer(value if ffi.typeof(value).kind == 'array' else ffi.addressof(value)))
    if isinstance(value, ffi.CData) and ffi.typeof(value).kind == 'pointer' and ffi.typeof(value).item.kind in ('struct', 'union'):
        return bytes(ffi.buffer(value))  # what ffi.new('T *') gives
    return None


def pointer(address: int) -> bytes:
    return struct.pack('<Q', address)


def _structured_bytes(value: np.void) -> bytes:
    names = value.dtype.names
    if names is None:
        return value.tobytes()
    aligned = np.dtype([(name, value.dtype.fields[name][0]) for name in names], align=True)  # type: ignore[index]
    fields = [value.dtype.fields[name][1] for name in names]  # type: ignore[index]
    if aligned.itemsize != value.dtype.itemsize or fields != [aligned.fields[name][1] for name in names]:  # type: ignore[index]
        raise TypeError(
            f'the structured dtype is packed ({value.dtype.itemsize} bytes, the C struct has {aligned.itemsize}); '
            'make it with align=True, or pass .tobytes() to mean the packed bytes'
        )
    return value.tobytes()


def _scalar_bytes(value: Any) -> bytes | None:
    if isinstance(value, (bool, np.bool_)):  # before int: a bool is one
        return b'\1' if value else b'\0'
    if isinstance(value, np.void):
        return _structured_bytes(value)
    if isinstance(value, np.generic):
        if value.dtype.hasobject or value.dtype.kind in 'USMm':
            raise TypeError(f'a numpy {value.dtype} is no kernel argument')
        return value.tobytes()
    if isinstance(value, ctypes._SimpleCData):
        return bytes(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    return struct_bytes(value)


def _refuse(value: Any) -> TypeError:
    if isinstance(value, int):
        return TypeError(f'a bare int has no width for a kernel; write np.int32({value}) or another numpy or ctypes type')
    if isinstance(value, float):
        return TypeError(f'a bare float has no width for a kernel; write np.float32({value}) or another numpy or ctypes type')
    if isinstance(value, np.ndarray):
        hint = 'copy it to the device (device.empty(...).copy_from), or pass Placeholder(array)'
        return TypeError(f'a host array cannot be read by a kernel; {hint}')
    return TypeError(f'{type(value).__name__} is no kernel argument; see the table in the documentation')


def convert(value: Any, position: int, name: str = '') -> Argument:
    """The argument for a value. Errors begin with its position (and name)."""
    try:
        if isinstance(value, DeviceBuffer):
            return Argument('pointer', pointer(value.handle), value)
        if value is None:
            return Argument('pointer', pointer(0))
        if isinstance(value, Ptr):
            return Argument('pointer', pointer(value.address))
        if isinstance(value, Placeholder):
            return Argument('placeholder', value.data)
        data = _scalar_bytes(value)
        if data is None:
            raise _refuse(value)
        if not data:
            raise ValueError('an argument needs at least one byte')
    except (TypeError, ValueError) as error:
        label = f'argument {position}' + (f' ({name})' if name else '')
        raise type(error)(f'{label}: {error}') from None
    return Argument('value', data, value)
