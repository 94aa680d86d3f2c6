"""Kernels in Python: host implementations for operator binaries that come without one."""

from __future__ import annotations

import atexit
import os
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .._ffi import acl, ffi, lib
from ..binary import Binary

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

POINTER = np.dtype(np.uint64)


class KernelFault(Exception):
    """Ends the kernel; the launch's fault has its text already, unless this has one."""


class KernelContext:
    """What a kernel sees while it runs. Valid, as are the arrays it gives, until the kernel returns."""

    __slots__ = ('_ctx',)

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx

    @property
    def block_idx(self) -> int:
        """Which block this is, from 0; 0 when the kernel is called once per launch."""
        return int(self._ctx.block_idx)

    @property
    def block_num(self) -> int:
        """How many blocks the launch has."""
        return int(self._ctx.block_num)

    @property
    def args(self) -> NDArray[np.uint8]:
        """The argument block as the device sees it: bytes, hidden slots included, read-only."""
        ctx = self._ctx
        view = np.frombuffer(ffi.buffer(ctx.args, ctx.args_size), np.uint8) if ctx.args_size else np.empty(0, np.uint8)
        view.flags.writeable = False
        return view

    def param_offset(self, index: int) -> int:
        """Where the ``index``-th parameter begins, in bytes of ``args``: by the kernel's parameter table, else in 8-byte slots."""
        ctx = self._ctx
        if 0 <= index < ctx.num_params:
            return int(ctx.params[index].offset)
        return int(ctx.args_head) + POINTER.itemsize * index

    def value_at(self, offset: int, dtype: DTypeLike) -> Any:
        """The value at a byte offset of ``args``, as a numpy scalar: for AI CPU kernels, whose arguments are packed.

        A structured dtype gives a np.void, which has the fields.
        """
        kind = np.dtype(dtype)
        if offset < 0 or offset + kind.itemsize > self._ctx.args_size:
            raise IndexError(
                f'{kind} at offset {offset} ends behind the arguments, which have {self._ctx.args_size} bytes: fewer were passed'
            )
        return self.args[offset : offset + kind.itemsize].view(kind)[0]

    def value(self, index: int, dtype: DTypeLike) -> Any:
        """The ``index``-th parameter, counted from 0 as the host appended them, as a numpy scalar."""
        return self.value_at(self.param_offset(index), dtype)

    def pointer(self, index: int) -> int:
        """The ``index``-th parameter as a device address."""
        return int(self.value(index, POINTER))

    def gm(self, address: int, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Global memory at a device address, as an array to read and write.

        The launch faults, as on hardware, when the bytes are not all in one allocation.
        """
        kind = np.dtype(dtype)
        nbytes = kind.itemsize * int(np.prod(shape, dtype=np.int64))
        if nbytes == 0:
            return np.empty(shape, kind)
        memory = lib.acl_bind_kernel_reach(self._ctx, address, nbytes)
        if memory == ffi.NULL:
            raise KernelFault
        return np.frombuffer(ffi.buffer(memory, nbytes), kind).reshape(shape)

    def fail(self, text: str) -> None:
        """End the launch with a device fault that says this."""
        raise KernelFault(text)


Function = TypeVar('Function', bound=Callable[[KernelContext], object])


class Binding:
    """A Python function that runs kernels. As ``with`` it ends with the block; remove() ends it too."""

    def __init__(self, name: str, function: Callable[[KernelContext], object], binary: Binary | str | os.PathLike[str] | None, once: bool):
        self.name, self.function, self._binary, self._once = name, function, binary, once
        self._data = ffi.new_handle(self)
        self._id = 0

    def _bind(self) -> None:
        if not lib.has('aclmock_bind'):
            return  # a real library: the device runs the kernel itself
        owner = self._binary
        if isinstance(owner, Binary) and owner.is_closed:
            return
        path = ffi.NULL if owner is None or isinstance(owner, Binary) else os.fsencode(owner)
        handle = owner._pointer if isinstance(owner, Binary) else ffi.NULL
        flags = lib.ACLMOCK_UNTRAPPED | (lib.ACLMOCK_ONCE if self._once else 0)
        number = ffi.new('uint64_t *')
        acl.aclmock_bind(self.name.encode(), path, handle, lib.acl_bind_kernel, self._data, flags, number)
        self._id = number[0]
        _bound[self._id] = self

    def remove(self) -> None:
        """The function runs no kernel any more; waits for one that it runs. More often is harmless."""
        number, self._id = self._id, 0
        if _bound.pop(number, None) is not None:
            lib.aclmock_unbind(number)  # a binding to a binary that is unloaded has ended with it

    def __enter__(self) -> Binding:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


_bound: dict[int, Binding] = {}  # keeps them alive: C has their addresses


def bind(
    name: str, function: Callable[[KernelContext], object], *, binary: Binary | str | os.PathLike[str] | None = None, per_block: bool = True
) -> Binding:
    """From now on ``function(ctx)`` runs the kernels of that name, once a block, or once a launch with ``per_block=False``.

    ``name`` may be a pattern such as ``'add_*'``. ``binary``: only those of this Binary, or of the binary at this path. The
    closest binding wins, then the newest; one without ``binary`` leaves host-kernel binaries their own kernels. An exception
    in the function becomes a device fault whose text is the traceback. Bindings outlive ``mock.reset()``. On a real
    libascendcl this does nothing: the device runs its own kernels. C function: aclmock_bind.
    """
    if not callable(function):
        raise TypeError(f'function is {type(function).__name__}, expected something to call with a KernelContext')
    binding = Binding(name, function, binary, not per_block)
    binding._bind()
    return binding


def kernel(name: str, *, binary: Binary | str | os.PathLike[str] | None = None, per_block: bool = True) -> Callable[[Function], Function]:
    """The decorator form of bind(): the function stays bound for good.

    @acl_bind.mock.kernel('add_custom')
    def add(ctx):
        n = 2048
        x, y, z = (ctx.gm(ctx.pointer(i), (ctx.block_num, n), np.float16)[ctx.block_idx] for i in range(3))
        z[:] = x + y
    """

    def decorate(function: Function) -> Function:
        bind(name, function, binary=binary, per_block=per_block)
        return function

    return decorate


def bind_again() -> None:
    """After aclmock_reset, which has forgotten all."""
    before = list(_bound.values())
    _bound.clear()
    for binding in before:
        binding._bind()


@ffi.def_extern()  # type: ignore[untyped-decorator]
def acl_bind_kernel(ctx: Any) -> None:
    """What C calls."""
    try:
        ffi.from_handle(ctx.data).function(KernelContext(ctx))
    except KernelFault as fault:
        lib.acl_bind_kernel_note(ctx, str(fault).encode())
    except BaseException:
        lib.acl_bind_kernel_note(ctx, traceback.format_exc().encode(errors='replace'))


@atexit.register
def _remove_all() -> None:
    """No kernel may come into an interpreter that ends."""
    for binding in list(_bound.values()):
        binding.remove()
