"""What each kind of value becomes as a kernel argument: a test a row of the table in acl_bind/values.py."""

from __future__ import annotations

import ctypes
import enum
import pathlib
import struct
from collections.abc import Callable, Iterator
from typing import Any

import cffi
import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recorded import sent

import acl_bind as ab
from acl_bind.values import convert

SCALARS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16, np.float32, np.float64]
WHOLE_SCALARS = [*SCALARS, np.bool_, np.complex64, ml_dtypes.bfloat16]


@pytest.fixture
def kernel(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Kernel]:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary:
        yield binary.get_kernel('do_nothing')


@pytest.fixture
def send(stream: ab.Stream, kernel: ab.Kernel) -> Callable[..., bytes]:
    return lambda *values: sent(stream, kernel, *values)


class Tiling(ctypes.Structure):
    _fields_ = (('small', ctypes.c_uint8), ('middle', ctypes.c_uint32), ('large', ctypes.c_uint64))


class Colour(enum.IntEnum):
    RED = 1


class Torchlike:
    """What acl_bind looks at in a torch_npu tensor."""

    class Where:
        type = 'npu'

        def __init__(self, index: int) -> None:
            self.index = index

    def __init__(self, buffer: ab.DeviceBuffer, contiguous: bool = True) -> None:
        self.buffer, self.device, self.contiguous = buffer, self.Where(buffer.device_id or 0), contiguous

    def data_ptr(self) -> int:
        return self.buffer.handle

    def is_contiguous(self) -> bool:
        return self.contiguous


def word(address: int) -> bytes:
    return struct.pack('<Q', address)


# ---- pointers ---------------------------------------------------------------------------------------------------------


def test_a_buffer_is_its_address(device: ab.Device, send: Callable[..., bytes]) -> None:
    buffer = device.empty(4, np.int32)
    assert send(buffer)[:8] == word(buffer.handle)


def test_an_empty_buffer_is_a_null_pointer(device: ab.Device, send: Callable[..., bytes]) -> None:
    assert send(device.empty((0, 3)))[:8] == bytes(8)


def test_none_is_a_null_pointer(send: Callable[..., bytes]) -> None:
    assert send(None)[:8] == bytes(8)


def test_ptr_is_the_address_it_says(device: ab.Device, send: Callable[..., bytes]) -> None:
    buffer = device.empty(4, np.int32)
    assert send(ab.Ptr(buffer.handle + 4))[:8] == word(buffer.handle + 4)


def test_a_torch_npu_tensor_is_its_address(device: ab.Device, send: Callable[..., bytes]) -> None:
    tensor = Torchlike(device.empty(4, np.int32))
    assert send(tensor)[:8] == word(tensor.data_ptr())


def test_a_torch_npu_tensor_that_is_not_contiguous_is_refused(device: ab.Device, kernel: ab.Kernel) -> None:
    with pytest.raises(TypeError, match=r'argument 0: the tensor is not contiguous'):
        kernel.args(Torchlike(device.empty(4, np.int32), contiguous=False))


def test_dlpack_on_an_npu_is_its_address(device: ab.Device, send: Callable[..., bytes]) -> None:
    class Exporter:
        """Like torch_npu's tensors: no arguments."""

        def __dlpack_device__(self) -> tuple[int, int]:
            return buffer.__dlpack_device__()

        def __dlpack__(self) -> Any:
            return buffer.__dlpack__()

    buffer = device.empty(4, np.int32)
    assert send(Exporter())[:8] == word(buffer.handle)


# ---- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('scalar', WHOLE_SCALARS, ids=lambda scalar: scalar.__name__)
def test_a_numpy_scalar_is_its_bytes(send: Callable[..., bytes], scalar: Any) -> None:
    value = scalar(1)
    assert send(value)[: value.nbytes] == value.tobytes()


@pytest.mark.parametrize('pattern', [0x3E00, 0x8000, 0x0001, 0x7E01, 0xFC00], ids=['1.5', '-0', 'subnormal', 'nan', '-inf'])
@pytest.mark.parametrize('half', [np.float16, ml_dtypes.bfloat16])
def test_halves_go_bit_for_bit(send: Callable[..., bytes], half: Any, pattern: int) -> None:
    value = np.array(pattern, np.uint16).view(half)[()]
    assert send(value)[:2] == struct.pack('<H', pattern)


@pytest.mark.parametrize(
    'value',
    [ctypes.c_int8(-1), ctypes.c_uint16(7), ctypes.c_int32(-5), ctypes.c_uint64(1 << 63), ctypes.c_float(1.5), ctypes.c_bool(True)],
    ids=lambda value: type(value).__name__,
)
def test_a_ctypes_scalar_is_its_bytes(send: Callable[..., bytes], value: Any) -> None:
    assert send(value)[: ctypes.sizeof(value)] == bytes(value)


