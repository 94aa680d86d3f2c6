"""The types of a kernel's arguments: what ``kernel.bind(*types)`` takes, and what a plain launch finds out by itself.

| type                                              | values it takes                                              |
|---------------------------------------------------|--------------------------------------------------------------|
| DeviceBuffer, Ptr, ctypes.c_void_p                | DeviceBuffer, Ptr, None and all else that is a device pointer |
| np.int32, 'int32', np.dtype(...), ctypes.c_int32  | int (range-checked, never truncated), numpy integers in range |
| np.float32, 'float16', ctypes.c_float, ...        | float, int, numpy scalars                                     |
| bool, np.bool_                                    | bool, np.bool_                                                |
| a structured dtype, a ctypes struct               | values of exactly that type                                   |
| Placeholder                                       | Placeholder, or what one is made of                           |
"""

from __future__ import annotations

import ctypes
import dataclasses
import inspect
from typing import Any

import numpy as np

from .memory import DeviceBuffer
from .values import POINTER_SIZE, Argument, Placeholder, Ptr

POINTER_TYPES = (DeviceBuffer, Ptr, type(None))


@dataclasses.dataclass(frozen=True)
class Slot:
    """One argument of a signature."""

    kind: str  # 'p' pointer, 'i' int, 'f' float, 'v' another value, 'd' placeholder
    size: int = POINTER_SIZE  # bytes in the argument list; 0: each value tells
    align: int = POINTER_SIZE  # of its C type
    low: int = 0  # range of an int
    high: int = 0
    type: Any = None  # the class whose values are taken bit by bit
    dtype: np.dtype[Any] | None = None
    name: str = 'pointer'


def _dtype_slot(dtype: np.dtype[Any]) -> Slot:
    if dtype.hasobject or dtype.kind in 'USMm' or dtype.char in 'gG' or not dtype.itemsize:
        raise TypeError(f'a numpy {dtype} is no kernel argument')
    if dtype.byteorder == '>':
        raise TypeError(f'{dtype} is big-endian; a device is little-endian')
    if dtype.kind in 'iu':
        limits = np.iinfo(dtype)
        return Slot('i', dtype.itemsize, dtype.alignment, int(limits.min), int(limits.max), dtype.type, dtype, dtype.name)
    kind = 'f' if dtype.char in 'fd' else 'v'
    # Scalars of one class may be of many structured dtypes: those are looked at one by one.
    of = None if dtype.kind == 'V' and dtype.names is not None else dtype.type
    return Slot(kind, dtype.itemsize, dtype.alignment, type=of, dtype=dtype, name=dtype.name)


def _ctypes_slot(spec: Any) -> Slot:
    if spec is ctypes.c_void_p:
        return Slot('p')
    if issubclass(spec, ctypes._SimpleCData):
        code = spec._type_
        if code in 'zZOuXgP':
            raise TypeError(f'a ctypes {spec.__name__} is no kernel argument: it has no width, or points to host memory')
        return dataclasses.replace(_dtype_slot(np.dtype(spec)), type=None, name=spec.__name__)
    return Slot('v', ctypes.sizeof(spec), ctypes.alignment(spec), type=None, name=spec.__name__)


def slot_of_type(spec: Any, position: int) -> Slot:
    """The slot for a type given to bind(). Raises TypeError, which begins with the position."""
    try:
        return _slot_of_type(spec)
    except TypeError as error:
        raise TypeError(f'type {position}: {error}') from None


def _slot_of_type(spec: Any) -> Slot:
    if spec is None or any(spec is each for each in POINTER_TYPES):  # a dtype is equal to more than itself
        return Slot('p')
    if spec is Placeholder:
        return Slot('d', name='placeholder')
    if spec is bool:
        return _dtype_slot(np.dtype(np.bool_))
    if spec is int or spec is float:
        raise TypeError(f'{spec.__name__} has no width for a kernel; write np.{spec.__name__}32 or another numpy or ctypes type')
    if isinstance(spec, (str, np.dtype)):
        return _dtype_slot(np.dtype(spec))
    if inspect.isclass(spec) and issubclass(spec, np.generic):
        return _dtype_slot(np.dtype(spec))
    if inspect.isclass(spec) and issubclass(spec, (ctypes._SimpleCData, ctypes.Structure, ctypes.Union, ctypes.Array)):
        return _ctypes_slot(spec)
    if not inspect.isclass(spec):
        raise TypeError(f'{spec!r} is a {type(spec).__name__}, expected a type such as DeviceBuffer, np.int32 or Placeholder')
    raise TypeError(f'{spec.__name__} is no type of a kernel argument; see the table in acl_bind.signature')


def slot_of_value(value: Any, argument: Argument) -> Slot:
    """The slot for all values of this one's class, as a plain launch needs it. ``argument``: what became of the value."""
    of = type(value)
    if argument.kind == 'pointer':
        return Slot('p')
    if argument.kind == 'placeholder':
        return Slot('d', name='placeholder')
    size = len(argument.data)
    if of is int:  # only where the binary tells the size, and not the sign
        return Slot('i', size, size, -(1 << (8 * size - 1)), (1 << (8 * size)) - 1, name='int')
    if of is float:
        return Slot('f', size, size, name='float')
    if issubclass(of, np.generic) and not issubclass(of, np.void):
        return _dtype_slot(value.dtype)
    return Slot('v', 0)


def cast(slot: Slot, value: Any) -> Any:
    """A value for a slot of bind(), with a width of its own. Raises TypeError, ValueError."""
    if slot.kind == 'd':
        return value if isinstance(value, Placeholder) else Placeholder(value)
    if slot.kind == 'i':
        return _cast_int(slot, value)
    if slot.dtype is not None and slot.dtype.names is None:
        return _cast_number(slot, slot.dtype, value)
    if slot.kind == 'v' and slot.dtype is not None and getattr(value, 'dtype', None) != slot.dtype:
        raise TypeError(f'{type(value).__name__}, expected a scalar of dtype {slot.dtype}')
    return value


def _cast_int(slot: Slot, value: Any) -> Any:
    value = getattr(value, 'value', value) if isinstance(value, ctypes._SimpleCData) else value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f'{value!r} is a {type(value).__name__}, expected an int')
    if not slot.low <= value <= slot.high:
        raise ValueError(f'{value} is out of range, expected {slot.low} to {slot.high}')
    return slot.dtype.type(value) if slot.dtype is not None else value


def _cast_number(slot: Slot, dtype: np.dtype[Any], value: Any) -> Any:
    value = getattr(value, 'value', value) if isinstance(value, ctypes._SimpleCData) else value
    if type(value) is slot.type:
        return value  # bit by bit
    is_bool = isinstance(value, (bool, np.bool_))
    if is_bool != (dtype.kind == 'b') or not isinstance(value, (bool, int, float, complex, np.generic)):
        raise TypeError(f'{value!r} is a {type(value).__name__}, expected a {slot.name}')
    if isinstance(value, (complex, np.complexfloating)) and dtype.kind != 'c':
        raise TypeError(f'{value!r} is complex, expected a {slot.name}')
    with np.errstate(over='ignore'):
        number = dtype.type(value)
    if np.isinf(number) and not np.isinf(value):
        raise ValueError(f'{value} is out of range for a {slot.name}')
    return number
