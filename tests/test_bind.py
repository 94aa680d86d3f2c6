"""kernel.bind(): which types, which values, which messages; and what a plain launch learns by itself."""

from __future__ import annotations

import ctypes
import gc
import pathlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from conftest import ROOT
from launched import IMPLEMENTATIONS, make, newest, recording

import acl_bind as ab
from acl_bind import lib, mock

PAIR = np.dtype([('a', np.int32), ('b', np.float64)], align=True)
PAIR_VALUE = np.array((1, 2.0), PAIR)[()]  # one object: what its padding holds is its own


class Pair(ctypes.Structure):
    _fields_ = (('a', ctypes.c_int32), ('b', ctypes.c_double))


@pytest.fixture
def kernel(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Kernel]:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary, recording():
        yield binary.get_kernel('do_nothing')


@pytest.fixture(params=IMPLEMENTATIONS)
def bind(request: pytest.FixtureRequest, kernel: ab.Kernel) -> Callable[..., ab.TypedKernel]:
    return lambda *types: make(request.param, kernel, *types)


def bits(value: Any, dtype: Any) -> bytes:
    return dtype(value).tobytes()  # type: ignore[no-any-return]


VALUES: list[tuple[Any, Any, bytes]] = [
    (np.int8, -128, bits(-128, np.int8)),
    ('uint8', 255, b'\xff'),
    (np.dtype('int16'), -2, bits(-2, np.int16)),
    (np.int32, -(1 << 31), bits(-(1 << 31), np.int32)),
    (np.uint32, (1 << 32) - 1, b'\xff' * 4),
    (np.int64, -(1 << 63), bits(-(1 << 63), np.int64)),
    (np.uint64, (1 << 64) - 1, b'\xff' * 8),
    (np.int32, np.int32(-5), bits(-5, np.int32)),
    (np.int32, np.int64(-5), bits(-5, np.int32)),
    (np.int64, np.uint8(200), bits(200, np.int64)),
    (ctypes.c_uint16, 65535, b'\xff\xff'),
    (np.int32, ctypes.c_int32(9), bits(9, np.int32)),
    (np.float32, 1.5, bits(1.5, np.float32)),
    (np.float32, 3, bits(3, np.float32)),
    (np.float32, float('inf'), bits(np.inf, np.float32)),
    (np.float32, np.frombuffer(b'\1\0\xa0\x7f', np.float32)[0], b'\1\0\xa0\x7f'),
    (np.float64, 0.1, bits(0.1, np.float64)),
    (np.float64, np.float64(0.1), bits(0.1, np.float64)),
    (np.float16, 0.5, bits(0.5, np.float16)),
    (ml_dtypes.bfloat16, 0.5, ml_dtypes.bfloat16(0.5).tobytes()),
    (ctypes.c_float, 0.25, bits(0.25, np.float32)),
    (np.complex64, 1 + 2j, bits(1 + 2j, np.complex64)),
    (bool, True, b'\1'),
    (np.bool_, np.bool_(False), b'\0'),
    (PAIR, PAIR_VALUE, PAIR_VALUE.tobytes()),
    (Pair, Pair(1, 2.0), bytes(Pair(1, 2.0))),
    (None, None, bytes(8)),
    (ctypes.c_void_p, ab.Ptr(0), bytes(8)),
]


@pytest.mark.parametrize(('spec', 'value', 'data'), VALUES, ids=[f'{row[0]}-{row[1]}' for row in VALUES])
def test_values_of_a_type(stream: ab.Stream, bind: Callable[..., ab.TypedKernel], spec: Any, value: Any, data: bytes) -> None:
    typed = bind(spec)
    for _ in range(3):  # the first finds out what the next ones know
        typed(stream, 1, value)
        assert newest().data[: len(data)] == data
    stream.sync()


WRONG_VALUES: list[tuple[Any, Any, type[Exception], str]] = [
    (np.int8, 128, ValueError, r'argument 0 \(int8\): 128 is out of range, expected -128 to 127'),
    (np.uint8, -1, ValueError, r'-1 is out of range, expected 0 to 255'),
    (np.int32, 1 << 31, ValueError, r'out of range'),
    (np.int64, 1 << 63, ValueError, r'out of range'),
    (np.uint64, 1 << 64, ValueError, r'out of range'),
    (np.int64, -(1 << 63) - 1, ValueError, r'out of range'),
    (np.int8, np.int64(128), ValueError, r'out of range'),
    (np.int32, 1.0, TypeError, r'1.0 is a float, expected an int'),
    (np.int32, True, TypeError, r'True is a bool, expected an int'),
    (np.int32, 'x', TypeError, r"'x' is a str, expected an int"),
    (np.float32, 1e39, ValueError, r'argument 0 \(float32\): 1e\+39 is out of range'),
    (np.float16, 1e6, ValueError, r'out of range'),
    (np.float32, True, TypeError, r'True is a bool, expected a float32'),
    (np.float32, 1j, TypeError, r'complex'),
    (np.float32, 'x', TypeError, r'expected a float32'),
    (bool, 1, TypeError, r'1 is a int, expected a bool'),
    (ab.DeviceBuffer, np.zeros(3), TypeError, r'argument 0: a host array cannot be read by a kernel'),
    (ab.DeviceBuffer, np.int32(3), TypeError, r'argument 0 \(pointer\): int32 is no pointer'),
    (ab.DeviceBuffer, 3, TypeError, r'argument 0: a bare int has no width'),
    (ab.DeviceBuffer, ab.Placeholder(b'x'), TypeError, r'Placeholder is no pointer'),
    (np.int32, ab.Placeholder(b'x'), TypeError, r'expected an int'),
    (ab.Placeholder, b'', ValueError, r'argument 0 \(placeholder\): a Placeholder needs at least one byte'),
    (ab.Placeholder, 3.5, TypeError, r'argument 0 \(placeholder\)'),
    (PAIR, np.array((1, 2.0), np.dtype([('a', np.int32), ('b', np.float32)]))[()], TypeError, r'expected a scalar of dtype'),
    (Pair, np.int32(1), TypeError, r'argument 0 \(Pair\): int32 is no Pair'),
]


