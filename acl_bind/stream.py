"""Streams: work queued in order, on the device, while Python goes on."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ._checks import milliseconds
from ._ffi import acl, call_error, ffi, lib, raw
from ._handle import Handle, check_process, current_context, device_of, in_context, is_ending
from ._inflight import InFlight, of_borrowed
from .callback import Callbacks
from .device import Device, Makers, Scope
from .errors import AclDeviceError, AclError, AclTimeoutError
from .event import Event

_live: weakref.WeakValueDictionary[int, Stream] = weakref.WeakValueDictionary()  # by id(), since equal ones are kept apart


class _Exit:
    timeout_ms = 10_000


class Stream(Handle):
    """A stream of a device, from ``device.create_stream()``, or a borrowed one from ``Stream.from_handle``.

    It keeps what its queued work uses alive until a ``sync()`` has passed it.
    """

    _order = 2
    device_id: int | None

    def __init__(self, *_: object) -> None:
        raise TypeError('streams come from device.create_stream(); Stream.from_handle(h) borrows one that exists')

    def _init(self, handle: int, *, context: int, device_id: int | None, parent: object, owned: bool) -> Stream:
        Handle.__init__(self, handle, context=context, parent=parent, owned=owned)
        self.device_id = device_id
        self._ring = InFlight(context, handle) if owned else of_borrowed(context, handle)  # what queued work uses
        self._in_use: tuple[tuple[int, int], set[int]] = (0, 0), set()  # id() of all that the work of a ring in this state uses
        self._callbacks = Callbacks()
        self._targets: dict[tuple[int, int], tuple[object, Any]] = {}  # of plan.py
        _live[id(self)] = self
        return self

    @classmethod
    def _create(cls, scope: Scope, priority: int = 0, flags: int = 0) -> Stream:
        place = ffi.new('aclrtStream *')
        with in_context(scope.handle):
            if priority or flags:
                acl.aclrtCreateStreamWithConfig(place, priority, flags)
            else:
                acl.aclrtCreateStream(place)
        return cls._adopt(scope, int(ffi.cast('uintptr_t', place[0])), owned=True)

    @classmethod
    def _adopt(cls, scope: Scope, handle: int, *, owned: bool) -> Stream:
        self = cls.__new__(cls)._init(handle, context=scope.handle, device_id=scope.device_id, parent=scope, owned=owned)
        self._life = scope.context_life
        return self

    @classmethod
    def from_handle(cls, handle: int, owner: object = None) -> Stream:
        """A stream that somebody else made and will destroy. ``owner`` is kept alive."""
        return cls.__new__(cls)._init(handle, context=0, device_id=None, parent=owner, owned=False)

    @property
    def device(self) -> Device | None:
        """The device it was made on; None for a borrowed one."""
        scope = self._parent
        return scope if isinstance(scope, Device) else getattr(scope, 'device', None)

    def __acl_stream__(self) -> tuple[int, int]:
        """(0, handle): how other libraries ask any object for an ACL stream."""
        return 0, self.handle

    # ---- waiting

    def sync(self, timeout: float | None = None) -> None:
        """Wait until all queued work is done (aclrtSynchronizeStream), or for ``timeout`` seconds.

        A failure on the device is raised here, as an AclDeviceError that names the launches since the last good sync, and
        so is what a callback raised. AclTimeoutError when the time is over, and the work goes on.
        """
        callbacks = self._callbacks
        if callbacks.used and callbacks.running_here:
            raise RuntimeError('a callback waits for its own stream, which waits for the callback: sync() belongs outside of it')
        ring = self._ring
        position = ring.position  # what other threads queue meanwhile may not have been waited for
        epoch = raw.acl_bind_epoch()
        code = raw.acl_bind_sync(self._context, self.handle, -1 if timeout is None else milliseconds(timeout))
        if code:
            self._sync_failed(code, position)
        ring.release(position)
        if not callbacks.used:
            self._settled = epoch + 1  # until a context ends, sync() without a timeout may stay in C: _sync.c
        elif (raised := callbacks.take_raised()) is not None:
            raise raised

    def _sync_failed(self, code: int, position: int) -> NoReturn:
        error = call_error(code)
        raise (self._after_wait(error, position) if isinstance(error, AclError) else None) or error

    @property
    def is_done(self) -> bool:
        """Whether all queued work is done (aclrtStreamQuery)."""
        position = self._ring.position
        status: Any = ffi.new('aclrtStreamStatus *')
        with self._here():
            acl.aclrtStreamQuery(self._pointer, status)
        if status[0] != lib.ACL_STREAM_STATUS_COMPLETE:
            return False
        self._ring.release(position)
        return True

    # ---- order between streams

    def record(self, event: Event | None = None, *, timing: bool = True) -> Event:
        """Put a mark behind what is queued now (aclrtRecordEvent): the given event, or a new one. Returns it."""
        if event is None:
            event = Makers.event(self._scope(), timing)
        with self._here():
            acl.aclrtRecordEvent(event._pointer, self._pointer)
        return event

    def wait(self, what: Event | Stream, timeout: float | None = None) -> None:
        """Let what is queued from now on wait for an event, or for what is queued on another stream now. Returns at once.

        ``timeout``: seconds, rounded up, after which the device gives up (aclrtStreamWaitEventWithTimeout); None: never.
        """
        event = what.record(timing=False) if isinstance(what, Stream) else what
        with self._here():
            if timeout is None:
                acl.aclrtStreamWaitEvent(self._pointer, event._pointer)
            else:
                milliseconds(timeout)  # the checks
                acl.aclrtStreamWaitEventWithTimeout(self._pointer, event._pointer, max(1, math.ceil(timeout)))
        self._keep(event)

    def _scope(self) -> Scope:
        if not isinstance(self._parent, Scope):
            raise ValueError('a borrowed stream cannot make events: pass one from device.create_event()')
        return self._parent

    # ---- host functions, failure

    def launch_host_func(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a Python function when the stream gets there (aclrtLaunchHostFunc); what is queued behind it waits.

        It runs on a thread of the library and must not wait for its own stream. What it raises, the next sync() raises.
        """
        if not callable(function):
            raise TypeError(f'{function!r} cannot be called')
        self._settled = 2**64 - 1  # stays so: from now on sync() has callbacks to ask
        with self._here():
            self._callbacks.launch(self._pointer, function, arguments)

    def stop_on_failure(self) -> None:
        """After a failure on the device run nothing more that is queued (aclrtSetStreamFailureMode). There is no way back."""
        with self._here():
            acl.aclrtSetStreamFailureMode(self._pointer, lib.ACL_STOP_ON_FAILURE)

    # ---- what queued work uses

    def _keep(self, *objects: object) -> None:
        self._ring.keep(None, None, 0, objects)

    def _uses(self, wanted: Handle) -> bool:
        state = self._ring.position, len(self._ring)
        if self._in_use[0] != state:  # many are closed in a row: look through the work once
            self._in_use = state, _reachable(self._ring.objects())
        return id(wanted) in self._in_use[1]

    def _after_wait(self, error: AclError | None, position: int | None = None) -> AclError | None:
        """After a wait that ended so: let go of what the work used. Returns the error, with the launches it may be about."""
        if isinstance(error, AclTimeoutError) or (error is not None and not isinstance(error, AclDeviceError)):
            return error  # the work goes on, or nothing was waited for
        if error is not None:
            extra = '\n'.join(part for part in (error.extra, self._ring.report(error.detail)) if part)
            error = type(error)(error.api, error.code, error.name, error.detail, extra)
            self._ring.clear()
        self._ring.release(self._ring.position if position is None else position)
        return error

    def _destructor(self) -> tuple[Any, str]:
        return lib.aclrtDestroyStream, 'aclrtDestroyStream'

    def _end(self, handle: int) -> None:
        if is_ending() and self._hangs(handle):
            lib.aclrtDestroyStreamForce(ffi.cast('void *', handle))  # which drops its work
        else:
            super()._end(handle)

    @staticmethod
    def _hangs(handle: int) -> bool:
        """Whether work goes on for longer than the end of the interpreter can wait, all streams together."""
        if not lib.has('aclrtSynchronizeStreamWithTimeout') or not lib.has('aclrtDestroyStreamForce'):
            return False
        code = lib.aclrtSynchronizeStreamWithTimeout(ffi.cast('void *', handle), _Exit.timeout_ms)
        if code == lib.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT:
            _Exit.timeout_ms = 1
        return bool(code == lib.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)

    def close(self) -> None:
        """Wait for queued work, then destroy the stream (aclrtDestroyStream)."""
        try:
            super().close()
        finally:
            if self._owned:
                self._ring.close()

    def __repr__(self) -> str:
        place = '' if self.device_id is None else f' on device {self.device_id}'
        return f'<Stream{place}, {"default" if self._handle == 0 else self._state()}>'


