"""Arrays, tensors and streams of other libraries: DLPack both ways, the buffer protocol, torch and torch_npu."""

from __future__ import annotations

import array
import ctypes
import gc
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import acl_bind as ab
from acl_bind import _dlpack

try:
    import torch
except ImportError:  # an optional extra
    torch = None

needs_torch = pytest.mark.skipif(torch is None, reason='torch is not installed: pip install acl-bind[interop]')

DTYPES = ['i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f2', 'f4', 'f8', 'c8', '?', 'bfloat16', 'float8_e4m3fn', 'float8_e5m2']


def dtype_of(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name) if hasattr(ml_dtypes, name) else name)


def some(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    count = int(np.prod(shape)) * dtype.itemsize
    return (np.arange(count, dtype=np.uint8) % 2).view(dtype).reshape(shape)


def on_device(device: ab.Device, source: NDArray[Any]) -> ab.DeviceBuffer:
    buffer = device.empty(source.shape, source.dtype)
    buffer.copy_from(source)
    return buffer


# ---- DLPack out --------------------------------------------------------------------------------------------------------


def test_a_buffer_is_on_kdlextdev(device: ab.Device) -> None:
    assert device.empty(3).__dlpack_device__() == (12, 0)
    with ab.Device(1) as other:
        assert other.empty(3).__dlpack_device__() == (12, 1)


@pytest.mark.parametrize('versioned', [None, (1, 0), (1, 1)], ids=['older', '1.0', '1.1'])
@pytest.mark.parametrize('name', DTYPES)
def test_out_and_in_again_is_the_same_memory(device: ab.Device, name: str, versioned: Any) -> None:
    source = some((2, 3), dtype_of(name))
    buffer = on_device(device, source)

    class Once:
        def __dlpack_device__(self) -> tuple[int, int]:
            return buffer.__dlpack_device__()

        def __dlpack__(self, **_: Any) -> Any:
            return buffer.__dlpack__(max_version=versioned)

    borrowed = ab.from_dlpack(Once())
    assert (borrowed.handle, borrowed.shape, borrowed.dtype) == (buffer.handle, source.shape, source.dtype)
    assert borrowed.to_numpy().tobytes() == source.tobytes()


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < '2.1.0', reason='numpy before 2.1 cannot ask for a copy on the host')
def test_numpy_asks_for_a_host_copy(device: ab.Device) -> None:
    source = np.arange(6, dtype=np.float32).reshape(2, 3)
    copied = np.from_dlpack(on_device(device, source), device='cpu', copy=True)
    np.testing.assert_array_equal(copied, source)


@needs_torch
@pytest.mark.parametrize('name', ['f2', 'f4', 'i4', 'i8', '?', 'bfloat16'])
def test_torch_takes_a_host_copy(device: ab.Device, name: str) -> None:
    source = some((2, 3), dtype_of(name))
    tensor = torch.utils.dlpack.from_dlpack(on_device(device, source).__dlpack__(dl_device=(1, 0)))
    assert tensor.shape == (2, 3)
    assert bytes(tensor.view(torch.uint8).numpy()) == source.tobytes()


@needs_torch
def test_torch_without_an_npu_says_so_and_loses_nothing(device: ab.Device) -> None:
    buffer = device.empty(3)
    before = sys.getrefcount(buffer)
    with pytest.raises(Exception, match=r'privateuse|PrivateUse|device') as caught:
        torch.utils.dlpack.from_dlpack(buffer)
    del caught
    gc.collect()
    assert sys.getrefcount(buffer) == before


@pytest.mark.parametrize('versioned', [None, (1, 0)])
def test_a_capsule_keeps_the_buffer_and_lets_it_go(device: ab.Device, versioned: Any) -> None:
    buffer = device.empty(3)
    before = sys.getrefcount(buffer)
    capsule = buffer.__dlpack__(max_version=versioned)
    assert sys.getrefcount(buffer) == before + 1
    del capsule
    assert sys.getrefcount(buffer) == before
    imported = _dlpack.Imported(buffer.__dlpack__(max_version=versioned))
    assert sys.getrefcount(buffer) == before + 1
    del imported
    assert sys.getrefcount(buffer) == before


def test_a_capsule_is_used_once(device: ab.Device) -> None:
    capsule = device.empty(3).__dlpack__()
    _dlpack.Imported(capsule)
    with pytest.raises(TypeError, match='no DLPack capsule that is still unused'):
        _dlpack.Imported(capsule)


