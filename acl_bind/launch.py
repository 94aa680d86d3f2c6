"""Launching kernels."""

from __future__ import annotations

import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

from ._handle import Handle
from .args import KernelArgs
from .compiled import in_c
from .config import LaunchConfig, as_config
from .kernel import Kernel
from .layout import prepare
from .plan import Plan, run
from .stream import Stream, as_stream
from .typed import Call, launch_slowly


def launch(stream: Any, config: LaunchConfig | int, kernel: Kernel, *args: Any) -> None:
    """Queue a kernel on a stream (aclrtLaunchKernelWithHostArgs; aclrtLaunchKernelWithConfig where a library lacks that).

    ``config``: a LaunchConfig, or just the number of blocks. ``args``: the kernel's arguments in order, or one KernelArgs
    of it. The stream keeps buffers, placeholders and the binary alive until it has passed the launch. A failure on the
    device is raised by a later ``stream.sync()``, with the line of this call.

    ``stream``: a Stream, an object with ``__acl_stream__``, ``.npu_stream`` or ``_as_parameter_``, an int handle, or None
    for the default stream of the thread's context.
    """
    _launch(sys._getframe(1), stream, config, kernel, args)


def _launch(frame: FrameType, stream: Any, config: LaunchConfig | int, kernel: Kernel, args: tuple[Any, ...]) -> None:
    if len(args) == 1 and isinstance(args[0], KernelArgs):
        _launch_args(frame, stream, config, kernel, args[0])
        return
    if not isinstance(kernel, Kernel):
        raise TypeError(f'kernel is {type(kernel).__name__}, expected a Kernel (binary.get_kernel(name))')
    kind = tuple(map(type, args))
    typed = kernel.launchers.get(kind)
    if typed is not None:
        typed.call(frame, stream, config, args)
        return
    shape = as_config(config)
    arguments = prepare(kernel, args)
    launch_slowly(frame, as_stream(stream), shape, Call(kernel, arguments))
    if kind not in kernel.launchers:
        kernel.launchers.learn(kernel, args, arguments)


def _launch_args(frame: FrameType, stream: Any, config: LaunchConfig | int, kernel: Kernel, args: KernelArgs) -> None:
    if args.kernel is not kernel and args.kernel != kernel:
        raise ValueError(f'the arguments are of kernel {args.kernel.name}, the launch is of {kernel.name}')
    values = args.plain[1:] if args.plain else ()
    kind = tuple(map(type, values))
    typed = kernel.launchers.get(kind) if args.plain else None
    if typed is not None:
        typed.call(frame, stream, config, values)
        return
    _launch_prepared(frame, as_stream(stream), as_config(config), kernel, args)
    if args.plain and kind not in kernel.launchers:
        kernel.launchers.learn(kernel, values, args._arguments)


def _launch_prepared(frame: FrameType, stream: Stream, config: LaunchConfig, kernel: Kernel, args: KernelArgs) -> None:
    used = list(args._kept())
    for each in (kernel, stream, *used):
        if isinstance(each, Handle):
            each.handle  # noqa: B018  (a closed one says so)
    if config.num_blocks:
        run(plan_of(args), kernel, stream, config, args._args.buffer)
        stream._ring.keep(kernel, frame.f_code, frame.f_lasti, used)


def plan_of(args: KernelArgs) -> Plan:
    """How C launches prepared arguments."""
    if args.layout_name != args.kernel.layout:  # chosen since
        args._build()
    plan: Plan | None = args.plan
    if plan is None:
        plan = args.plan = Plan(args.kernel, args._arguments)
        plan.c.args = args._args.handle
    return plan


if not TYPE_CHECKING:
    launch = in_c(launch)
