"""Arrays in host memory, whoever made them: numpy, the buffer protocol, __array_interface__, DLPack on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _dlpack
from .scalars import big_endian

if TYPE_CHECKING:
    from numpy.typing import NDArray


def host_bytes(value: Any) -> bool:
    """Whether it is an array in host memory. Looks at types only."""
    if isinstance(value, (np.ndarray, memoryview, bytes, bytearray)) or hasattr(value, '__array_interface__'):
        return True
    if hasattr(value, '__dlpack_device__'):
        return bool(value.__dlpack_device__()[0] in _dlpack.HOST_TYPES)
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _as_numpy(value: Any, name: str) -> NDArray[Any]:
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, '__array_interface__') and not hasattr(value, '__dlpack__'):
        return np.asarray(value)
    if hasattr(value, '__dlpack_device__'):
        kind, _ = value.__dlpack_device__()
        if kind not in _dlpack.HOST_TYPES:
            raise TypeError(f'{name} is in the memory of a device (DLPack device type {kind}), expected a host array')
        return _dlpack.import_host(value)
    try:
        return np.asarray(memoryview(value))
    except TypeError:
        raise TypeError(
            f'{name} is {type(value).__name__}, expected a host array: numpy, an object with the buffer protocol, or DLPack on the CPU'
        ) from None


def host_array(value: Any, name: str) -> NDArray[Any]:
    """A numpy array on the same memory, never a copy. Raises TypeError for what a device cannot take as it is."""
    array = _as_numpy(value, name)
    if array.dtype.hasobject:
        raise TypeError(f'{name} holds Python objects (dtype {array.dtype}), which a device cannot have')
    if not array.flags.c_contiguous:
        raise TypeError(f'{name} is not C-contiguous; use np.ascontiguousarray, since a copy here would be silent')
    if big_endian(array.dtype):
        native = array.dtype.newbyteorder('<').str
        raise TypeError(f'{name} is big-endian (dtype {array.dtype.str}), a device is little-endian; use .astype({native!r})')
    return array


def writable(array: NDArray[Any], name: str) -> NDArray[Any]:
    if not array.flags.writeable:
        raise ValueError(f'{name} is read-only')
    return array