def test_copies_and_their_refusals(device: ab.Device) -> None:
    source = np.arange(3, dtype=np.int32)
    buffer = on_device(device, source)
    copied = _dlpack.Imported(buffer.__dlpack__(copy=True))
    assert copied.address != buffer.handle
    assert copied.device == (12, 0)
    with pytest.raises(BufferError, match='copy=False forbids one'):
        buffer.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match=r'dl_device is \(2, 0\), expected \(12, 0\) or \(1, 0\)'):
        buffer.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match='DLPack has no type for dtype'):
        device.empty(2, 'M8[s]').__dlpack__()


def test_a_host_copy_waits_for_the_stream(device: ab.Device, stream: ab.Stream) -> None:
    buffer = device.empty(1 << 16, np.uint8)
    buffer.fill(7, stream=stream)
    found = _dlpack.Imported(buffer.__dlpack__(dl_device=(1, 0), stream=stream))
    assert ctypes.string_at(found.address, 4) == bytes([7] * 4)


# ---- DLPack in ---------------------------------------------------------------------------------------------------------


class Exporter:
    """An object with DLPack, whose method takes the arguments that `accepted` names."""

    def __init__(self, buffer: ab.DeviceBuffer, *accepted: str) -> None:
        self.buffer, self.accepted, self.asked = buffer, accepted, [{}]  # type: ignore[var-annotated]

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.buffer.__dlpack_device__()

    def __dlpack__(self, **arguments: Any) -> Any:
        if set(arguments) - set(self.accepted):
            raise TypeError('unexpected keyword argument')
        self.asked.append(arguments)
        return self.buffer.__dlpack__(max_version=arguments.get('max_version'))


@pytest.mark.parametrize('accepted', [(), ('stream',), ('stream', 'max_version')], ids=['torch_npu', 'older', 'newer'])
def test_makers_of_every_age(device: ab.Device, stream: ab.Stream, accepted: tuple[str, ...]) -> None:
    exporter = Exporter(device.empty((2, 3), np.float16), *accepted)
    buffer = ab.from_dlpack(exporter, stream=stream)
    assert buffer.handle == exporter.buffer.handle
    assert set(exporter.asked[-1]) == set(accepted)
    if 'stream' in accepted:
        assert exporter.asked[-1]['stream'] == stream.handle


def test_borrowed_memory_outlives_its_maker(device: ab.Device) -> None:
    exporter = Exporter(on_device(device, np.arange(4)))
    buffer = ab.from_dlpack(exporter)
    del exporter
    gc.collect()
    np.testing.assert_array_equal(buffer.to_numpy(), np.arange(4))


def test_what_from_dlpack_refuses(device: ab.Device) -> None:
    with pytest.raises(TypeError, match='ndarray is not in the memory of an NPU'):
        ab.from_dlpack(np.arange(3))
    with pytest.raises(TypeError, match='int is not in the memory of an NPU'):
        ab.from_dlpack(3)


# ---- host arrays of others ---------------------------------------------------------------------------------------------


class WithInterface:
    def __init__(self, source: NDArray[Any]) -> None:
        self.source, self.__array_interface__ = source, source.__array_interface__


@pytest.mark.parametrize(
    'make',
    [bytes, bytearray, memoryview, lambda data: array.array('B', data), lambda data: (ctypes.c_uint8 * len(data))(*data)],
    ids=['bytes', 'bytearray', 'memoryview', 'array', 'ctypes'],
)
def test_the_buffer_protocol(device: ab.Device, make: Any) -> None:
    buffer = device.allocate(5)
    buffer.copy_from(make(b'abcde'))
    assert buffer.to_numpy().tobytes() == b'abcde'
    target = bytearray(5)
    buffer.copy_to(target)
    assert target == b'abcde'


def test_the_array_interface(device: ab.Device) -> None:
    source = np.arange(6, dtype=np.int16).reshape(2, 3)
    assert on_device(device, WithInterface(source).source).to_numpy().tobytes() == source.tobytes()
    buffer = device.empty((2, 3), np.int16)
    buffer.copy_from(WithInterface(source))
    np.testing.assert_array_equal(buffer.to_numpy(), source)


@needs_torch
@pytest.mark.parametrize('name', ['float16', 'float32', 'int64', 'bool', 'bfloat16'])
def test_torch_on_the_cpu_is_a_host_array(device: ab.Device, name: str) -> None:
    tensor = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(getattr(torch, name))
    buffer = device.empty((2, 3), dtype_of(name if name != 'bool' else '?'))
    buffer.copy_from(tensor)
    target = torch.zeros_like(tensor)
    buffer.copy_to(target)
    assert torch.equal(target, tensor)
    assert len(ab.Placeholder(tensor).data) == tensor.element_size() * 6


@needs_torch
def test_torch_tensors_that_are_not_contiguous_are_refused(device: ab.Device) -> None:
    with pytest.raises(TypeError, match=r'not C-contiguous; use \.contiguous\(\)'):
        device.empty((3, 2)).copy_from(torch.zeros(2, 3).t())
