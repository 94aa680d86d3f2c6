"""Device buffers: shapes, copies, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import acl_bind as ab

DTYPES = ['u1', 'i2', 'f2', 'u4', 'f4', 'i8', 'f8', 'c8', '?']


@pytest.mark.parametrize('dtype', DTYPES)
def test_arrays_come_back_bit_for_bit(device: ab.Device, dtype: str) -> None:
    array = np.arange(3 * 5 * 7 * np.dtype(dtype).itemsize, dtype=np.uint8).view(dtype).reshape(3, 5, 7)
    with device.empty(array.shape, dtype) as buffer:
        buffer.copy_from(array)
        assert (buffer.shape, buffer.dtype, buffer.nbytes, buffer.size, len(buffer)) == ((3, 5, 7), array.dtype, array.nbytes, 105, 3)
        assert buffer.to_numpy().tobytes() == array.tobytes()
        target = np.zeros_like(array)
        buffer.copy_to(target)
        assert target.tobytes() == array.tobytes()


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_array_comes_back(stream: ab.Stream, data: st.DataObject) -> None:
    shape = data.draw(arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=20))
    dtype = data.draw(st.sampled_from(DTYPES))
    array = np.frombuffer(np.random.default_rng(1).bytes(int(np.prod(shape)) * np.dtype(dtype).itemsize), dtype).reshape(shape)
    ordered = data.draw(st.booleans())
    assert stream.device is not None
    with stream.device.empty(shape, dtype) as buffer:
        buffer.copy_from(array, stream=stream if ordered else None)
        again = buffer.to_numpy(stream=stream if ordered else None)
    assert again.shape == shape
    assert again.tobytes() == array.tobytes()


@pytest.mark.parametrize('shape', [0, (0,), (0, 3), (4, 0, 2)])
def test_empty_shapes_are_legal(device: ab.Device, stream: ab.Stream, shape: Any) -> None:
    buffer = device.empty(shape, np.float16)
    assert (buffer.handle, buffer.nbytes) == (0, 0)
    buffer.copy_from(np.empty(shape, np.float16), stream=stream)
    buffer.fill(1)
    assert buffer.to_numpy().shape == ((shape,) if isinstance(shape, int) else shape)
    buffer.close()
    assert buffer.is_closed


def test_a_scalar_shape(device: ab.Device) -> None:
    with device.empty((), np.int32) as buffer:
        buffer.copy_from(np.array(7, np.int32))
        assert buffer.to_numpy()[()] == 7
        with pytest.raises(TypeError, match='0-dimensional'):
            len(buffer)


def test_fill(device: ab.Device, stream: ab.Stream) -> None:
    with device.allocate(100) as buffer:
        buffer.fill(0xAB)
        assert (buffer.to_numpy() == 0xAB).all()
        buffer.fill(1, stream=stream)
        stream.sync()
        assert (buffer.to_numpy() == 1).all()
        for wrong in (-1, 256):
            with pytest.raises(ValueError, match='byte is'):
                buffer.fill(wrong)


REFUSED: list[tuple[str, Any, type[Exception], str]] = [
    ('a list', [1, 2, 3, 4], TypeError, 'source is list'),
    ('a number', 3, TypeError, 'source is int'),
    ('not contiguous', np.zeros(8, np.int32)[::2], TypeError, 'not C-contiguous'),
    ('Fortran order', np.zeros((2, 2), np.int32).T[:, ::-1], TypeError, 'not C-contiguous'),
    ('too short', np.zeros(3, np.int32), ValueError, r'source has 12 bytes \(\(3,\), int32\), the buffer 16'),
    ('too long', np.zeros(5, np.int32), ValueError, 'source has 20 bytes'),
    ('another dtype', np.zeros(4, np.float32), ValueError, "dtype float32, the buffer int32; use .view"),
    ('big-endian', np.zeros(4, '>i4'), TypeError, 'big-endian'),
    ('objects', np.array([None] * 2), TypeError, 'Python objects'),
]


@pytest.mark.parametrize(('source', 'kind', 'said'), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_a_copy_refuses(device: ab.Device, source: Any, kind: type[Exception], said: str) -> None:
    with device.empty(4, np.int32) as buffer, pytest.raises(kind, match=said):
        buffer.copy_from(source)


def test_a_target_must_be_writable(device: ab.Device) -> None:
    target = np.zeros(4, np.int32)
    target.flags.writeable = False
    with device.empty(4, np.int32) as buffer:
        with pytest.raises(ValueError, match='read-only'):
            buffer.copy_to(target)
        with pytest.raises(TypeError, match='not C-contiguous'):
            buffer.copy_to(np.zeros(8, np.int32)[::2])


SHAPES: list[tuple[Any, Any, type[Exception], str]] = [
    (-1, 'f4', ValueError, 'negative dimension'),
    ((2, -3), 'f4', ValueError, 'negative dimension'),
    ((2.0,), 'f4', TypeError, 'expected ints'),
    ((True,), 'f4', TypeError, 'expected ints'),
    (4, 'O', TypeError, 'Python objects'),
    (4, '>f4', TypeError, 'big-endian'),
]


@pytest.mark.parametrize(('shape', 'dtype', 'kind', 'said'), SHAPES)
def test_shapes_and_dtypes_that_are_refused(device: ab.Device, shape: Any, dtype: str, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        device.empty(shape, dtype)


def test_out_of_memory_says_how_much(device: ab.Device) -> None:
    with pytest.raises(MemoryError, match='error code is 207001') as caught:
        device.allocate(1 << 50)
    assert isinstance(caught.value, ab.AclMemoryError)
    assert f'{1 << 50} bytes were asked for; device 0 has' in str(caught.value)


def test_use_after_close(device: ab.Device, stream: ab.Stream) -> None:
    buffer = device.empty(4, np.int32)
    buffer.close()
    uses = (buffer.to_numpy, buffer.fill, lambda: buffer.copy_from(np.zeros(4, np.int32)), lambda: buffer.fill(1, stream=stream))
    for use in uses:
        with pytest.raises(ab.AclHandleError, match='this DeviceBuffer is closed'):
            use()


def test_memory_stays_until_queued_work_is_done(device: ab.Device, stream: ab.Stream) -> None:
    blocks = ab.lib.aclmock_live(ab.lib.ACLMOCK_BLOCKS)
    buffer = device.allocate(64)
    buffer.fill(1, stream=stream)
    del buffer
    assert ab.lib.aclmock_live(ab.lib.ACLMOCK_BLOCKS) == blocks + 1
    stream.sync()
    assert ab.lib.aclmock_live(ab.lib.ACLMOCK_BLOCKS) == blocks
