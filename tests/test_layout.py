"""Layouts: where arguments lie, how that is printed, and the bytes that follow from it."""

from __future__ import annotations

import itertools
import pathlib
import struct
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import sent

import acl_bind as ab
from acl_bind.layout import LAYOUTS, Hidden, lay_out
from acl_bind.values import Argument, convert

ALIGNMENTS: dict[str, Callable[[int], int]] = {'acl': lambda _: 8, 'bisheng': lambda align: max(4, align), 'packed': lambda _: 1}


@pytest.fixture
def probe(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Binary]:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary:
        yield binary


def test_the_layout_of_a_kernel_is_chosen_by_its_type(probe: ab.Binary) -> None:
    assert [probe.get_kernel(name).layout for name in ('do_nothing', 'do_nothing_mixed', 'do_nothing_on_cpu')] == ['acl', 'acl', 'packed']


@pytest.mark.parametrize(
    ('kernel', 'layout'), [('do_nothing', 'packed'), ('do_nothing_on_cpu', 'acl'), ('do_nothing_on_cpu', 'bisheng'), ('do_nothing', 'x')]
)
def test_a_layout_that_a_kernel_cannot_have(probe: ab.Binary, kernel: str, layout: str) -> None:
    chosen = probe.get_kernel(kernel)
    with pytest.raises(ValueError, match=f"layout is '{layout}', expected"):
        chosen.layout = layout


def test_acl(stream: ab.Stream, probe: ab.Binary) -> None:
    block = sent(stream, probe.get_kernel('do_nothing'), np.int8(1), np.int16(2), np.int64(3))
    assert (block[0], block[8:10], block[16:24]) == (1, struct.pack('<h', 2), struct.pack('<q', 3))
    assert len(block) == 32  # and the overflow address


def test_acl_of_a_mix_kernel_has_the_sync_address_in_front(stream: ab.Stream, probe: ab.Binary) -> None:
    kernel = probe.get_kernel('do_nothing_mixed')
    block = sent(stream, kernel, np.int64(3))
    assert block[8:16] == struct.pack('<q', 3)
    assert block[:8] == struct.pack('<Q', ab.lib.aclmock_sync_address())
    assert block[16:24] == struct.pack('<Q', ab.lib.aclmock_overflow_address())


def test_packed(stream: ab.Stream, probe: ab.Binary) -> None:
    assert sent(stream, probe.get_kernel('do_nothing_on_cpu'), np.int8(1), np.int16(2), np.int64(3)) == struct.pack('<bhq', 1, 2, 3)


def test_bisheng(stream: ab.Stream, probe: ab.Binary) -> None:
    kernel = probe.get_kernel('do_nothing')
    kernel.layout = 'bisheng'
    block = sent(stream, kernel, np.int8(1), np.int16(2), np.int32(3), None, np.int8(4))
    assert block[:25] == struct.pack('<b3xh2xi4xQb', 1, 2, 3, 0, 4)


def test_bisheng_with_a_placeholder(stream: ab.Stream, probe: ab.Binary) -> None:
    kernel = probe.get_kernel('do_nothing')
    kernel.layout = 'bisheng'
    args = kernel.args(np.int8(1), ab.Placeholder(b'tiling'), np.int8(2))
    block = sent(stream, kernel, args)
    data = next(row for row in args.layout() if row.kind == 'data')
    assert block[data.offset : data.offset + 6] == b'tiling'
    assert int.from_bytes(block[8:16], 'little') % 8 == 0
    args[0] = np.int8(5)
    args[1] = ab.Placeholder(b'others')
    block = sent(stream, kernel, args)
    assert (block[0], block[16]) == (5, 2)
    assert block[data.offset : data.offset + 6] == b'others'


# ---- what is printed ---------------------------------------------------------------------------------------------------


def example(probe: ab.Binary) -> ab.KernelArgs:
    kernel = probe.get_kernel('do_nothing_mixed', param_names=('x', 'n', 'tiling'))
    return kernel.args(None, np.int32(7), ab.Placeholder(b'\1\2\3\4'))


def test_layout_as_text(probe: ab.Binary) -> None:
    lines = str(example(probe).layout()).splitlines()
    assert [line.split() for line in lines] == [
        ['offset', 'size', 'kind', 'what', 'value', 'bytes'],
        ['0', '8', 'hidden', 'inter-core', 'sync', '(filled', 'at', 'launch)'],
        ['8', '8', 'pointer', 'argument', '0', '(x)', 'None', '0000000000000000'],
        ['16', '4', 'value', 'argument', '1', '(n)', *repr(np.int32(7)).split(), '07000000'],
        ['24', '8', 'placeholder', 'argument', '2', '(tiling)', 'Placeholder(4', 'bytes)', '(filled', 'at', 'launch)'],
        ['32', '8', 'hidden', 'overflow', '(filled', 'at', 'launch)'],
        ['40', '4', 'data', 'of', 'argument', '2', '(tiling)', '01020304'],
    ]


def test_layout_as_a_picture(probe: ab.Binary) -> None:
    html = example(probe)._repr_html_()
    picture = ET.fromstring(html[: html.index('<table>')])
    space = '{http://www.w3.org/2000/svg}'
    slots = [each for each in picture.findall(f'{space}rect') if each.find(f'{space}title') is not None]
    assert len(slots) == 6
    left = [float(each.get('x', '')) for each in slots]
    assert left == sorted(left)
    byte = (left[2] - left[1]) / 8
    assert float(slots[2].get('width', '')) == pytest.approx(4 * byte, abs=0.2)  # to scale
    fills = [each.get('fill') for each in slots]
    assert fills[0] == fills[4] == 'url(#acl-bind-hatch)'
    assert len(set(fills)) == 5  # a colour a kind


def test_html_is_escaped(probe: ab.Binary) -> None:
    kernel = probe.get_kernel('do_nothing', param_names=('<b>',))
    html = kernel.args(b'<i>')._repr_html_()
    assert '<b>' not in html
    assert '<i>' not in html


# ---- rules -------------------------------------------------------------------------------------------------------------

TYPES = [np.int8, np.int16, np.int32, np.int64, np.float16, np.float32, np.float64, np.bool_, np.complex64]
VALUES = st.one_of(
    st.sampled_from(TYPES).map(lambda scalar: scalar(1)),
    st.just(None),
    st.binary(min_size=1, max_size=20),
    st.binary(min_size=1, max_size=40).map(ab.Placeholder),
)


def arguments(values: list[Any]) -> list[Argument]:
    return [convert(value, index) for index, value in enumerate(values)]


@settings(deadline=None)
@given(st.lists(VALUES, max_size=12), st.sampled_from(LAYOUTS), st.sampled_from([Hidden(0, 8, 8), Hidden(8, 8, 8), Hidden(0, 0, 1)]))
def test_slots_are_in_order_apart_and_aligned(values: list[Any], layout: str, hidden: Hidden) -> None:
    given_ = arguments(values)
    rows = lay_out(given_, hidden, layout)
    for before, after in itertools.pairwise(rows):
        assert before.offset + before.size <= after.offset
    slots = [row for row in rows if row.label.startswith('argument')]
    assert [slot.size for slot in slots] == [argument.slot_size for argument in given_]
    for slot, argument in zip(slots, given_, strict=True):
        align = ALIGNMENTS[layout](argument.align)
        assert slot.offset % align == 0
        assert slot.offset - max((row.offset + row.size for row in rows if row.offset < slot.offset), default=0) < align  # no wider gap
