"""What the queued work of a stream uses, kept until the stream has passed it, and where each launch was made."""

from __future__ import annotations

import collections
import linecache
import re
import threading
from types import CodeType
from typing import Any

from ._ffi import Ring, ffi, lib
from ._handle import in_context

SITES_SHOWN = 16
SEPARATOR = ', '  # between the kernels of one replayed list


class InFlight(Ring):
    """Of one stream. Grows until a sync; when there is none for long, a mark in the stream tells what it has passed."""

    def __init__(self, context: int, stream: int) -> None:
        super().__init__()
        self._where = (context, stream)
        self._event: Any = None  # recorded behind the entries before _mark
        self._mark = 0
        self._checking = threading.Lock()

    def check(self) -> None:
        """Let go of what the stream has passed, without waiting. Called every so many entries; must not fail."""
        if not self._checking.acquire(blocking=False):
            return  # another thread is at it
        try:
            with in_context(self._where[0], must=False):
                if self._mark and not self._mark_passed():
                    return
                self.release(self._mark)
                position = self.position  # before the mark: what comes meanwhile may be behind it
                self._mark = position if self._record() else 0
        finally:
            self._checking.release()

    def _mark_passed(self) -> bool:
        status = ffi.new('aclrtEventRecordedStatus *')
        code = lib.aclrtQueryEventStatus(self._event, status)
        return bool(code == 0 and status[0] == lib.ACL_EVENT_RECORDED_STATUS_COMPLETE)

    def _record(self) -> bool:
        if self._event is None:
            place = ffi.new('aclrtEvent *')
            if lib.aclrtCreateEventExWithFlag(place, lib.ACL_EVENT_CAPTURE_STREAM_PROGRESS):
                return False
            self._event = place[0]
        return bool(lib.aclrtRecordEvent(self._event, ffi.cast('void *', self._where[1])) == 0)

    def clear(self) -> None:
        """Everything has passed, or never will."""
        self._mark = 0
        self.release(self.position)

    def close(self) -> None:
        """The stream is gone."""
        event, self._event = self._event, None
        if event is not None:
            lib.aclrtDestroyEvent(event)
        self.clear()

    def report(self, detail: str) -> str:
        """The launches that a failure may come from: those of the kernel that ``detail`` names, else all since the last sync."""
        launches = self.launches()
        named = re.search(r'\bkernel (\S+?),', detail)
        suspects = [launch for launch in launches if named and named[1] in _name(launch[0]).split(SEPARATOR)] or launches
        sites = collections.Counter((_name(owner), code, lasti) for owner, code, lasti in suspects)
        lines = [f'  {_site(*site)}{f" ({count} launches)" if count > 1 else ""}' for site, count in list(sites.items())[-SITES_SHOWN:]]
        if not lines:
            return ''
        if len(lines) == 1:
            return f'It was launched here:\n{lines[0]}'
        return f'It is one of the launches since the last sync, the newest last ({len(suspects)}):\n' + '\n'.join(lines)


_borrowed: dict[tuple[int, int], InFlight] = {}


def of_borrowed(context: int, stream: int) -> InFlight:
    """The one of a stream that somebody else made: Stream objects for it come and go, its work stays."""
    found = _borrowed.get((context, stream))
    if found is None:
        for idle in [where for where, flight in list(_borrowed.items()) if not len(flight)]:
            del _borrowed[idle]
        found = _borrowed.setdefault((context, stream), InFlight(context, stream))
    return found


def _name(owner: object) -> str:
    return str(getattr(owner, 'name', owner))


def _line(code: CodeType, lasti: int) -> int:
    return next((line for start, end, line in code.co_lines() if start <= lasti < end and line), code.co_firstlineno)


def _site(name: str, code: CodeType, lasti: int) -> str:
    line = _line(code, lasti)
    text = linecache.getline(code.co_filename, line).strip()
    return f'{name} at {code.co_filename}:{line}{": " + text if text else ""}'