def streams_of(scope: Scope) -> list[Stream]:
    """Those that are open in a context."""
    return [stream for stream in list(_live.values()) if stream._context == scope.handle and not stream.is_closed]


def _after_wait(scope: Scope, error: AclError | None) -> AclError | None:
    for stream in streams_of(scope):
        error = stream._after_wait(error)
    return error


Makers.streams = streams_of
Makers.after_wait = _after_wait
Makers.stream = Stream._create
Makers.default_stream = lambda scope: Stream._adopt(scope, 0, owned=False)


def _parts(entry: object) -> Iterator[object]:
    if isinstance(entry, (tuple, list)):
        yield from entry
    yield getattr(entry, 'keep', None)
    yield getattr(entry, '_parent', None) if isinstance(entry, Handle) else None


def _reachable(entries: list[object]) -> set[int]:
    """The id() of everything that is kept for queued work, or that leads to from there."""
    found: set[int] = set()
    while entries:
        entry = entries.pop()
        if entry is not None and id(entry) not in found:
            found.add(id(entry))
            entries.extend(_parts(entry))
    return found


def park(owner: Handle) -> bool:
    """Hand an object that is being closed to the streams whose work uses it; its handle ends when they have passed it."""
    users = [stream for stream in list(_live.values()) if stream._uses(owner)]
    if users:
        twin = owner._twin()
        for stream in users:
            stream._keep(twin)
    return bool(users)


