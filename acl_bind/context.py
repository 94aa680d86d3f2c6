"""Explicit contexts: streams and memory of their own on a device that others use too."""

from __future__ import annotations

from typing import Any

from . import _lives
from ._ffi import acl, ffi, lib
from ._handle import current_context, device_of
from .device import Device, Makers, Scope


class Context(Scope):
    """A context from ``device.create_context()``, or a borrowed one from ``Context.from_handle``.

    It makes what a device makes (``create_stream``, ``empty``, ...), apart from the device's own context. ``close()``
    (aclrtDestroyContext) ends its streams without waiting for them: sync first.
    """

    _order = 8

    def __init__(self, *_: object) -> None:
        raise TypeError('contexts come from device.create_context(); Context.from_handle(h) borrows one that exists')

    @classmethod
    def _create(cls, device: Device) -> Context:
        device.handle  # noqa: B018  raises when it is closed
        _lives.look(device.device_id)
        before = current_context()
        place = ffi.new('aclrtContext *')
        acl.aclrtCreateContext(place, device.device_id)
        self = cls.__new__(cls)
        Scope.__init__(self, int(ffi.cast('uintptr_t', place[0])), context=0, device_id=device.device_id, parent=device)
        acl.aclrtSetCurrentContext(ffi.cast('void *', before or device.handle))
        return self

    @classmethod
    def from_handle(cls, handle: int, owner: object = None) -> Context:
        """A context that somebody else made and will destroy. ``owner`` is kept alive. Raises ValueError when it is none."""
        device_id = device_of(handle)
        if device_id is None:
            raise ValueError(f'{handle:#x} is no live context')
        self = cls.__new__(cls)
        Scope.__init__(self, handle, context=0, device_id=device_id, parent=owner, owned=False)
        return self

    @property
    def device(self) -> Device | None:
        """The device it was made on; None for a borrowed one."""
        return self._parent if self._owned else None  # type: ignore[return-value]

    def _end(self, handle: int) -> None:
        super()._end(handle)
        _lives.look(self.device_id)

    def _destructor(self) -> tuple[Any, str]:
        return lib.aclrtDestroyContext, 'aclrtDestroyContext'

    def __repr__(self) -> str:
        return f'<Context on device {self.device_id}, {self._state()}>'


Makers.context = Context._create
