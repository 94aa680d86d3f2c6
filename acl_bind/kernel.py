"""Kernels: what a binary tells of them, and how their arguments are laid out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ._ffi import acl, error_for, ffi, lib
from ._handle import Handle, current_context, device_of
from .rt import get_function_name

if TYPE_CHECKING:
    from .args import KernelArgs
    from .binary import Binary
    from .compiled import Launchers
    from .layout import Hidden
    from .typed import TypedKernel


class KernelMakers:
    """What a kernel makes is defined in the modules above this one; each puts its maker here."""

    args: Callable[..., KernelArgs]
    bind: Callable[..., TypedKernel]
    launchers: Callable[[Kernel], Launchers]
    hidden: Callable[[Kernel], Hidden]
    html: Callable[[Kernel], str]


class Param(NamedTuple):
    """A parameter in the binary's own table, in bytes from the start of the argument block."""

    offset: int
    size: int


class KernelAttributes(NamedTuple):
    """type: 'aicore', 'cube', 'vector', 'mix' or 'aicpu'. ratio: (cube, vector) cores a block of a mix kernel takes, else None.
    schedule_mode: 0 normal, 1 all blocks start together."""

    type: str
    ratio: tuple[int, int] | None
    schedule_mode: int


class Kernel(Handle):
    """A kernel of a binary, from ``binary.get_kernel(name)``. Keeps the binary loaded; needs no closing.

    ``name``; ``param_names``: what its parameters are called in messages and layouts, () for just their numbers.
    """

    name: str
    param_names: tuple[str, ...]

    def __init__(self, *_: object) -> None:
        raise TypeError('kernels come from binary.get_kernel(name)')

    @classmethod
    def _create(cls, binary: Binary, handle: int, name: str, context: int) -> Kernel:
        self = cls.__new__(cls)
        Handle.__init__(self, handle, context=context, parent=binary, owned=False)
        self.name, self.param_names, self._layout = name, (), ''
        return self

    @classmethod
    def from_handle(cls, handle: int, binary: Binary) -> Kernel:
        """A kernel that somebody else looked up in the thread's context. ``binary``, which may be borrowed too, is kept alive."""
        return cls._create(binary, handle, get_function_name(handle), current_context())

    @property
    def binary(self) -> Binary:
        """The binary it is in."""
        return self._parent  # type: ignore[return-value]

    @functools.cached_property
    def device_id(self) -> int | None:
        """The number of the device its code is on."""
        return device_of(self._context)

    @property
    def handle(self) -> int:
        """The C handle. Raises AclHandleError when the binary was closed."""
        self.binary.handle  # noqa: B018
        return super().handle

    @functools.cached_property
    def attributes(self) -> KernelAttributes:
        """Type, core ratio and schedule mode (aclrtGetFunctionAttribute)."""
        types = {getattr(lib, f'ACL_KERNEL_TYPE_{name.upper()}'): name for name in ('aicore', 'cube', 'vector', 'mix', 'aicpu')}
        kind = types.get(self._attribute(lib.ACL_FUNC_ATTR_KERNEL_TYPE), 'unknown')
        packed = self._attribute(lib.ACL_FUNC_ATTR_KERNEL_RATIO) if kind == 'mix' else 0
        ratio = (packed >> 16 & 0xFFFF, packed & 0xFFFF) if packed else None
        return KernelAttributes(kind, ratio, self._attribute(lib.ACL_FUNC_ATTR_KERNEL_SCHED_MODE))

    def _attribute(self, number: int) -> int:
        place = ffi.new('int64_t *')  # zero: the library writes only half of it for a ratio
        with self._here():
            acl.aclrtGetFunctionAttribute(self._pointer, number, place)
        return int(place[0])

    @functools.cached_property
    def arg_info(self) -> tuple[Param, ...] | None:
        """The binary's own table of parameters, None when it has none or the library cannot tell (CANN before 9.1).

        C functions: aclrtFunctionGetParamCount, aclrtFunctionGetParamInfo.
        """
        count, size = ffi.new('size_t *'), ffi.new('size_t *')
        if not lib.has('aclrtFunctionGetParamCount'):
            return None
        with self._here():
            code = lib.aclrtFunctionGetParamCount(self._pointer, count)
            if code:
                error = error_for('aclrtFunctionGetParamCount', code)  # takes its text, so that no later error has it
                if code in (lib.ACL_ERROR_RT_PARAM_INVALID, lib.ACL_ERROR_RT_FEATURE_NOT_SUPPORT):  # no table; AI CPU
                    return None
                raise error
            table, number = [], count[0]
            for index in range(number):
                acl.aclrtFunctionGetParamInfo(self._pointer, index, count, size)
                table.append(Param(int(count[0]), int(size[0])))
        return tuple(table)

    @property
    def num_args(self) -> int | None:
        """How many parameters it takes, None when neither the binary nor ``param_names`` tells."""
        if self.arg_info is not None:
            return len(self.arg_info)
        return len(self.param_names) or None

    @property
    def layout(self) -> str:
        """Where arguments are put: 'acl' (the default), 'bisheng', or for an AI CPU kernel 'packed'. See docs/arguments.md."""
        return self._layout or ('acl' if self.hidden_slots.align > 1 else 'packed')

    @layout.setter
    def layout(self, name: str) -> None:
        possible = ('acl', 'bisheng') if self.hidden_slots.align > 1 else ('packed',)
        if name not in possible:
            raise ValueError(f'layout is {name!r}, expected {" or ".join(map(repr, possible))} for {self.name}')
        self._layout = name
        self.launchers.clear()

    def args(self, *values: Any) -> KernelArgs:
        """An argument list for this kernel that can be launched many times and changed in between."""
        return KernelMakers.args(self, *values)

    def bind(self, *types: Any, by_handles: bool = False, check: bool = False) -> TypedKernel:
        """The kernel with the types of its arguments, for launches that cost least: ``add = kernel.bind(DeviceBuffer, np.int32)``.

        Then ``add(stream, config, x, 3)``: bare ints and floats have a width now. The types are those of acl_bind.signature.
        ``by_handles`` launches through aclrtKernelArgs* and aclrtLaunchKernelWithConfig even where
        aclrtLaunchKernelWithHostArgs is there. ``check`` asks the library at each call whether addresses are of device memory
        (aclrtPointerGetAttributes), as the mock always does for those that came as numbers. Raises TypeError for what is no
        type of an argument, TypeError or AclArgumentLayoutError for types that the binary's own table contradicts.
        """
        return KernelMakers.bind(self, *types, by_handles=by_handles, check=check)

    @functools.cached_property
    def launchers(self) -> Launchers:
        """Typed calls for the plain launches of this kernel, by the classes of their arguments."""
        return KernelMakers.launchers(self)

    @functools.cached_property
    def hidden_slots(self) -> Hidden:
        """What the runtime puts into this kernel's argument list besides its parameters."""
        return KernelMakers.hidden(self)

    def __repr__(self) -> str:
        return f'<Kernel {self.name} of {self.binary.name}>'

    def _repr_html_(self) -> str:
        return KernelMakers.html(self)
