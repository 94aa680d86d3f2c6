"""Launches with every check and message, and kernels that were given the types of their arguments."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NamedTuple

from .config import LaunchConfig, as_config
from .kernel import Kernel
from .layout import check_pointers, prepare
from .plan import Plan, run
from .signature import Slot, cast
from .stream import Stream, as_stream
from .values import Argument


class Call(NamedTuple):
    """A kernel and what its arguments have become."""

    kernel: Kernel
    arguments: Sequence[Argument]
    by_handles: bool = False


def launch_slowly(frame: FrameType, stream: Stream, config: LaunchConfig, call: Call) -> None:
    """A launch whose arguments get their places for it alone. ``frame``: whose launch it is."""
    kernel, arguments, by_handles = call
    kernel.handle, stream.handle  # noqa: B018  (closed ones say so)
    if config.num_blocks:
        plan = Plan(kernel, arguments, by_handles=by_handles)
        run(plan, kernel, stream, config, plan.packed(arguments))
        stream._ring.keep(kernel, frame.f_code, frame.f_lasti, [argument.keep for argument in arguments])


def _cast(slot: Slot, value: Any, index: int) -> Any:
    try:
        return cast(slot, value)
    except (TypeError, ValueError) as error:
        raise type(error)(f'argument {index} ({slot.name}): {error}') from None


def _check_kind(slot: Slot, argument: Argument, value: Any, index: int) -> None:
    kind = {'p': 'pointer', 'd': 'placeholder'}.get(slot.kind, 'value')
    if argument.kind != kind or (kind == 'value' and slot.size not in (0, len(argument.data))):
        raise TypeError(f'argument {index} ({slot.name}): {type(value).__name__} is no {slot.name}')


class TypedKernel:
    """A kernel with the types of its arguments: ``typed = kernel.bind(DeviceBuffer, np.int32)``, then ``typed(stream, 8, x, 3)``.

    A call is ``launch(stream, config, kernel, ...)`` with values converted to those types: a bare int or float gets their
    width, range-checked, and bytes or an array become a Placeholder where that is the type. Raises TypeError and
    ValueError that name the argument, and AclError as ``launch`` does.
    """

    check = False  # addresses, at each call, wherever it runs

    def __init__(self, kernel: Kernel, slots: Sequence[Slot], *, bound: bool, by_handles: bool) -> None:
        self.slots, self.by_handles, self.name = tuple(slots), by_handles, kernel.name
        self.keep, self._bound = kernel.binary, bound
        # A kernel's own cache must not keep the kernel alive; what bind() gives does.
        self._kernel: Callable[[], Kernel | None] = (lambda: kernel) if bound else weakref.ref(kernel)

    def __call__(self, stream: Any, config: LaunchConfig | int, *args: Any) -> None:
        self.call(sys._getframe(1), stream, config, args)

    @property
    def kernel(self) -> Kernel:
        kernel = self._kernel()
        assert kernel is not None  # its own cache is in use
        return kernel

    def _arguments(self, args: Sequence[Any]) -> list[Argument]:
        if len(args) != len(self.slots):
            raise TypeError(f'{self.name} was bound with {len(self.slots)} arguments ({self._types()}), got {len(args)}')
        if not self._bound:
            return prepare(self.kernel, args)
        values = [_cast(slot, value, index) for index, (slot, value) in enumerate(zip(self.slots, args, strict=True))]
        arguments = prepare(self.kernel, values)
        if self.check:
            check_pointers(self.kernel, arguments, always=True)
        for index, (slot, argument) in enumerate(zip(self.slots, arguments, strict=True)):
            _check_kind(slot, argument, args[index], index)
        return arguments

    def call(self, frame: FrameType, stream: Any, config: LaunchConfig | int, args: Sequence[Any]) -> None:
        """As a call of it, made by the program that ``frame`` is of."""
        arguments = self._arguments(args)
        launch_slowly(frame, as_stream(stream), as_config(config), Call(self.kernel, arguments, self.by_handles))

    def _types(self) -> str:
        return ', '.join(slot.name for slot in self.slots) or 'none'

    def __repr__(self) -> str:
        return f'<{type(self).__name__} {self.name}({self._types()})>'
