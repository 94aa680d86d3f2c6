"""Where a kernel's arguments lie: the three layouts, their tables, and the check against the binary's own table.

| layout    | a parameter begins at a multiple of | hidden slots                | used by                              |
|-----------|-------------------------------------|-----------------------------|--------------------------------------|
| 'acl'     | 8                                   | put in by the runtime       | aclrtKernelArgs*                     |
| 'bisheng' | max(4, its C alignment)             | the caller's, as parameters | what ``<<<>>>`` makes, triton-ascend |
| 'packed'  | 1                                   | none                        | AI CPU kernels                       |
"""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._checks import counted
from ._ffi import ffi, lib, opened
from ._svg import Box, boxes
from .errors import AclArgumentLayoutError
from .kernel import KernelMakers
from .values import POINTER_SIZE, Argument, convert, label

if TYPE_CHECKING:
    from .kernel import Kernel, Param

LAYOUTS = ('acl', 'bisheng', 'packed')
COLUMNS = ('offset', 'size', 'kind', 'what', 'value', 'bytes')
BISHENG_ALIGN = 4  # at least
BYTES_SHOWN = 32


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of a layout. Offset and size in bytes."""

    offset: int
    size: int
    kind: str  # 'pointer', 'value', 'placeholder', 'data' or 'hidden'
    label: str
    data: bytes  # host bytes; of a placeholder's or hidden slot: empty, the runtime fills it
    value: str = ''

    def cells(self) -> tuple[str, ...]:
        shown = self.data[:BYTES_SHOWN].hex(' ', 8) + (' ...' if len(self.data) > BYTES_SHOWN else '')
        return str(self.offset), str(self.size), self.kind, self.label, self.value, shown or '(filled at launch)'


class Layout(tuple[Row, ...]):
    """Rows of an argument list, in order. As text, a table; in a notebook, a picture and a table."""

    __slots__ = ()

    def __str__(self) -> str:
        return text_table(COLUMNS, [row.cells() for row in self])

    def _repr_html_(self) -> str:
        picture = boxes([Box(row.offset, row.size, row.kind, f'{row.label}: {row.size} bytes at {row.offset}') for row in self])
        return picture + html_table(COLUMNS, [row.cells() for row in self])

    @property
    def size(self) -> int:
        """Bytes of the whole argument block."""
        return max((row.offset + row.size for row in self), default=0)


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their cells; the first two, numbers, to the right."""
    lines = [tuple(columns), *(tuple(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(columns))]
    sides = [str.rjust, str.rjust, *[str.ljust] * (len(columns) - 2)]
    return '\n'.join('  '.join(side(cell, width) for side, cell, width in zip(sides, line, widths, strict=True)).rstrip() for line in lines)


def html_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = ''.join(f'<th>{html.escape(title)}</th>' for title in columns)
    body = ''.join('<tr>' + ''.join(f'<td>{html.escape(cell)}</td>' for cell in row) + '</tr>' for row in rows)
    return f'<table><tr>{head}</tr>{body}</table>'


@dataclasses.dataclass(frozen=True)
class Hidden:
    """What the runtime puts into a kernel's argument list besides the parameters, in bytes."""

    head: int  # before them: the inter-core sync address of mix kernels
    tail: int  # behind them: the overflow address
    align: int  # of a parameter: 8, or 1 for AI CPU kernels


NONE_HIDDEN = Hidden(0, 0, 1)


def _begin(end: int, argument: Argument, layout: str) -> int:
    align = {'acl': POINTER_SIZE, 'packed': 1}.get(layout) or max(BISHENG_ALIGN, argument.align)
    return -(-end // align) * align


def lay_out(arguments: Sequence[Argument], hidden: Hidden, layout: str = '', names: Sequence[str] = ()) -> Layout:
    """Where everything goes: hidden slots in front, parameters, hidden slots behind, placeholders' data.

    ``layout``: one of LAYOUTS; '' is the one that aclrtKernelArgs* uses for the kernel.
    """
    layout = layout or ('acl' if hidden.align == POINTER_SIZE else 'packed')
    hidden = hidden if layout == 'acl' else NONE_HIDDEN
    rows = [Row(offset, POINTER_SIZE, 'hidden', 'inter-core sync', b'') for offset in range(0, hidden.head, POINTER_SIZE)]
    end = hidden.head
    for index, argument in enumerate(arguments):
        start = _begin(end, argument, layout)
        data = b'' if argument.kind == 'placeholder' else argument.data
        rows.append(Row(start, argument.slot_size, argument.kind, label(index, names), data, argument.shown))
        end = start + argument.slot_size
    behind = -(-end // POINTER_SIZE) * POINTER_SIZE
    rows += [Row(behind + offset, POINTER_SIZE, 'hidden', 'overflow', b'') for offset in range(0, hidden.tail, POINTER_SIZE)]
    end = behind + hidden.tail if hidden.tail else end
    for index, argument in enumerate(arguments):
        if argument.kind == 'placeholder':
            # Where the caller chooses, data begins at multiples of 8, so that a kernel may read it as any type: our choice.
            start = end if layout == 'packed' else -(-end // POINTER_SIZE) * POINTER_SIZE
            rows.append(Row(start, len(argument.data), 'data', f'of {label(index, names)}', argument.data))
            end = start + len(argument.data)
    return Layout(rows)


def prepare(kernel: Kernel, values: Sequence[Any]) -> list[Argument]:
    """The arguments for values, checked against what the binary says of the kernel's parameters.

    Raises TypeError for a value that cannot be one, a wrong number of them or a wrong size, ValueError for an int out of
    range, AclArgumentLayoutError when the binary wants them elsewhere than ``kernel.layout`` puts them.
    """
    check_count(kernel, len(values))
    table, names = kernel.arg_info, kernel.param_names
    sizes = [None] * len(values) if table is None else [param.size for param in table]
    called = names or ('',) * len(values)
    arguments = [convert(*each) for each in zip(values, range(len(values)), called, sizes, strict=True)]
    check_pointers(kernel, arguments)
    if table is not None:
        check_table(kernel, arguments, table)
    return arguments


def check_count(kernel: Kernel, count: int) -> None:
    """Raise TypeError when the binary, or who named the parameters, knows of another number of them."""
    table, names = kernel.arg_info, kernel.param_names
    for known, text in ((table, '' if table is None else _described(table)), (names or None, ', '.join(names))):
        if known is not None and len(known) != count:
            raise TypeError(f'{kernel.name} takes {counted(len(known), "argument")} ({text}), got {count}')


def prepare_one(kernel: Kernel, arguments: Sequence[Argument], position: int, value: Any) -> Argument:
    """A new value for one of a kernel's arguments, checked as ``prepare`` does."""
    table, names = kernel.arg_info, kernel.param_names
    new = convert(value, position, names[position] if names else '', table[position].size if table is not None else None)
    check_pointers(kernel, [new], position)
    if table is not None:
        check_table(kernel, [*arguments[:position], new, *arguments[position + 1 :]], table)
    return new


def check_pointers(kernel: Kernel, arguments: Sequence[Argument], first: int = 0, *, always: bool = False) -> None:
    """Raise ValueError for a pointer to another device than the kernel's, and on the mock for one to no device memory at all."""
    for index, argument in enumerate(arguments, first):
        if argument.kind != 'pointer':
            continue
        name = label(index, kernel.param_names)
        if argument.device_id is not None and argument.device_id != kernel.device_id:
            raise ValueError(f'{name}: the buffer is on device {argument.device_id}, the kernel {kernel.name} on device {kernel.device_id}')
        if not argument.checked and (always or opened().kind == 'mock'):
            check_address(name, int.from_bytes(argument.data, 'little'))


def check_address(name: str, address: int) -> None:
    """Raise ValueError for an address that is not of device memory (aclrtPointerGetAttributes)."""
    found = ffi.new('aclrtPtrAttributes *')
    kinds = (lib.ACL_MEM_LOCATION_TYPE_DEVICE, lib.ACL_MEM_LOCATION_TYPE_MANAGED)
    if lib.aclrtPointerGetAttributes(ffi.cast('void *', address), found) != 0 or found.location.type not in kinds:
        raise ValueError(f'{name}: {address:#x} is no address of device memory; pass a DeviceBuffer, or copy host data to one')


def _described(table: Sequence[Param]) -> str:
    return ', '.join(counted(param.size, 'byte') for param in table)


def _offsets(layout: Layout) -> list[int]:
    return [row.offset for row in layout if row.kind not in ('hidden', 'data')]


def check_table(kernel: Kernel, arguments: Sequence[Argument], table: Sequence[Param]) -> None:
    """Raise AclArgumentLayoutError where the binary's offsets are not those of the kernel's layout."""
    hidden, names = kernel.hidden_slots, kernel.param_names
    chosen = lay_out(arguments, hidden, kernel.layout, names)
    wanted = [param.offset for param in table]
    if _offsets(chosen) == wanted:
        return
    fits = [name for name in LAYOUTS if _offsets(lay_out(arguments, hidden, name, names)) == wanted]
    advice = f'kernel.layout = {fits[0]!r} gives them' if fits else 'no layout of acl_bind gives them: check the types of the arguments'
    rows = [(str(param.offset), str(param.size), label(index, names)) for index, param in enumerate(table)]
    raise AclArgumentLayoutError(
        f'{kernel.name} wants its parameters at offsets {", ".join(map(str, wanted))}; the layout {kernel.layout!r} puts these '
        f'arguments at {", ".join(map(str, _offsets(chosen)))}, and {advice}.\n'
        f'In the binary:\n{text_table(("offset", "size", "what"), rows)}\n'
        f'Layout {kernel.layout!r}:\n{chosen}'
    )


def kernel_html(kernel: Kernel) -> str:
    """A kernel's parameters as a notebook shows them."""
    kind, ratio, mode = kernel.attributes
    about = f'{kind}{f", cube:vector {ratio[0]}:{ratio[1]}" if ratio else ""}, schedule mode {mode}, layout {kernel.layout}'
    head = f'<b>Kernel {html.escape(kernel.name)}</b> ({html.escape(about)})'
    if kernel.arg_info is None:
        return head + '<br>The binary has no table of its parameters.'
    rows = [(str(param.offset), str(param.size), label(index, kernel.param_names)) for index, param in enumerate(kernel.arg_info)]
    return head + html_table(('offset', 'size', 'what'), rows)


KernelMakers.html = kernel_html