@pytest.mark.parametrize('row', WRONG_VALUES, ids=[f'{row[0]}-{row[1]!r}' for row in WRONG_VALUES])
def test_wrong_values(stream: ab.Stream, bind: Callable[..., ab.TypedKernel], row: tuple[Any, Any, type[Exception], str]) -> None:
    spec, value, kind, said = row
    typed, before = bind(spec), lib.aclmock_recorded_launches()
    for _ in range(2):
        with pytest.raises(kind, match=said):
            typed(stream, 1, value)
    assert lib.aclmock_recorded_launches() == before


WRONG_TYPES: list[tuple[Any, str]] = [
    (int, 'type 0: int has no width for a kernel; write np.int32'),
    (float, 'type 0: float has no width'),
    (str, 'str is no type of a kernel argument'),
    (np.int32(3), r'3\)? is a int32, expected a type such as'),
    (np.dtype('>i4'), 'big-endian'),
    (np.dtype('O'), 'no kernel argument'),
    ('U3', 'no kernel argument'),
    (np.longdouble, 'no kernel argument'),
    (ctypes.c_char_p, 'no width, or points to host memory'),
]


@pytest.mark.parametrize(('spec', 'said'), WRONG_TYPES, ids=[str(row[0]) for row in WRONG_TYPES])
def test_wrong_types(kernel: ab.Kernel, spec: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        kernel.bind(spec)


def test_a_wrong_count(stream: ab.Stream, bind: Callable[..., ab.TypedKernel]) -> None:
    typed = bind(np.int32, ab.DeviceBuffer)
    with pytest.raises(TypeError, match=r'do_nothing was bound with 2 arguments \(int32, pointer\), got 1'):
        typed(stream, 1, 3)
    with pytest.raises(TypeError):
        typed(stream)  # type: ignore[call-arg]


@pytest.mark.parametrize('blocks', [-1, 65536, True, 1.0, '1', None])
def test_a_wrong_number_of_blocks(stream: ab.Stream, bind: Callable[..., ab.TypedKernel], blocks: Any) -> None:
    with pytest.raises((TypeError, ValueError), match='num_blocks is'):
        bind(np.int32)(stream, blocks, 3)


def test_configurations(stream: ab.Stream, bind: Callable[..., ab.TypedKernel]) -> None:
    typed = bind(np.int32)
    first, second = ab.LaunchConfig(3, timeout=2.0), ab.LaunchConfig(65535)
    for config, blocks in ((first, 3), (first, 3), (second, 65535), (7, 7), (first, 3), (second, 65535)):
        typed(stream, config, 1)
        assert newest().num_blocks == blocks
    before = lib.aclmock_recorded_launches()
    typed(stream, 0, 1)
    typed(stream, ab.LaunchConfig(0), 1)
    assert lib.aclmock_recorded_launches() == before
    stream.sync()


def test_placeholders_of_any_size(stream: ab.Stream, bind: Callable[..., ab.TypedKernel]) -> None:
    typed = bind(ab.Placeholder, np.int32, ab.Placeholder)
    for size in (1, 7, 8, 64, 900, 1020, 5000, 64):
        typed(stream, 1, bytes([1]) * size, 5, ab.Placeholder(np.full(3, 2, np.uint8)))
        data = newest().data
        at, other = (int.from_bytes(data[start : start + 8], 'little') - newest().address for start in (0, 16))
        assert data[at : at + size] == bytes([1]) * size
        assert data[other : other + 3] == b'\2\2\2'
    stream.sync()


def test_closed_objects_are_told_before_c(device: ab.Device, bind: Callable[..., ab.TypedKernel], kernel: ab.Kernel) -> None:
    typed, buffer, stream = bind(ab.DeviceBuffer), device.empty(4), device.create_stream()
    typed(stream, 1, buffer)
    stream.sync()
    buffer.close()
    with pytest.raises(ab.AclHandleError, match='this DeviceBuffer is closed'):
        typed(stream, 1, buffer)
    stream.close()
    with pytest.raises(ab.AclHandleError, match='this Stream is closed'):
        typed(stream, 1, None)
    kernel.binary.close(force=True)
    with device.create_stream() as another, pytest.raises(ab.AclHandleError, match='this Binary is closed'):
        typed(another, 1, None)


def test_a_buffer_of_another_device(stream: ab.Stream, bind: Callable[..., ab.TypedKernel]) -> None:
    typed = bind(ab.DeviceBuffer)
    with ab.Device(1) as other, other.empty(4) as buffer, pytest.raises(ValueError, match='argument 0: the buffer is on device 1'):
        typed(stream, 1, buffer)


def test_what_the_library_refuses(stream: ab.Stream, bind: Callable[..., ab.TypedKernel]) -> None:
    typed = bind(np.int32)
    typed(stream, 1, 1)
    typed(stream, 1, 1)
    code = lib.ACL_ERROR_RT_PARAM_INVALID
    with mock.fault('aclrtLaunchKernelWithHostArgs', code=code), pytest.raises(ab.AclInvalidArgumentError, match='failed') as caught:
        typed(stream, 1, 1)
    assert (caught.value.api, caught.value.code) == ('aclrtLaunchKernelWithHostArgs', code)
    typed(stream, 1, 1)
    stream.sync()


# ---- plain launches --------------------------------------------------------------------------------------------------


def test_a_plain_launch_learns_its_signature(stream: ab.Stream, kernel: ab.Kernel) -> None:
    for _ in range(3):
        ab.launch(stream, 1, kernel, np.int32(1), None)
        ab.launch(stream, 1, kernel, np.int16(1), None)
    assert set(kernel.launchers) == {(np.int32, type(None)), (np.int16, type(None))}
    with pytest.raises(TypeError, match='argument 0: a bare int has no width'):
        ab.launch(stream, 1, kernel, 3, None)
    stream.sync()


def test_what_was_learnt_does_not_keep_the_kernel(stream: ab.Stream, build_kernels: Callable[[str], pathlib.Path]) -> None:
    kernel = ab.Binary.from_file(build_kernels('probe.c')).get_kernel('do_nothing')
    for _ in range(3):
        ab.launch(stream, 1, kernel, np.int32(1))
    stream.sync()
    alive = weakref.ref(kernel)
    gc.disable()
    try:
        del kernel
        assert alive() is None
    finally:
        gc.enable()


def test_what_is_no_kernel(stream: ab.Stream) -> None:
    with pytest.raises(TypeError, match='kernel is str, expected a Kernel'):
        ab.launch(stream, 1, 'add')  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ab.launch(stream, 1)  # type: ignore[call-arg]


def test_signatures_are_not_collected_for_ever(stream: ab.Stream, kernel: ab.Kernel) -> None:
    for count in range(300):
        ab.launch(stream, 1, kernel, *([np.int8(1)] * (count % 100)), *([np.int16(1)] * (count // 100)))
    assert len(kernel.launchers) <= 256
    stream.sync()


def test_repr(kernel: ab.Kernel) -> None:
    assert repr(kernel.bind(ab.DeviceBuffer, np.int32)).endswith('Kernel do_nothing(pointer, int32)>')


def test_a_forked_child_is_told(run_python: Callable[..., Any], build_kernels: Callable[[str], pathlib.Path]) -> None:
    code = f"""
import os
import numpy as np, acl_bind as ab
with ab.Device(0) as device, device.create_stream() as stream:
    kernel = ab.Binary.from_file({str(build_kernels('probe.c'))!r}).get_kernel('do_nothing')
    typed = kernel.bind(np.int32)
    for _ in range(3):
        typed(stream, 1, 1)
        ab.launch(stream, 1, kernel, np.int32(1))
    if (child := os.fork()) == 0:
        for call in (lambda: typed(stream, 1, 1), lambda: ab.launch(stream, 1, kernel, np.int32(1))):
            try:
                call()
            except ab.AclForkError:
                print('told', flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    typed(stream, 1, 1)
    stream.sync()
"""
    done = run_python(code)
    assert (done.stdout, done.stderr) == ('told\ntold\n', '')


# ---- without the extension -------------------------------------------------------------------------------------------


def test_the_same_without_the_extension(run_python: Callable[..., Any]) -> None:
    """Everything in Python: the tests of launches, streams and this file pass as well."""
    if not IMPLEMENTATIONS.keys() - {'python'}:
        pytest.skip('this is already a run without the extension')
    files = ['tests/test_bind.py', 'tests/test_inflight.py', 'tests/test_launch_routes.py', 'tests/test_launch.py', 'tests/test_sync.py']
    code = f"""
import sys
sys.modules['acl_bind._fast'] = None
import pytest
sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', '--rootdir', {str(ROOT)!r}, *[{str(ROOT)!r} + '/' + name for name in {files}]]))
"""
    done = run_python(code)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]

