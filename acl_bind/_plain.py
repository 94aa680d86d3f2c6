"""What the extension `_fast` has in C, in Python, for where it was not built: slower, and otherwise the same."""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

CHECK_EVERY = 1024  # entries, as in _cells.c


class Cell:
    """The plain part of a Handle: the C handle (None once it is closed) and the one of its context."""

    _handle: int | None = None
    _context: int = 0
    _ring: Any = None
    _settled: int = 0


class Ring:
    """What a stream's queued work uses, and where in the program each launch was made.

    Entries are numbered in the order in which they came; ``position`` is the number of the next one.
    """

    def __init__(self) -> None:
        self._entries: collections.deque[tuple[object, CodeType | None, int, object]] = collections.deque()
        self.position = 0

    def keep(self, owner: object, code: CodeType | None, lasti: int, refs: object) -> None:
        """One entry more. ``code``: where the launch was made, None for what is no launch; ``lasti``: the instruction in it."""
        self._entries.append((owner, code, lasti, refs))
        self.position += 1
        if self.position % CHECK_EVERY == 0:
            self.check()

    def check(self) -> None:
        """Called every so many entries; nothing is known here of what the stream has passed."""

    def release(self, position: int) -> None:
        """Let go of the entries before a position."""
        while self._entries and self.position - len(self._entries) < position:
            self._entries.popleft()

    def launches(self) -> list[tuple[object, CodeType, int]]:
        """Owner, code and instruction of every entry that is a launch, the oldest first."""
        return [(owner, code, lasti) for owner, code, lasti, _ in list(self._entries) if code is not None]

    def objects(self) -> list[object]:
        """All owners and references that are kept."""
        return [kept for owner, _, _, refs in list(self._entries) for kept in (owner, refs)]

    def __len__(self) -> int:
        return len(self._entries)


class Launcher:
    """Of the typed call in C there is nothing here; its faces, for type checkers."""

    def _set_up(self, function: int, slots: Sequence[tuple[object, ...]], *places: object) -> None:
        raise NotImplementedError('the extension acl_bind._fast was not built')

    def _set_hidden(self, context: int, epoch: int, sync: int, overflow: int) -> None:
        raise NotImplementedError

    def _set_config(self, config: object, address: int, num_blocks: int) -> None:
        raise NotImplementedError


def disconnect() -> None:
    """From now on nothing is plain."""


def connect_sync(sync: int, epoch: int, stream: type, slow: Callable[..., None], text: bytes) -> Any:
    """Tells C where acl_bind_sync and acl_bind_epoch are, and who syncs what is not plain. Returns the method sync()."""
    raise NotImplementedError


def connect(launch_block: int, *plain_and_slow: object) -> Callable[..., None]:
    """Tells C where acl_bind_launch_block is, which classes are plain, who launches what is not, and the text of its help.

    Returns launch().
    """
    raise NotImplementedError
