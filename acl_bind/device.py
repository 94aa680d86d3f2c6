"""A device, and what is made on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _handle
from ._ffi import acl, ffi, lib
from .runtime import ensure_init

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from .memory import DeviceBuffer
    from .stream import Stream


class Makers:
    """What a device makes is defined in the modules above this one; each puts its maker here."""

    stream: Callable[[Device], Stream]
    buffer: Callable[[Device, tuple[int, ...], np.dtype[Any]], DeviceBuffer]


class Device(_handle.Handle):
    """Device ``device_id`` (0 by default), set as the calling thread's device.

    Each object counts once (aclrtSetDevice) until ``close()`` (aclrtResetDevice); with the last one the device's streams
    and memory go. As ``with Device(0) as dev:`` it is closed at the end of the block. What it makes works in every thread.
    Raises AclInvalidArgumentError for an id that does not exist, AclDeviceError when the device does not open.
    """

    _order = 9

    def __init__(self, device_id: int = 0) -> None:
        ensure_init()
        acl.aclrtSetDevice(device_id)
        self.device_id = device_id
        super().__init__(_handle.current_context(), context=0)

    @property
    def context(self) -> int:
        """The handle of the device's primary context."""
        return self.handle

    def set_current(self) -> None:
        """Make it the calling thread's device (aclrtSetCurrentContext), uncounted."""
        acl.aclrtSetCurrentContext(self._pointer)

    def create_stream(self) -> Stream:
        """A new stream (aclrtCreateStream)."""
        return Makers.stream(self)

    def allocate(self, nbytes: int) -> DeviceBuffer:
        """``nbytes`` bytes of device memory, uninitialised, as a buffer of uint8 (aclrtMalloc). 0 bytes are legal."""
        return Makers.buffer(self, (nbytes,), np.dtype(np.uint8))

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike = np.float32) -> DeviceBuffer:
        """Uninitialised device memory for an array of that shape and dtype (aclrtMalloc). Empty shapes are legal."""
        dimensions = (shape,) if isinstance(shape, int) else tuple(shape)
        return Makers.buffer(self, dimensions, np.dtype(dtype))

    def sync(self) -> None:
        """Wait for all streams of the device's primary context (aclrtSynchronizeDevice). Raises what failed on them."""
        with _handle.in_context(self.handle):
            acl.aclrtSynchronizeDevice()

    @property
    def memory_info(self) -> tuple[int, int]:
        """(free, total) bytes of device memory (aclrtGetMemInfo)."""
        numbers = ffi.new('size_t[2]')
        with _handle.in_context(self.handle):
            acl.aclrtGetMemInfo(lib.ACL_HBM_MEM, numbers, numbers + 1)
        return numbers[0], numbers[1]

    def _end(self, handle: int) -> None:
        acl.aclrtResetDevice(self.device_id)

    def __int__(self) -> int:
        return self.device_id

    def __repr__(self) -> str:
        return f'<Device {self.device_id}{", closed" if self.is_closed else ""}>'


def device_count() -> int:
    """How many devices this process may use (aclrtGetDeviceCount)."""
    ensure_init()
    count: Any = ffi.new('uint32_t *')
    acl.aclrtGetDeviceCount(count)
    return int(count[0])

