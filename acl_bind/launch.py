"""Launching kernels."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from . import _ffi
from ._ffi import ffi, raw
from .args import KernelArgs
from .compiled import PlainKernel
from .config import LaunchConfig, as_config
from .kernel import Kernel
from .layout import prepare
from .memory import DeviceBuffer
from .plan import Plan, run
from .stream import Stream, as_stream
from .typed import launch_slowly
from .values import Placeholder


def launch(stream: Any, config: LaunchConfig | int, kernel: Kernel, *args: Any) -> None:
    """Queue a kernel on a stream (aclrtLaunchKernelWithHostArgs; aclrtLaunchKernelWithConfig where a library lacks that).

    ``config``: a LaunchConfig, or just the number of blocks. ``args``: the kernel's arguments in order, or one KernelArgs
    of it. The stream keeps buffers, placeholders and the binary alive until it has passed the launch. A failure on the
    device is raised by a later ``stream.sync()``, with the line of this call.
    """
    _launch(sys._getframe(1), as_stream(stream), config, kernel, args)


def _launch(frame: FrameType, stream: Stream, config: LaunchConfig | int, kernel: Kernel, args: tuple[Any, ...]) -> None:
    if len(args) == 1 and isinstance(args[0], KernelArgs):
        _launch_prepared(frame, stream, as_config(config), kernel, args[0])
        return
    kind = tuple(map(type, args))
    typed = kernel.launchers.get(kind)
    if isinstance(typed, PlainKernel):
        typed.call(frame, stream, config, args)
        return
    shape = as_config(config)
    arguments = prepare(kernel, args)
    launch_slowly(frame, stream, shape, Plan(kernel, arguments), arguments)
    if kind not in kernel.launchers:
        kernel.launchers.learn(kernel, args, arguments)


def _launch_missed(stream: Stream, config: LaunchConfig | int, kernel: Kernel, *args: Any) -> None:
    """What the launch in C does not find in the kernel's cache."""
    _launch(sys._getframe(1), stream, config, kernel, args)


def _launch_prepared(frame: FrameType, stream: Stream, config: LaunchConfig, kernel: Kernel, args: KernelArgs) -> None:
    if args.kernel != kernel:
        raise ValueError(f'the arguments are of kernel {args.kernel.name}, the launch is of {kernel.name}')
    kernel.handle, stream.handle  # noqa: B018  (closed ones say so)
    if config.num_blocks:
        run(_plan_of(args), stream, config, args._args.buffer)
        stream._ring.keep(kernel, frame.f_code, frame.f_lasti, list(args._kept()))


def _plan_of(args: KernelArgs) -> Plan:
    if args.layout_name != args.kernel.layout:  # chosen since
        args._build()
    plan: Plan = args.plan or Plan(args.kernel, args._arguments)
    plan.c.args = args._args.handle
    args.plan = plan
    return plan


if _ffi.is_fast:
    _ffi.connect(int(ffi.cast('uintptr_t', ffi.addressof(raw, 'acl_bind_launch_block'))), Stream, DeviceBuffer, Placeholder)
