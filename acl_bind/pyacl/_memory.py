"""acl.util's memory helpers: addresses of bytes and arrays, and back."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from .._ffi import ffi
from . import _strict
from ._engine import ROWS, convert, special

_TYPE_LETTERS = '?bBhHiIlLqQfdgFDGSUVMme'  # numpy's types by number, without object
_OBJECT = 17


def _begin(name: str, replacement: str) -> Any:
    """The warning that comes first, at the caller's line, then numpy."""
    text = f'acl.util.{name} will be deprecated. Please use acl.util.{replacement} instead.'
    warnings.warn(text, Warning, stacklevel=6 + _strict.ENABLED)
    try:
        return importlib.import_module('numpy')
    except ImportError:
        raise ImportError('numpy.core.multiarray failed to import') from None


def _array(name: str, args: tuple[Any, ...]) -> Any:
    numpy = _begin(name, 'bytes_to_ptr')
    (array,) = convert(ROWS['acl.util'][name], args)
    if not isinstance(array, numpy.ndarray):
        raise ValueError('needs an ndarray as argument')
    return array


def _array_address(array: Any, name: str) -> int:
    address = int(array.__array_interface__['data'][0])
    _strict.watch(address, array, array.nbytes, f'acl.util.{name}')
    return address


@special('acl.util', raw=True)
def numpy_to_ptr(*args: Any) -> int:
    """The address of the first element. Nothing keeps the array alive."""
    array = _array('numpy_to_ptr', args)
    if not array.flags.c_contiguous:
        text = 'The input ndarray is discontiguous. Please use acl.util.bytes_to_ptr instead.'
        warnings.warn(text, Warning, stacklevel=4 + _strict.ENABLED)
    return _array_address(array, 'numpy_to_ptr')


@special('acl.util', raw=True)
def numpy_contiguous_to_ptr(*args: Any) -> tuple[int, Any]:
    """(address, array): the array itself where it is contiguous, else a copy that the caller must keep."""
    array = _array('numpy_contiguous_to_ptr', args)
    kept = array if array.flags.c_contiguous else array.copy(order='C')
    return _array_address(kept, 'numpy_contiguous_to_ptr'), kept


def _dimension(value: Any) -> int:
    if not isinstance(value, int):
        raise TypeError('the second argument is not list of int')
    if not -(1 << 63) <= value < 1 << 64:
        raise ValueError('PyLong_AsVoidPtr failed')
    if not 0 <= value < 1 << 63:
        raise ValueError('negative dimensions are not allowed')
    return value


def _dtype(numpy: Any, number: int) -> Any:
    """By numpy's type number, or by a type's letter, which numpy takes as well."""
    numbers = {numpy.dtype(letter).num: letter for letter in _TYPE_LETTERS}
    letter = numbers.get(number) or (chr(number) if 32 < number < 127 and chr(number) in _TYPE_LETTERS else None)
    if letter is None:
        why = 'object arrays hold pointers of this process' if number == _OBJECT else 'no type has this number'
        raise ValueError(f'Invalid data-type for array: {number} ({why})')
    return numpy.dtype(letter)


class _Memory:
    """What a view's base is: memory that nobody owns."""

    def __init__(self, address: int, shape: tuple[int, ...], dtype: Any) -> None:
        self.__array_interface__ = {'data': (address, False), 'shape': shape, 'typestr': dtype.str, 'version': 3}


@special('acl.util', raw=True)
def ptr_to_numpy(*args: Any) -> Any:
    """A writable view of memory. Nothing keeps the memory alive; address 0 gives an array of its own."""
    numpy = _begin_view()
    address, shape, number = convert(ROWS['acl.util']['ptr_to_numpy'], args)
    if not isinstance(shape, tuple):
        raise ValueError('shape is empty')
    dimensions = tuple(_dimension(value) for value in shape)
    dtype = _dtype(numpy, number)
    if address == 0:
        return numpy.empty(dimensions, dtype, order='F')
    return numpy.asarray(_Memory(address, dimensions, dtype))


def _begin_view() -> Any:
    return _begin('ptr_to_numpy', 'ptr_to_bytes')


@special('acl.util')
def bytes_to_ptr(data: Any) -> int:
    """The address of the bytes. Nothing keeps them alive."""
    if not isinstance(data, bytes):
        raise ValueError('needs an byte as argument')
    address = int(ffi.cast('uintptr_t', ffi.from_buffer(data)))
    _strict.watch(address, data, len(data), 'acl.util.bytes_to_ptr')
    return address


@special('acl.util')
def ptr_to_bytes(address: int, size: int) -> bytes:
    """A copy. Address 0 gives zeros, where the original gives what happens to be in the memory."""
    try:
        return bytes(ffi.buffer(ffi.cast('char *', address), size)) if address else bytes(size)
    except (OverflowError, MemoryError, ValueError):
        raise ValueError('convert c pointer to bytes failed') from None