# ---- streams of others ------------------------------------------------------------------------------------------------

_borrowed: dict[tuple[int, int], Stream] = {}  # by context and handle
BORROWED_AT_MOST = 256


def _handle_of(value: Any) -> int:
    if hasattr(value, '__acl_stream__'):
        _, handle = value.__acl_stream__()
    else:
        handle = getattr(value, 'npu_stream', getattr(value, '_as_parameter_', value))
    handle = getattr(handle, 'value', handle)  # a ctypes.c_void_p
    if handle is None:
        return 0
    if isinstance(handle, bool) or not isinstance(handle, int):
        raise TypeError(
            f'stream is {type(value).__name__}, expected a Stream, an object with __acl_stream__, .npu_stream or _as_parameter_, '
            'an int handle, or None for the default stream'
        )
    return handle


def as_stream(value: Any) -> Stream:
    """A Stream for whatever stands for one. Read anew at each call: torch_npu changes what ``.npu_stream`` says."""
    if isinstance(value, Stream):
        return value
    check_process()
    handle, context = _handle_of(value), current_context()
    stream = _borrowed.get((context, handle))
    if stream is None:
        device_id = device_of(context) if context else None
        stream = Stream.__new__(Stream)._init(handle, context=context, device_id=device_id, parent=None, owned=False)
        if len(_borrowed) >= BORROWED_AT_MOST:
            _borrowed.pop(next(iter(_borrowed)))
        _borrowed[(context, handle)] = stream
    return stream
