"""What a Python value becomes as a kernel argument: bytes by value, an address, or data that travels along.

| value                                                       | becomes                                              |
|-------------------------------------------------------------|------------------------------------------------------|
| DeviceBuffer, torch_npu tensor, DLPack (type 12), Ptr(int)  | an 8-byte pointer; null for an empty buffer          |
| None                                                        | a null pointer                                       |
| numpy fixed-width scalar, ctypes or cffi scalar             | its bytes, bit for bit                               |
| bool, np.bool_                                              | 1 byte                                               |
| ctypes or cffi struct, aligned np.void, bytes               | its bytes                                            |
| Placeholder(any of the last row, or a host array)           | a pointer to a copy on the device                    |
| int, float where the binary tells the parameter's size      | that many bytes, range-checked                       |
| int or float elsewhere, host array, packed np.void          | TypeError, which says what to write instead          |
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._checks import counted
from ._host import host_array, host_bytes
from .errors import AclHandleError
from .memory import DeviceBuffer
from .scalars import Plain, plain_bytes

POINTER_SIZE = 8
SHOWN = 40  # characters of a value in a layout


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

    ``data``: bytes, a host array (numpy, buffer protocol, CPU DLPack), a numpy scalar, a ctypes or cffi struct. Copied now.
    """

    __slots__ = ('align', 'data')

    def __init__(self, data: Any) -> None:
        found = plain_bytes(data)
        if found is not None:
            self.data = found.data
        elif host_bytes(data):
            self.data = host_array(data, 'the data of a Placeholder').tobytes()
        else:
            raise TypeError(
                f'a Placeholder takes bytes, a host array, a numpy scalar, or a ctypes or cffi struct, not {type(data).__name__}'
            )
        if not self.data:
            raise ValueError('a Placeholder needs at least one byte of data')

    def __repr__(self) -> str:
        return f'Placeholder({len(self.data)} bytes)'


def is_unchanging(value: Any) -> bool:
    """Whether an argument says tomorrow what it says today, as a number or an address does and an array does not."""
    return (
        value is None
        or type(value) in (DeviceBuffer, Placeholder, int, float)
        or (isinstance(value, np.generic) and not isinstance(value, np.void))
    )


@dataclasses.dataclass(frozen=True)
class Argument:
    """One argument, converted. ``keep`` is what must live until the launch is over."""

    kind: str  # 'pointer', 'value' or 'placeholder'
    data: bytes  # a placeholder's: what it points to
    keep: object = None
    align: int = POINTER_SIZE  # of its C type, bytes
    shown: str = ''  # for people
    device_id: int | None = None  # where a pointer points to, if known
    checked: bool = True  # a pointer whose memory is known; False: an address that came as a number

    @property
    def slot_size(self) -> int:
        """Bytes in the argument list itself."""
        return POINTER_SIZE if self.kind == 'placeholder' else len(self.data)


# Makers of arguments for values of other libraries; interop.py puts its own here.
adapters: list[Callable[[Any], Argument | None]] = []


def pointer(address: int) -> bytes:
    return struct.pack('<Q', address)


def label(index: int, names: Sequence[str] = ()) -> str:
    """How messages and layouts call an argument."""
    return f'argument {index}' + (f' ({names[index]})' if index < len(names) and names[index] else '')


def _sized_int(value: int, size: int) -> bytes:
    if size not in (1, 2, 4, 8):
        raise TypeError(f'the parameter has {counted(size, "byte")}, which an int does not fit; pass a struct or bytes of that size')
    low, high = -(1 << (8 * size - 1)), (1 << (8 * size)) - 1
    if not low <= value <= high:
        raise ValueError(f'{value} does not fit the {counted(size, "byte")} of the parameter, expected {low} to {high}')
    return value.to_bytes(size, 'little', signed=value < 0)


def _sized_float(value: float, size: int) -> bytes:
    if size not in (4, 8):
        wanted = 'np.float16 or a bfloat16' if size == 2 else 'a value of that size'
        raise TypeError(f'the parameter has {size} bytes, which a float does not tell the type of; pass {wanted}')
    try:
        return struct.pack('<f' if size == 4 else '<d', value)
    except OverflowError:
        raise ValueError(f'{value} does not fit the {size} bytes of the parameter, a float32') from None


def _bare(value: Any, size: int | None) -> Plain | None:
    """A Python int or float, by the size that the binary tells."""
    if isinstance(value, (bool, np.generic)) or not isinstance(value, (int, float)):  # np.float64 is a float
        return None
    if size is None:
        kind, example = ('int', 'int32') if isinstance(value, int) else ('float', 'float32')
        raise TypeError(f'a bare {kind} has no width for a kernel; write np.{example}({value}) or another numpy or ctypes type')
    data = _sized_int(value, size) if isinstance(value, int) else _sized_float(value, size)
    return Plain(data, size)


def _refuse(value: Any) -> TypeError:
    if isinstance(value, np.ndarray) and value.size == 1:
        hint = f'write np.{value.dtype}(array.item()), or Placeholder(array) for a pointer to it'
        return TypeError(f'a host array of one element is no scalar; {hint}')
    if host_bytes(value):
        hint = 'copy it to the device (device.empty(...).copy_from), or pass Placeholder(array)'
        return TypeError(f'a host array cannot be read by a kernel; {hint}')
    return TypeError(f'{type(value).__name__} is no kernel argument; see the table in docs/arguments.md')


def _pointer_argument(value: Any) -> Argument | None:
    if isinstance(value, DeviceBuffer):
        return Argument('pointer', pointer(value.handle), value, shown=repr(value), device_id=value.device_id)
    if value is None:
        return Argument('pointer', pointer(0), shown='None')
    if isinstance(value, Ptr):
        return Argument('pointer', pointer(value.address), shown=repr(value), checked=value.address == 0)
    if isinstance(value, Placeholder):
        return Argument('placeholder', value.data, shown=repr(value))
    return next((found for adapter in adapters if (found := adapter(value)) is not None), None)


def _convert(value: Any, size: int | None) -> Argument:
    found = _pointer_argument(value)
    if found is None:
        plain = _bare(value, size) or plain_bytes(value)
        if plain is None:
            raise _refuse(value)
        if not plain.data:
            raise ValueError('an argument needs at least one byte')
        text = repr(value)
        shown = text if len(text) <= SHOWN else f'{text[:SHOWN]}...'
        found = Argument('value', plain.data, value, plain.align, shown)
    if size is not None and found.slot_size != size:
        raise TypeError(f'{type(value).__name__} has {counted(found.slot_size, "byte")}, the parameter in the binary has {size}')
    return found


def convert(value: Any, position: int, name: str = '', size: int | None = None) -> Argument:
    """The argument for a value; ``size``: the parameter's bytes if the binary tells. Errors begin with its position (and name)."""
    try:
        return _convert(value, size)
    except (TypeError, ValueError, AclHandleError) as error:
        text = f'argument {position}' + (f' ({name})' if name else '')
        if isinstance(error, AclHandleError):  # of a closed buffer
            raise AclHandleError(error.api, error.code, error.name, f'{text}: {error.detail}') from None
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f'{text}: {error}') from None
