"""Streams: work queued in order, on the device, while Python goes on."""

from __future__ import annotations

import itertools
import linecache
from typing import TYPE_CHECKING, Any

from ._ffi import acl, error_for, ffi, lib
from ._handle import Handle, in_context
from .device import Device, Makers
from .errors import AclDeviceError

if TYPE_CHECKING:
    from types import CodeType

LAUNCHES_SHOWN = 16


class Stream(Handle):
    """A stream of a device, from ``device.create_stream()``, or a borrowed one from ``Stream.from_handle``.

    It keeps what its queued work uses alive until a ``sync()`` has passed it.
    """

    _order = 2

    def __init__(self, *_: object) -> None:
        raise TypeError('streams come from device.create_stream(); Stream.from_handle(h) borrows one that exists')

    def _init(self, handle: int, *, context: int, parent: object, owned: bool) -> Stream:
        Handle.__init__(self, handle, context=context, parent=parent, owned=owned)
        self._kept: list[object] = []  # what queued work uses
        self._launches: list[tuple[str, CodeType, int]] = []  # since the last good sync: kernel, where in the program
        return self

    @classmethod
    def _create(cls, device: Device) -> Stream:
        place = ffi.new('aclrtStream *')
        with in_context(device.handle):
            acl.aclrtCreateStream(place)
        return cls.__new__(cls)._init(int(ffi.cast('uintptr_t', place[0])), context=device.handle, parent=device, owned=True)

    @classmethod
    def from_handle(cls, handle: int, owner: object = None) -> Stream:
        """A stream that somebody else made and will destroy. ``owner`` is kept alive."""
        return cls.__new__(cls)._init(handle, context=0, parent=owner, owned=False)

    @property
    def device(self) -> Device | None:
        """The device it was made on; None for a borrowed one."""
        return self._parent if self._owned else None  # type: ignore[return-value]

    def sync(self, timeout: float | None = None) -> None:
        """Wait until all queued work is done (aclrtSynchronizeStream), or for ``timeout`` seconds.

        A failure on the device is raised here, as an AclDeviceError that names the launches since the last good sync;
        AclTimeoutError when the time is over, and the work goes on.
        """
        with in_context(self._context):
            if timeout is None:
                self._passed('aclrtSynchronizeStream', lib.aclrtSynchronizeStream(self._pointer))
            else:
                code = lib.aclrtSynchronizeStreamWithTimeout(self._pointer, max(1, round(timeout * 1000)))
                self._passed('aclrtSynchronizeStreamWithTimeout', code)

    @property
    def is_done(self) -> bool:
        """Whether all queued work is done (aclrtStreamQuery)."""
        status: Any = ffi.new('aclrtStreamStatus *')
        with in_context(self._context):
            acl.aclrtStreamQuery(self._pointer, status)
        return bool(status[0] == lib.ACL_STREAM_STATUS_COMPLETE)

    def _keep(self, *objects: object) -> None:
        self._kept.append(objects)

    def _passed(self, api: str, code: int) -> None:
        """After a wait: let go of what the work used, or raise."""
        if code:
            error = error_for(api, code)
            if isinstance(error, AclDeviceError):
                error = type(error)(error.api, error.code, error.name, error.detail, self._launch_list())
                self._kept.clear()
                self._launches.clear()
            raise error
        self._kept.clear()
        self._launches.clear()

    def _launch_list(self) -> str:
        lines = [f'Launches on this stream since the last sync, the newest last ({len(self._launches)}):']
        for kernel, code, line in itertools.islice(self._launches, max(0, len(self._launches) - LAUNCHES_SHOWN), None):
            text = linecache.getline(code.co_filename, line).strip()
            lines.append(f'  {kernel} at {code.co_filename}:{line}{": " + text if text else ""}')
        return '\n'.join(lines)

    def _destructor(self) -> tuple[Any, str]:
        return lib.aclrtDestroyStream, 'aclrtDestroyStream'

    def close(self) -> None:
        """Wait for queued work, then destroy the stream (aclrtDestroyStream)."""
        super().close()
        self._kept.clear()


Makers.stream = Stream._create
