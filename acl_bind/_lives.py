"""How long contexts, and the memory of devices, live: what outlives them must not be ended a second time.

A reset of a device takes its streams, events and memory, and what is made afterwards may get the same handles and
addresses. An object that is dropped only then would end somebody else's.
"""

from __future__ import annotations

from ._ffi import acl, error_for, ffi, lib
from ._handle import Life, current_context, take_message


class _Device:
    """One device, from its first context to the end of its last."""

    def __init__(self) -> None:
        self.memory = Life()
        self.contexts: dict[int, Life] = {}


_devices: dict[int, _Device] = {}


def begin(device_id: int, context: int) -> tuple[Life, Life]:
    """The lives of a context that there is now, and of the memory of its device."""
    device = _devices.setdefault(device_id, _Device())
    return device.contexts.setdefault(context, Life()), device.memory


def _is_alive(context: int) -> bool:
    before = current_context()
    code = lib.aclrtSetCurrentContext(ffi.cast('void *', context))
    if code == lib.ACL_ERROR_RT_PARAM_INVALID:  # what it answers for a context that is gone
        take_message()
        return False
    if code:
        raise error_for('aclrtSetCurrentContext', code)
    if before:
        acl.aclrtSetCurrentContext(ffi.cast('void *', before))
    return True


def look(device_id: int) -> None:
    """Notice what has ended, before something new can take its place: called before and after anything that ends or begins."""
    device = _devices.get(device_id)
    if device is None:
        return
    for context, life in list(device.contexts.items()):
        if not _is_alive(context):
            life.alive = False
            device.contexts.pop(context, None)  # another thread may look too
    if not device.contexts:
        device.memory.alive = False
        _devices.pop(device_id, None)
