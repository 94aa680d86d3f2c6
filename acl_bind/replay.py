"""Many launches in one call: lists of prepared arguments, replayed as often as wanted."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from ._ffi import call_error, ffi, raw
from ._handle import in_context
from ._inflight import SEPARATOR
from .args import KernelArgs
from .config import LaunchConfig, as_config
from .errors import AclError
from .launch import plan_of
from .stream import Stream, as_stream


class LaunchList:
    """Launches to be queued together, in order: ``LaunchList([(8, kernel.args(x, y)), (config, other.args(z))])``.

    Each is a LaunchConfig or a number of blocks, and KernelArgs. Those may be changed between replays (``args[i] = value``).
    """

    def __init__(self, launches: Iterable[tuple[LaunchConfig | int, KernelArgs]]) -> None:
        self._launches: list[tuple[LaunchConfig, KernelArgs]] = []
        for index, (config, args) in enumerate(launches):
            if not isinstance(args, KernelArgs):
                raise TypeError(f'launch {index} has {type(args).__name__}, expected KernelArgs (kernel.args(...))')
            self._launches.append((as_config(config), args))
        self.name = SEPARATOR.join(dict.fromkeys(args.kernel.name for _, args in self._launches))
        self._builds = self._changes = -1
        self._kept: list[object] = []

    def __len__(self) -> int:
        return len(self._launches)

    def items(self) -> Any:
        """The launches as C takes them, of those that launch anything."""
        if self._builds != KernelArgs.builds:
            due = [(config, args, plan_of(args)) for config, args in self._launches if config.num_blocks]
            self._builds = KernelArgs.builds
            self._due = [args for _, args, _ in due]
            self._plans = [plan for _, _, plan in due]
            self._kernels = list({id(args.kernel): args.kernel for args in self._due}.values())
            self._items = ffi.new('acl_bind_item[]', len(due))
            for item, (config, args, plan) in zip(self._items, due, strict=True):
                item.plan, item.packed, item.num_blocks = plan.c, args._args.buffer, config.num_blocks
                item.config = ffi.cast('aclrtLaunchKernelCfg *', config._c_config[0])
                item.hidden = args.kernel.launchers.hidden.newest
        return self._items

    def find_hidden(self) -> None:
        """Of all kernels, in the current context."""
        for item, args in zip(self._items, self._due, strict=True):
            item.hidden = args.kernel.launchers.hidden.find(args.kernel)

    def context(self) -> int:
        return self._due[0].kernel._context if self._due else 0

    def check_open(self) -> None:
        for kernel in self._kernels:
            kernel.handle  # noqa: B018  (a closed one says so)

    def kept(self) -> list[object]:
        if self._changes != KernelArgs.changes:
            self._changes = KernelArgs.changes
            self._kept = [kept for args in self._due for kept in args._kept()]
        return self._kept

    def __repr__(self) -> str:
        return f'<LaunchList of {len(self)}: {self.name or "none"}>'


def launch_many(stream: Any, launches: LaunchList | Iterable[tuple[LaunchConfig | int, KernelArgs]]) -> None:
    """Queue all launches of a list on a stream, in one call into C: the cheapest way to launch the same things again.

    ``launches``: a LaunchList, or what one is made of. Raises what ``launch`` raises; those before the one that failed
    are queued then, and the error tells how many that are.
    """
    target = as_stream(stream)
    batch = launches if isinstance(launches, LaunchList) else LaunchList(launches)
    items = batch.items()
    batch.check_open()
    _replay(target, batch, items)
    frame = sys._getframe(1)
    target._ring.keep(batch, frame.f_code, frame.f_lasti, batch.kept())


def _replay(stream: Stream, batch: LaunchList, items: Any) -> None:
    context, handle, count = stream._context or batch.context(), stream.handle, len(items)
    launched = ffi.new('size_t *')
    code = raw.acl_bind_launch_many(items, count, context, handle, launched)
    done = launched[0]
    if code == raw.ACL_BIND_STALE:
        with in_context(context):
            batch.find_hidden()
            code = raw.acl_bind_launch_many(items + done, count - done, context, handle, launched)
        done += launched[0]
    if code:
        error = call_error(code)
        stream._keep(batch, batch.kept())  # what is queued uses them
        if isinstance(error, AclError):
            extra = f'{done} of {count} launches were queued before the one that failed.'
            error = type(error)(error.api, error.code, error.name, error.detail, extra)
        raise error
