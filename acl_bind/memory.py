"""Device memory with a shape and a dtype."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ._ffi import acl, error_for, ffi, lib
from ._handle import Handle, in_context
from .device import Device, Makers
from .errors import AclMemoryError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .stream import Stream


class DeviceBuffer(Handle):
    """Device memory for an array: ``shape``, ``dtype``, ``nbytes``, and its address as ``.handle``.

    From ``device.empty(shape, dtype)`` or ``device.allocate(nbytes)``; freed by ``close()`` or when it is dropped, but
    not while work that was given the buffer is still queued (the stream keeps it until a sync). An empty buffer has no
    memory and address 0, a null pointer for kernels. Its content cannot be read by host code: use ``to_numpy()``.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    nbytes: int

    _order = 3

    def __init__(self, *_: object) -> None:
        raise TypeError('buffers come from device.empty(shape, dtype) or device.allocate(nbytes)')

    @classmethod
    def _create(cls, device: Device, shape: tuple[int, ...], dtype: np.dtype[Any]) -> DeviceBuffer:
        if any(dimension < 0 for dimension in shape):
            raise ValueError(f'shape {shape} has a negative dimension')
        if dtype.hasobject:
            raise TypeError(f'dtype {dtype} holds Python objects, which a device cannot have')
        nbytes = math.prod(shape) * dtype.itemsize
        place = ffi.new('void **')
        if nbytes:
            with in_context(device.handle):
                code = lib.aclrtMalloc(place, nbytes, lib.ACL_MEM_MALLOC_HUGE_FIRST)
                if code:
                    raise _allocation_error(device, nbytes, code)
        self = cls.__new__(cls)
        Handle.__init__(self, int(ffi.cast('uintptr_t', place[0])), context=device.handle, parent=device)
        self.shape, self.dtype, self.nbytes = shape, dtype, nbytes
        return self

    @property
    def device(self) -> Device:
        return self._parent  # type: ignore[return-value]

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def copy_from(self, source: NDArray[Any], *, stream: Stream | None = None) -> None:
        """Copy a host array of the same number of bytes here.

        With a stream, after what is queued there (aclrtMemcpyAsync; from ordinary host memory the call waits for the
        stream), else at once (aclrtMemcpy). Raises TypeError for an array that is not C-contiguous, ValueError for a
        wrong size or dtype.
        """
        array = self._host_array(source, 'source')
        self._copy(self._pointer_or_null(), _address(array), lib.ACL_MEMCPY_HOST_TO_DEVICE, stream, array)

    def copy_to(self, target: NDArray[Any], *, stream: Stream | None = None) -> None:
        """Copy to a host array of the same number of bytes; see ``copy_from``."""
        array = self._host_array(target, 'target')
        if not array.flags.writeable:
            raise ValueError('target is read-only')
        self._copy(_address(array), self._pointer_or_null(), lib.ACL_MEMCPY_DEVICE_TO_HOST, stream, array)

    def to_numpy(self, *, stream: Stream | None = None) -> NDArray[Any]:
        """A new host array with the content. Without a stream nothing is waited for: sync first."""
        array: NDArray[Any] = np.empty(self.shape, self.dtype)
        self.copy_to(array, stream=stream)
        return array

    def fill(self, byte: int = 0, *, stream: Stream | None = None) -> None:
        """Set every byte (aclrtMemset, aclrtMemsetAsync)."""
        if not 0 <= byte <= 0xFF:
            raise ValueError(f'byte is {byte}, expected 0 to 255')
        if not self.nbytes:
            return
        with in_context(self._context):
            if stream is None:
                acl.aclrtMemset(self._pointer, self.nbytes, byte, self.nbytes)
            else:
                acl.aclrtMemsetAsync(self._pointer, self.nbytes, byte, self.nbytes, stream._pointer)
                stream._keep(self)

    def _pointer_or_null(self) -> Any:
        return ffi.cast('void *', self.handle)

    def _host_array(self, array: NDArray[Any], name: str) -> NDArray[Any]:
        if not isinstance(array, np.ndarray):
            raise TypeError(f'{name} is {type(array).__name__}, expected a numpy array')
        if not array.flags.c_contiguous:
            raise TypeError(f'{name} is not C-contiguous; use np.ascontiguousarray, since a copy here would be silent')
        if array.nbytes != self.nbytes:
            raise ValueError(
                f'{name} has {array.nbytes} bytes ({array.shape}, {array.dtype}), the buffer {self.nbytes} ({self.shape}, {self.dtype})'
            )
        if self.dtype not in (array.dtype, np.uint8):
            hint = f'use .view({self.dtype.name!r}) to mean the same bytes'
            raise ValueError(f'{name} has dtype {array.dtype}, the buffer {self.dtype}; {hint}')
        return array

    def _copy(self, target: Any, source: Any, kind: int, stream: Stream | None, array: NDArray[Any]) -> None:
        if not self.nbytes:
            return
        with in_context(self._context):
            if stream is None:
                acl.aclrtMemcpy(target, self.nbytes, source, self.nbytes, kind)
            else:
                acl.aclrtMemcpyAsync(target, self.nbytes, source, self.nbytes, kind, stream._pointer)
                stream._keep(self, array)

    def _destructor(self) -> tuple[Any, str]:
        return lib.aclrtFree, 'aclrtFree'

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError('a 0-dimensional buffer has no len()')
        return self.shape[0]

    def __repr__(self) -> str:
        return f'<DeviceBuffer {self.shape} {self.dtype}, {self.nbytes} bytes, {self._state()}>'


def _address(array: NDArray[Any]) -> Any:
    return ffi.cast('void *', array.__array_interface__['data'][0])


def _allocation_error(device: Device, nbytes: int, code: int) -> Exception:
    error = error_for('aclrtMalloc', code)
    if not isinstance(error, AclMemoryError):
        return error
    free, total = device.memory_info
    extra = f'{nbytes} bytes were asked for; device {device.device_id} has {free} of {total} left.'
    return type(error)(error.api, error.code, error.name, error.detail, extra)


Makers.buffer = DeviceBuffer._create
