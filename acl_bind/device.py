"""A device, and what is made on it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _handle, _lives
from ._checks import check_int, milliseconds
from ._ffi import acl, error_for, ffi, lib
from .errors import AclError
from .runtime import ensure_init

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from .context import Context
    from .event import Event
    from .memory import DeviceBuffer
    from .stream import Stream

VISIBLE = 'ASCEND_RT_VISIBLE_DEVICES'


class Makers:
    """What a device makes is defined in the modules above this one; each puts its maker here."""

    stream: Callable[[Scope, int, int], Stream]
    default_stream: Callable[[Scope], Stream]
    event: Callable[[Scope, bool], Event]
    buffer: Callable[[Scope, tuple[int, ...], np.dtype[Any]], DeviceBuffer]
    context: Callable[[Device], Context]
    streams: Callable[[Scope], list[Stream]]
    after_wait: Callable[[Scope, AclError | None], AclError | None]


class MemoryInfo(NamedTuple):
    """Bytes of device memory."""

    free: int
    total: int


class Scope(_handle.Handle):
    """What a device and an explicit context have in common: streams, events and memory are made in them."""

    device_id: int

    def __init__(self, handle: int, *, context: int, device_id: int, parent: object = None, owned: bool = True) -> None:
        super().__init__(handle, context=context, parent=parent, owned=owned)
        self.device_id = device_id
        self.context_life, self.memory_life = _lives.begin(device_id, handle)

    def set_current(self) -> None:
        """Make it the calling thread's context (aclrtSetCurrentContext). Objects made in it do not need that."""
        acl.aclrtSetCurrentContext(self._pointer)

    def create_stream(self, *, priority: int = 0, flags: int = 0) -> Stream:
        """A new stream (aclrtCreateStreamWithConfig; aclrtCreateStream without options).

        priority: 0 (highest) to 7, larger ones count as 7. flags: ``lib.ACL_STREAM_...``, or-ed.
        """
        check_int('priority', priority, 0, 0xFFFFFFFF)
        check_int('flags', flags, 0, 0xFFFFFFFF)
        return Makers.stream(self, priority, flags)

    @property
    def default_stream(self) -> Stream:
        """The stream that is used where none is given. It is nobody's to close."""
        return Makers.default_stream(self)

    def create_event(self, *, timing: bool = True) -> Event:
        """A new event (aclrtCreateEventExWithFlag). ``timing=False`` is cheaper, and cannot be subtracted."""
        return Makers.event(self, timing)

    def allocate(self, nbytes: int) -> DeviceBuffer:
        """``nbytes`` bytes of device memory, uninitialised, as a buffer of uint8 (aclrtMalloc). 0 bytes are legal."""
        return Makers.buffer(self, (nbytes,), np.dtype(np.uint8))

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike = np.float32) -> DeviceBuffer:
        """Uninitialised device memory for an array of that shape and dtype (aclrtMalloc). Empty shapes are legal.

        Raises AclMemoryError (a MemoryError), which says how much was asked for and how much is left.
        """
        dimensions = (shape,) if isinstance(shape, int) else tuple(shape)
        return Makers.buffer(self, dimensions, np.dtype(dtype))

    def sync(self, timeout: float | None = None) -> None:
        """Wait for all streams of this context, or for ``timeout`` seconds. Raises what failed on them.

        C functions: aclrtSynchronizeDevice, aclrtSynchronizeDeviceWithTimeout.
        """
        with _handle.in_context(self.handle):
            if timeout is None:
                api, code = 'aclrtSynchronizeDevice', lib.aclrtSynchronizeDevice()
            else:
                api = 'aclrtSynchronizeDeviceWithTimeout'
                code = lib.aclrtSynchronizeDeviceWithTimeout(milliseconds(timeout))
        error = Makers.after_wait(self, error_for(api, code) if code else None)
        if error is not None:
            raise error

    @property
    def memory_info(self) -> MemoryInfo:
        """(free, total) bytes of device memory (aclrtGetMemInfo)."""
        numbers = ffi.new('size_t[2]')
        with _handle.in_context(self.handle):
            acl.aclrtGetMemInfo(lib.ACL_HBM_MEM, numbers, numbers + 1)
        return MemoryInfo(numbers[0], numbers[1])


