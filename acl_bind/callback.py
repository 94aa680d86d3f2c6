"""Python functions that a stream calls when it gets to them (aclrtLaunchHostFunc)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ._ffi import acl, ffi, lib


class _Running(threading.local):
    owner: object = None  # whose callback this thread is in


_running = _Running()


class Callbacks:
    """A stream's callbacks: those still to come, and what those that ran have raised."""

    def __init__(self) -> None:
        self.used = False  # nothing was ever launched: there is nothing to ask
        self._waiting: dict[Any, Call] = {}
        self._raised: list[BaseException] = []

    def launch(self, stream: Any, function: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        """Queue a call on the stream (its C pointer)."""
        call = Call(self, function, arguments)
        handle = ffi.new_handle(call)
        self._waiting[handle] = call
        self.used = True
        try:
            acl.aclrtLaunchHostFunc(stream, lib.acl_bind_host_func, handle)
        except BaseException:
            del self._waiting[handle]
            raise

    def take_raised(self) -> BaseException | None:
        """The first exception that was not taken yet."""
        return self._raised.pop(0) if self._raised else None

    @property
    def running_here(self) -> bool:
        """Whether this thread is inside one of them."""
        return _running.owner is self

    def run(self, handle: Any, call: Call) -> None:
        self._waiting.pop(handle, None)
        before, _running.owner = _running.owner, self
        try:
            call.function(*call.arguments)
        except BaseException as error:
            self._raised.append(error)
        finally:
            _running.owner = before


class Call:
    """One call that was queued."""

    def __init__(self, callbacks: Callbacks, function: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        self.callbacks, self.function, self.arguments = callbacks, function, arguments


@ffi.def_extern()  # type: ignore[untyped-decorator]
def acl_bind_host_func(handle: Any) -> None:
    """What C calls."""
    call = ffi.from_handle(handle)
    call.callbacks.run(handle, call)
