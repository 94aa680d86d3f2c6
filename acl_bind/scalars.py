"""The bytes of host values that a kernel takes by value: numpy, ctypes and cffi scalars and structs, bytes."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from ._ffi import ffi

_NO_VALUES = 'USMmO'  # numpy kinds that a C parameter cannot have: strings, times, objects
_CTYPES_HOST = 'zZOuXg'  # ctypes codes that are no fixed-width values: char *, wchar_t *, PyObject *, long double ...


class Plain(NamedTuple):
    """A value's bytes and the alignment of its C type."""

    data: bytes
    align: int


def plain_bytes(value: Any) -> Plain | None:
    """The bytes of a value; None for what is none. Raises TypeError for one that has no C counterpart."""
    if isinstance(value, (bool, np.bool_)):  # before int: a bool is one
        return Plain(b'\1' if value else b'\0', 1)
    if isinstance(value, np.void):
        return _structured(value)
    if isinstance(value, np.generic):
        return _numpy_scalar(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return Plain(bytes(value), 1)
    if isinstance(value, (ctypes._SimpleCData, ctypes.Structure, ctypes.Union, ctypes.Array)):
        return _ctypes_value(value)
    return _cffi_value(value) if isinstance(value, ffi.CData) else None


def _numpy_scalar(value: np.generic) -> Plain:
    # np.longdouble is what the host's compiler makes of it: no width that a device knows.
    if value.dtype.kind in _NO_VALUES or value.dtype.char in 'gG':
        raise TypeError(f'a numpy {value.dtype} is no kernel argument')
    return Plain(value.tobytes(), value.dtype.alignment)


def big_endian(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype, or a field of it, has the byte order that a device has not."""
    if dtype.subdtype is not None:
        return big_endian(dtype.subdtype[0])
    if dtype.fields is not None:
        return any(big_endian(field[0]) for field in dtype.fields.values())
    return dtype.byteorder == '>'


def _structured(value: np.void) -> Plain:
    dtype = value.dtype
    if dtype.names is None or dtype.fields is None:
        return Plain(value.tobytes(), 1)
    if dtype.hasobject:
        raise TypeError('the structured dtype holds Python objects')
    if big_endian(dtype):
        raise TypeError('the structured dtype has big-endian fields, a device is little-endian; use .astype(dtype.newbyteorder("<"))')
    aligned = np.dtype([(name, dtype.fields[name][0]) for name in dtype.names], align=True)
    assert aligned.fields is not None
    same = all(dtype.fields[name][1] == aligned.fields[name][1] for name in dtype.names)
    if not same or aligned.itemsize != dtype.itemsize:
        raise TypeError(
            f'the structured dtype is packed ({dtype.itemsize} bytes, the C struct has {aligned.itemsize}); '
            'make it with align=True, or pass .tobytes() to mean the packed bytes'
        )
    return Plain(value.tobytes(), aligned.alignment)


def _ctypes_value(value: Any) -> Plain:
    code = getattr(value, '_type_', '')
    if isinstance(value, ctypes._SimpleCData) and code in _CTYPES_HOST:
        raise TypeError(f'a ctypes {type(value).__name__} is no kernel argument: it has no width, or points to host memory')
    if isinstance(value, (ctypes.BigEndianStructure, getattr(ctypes, 'BigEndianUnion', ctypes.BigEndianStructure))):
        raise TypeError(f'{type(value).__name__} is big-endian; a device is little-endian')
    return Plain(bytes(value), ctypes.alignment(type(value)))


def _cffi_value(value: Any) -> Plain:
    ctype = ffi.typeof(value)
    if ctype.kind in ('struct', 'union'):
        return Plain(bytes(ffi.buffer(ffi.addressof(value))), ffi.alignof(ctype))
    if ctype.kind == 'array':
        return Plain(bytes(ffi.buffer(value)), ffi.alignof(ctype.item))
    if ctype.kind in ('primitive', 'enum') and ctype.cname != 'long double':
        return Plain(bytes(ffi.buffer(ffi.new(f'{ctype.cname}[1]', [value]))), ffi.alignof(ctype))
    owning = 'Own' in type(value).__name__
    if ctype.kind == 'pointer' and owning and ctype.item.kind in ('struct', 'union'):
        return Plain(bytes(ffi.buffer(value)), ffi.alignof(ctype.item))  # what ffi.new('T *') gives
    raise TypeError(f'a cffi {ctype.cname} may point to host or device memory; write Ptr(int(ffi.cast("uintptr_t", p))) to mean an address')
