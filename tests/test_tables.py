"""Kernels whose binary tells of its parameters: sizes for bare numbers, counts, offsets, layouts."""

from __future__ import annotations

import pathlib
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from pytest_mock import MockerFixture
from recorded import last_bytes, recording, sent

import acl_bind as ab


@pytest.fixture
def tables(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Binary]:
    with ab.Binary.from_file(build_kernels('tables.c')) as binary:
        yield binary


def test_what_the_binary_tells(tables: ab.Binary) -> None:
    kernel = tables.get_kernel('dense')
    assert kernel.arg_info == ((0, 8), (8, 4), (12, 4))
    assert kernel.num_args == 3
    assert 'argument 2' in kernel._repr_html_()


def test_a_wrong_number_of_arguments_is_said_before_c(tables: ab.Binary) -> None:
    with pytest.raises(TypeError, match=r'slotted takes 4 arguments \(8 bytes, 4 bytes, 2 bytes, 1 byte\), got 2'):
        tables.get_kernel('slotted').args(None, np.int32(1))


def test_a_wrong_size_names_the_argument(tables: ab.Binary) -> None:
    kernel = tables.get_kernel('slotted', param_names=('x', 'n', 'm', 'k'))
    with pytest.raises(TypeError, match=r'argument 1 \(n\): int64 has 8 bytes, the parameter in the binary has 4'):
        kernel.args(None, np.int64(1), np.int16(1), np.int8(1))


def test_other_offsets_than_the_layouts_are_refused_with_both_tables(tables: ab.Binary) -> None:
    kernel = tables.get_kernel('dense')
    with pytest.raises(ab.AclArgumentLayoutError) as caught:
        kernel.args(None, 1, 2)
    text = str(caught.value)
    assert 'at offsets 0, 8, 12' in text
    assert "kernel.layout = 'bisheng' gives them" in text
    assert text.count('offset  size') == 2


def test_offsets_that_no_layout_gives(tables: ab.Binary) -> None:
    with pytest.raises(ab.AclArgumentLayoutError, match='no layout of acl_bind gives them'):
        tables.get_kernel('odd').args(None)


def test_the_bisheng_layout_fits_what_the_compiler_does(stream: ab.Stream, tables: ab.Binary) -> None:
    kernel = tables.get_kernel('dense')
    kernel.layout = 'bisheng'
    assert sent(stream, kernel, None, 7, 9) == bytes(8) + struct.pack('<2i', 7, 9)


RANGES = {1: 24, 2: 16, 4: 8}  # parameter's size to its offset in the kernel `slotted`


@pytest.mark.parametrize('size', RANGES)
def test_the_binarys_table_gives_a_bare_int_its_size(stream: ab.Stream, tables: ab.Binary, size: int) -> None:
    kernel = tables.get_kernel('slotted')
    low, high = -(1 << (8 * size - 1)), (1 << (8 * size)) - 1
    good: dict[int, Any] = {4: np.int32(0), 2: np.int16(0), 1: np.int8(0)}
    for value in (low, -1, 0, high):
        block = sent(stream, kernel, None, *{**good, size: value}.values())
        assert block[RANGES[size] : RANGES[size] + size] == (value % (1 << 8 * size)).to_bytes(size, 'little')
    for value in (low - 1, high + 1, 1 << 64):
        with pytest.raises(ValueError, match=f'does not fit the {size} bytes? of the parameter, expected {low} to {high}'):
            kernel.args(None, *{**good, size: value}.values())


def test_the_binarys_table_gives_a_bare_float_its_size(stream: ab.Stream, tables: ab.Binary) -> None:
    kernel = tables.get_kernel('reals')
    block = sent(stream, kernel, 1.5, 2.5, np.float16(3.5))
    assert (block[:4], block[8:16], block[16:18]) == (struct.pack('<f', 1.5), struct.pack('<d', 2.5), struct.pack('<e', 3.5))
    with pytest.raises(ValueError, match=r'argument 0: 1e\+300 does not fit'):
        kernel.args(1e300, 2.5, np.float16(1))
    with pytest.raises(TypeError, match=r'argument 2: .*np\.float16 or a bfloat16'):
        kernel.args(1.5, 2.5, 3.5)


# ---- bind() -----------------------------------------------------------------------------------------------------------


def test_bound_types_are_held_against_the_table(tables: ab.Binary) -> None:
    kernel = tables.get_kernel('slotted', param_names=('x', 'n', 'm', 'k'))
    kernel.bind(ab.DeviceBuffer, np.int32, np.int16, np.int8)
    with pytest.raises(TypeError, match=r'argument 2 \(m\): int32 has 4 bytes, the parameter in the binary has 2'):
        kernel.bind(ab.DeviceBuffer, np.int32, np.int32, np.int8)
    with pytest.raises(TypeError, match='slotted takes 4 arguments'):
        kernel.bind(ab.DeviceBuffer)
    with pytest.raises(ab.AclArgumentLayoutError, match='wants its parameters at offsets 0, 8, 12'):
        tables.get_kernel('dense').bind(ab.DeviceBuffer, np.int32, np.int32)


def test_bind_in_the_bisheng_layout(stream: ab.Stream, tables: ab.Binary) -> None:
    kernel = tables.get_kernel('dense')
    kernel.layout = 'bisheng'
    typed = kernel.bind(ab.DeviceBuffer, np.int32, np.int32)
    for _ in range(2):
        with recording():
            typed(stream, 1, None, 7, 9)
            stream.sync()
            assert last_bytes() == bytes(8) + struct.pack('<2i', 7, 9)


def test_bind_with_checks_asks_the_library(device: ab.Device, stream: ab.Stream, tables: ab.Binary, mocker: MockerFixture) -> None:
    host, buffer = np.zeros(4), device.empty(4)
    kernel = tables.get_kernel('slotted')
    opened = mocker.patch('acl_bind.layout.opened')
    opened.return_value.kind = 'cann'
    checked = kernel.bind(ab.Ptr, np.int32, np.int16, np.int8, check=True)
    with pytest.raises(ValueError, match=r'argument 0: 0x[0-9a-f]+ is no address of device memory'):
        checked(stream, 1, ab.Ptr(host.ctypes.data), 1, 1, 1)
    checked(stream, 1, ab.Ptr(buffer.handle), 1, 1, 1)
    kernel.bind(ab.Ptr, np.int32, np.int16, np.int8)(stream, 1, ab.Ptr(host.ctypes.data), 1, 1, 1)
    stream.sync()
