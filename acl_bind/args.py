"""A kernel's argument list: how it is laid out, and one that can be launched again and again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ._ffi import acl, ffi, lib
from ._handle import in_context
from .kernel import Kernel, KernelMakers
from .layout import Hidden, Layout, lay_out, prepare, prepare_one
from .values import POINTER_SIZE, Argument, is_unchanging

UNTOUCHED = b'\xcc'  # what nobody has written to


class UserArgs:
    """An argument list in memory of our own (aclrtKernelArgsInitByUserMem): many may be in use at once in one thread."""

    def __init__(self, kernel: Kernel, data_size: int) -> None:
        size = ffi.new('size_t *')
        acl.aclrtKernelArgsGetHandleMemSize(kernel._pointer, size)
        self.handle = ffi.new('uint64_t[]', (size[0] + 7) // 8)
        acl.aclrtKernelArgsGetMemSize(kernel._pointer, data_size, size)
        self.room = size[0]
        self.buffer = ffi.new('uint8_t[]', max(self.room, 1))
        acl.aclrtKernelArgsInitByUserMem(kernel._pointer, self.handle, self.buffer, max(self.room, 1))

    def append(self, argument: Argument) -> Any:
        place = ffi.new('aclrtParamHandle *')
        if argument.kind == 'placeholder':
            acl.aclrtKernelArgsAppendPlaceHolder(self.handle, place)
        else:
            acl.aclrtKernelArgsAppend(self.handle, ffi.from_buffer(argument.data), len(argument.data), place)
        return place[0]

    def data_buffer(self, param: Any, size: int) -> Any:
        place = ffi.new('void **')
        acl.aclrtKernelArgsGetPlaceHolderBuffer(self.handle, param, size, place)
        return place[0]


class OwnBlock:
    """An argument list in a layout that aclrtKernelArgs* does not make."""

    handle = ffi.NULL

    def __init__(self, layout: Layout) -> None:
        self.buffer = ffi.new('uint8_t[]', max(layout.size, 1))
        self.fill(layout)

    def fill(self, layout: Layout) -> None:
        for row in layout:
            ffi.memmove(self.buffer + row.offset, row.data, len(row.data))


class Probe(NamedTuple):
    """A kernel's hidden slots and what the runtime fills them with in one context; None where there is no such slot."""

    sync: int | None  # in front: the inter-core sync address of mix kernels
    overflow: int | None  # behind the parameters: the context's overflow address


def probe_hidden(kernel: Kernel) -> Probe:
    """Seen in an empty list, in the current context: what the library does is the only truth about it."""
    probe = UserArgs(kernel, 0)
    if not probe.room:
        return Probe(None, None)  # an AI CPU kernel
    ffi.memmove(probe.buffer, UNTOUCHED * probe.room, probe.room)
    acl.aclrtKernelArgsFinalize(probe.handle)
    words = [bytes(ffi.buffer(probe.buffer + start, POINTER_SIZE)) for start in (0, POINTER_SIZE)]
    filled = [int.from_bytes(word, 'little') for word in words if word != UNTOUCHED * POINTER_SIZE]
    return Probe(filled[0] if len(filled) == len(words) else None, filled[-1] if filled else None)


def find_hidden(kernel: Kernel) -> Hidden:
    """The kernel's hidden slots."""
    with in_context(kernel._context):
        probe = probe_hidden(kernel)
    head, tail = (0 if value is None else POINTER_SIZE for value in probe)
    return Hidden(head, tail, POINTER_SIZE if tail else 1)


class KernelArgs:
    """A kernel's arguments, laid out once and launched as often as wanted: ``kernel.args(x, y, np.int32(3))``.

    ``args[i] = value`` changes one argument (aclrtKernelArgsParaUpdate, then Finalize). It keeps the buffers it was given
    alive. See ``acl_bind.values`` for what an argument can be.
    """

    def __init__(self, kernel: Kernel, *values: Any) -> None:
        self.kernel = kernel
        self._arguments = prepare(kernel, values)
        self._values = list(values)
        self._note_plain()
        self._build()

    # Of all lists, how often places and values have changed: what was made of some may be out of date then.
    builds = 0
    changes = 0

    def _build(self) -> None:
        KernelArgs.builds += 1
        KernelArgs.changes += 1
        self.plan: Any = None  # how C launches it, made with the first launch
        self.layout_name = self.kernel.layout
        self._args: UserArgs | OwnBlock
        if self.layout_name == 'bisheng':
            self._args = OwnBlock(self.layout())
        else:
            self._args = self._user_args()

    def _note_plain(self) -> None:
        # A launch of these is as good as one of the values themselves, which the typed call makes in C; where the library
        # takes only argument lists, the one at hand is better.
        plain = lib.has('aclrtLaunchKernelWithHostArgs') and all(map(is_unchanging, self._values))
        self.plain: tuple[Any, ...] | None = (self.kernel, *self._values) if plain else None

    def _user_args(self) -> UserArgs:
        with in_context(self.kernel._context):
            sizes = sum(-(-argument.slot_size // POINTER_SIZE) * POINTER_SIZE for argument in self._arguments)
            sizes += sum(len(argument.data) + POINTER_SIZE for argument in self._arguments if argument.kind == 'placeholder')
            args = UserArgs(self.kernel, sizes)
            self._params = [args.append(argument) for argument in self._arguments]
            self._buffers: dict[int, Any] = {}
            for index, argument in enumerate(self._arguments):
                if argument.kind == 'placeholder':
                    self._buffers[index] = args.data_buffer(self._params[index], len(argument.data))
                    ffi.memmove(self._buffers[index], argument.data, len(argument.data))
            acl.aclrtKernelArgsFinalize(args.handle)
        return args

    def __len__(self) -> int:
        return len(self._arguments)

    def __setitem__(self, index: int, value: Any) -> None:
        position = range(len(self._arguments))[index]
        old, new = self._arguments[position], prepare_one(self.kernel, self._arguments, position, value)
        self._arguments[position], self._values[position] = new, value
        self._note_plain()
        KernelArgs.changes += 1
        same = (old.kind == 'placeholder') == (new.kind == 'placeholder') and len(old.data) == len(new.data)
        if not same:
            self._build()  # another size moves everything behind it
        elif isinstance(self._args, OwnBlock):
            self._args.fill(self.layout())
        elif new.kind == 'placeholder':
            ffi.memmove(self._buffers[position], new.data, len(new.data))
        else:
            acl.aclrtKernelArgsParaUpdate(self._args.handle, self._params[position], ffi.from_buffer(new.data), len(new.data))
            with in_context(self.kernel._context):
                acl.aclrtKernelArgsFinalize(self._args.handle)

    def layout(self) -> Layout:
        """Offset, size, kind, value and bytes of every slot, hidden ones included. Prints as a table; a notebook shows a picture."""
        return lay_out(self._arguments, self.kernel.hidden_slots, self.kernel.layout, self.kernel.param_names)

    def _kept(self) -> Iterator[object]:
        return (argument.keep for argument in self._arguments if argument.keep is not None)

    def _repr_html_(self) -> str:
        return self.layout()._repr_html_()

    def __repr__(self) -> str:
        return f'<KernelArgs of {self.kernel.name}: {", ".join(argument.kind for argument in self._arguments) or "none"}>'


KernelMakers.args = KernelArgs
KernelMakers.hidden = find_hidden