@pytest.mark.parametrize('value', [True, False, np.True_, np.False_])
def test_a_bool_is_one_byte(value: Any) -> None:
    assert convert(value, 0).data == bytes([bool(value)])


def test_a_bool_between_ints(send: Callable[..., bytes]) -> None:
    block = send(np.int32(7), True, np.int32(9))
    assert (block[:4], block[8:9], block[16:20]) == (struct.pack('<i', 7), b'\1', struct.pack('<i', 9))


def test_ctypes_structs_unions_and_arrays_go_by_value(send: Callable[..., bytes]) -> None:
    class Either(ctypes.Union):
        _fields_ = (('number', ctypes.c_uint32), ('real', ctypes.c_float))

    for value in (Tiling(1, 2, 3), Either(number=7), (ctypes.c_int16 * 3)(1, 2, 3)):
        assert send(value)[: ctypes.sizeof(value)] == bytes(value)


def test_cffi_structs_and_scalars_go_by_value(send: Callable[..., bytes]) -> None:
    own = cffi.FFI()
    own.cdef('typedef struct { uint8_t small; uint32_t middle; uint64_t large; } tiling; typedef union { float f; uint32_t u; } either;')
    made = own.new('tiling *', {'small': 1, 'middle': 2, 'large': 3})
    for value in (made, made[0]):
        assert send(value)[:16] == bytes(Tiling(1, 2, 3))
    assert send(own.new('either *', {'u': 5}))[:4] == struct.pack('<I', 5)
    assert send(own.new('int16_t[3]', [1, 2, 3]))[:6] == struct.pack('<3h', 1, 2, 3)
    assert send(own.cast('int32_t', -4))[:4] == struct.pack('<i', -4)


def test_an_aligned_structured_scalar_goes_by_value(send: Callable[..., bytes]) -> None:
    dtype = np.dtype([('small', 'u1'), ('middle', 'u4'), ('large', 'u8')], align=True)
    value = np.zeros((), dtype)  # the padding too
    value['small'], value['middle'], value['large'] = 1, 2, 3
    assert send(value[()])[:16] == bytes(Tiling(1, 2, 3))


def test_a_packed_structured_scalar_is_refused_unless_as_bytes(send: Callable[..., bytes]) -> None:
    packed = np.array((1, 2, 3), [('small', 'u1'), ('middle', 'u4'), ('large', 'u8')])[()]
    with pytest.raises(TypeError, match=r'argument 0: .* packed \(13 bytes, the C struct has 16\)'):
        send(packed)
    assert send(packed.tobytes())[:13] == packed.tobytes()


@pytest.mark.parametrize('value', [b'abc', bytearray(b'abc'), memoryview(b'abc')])
def test_bytes_go_by_value(send: Callable[..., bytes], value: Any) -> None:
    assert send(value)[:3] == b'abc'


@pytest.mark.parametrize(
    'data',
    [b'tiling', np.arange(5, dtype=np.int16), np.float32(2.5), np.int64(-1), Tiling(1, 2, 3), memoryview(b'x'), np.array(3, np.uint8)],
    ids=lambda data: type(data).__name__,
)
def test_a_placeholder_points_to_its_data(send: Callable[..., bytes], data: Any) -> None:
    wanted = data.tobytes() if hasattr(data, 'tobytes') else bytes(data)
    block = send(ab.Placeholder(data))
    where = int.from_bytes(block[:8], 'little')
    offset = block.index(wanted)
    assert offset >= 16  # behind the slot and the overflow address
    assert where % 8 == 0
    assert block[offset : offset + len(wanted)] == wanted


def test_a_placeholder_copies_at_once(send: Callable[..., bytes]) -> None:
    data = np.array([1, 2], np.int32)
    placeholder = ab.Placeholder(data)
    data[:] = 9
    assert struct.pack('<2i', 1, 2) in send(placeholder)


# ---- what has no width -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(('value', 'hint'), [(3, r'np\.int32\(3\)'), (2.5, r'np\.float32\(2\.5\)'), (Colour.RED, r'np\.int32')])
def test_a_bare_number_is_refused(kernel: ab.Kernel, value: Any, hint: str) -> None:
    with pytest.raises(TypeError, match=f'argument 0: a bare .*{hint}'):
        kernel.args(value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(SCALARS), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_any_scalars_in_any_order(stream: ab.Stream, kernel: ab.Kernel, types: list[Any], random: Any) -> None:
    values = [np.frombuffer(random.randbytes(8), np.uint8)[: np.dtype(each).itemsize].view(each)[0] for each in types]
    block = sent(stream, kernel, *values)
    for index, value in enumerate(values):
        assert block[8 * index : 8 * index + value.nbytes] == value.tobytes()
