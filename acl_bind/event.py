"""Events: marks in a stream that others wait for, and that tell times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._checks import milliseconds
from ._ffi import acl, ffi, lib
from ._handle import Handle, in_context
from .device import Makers, Scope

if TYPE_CHECKING:
    from .stream import Stream


class Event(Handle):
    """An event from ``device.create_event()`` or ``stream.record()``, or a borrowed one from ``Event.from_handle``.

    ``end - start`` is the time between two recorded and finished events, in ms. One that was never recorded counts as done.
    """

    _order = 1
    timing: bool

    def __init__(self, *_: object) -> None:
        raise TypeError('events come from device.create_event() or stream.record(); Event.from_handle(h) borrows one that exists')

    @classmethod
    def _create(cls, scope: Scope, timing: bool) -> Event:
        place = ffi.new('aclrtEvent *')
        flags = lib.ACL_EVENT_SYNC | (lib.ACL_EVENT_TIME_LINE if timing else 0)
        with in_context(scope.handle):
            acl.aclrtCreateEventExWithFlag(place, flags)
        self = cls.__new__(cls)
        Handle.__init__(self, int(ffi.cast('uintptr_t', place[0])), context=scope.handle, parent=scope)
        self._life = scope.context_life
        self.timing = timing
        return self

    @classmethod
    def from_handle(cls, handle: int, owner: object = None) -> Event:
        """An event that somebody else made and will destroy. ``owner`` is kept alive."""
        self = cls.__new__(cls)
        Handle.__init__(self, handle, context=0, parent=owner, owned=False)
        self.timing = True  # not known: the library will say
        return self

    def record(self, stream: Stream) -> None:
        """Put the mark behind what is queued on the stream now (aclrtRecordEvent). A later record replaces it."""
        stream.record(self)

    def sync(self, timeout: float | None = None) -> None:
        """Wait until the stream has passed the mark (aclrtSynchronizeEvent), or for ``timeout`` seconds.

        Raises AclTimeoutError when the time is over (aclrtSynchronizeEventWithTimeout).
        """
        with self._here():
            if timeout is None:
                acl.aclrtSynchronizeEvent(self._pointer)
            else:
                acl.aclrtSynchronizeEventWithTimeout(self._pointer, milliseconds(timeout))

    @property
    def is_done(self) -> bool:
        """Whether the stream has passed the mark (aclrtQueryEventStatus)."""
        status: Any = ffi.new('aclrtEventRecordedStatus *')
        with self._here():
            acl.aclrtQueryEventStatus(self._pointer, status)
        return bool(status[0] == lib.ACL_EVENT_RECORDED_STATUS_COMPLETE)

    @property
    def timestamp(self) -> int:
        """When the stream passed the mark: microseconds of the device's clock (aclrtEventGetTimestamp)."""
        self._check_timing()
        place = ffi.new('uint64_t *')
        with self._here():
            acl.aclrtEventGetTimestamp(self._pointer, place)
        return int(place[0])

    def __sub__(self, start: Event) -> float:
        """Milliseconds from ``start`` to this event (aclrtEventElapsedTime). Both must be recorded and done."""
        if not isinstance(start, Event):
            return NotImplemented
        self._check_timing()
        start._check_timing()
        place = ffi.new('float *')
        with self._here():
            acl.aclrtEventElapsedTime(place, start._pointer, self._pointer)
        return float(place[0])

    def _check_timing(self) -> None:
        # The library answers 0 for an event without times, which looks like a measurement.
        if not self.timing:
            raise ValueError('this event was made with timing=False and tells no time')

    def _destructor(self) -> tuple[Any, str]:
        return lib.aclrtDestroyEvent, 'aclrtDestroyEvent'


Makers.event = Event._create
