"""Device memory with a shape and a dtype."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _dlpack
from ._checks import check_int
from ._ffi import acl, error_for, ffi, lib
from ._handle import Handle, in_context
from ._host import host_array, writable
from .device import Device, Makers, Scope
from .errors import AclMemoryError
from .scalars import big_endian
from .stream import Stream, park

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


class DeviceBuffer(Handle):
    """Device memory for an array: ``shape``, ``dtype``, ``nbytes``, and its address as ``.handle``.

    From ``device.empty(shape, dtype)`` or ``device.allocate(nbytes)``; freed by ``close()`` or when it is dropped, but
    not while work that was given the buffer is still queued (the stream keeps it until a sync). An empty buffer has no
    memory and address 0, a null pointer for kernels. Its content cannot be read by host code: use ``to_numpy()``.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    nbytes: int
    device_id: int | None

    _order = 3

    def __init__(self, *_: object) -> None:
        raise TypeError('buffers come from device.empty(shape, dtype) or device.allocate(nbytes)')

    @classmethod
    def _create(cls, scope: Scope, shape: tuple[int, ...], dtype: np.dtype[Any]) -> DeviceBuffer:
        nbytes = _check_array(shape, dtype)
        place = ffi.new('void **')
        if nbytes:
            with in_context(scope.handle):
                code = lib.aclrtMalloc(place, nbytes, lib.ACL_MEM_MALLOC_HUGE_FIRST)
                if code:
                    raise _allocation_error(scope, nbytes, code)
        self = cls.__new__(cls)
        Handle.__init__(self, int(ffi.cast('uintptr_t', place[0])), context=scope.handle, parent=scope)
        self.shape, self.dtype, self.nbytes, self.device_id = shape, dtype, nbytes, scope.device_id
        self._life = scope.memory_life
        return self

    @classmethod
    def from_handle(
        cls, handle: int, shape: int | tuple[int, ...], dtype: DTypeLike = np.uint8, *, owner: object = None, device_id: int | None = None
    ) -> DeviceBuffer:
        """Device memory that somebody else allocated and will free. ``owner`` is kept alive."""
        check_int('handle', handle, 0, (1 << 64) - 1)
        dimensions = (shape,) if isinstance(shape, int) else tuple(shape)
        self = cls.__new__(cls)
        Handle.__init__(self, handle, context=0, parent=owner, owned=False)
        self.shape, self.dtype, self.device_id = dimensions, np.dtype(dtype), device_id
        self.nbytes = _check_array(self.shape, self.dtype)
        return self

    @property
    def device(self) -> Device | None:
        """The device it was made on; None for borrowed memory."""
        scope = self._parent
        return scope if isinstance(scope, Device) else getattr(scope, 'device', None)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def copy_from(self, source: Any, *, stream: Stream | None = None) -> None:
        """Copy a host array, or another buffer, of the same number of bytes here.

        source: numpy, the buffer protocol, DLPack on the CPU, or a DeviceBuffer. With a stream, after what is queued
        there (aclrtMemcpyAsync; from ordinary host memory the call waits for the stream), else at once (aclrtMemcpy).
        Raises TypeError for an array that is not C-contiguous, is big-endian or holds objects, ValueError for a wrong
        size or dtype.
        """
        if isinstance(source, DeviceBuffer):
            self._check_same(source, 'source')
            self._copy(self._address, source._address, lib.ACL_MEMCPY_DEVICE_TO_DEVICE, stream, source)
            return
        array = host_array(source, 'source')
        self._check_same(array, 'source')
        self._copy(self._address, _address(array), lib.ACL_MEMCPY_HOST_TO_DEVICE, stream, (array, source))

    def copy_to(self, target: Any, *, stream: Stream | None = None) -> None:
        """Copy to a writable host array, or another buffer, of the same number of bytes; see ``copy_from``."""
        if isinstance(target, DeviceBuffer):
            target.copy_from(self, stream=stream)
            return
        array = writable(host_array(target, 'target'), 'target')
        self._check_same(array, 'target')
        self._copy(_address(array), self._address, lib.ACL_MEMCPY_DEVICE_TO_HOST, stream, (array, target))

    def to_numpy(self, *, stream: Stream | None = None) -> NDArray[Any]:
        """A new host array with the content. Without a stream nothing is waited for: sync first."""
        array: NDArray[Any] = np.empty(self.shape, self.dtype)
        self.copy_to(array, stream=stream)
        return array

    def fill(self, byte: int = 0, *, stream: Stream | None = None) -> None:
        """Set every byte (aclrtMemset, aclrtMemsetAsync)."""
        check_int('byte', byte, 0, 0xFF)
        target = self._address
        if not self.nbytes:
            return
        with self._here():
            if stream is None:
                acl.aclrtMemset(target, self.nbytes, byte, self.nbytes)
            else:
                acl.aclrtMemsetAsync(target, self.nbytes, byte, self.nbytes, stream._pointer)
                stream._keep(self)

    # ---- interop

    def __dlpack_device__(self) -> tuple[int, int]:
        """(12, device number): kDLExtDev, as torch_npu says for an NPU."""
        return _dlpack.EXT_DEV, self.device_id or 0

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule of this memory, or with ``dl_device=(1, 0)`` of a copy in host memory.

        ``copy=True`` copies on the device too, ``copy=False`` forbids it. A copy waits for ``stream``, else for all work
        of the context. Raises BufferError for what cannot be done.
        """
        versioned = max_version is not None and max_version[0] >= 1
        where = self.__dlpack_device__() if dl_device is None else (int(dl_device[0]), int(dl_device[1]))
        if where not in (self.__dlpack_device__(), (_dlpack.CPU, 0)):
            raise BufferError(f'dl_device is {where}, expected {self.__dlpack_device__()} or (1, 0), the host')
        on_host = where[0] == _dlpack.CPU
        if on_host and copy is False:
            raise BufferError('device memory cannot be used by the host without a copy, and copy=False forbids one')
        if not (on_host or copy):
            return _dlpack.export(_dlpack.Source(self.handle, self.shape, self.dtype, where, self), versioned=versioned)
        self._wait_for(stream)
        if on_host:
            array = self.to_numpy()
            return _dlpack.export(_dlpack.Source(array.ctypes.data, self.shape, self.dtype, where, array, True), versioned=versioned)
        twin = DeviceBuffer._create(self._scope(), self.shape, self.dtype)
        twin.copy_from(self)
        return _dlpack.export(_dlpack.Source(twin.handle, self.shape, self.dtype, where, twin, True), versioned=versioned)

    def _wait_for(self, stream: Any) -> None:
        if isinstance(stream, Stream):
            stream.sync()
        elif isinstance(self._parent, Scope):
            self._parent.sync()
        else:
            with self._here():
                acl.aclrtSynchronizeDevice()

    def _scope(self) -> Scope:
        if not isinstance(self._parent, Scope):
            raise BufferError('borrowed memory cannot be copied on the device: its device object is not known')
        return self._parent

    # ---- inside

    @property
    def _address(self) -> Any:
        return ffi.cast('void *', self.handle)

    def _check_same(self, other: NDArray[Any] | DeviceBuffer, name: str) -> None:
        if other.nbytes != self.nbytes:
            raise ValueError(
                f'{name} has {other.nbytes} bytes ({other.shape}, {other.dtype}), the buffer {self.nbytes} ({self.shape}, {self.dtype})'
            )
        if self.dtype not in (other.dtype, np.uint8):
            hint = f'use .view({self.dtype.name!r}) to mean the same bytes'
            raise ValueError(f'{name} has dtype {other.dtype}, the buffer {self.dtype}; {hint}')

    def _copy(self, target: Any, source: Any, kind: int, stream: Stream | None, keep: object) -> None:
        if not self.nbytes:
            return
        with self._here():
            if stream is None:
                acl.aclrtMemcpy(target, self.nbytes, source, self.nbytes, kind)
            else:
                acl.aclrtMemcpyAsync(target, self.nbytes, source, self.nbytes, kind, stream._pointer)
                stream._keep(self, keep)

    def _destructor(self) -> tuple[Any, str]:
        return lib.aclrtFree, 'aclrtFree'

    def _park(self) -> bool:
        return park(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError('a 0-dimensional buffer has no len()')
        return self.shape[0]

    def __repr__(self) -> str:
        return f'<DeviceBuffer {self.shape} {self.dtype}, {self.nbytes} bytes, {self._state()}>'


def _check_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """Bytes of such an array. Raises for what a device cannot hold."""
    for dimension in shape:
        if isinstance(dimension, bool) or not isinstance(dimension, (int, np.integer)):
            raise TypeError(f'shape {shape} has {dimension!r} for a dimension, expected ints')
        if dimension < 0:
            raise ValueError(f'shape {shape} has a negative dimension')
    if dtype.hasobject:
        raise TypeError(f'dtype {dtype} holds Python objects, which a device cannot have')
    if big_endian(dtype):
        raise TypeError(f'dtype {dtype.str} is big-endian, a device is little-endian')
    return math.prod(int(dimension) for dimension in shape) * dtype.itemsize


def _address(array: NDArray[Any]) -> Any:
    return ffi.cast('void *', array.__array_interface__['data'][0])


def _allocation_error(scope: Scope, nbytes: int, code: int) -> Exception:
    error = error_for('aclrtMalloc', code)
    if not isinstance(error, AclMemoryError):
        return error
    free, total = scope.memory_info
    extra = f'{nbytes} bytes were asked for; device {scope.device_id} has {free} of {total} left.'
    return type(error)(error.api, error.code, error.name, error.detail, extra)


Makers.buffer = DeviceBuffer._create