class Device(Scope):
    """Device ``device_id`` (0 by default), set as the calling thread's device.

    Each object counts once (aclrtSetDevice) until ``close()`` (aclrtResetDevice); with the last one the device's streams
    and memory go. As ``with Device(0) as dev:`` it is closed at the end of the block. What it makes works in every thread.
    Raises AclInvalidArgumentError for an id that does not exist, AclDeviceError when the device does not open.
    """

    _order = 9

    def __init__(self, device_id: int = 0) -> None:
        check_int('device_id', device_id, 0, 0x7FFFFFFF)
        ensure_init()
        _watch_visible_devices()
        _lives.look(device_id)
        code = lib.aclrtSetDevice(device_id)
        if code:
            raise _no_such_device(error_for('aclrtSetDevice', code))
        super().__init__(_handle.current_context(), context=0, device_id=device_id)

    @property
    def context(self) -> int:
        """The handle of the device's primary context."""
        return self.handle

    def create_context(self) -> Context:
        """A context of its own on this device (aclrtCreateContext). The calling thread's context stays what it was."""
        return Makers.context(self)

    def warmup(self) -> None:
        """Pay now what the first use of a device costs: makes a stream and waits for it."""
        with self.create_stream() as stream:
            stream.sync()

    def _end(self, handle: int) -> None:
        acl.aclrtResetDevice(self.device_id)
        _lives.look(self.device_id)

    def __int__(self) -> int:
        return self.device_id

    def __repr__(self) -> str:
        return f'<Device {self.device_id}{", closed" if self.is_closed else ""}>'

    def _repr_html_(self) -> str:
        if self.is_closed:
            return f'<b>Device {self.device_id}</b>, closed'
        free, total = self.memory_info
        name = lib.aclrtGetSocName() if lib.has('aclrtGetSocName') else ffi.NULL
        soc = 'unknown' if name == ffi.NULL else ffi.string(name).decode()
        memory = f'{free / 2**20:.0f} of {total / 2**20:.0f} MiB free'
        rows = (('SoC', soc), ('memory', memory), ('streams', str(len(Makers.streams(self)))))
        body = ''.join(f'<tr><th>{title}</th><td>{text}</td></tr>' for title, text in rows)
        return f'<b>Device {self.device_id}</b><table>{body}</table>'


def device_count() -> int:
    """How many devices this process may use (aclrtGetDeviceCount)."""
    ensure_init()
    count: Any = ffi.new('uint32_t *')
    acl.aclrtGetDeviceCount(count)
    return int(count[0])


# ---- ASCEND_RT_VISIBLE_DEVICES ----------------------------------------------------------------------------------------

_seen_visible: list[str | None] = []  # its value when the first device was opened: the library reads it once


def _watch_visible_devices() -> None:
    value = os.environ.get(VISIBLE)
    if not _seen_visible:
        _seen_visible.append(value)
    elif _seen_visible[0] != value:
        change = f'{VISIBLE} was {_seen_visible[0]!r} when the first device was opened'
        warnings.warn(f'{change}; that it is {value!r} now has no effect', stacklevel=3)
        _seen_visible[0] = value  # said once


def _no_such_device(error: AclError) -> AclError:
    """With what there is, when the id was wrong."""
    if error.code != lib.ACL_ERROR_RT_INVALID_DEVICEID:
        return error
    count: Any = ffi.new('uint32_t *')
    there = count[0] if lib.aclrtGetDeviceCount(count) == 0 else 0
    valid = f'0 to {there - 1}' if there > 1 else '0' if there == 1 else 'none'
    value = os.environ.get(VISIBLE)
    extra = f'Valid ids: {valid}. {VISIBLE} is {"not set" if value is None else repr(value)}.'
    return type(error)(error.api, error.code, error.name, error.detail, extra)
