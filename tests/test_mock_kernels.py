"""Kernels in Python (acl_bind.mock.kernel), for binaries that come without a host implementation."""

from __future__ import annotations

import ctypes
import json
import pathlib
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from corpus import find_corpus

import acl_bind as ab
from acl_bind import ffi, lib, mock
from acl_bind._cc import compile_kernels
from acl_bind.mock import KernelContext


@pytest.fixture(autouse=True)
def unbind_all() -> Iterator[None]:
    yield
    for binding in list(mock._kernels._bound.values()):
        binding.remove()


@pytest.fixture
def program(tmp_path: pathlib.Path, device: ab.Device) -> Iterator[ab.Binary]:
    """An AI CPU program with the kernels add and other, which nothing on the host runs."""
    path = tmp_path / 'program.json'
    path.write_text(json.dumps({'add': {'opInfo': {}}, 'other': {'opInfo': {}}}))
    with ab.Binary.from_file(path, cpu_mode=0) as binary:
        yield binary


def add(ctx: KernelContext) -> None:
    """x, y, z: float32[block_num, n]; n: int32. Arguments of AI CPU kernels are packed."""
    n = ctx.value_at(24, np.int32)
    x, y, z = (ctx.gm(int(ctx.value_at(8 * i, np.uint64)), (ctx.block_num, n), np.float32)[ctx.block_idx] for i in range(3))
    z[:] = x + y


def launch(binary: ab.Binary, stream: ab.Stream, *arguments: Any, name: str = 'add', blocks: int = 4) -> None:
    ab.launch(stream, ab.LaunchConfig(num_blocks=blocks), binary.get_kernel(name), *arguments)
    stream.sync()


def buffers(device: ab.Device) -> tuple[ab.DeviceBuffer, ...]:
    host = np.arange(32, dtype=np.float32)
    x, y, z = (device.empty(32, np.float32) for _ in range(3))
    x.copy_from(host)
    y.copy_from(host * 2)
    return x, y, z


def test_a_kernel_in_numpy_gives_the_right_result(program: ab.Binary, device: ab.Device, stream: ab.Stream) -> None:
    mock.kernel('add')(add)
    x, y, z = buffers(device)
    launch(program, stream, x, y, z, np.int32(8))
    np.testing.assert_array_equal(z.to_numpy(), np.arange(32, dtype=np.float32) * 3)


def test_it_is_called_once_a_block_or_once_a_launch(program: ab.Binary, stream: ab.Stream) -> None:
    seen: list[tuple[int, int]] = []

    def note(ctx: KernelContext) -> None:
        seen.append((ctx.block_idx, ctx.block_num))

    with mock.bind('add', note):
        launch(program, stream, np.int32(1))
    with mock.bind('add', note, per_block=False):
        launch(program, stream, np.int32(1))
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (0, 4)]


def test_an_exception_is_a_device_fault_with_the_traceback(program: ab.Binary, stream: ab.Stream) -> None:
    def broken(ctx: KernelContext) -> None:
        raise LookupError(f'block {ctx.block_idx} has no tiling')

    with mock.bind('add', broken), pytest.raises(ab.AclAicpuError) as caught:
        launch(program, stream, np.int32(1))
    assert 'kernel add, block 0 of 4: Traceback' in str(caught.value)
    assert 'LookupError: block 0 has no tiling' in str(caught.value)
    assert __file__ in str(caught.value)
    stream.sync()


def test_fail_says_what_the_kernel_says(program: ab.Binary, stream: ab.Stream) -> None:
    with mock.bind('add', lambda ctx: ctx.fail('no tiling')), pytest.raises(ab.AclAicpuError, match='kernel add, block 0 of 4: no tiling'):
        launch(program, stream, np.int32(1))


@pytest.mark.parametrize('shape', [1000, (4, 1000), (2**40,)])
def test_memory_that_is_not_there_is_a_fault_that_names_the_allocation(
    shape: Any, program: ab.Binary, device: ab.Device, stream: ab.Stream
) -> None:
    x, *_ = buffers(device)
    with mock.bind('add', lambda ctx: ctx.gm(x.handle, shape, np.float32)), pytest.raises(ab.AclAicpuError) as caught:
        launch(program, stream, x)
    assert 'kernel add, block 0 of 4: access to' in str(caught.value)
    assert hex(x.handle) in str(caught.value)


def test_what_a_kernel_reads_are_the_bytes_that_were_passed(program: ab.Binary, stream: ab.Stream) -> None:
    seen: list[Any] = []

    def note(ctx: KernelContext) -> None:
        seen.extend([ctx.value_at(0, np.float16), ctx.value_at(2, np.int64), ctx.args.tobytes(), ctx.args.flags.writeable])

    with mock.bind('add', note):
        launch(program, stream, np.float16(1.5), np.int64(-3), blocks=1)
    assert seen == [np.float16(1.5), -3, np.float16(1.5).tobytes() + np.int64(-3).tobytes(), False]


def test_reading_behind_the_arguments_says_that_fewer_were_passed(program: ab.Binary, stream: ab.Stream) -> None:
    with mock.bind('add', lambda ctx: ctx.value_at(8, np.int32)), pytest.raises(ab.AclAicpuError, match='fewer were passed'):
        launch(program, stream, np.int64(1))


def test_a_kernel_without_an_implementation_is_refused_with_the_three_ways(program: ab.Binary, stream: ab.Stream) -> None:
    with pytest.raises(ab.AclNotSupportedError) as caught:
        launch(program, stream, np.int32(1), name='other')
    for way in ('@acl_bind.mock.kernel("other")', 'aclmock_bind', 'ACL_MOCK_KERNEL_PATH'):
        assert way in str(caught.value)


def test_a_binding_to_a_binary_goes_before_one_for_all(program: ab.Binary, stream: ab.Stream, tmp_path: pathlib.Path) -> None:
    seen: list[str] = []
    path = tmp_path / 'program.json'
    with (
        mock.bind('add', lambda ctx: seen.append('binary'), binary=program) as closest,
        mock.bind('add', lambda ctx: seen.append('path'), binary=path),
        mock.bind('a*', lambda ctx: seen.append('any')),
    ):
        launch(program, stream, np.int32(1), blocks=1)
        closest.remove()
        closest.remove()
        launch(program, stream, np.int32(1), blocks=1)
    assert seen == ['binary', 'path']


def test_bindings_outlive_a_reset(tmp_path: pathlib.Path) -> None:
    path = tmp_path / 'program.json'
    path.write_text(json.dumps({'add': {'opInfo': {}}}))
    seen: list[int] = []
    mock.kernel('add')(lambda ctx: seen.append(ctx.block_idx))
    mock.reset()
    with ab.Device(0) as device, device.create_stream() as stream, ab.Binary.from_file(path, cpu_mode=0) as binary:
        launch(binary, stream, np.int32(1), blocks=2)
    assert seen == [0, 1]


def test_something_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(TypeError, match='function is int'):
        mock.bind('add', 3)  # type: ignore[arg-type]


def test_an_interpreter_may_end_while_kernels_are_bound_and_queued(run_python: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    path = tmp_path / 'program.json'
    path.write_text(json.dumps({'add': {'opInfo': {}}}))
    done = run_python(f"""
import numpy as np, acl_bind as ab
from acl_bind import ffi, lib, mock
from acl_bind._cc import compile_kernels
mock.kernel('add')(lambda ctx: None)
stream = ab.Device(0).create_stream()
kernel = ab.Binary.from_file({str(path)!r}, cpu_mode=0).get_kernel('add')
for _ in range(1000):
    ab.launch(stream, ab.LaunchConfig(num_blocks=1), kernel, np.int32(1))
""")
    assert (done.returncode, done.stderr) == (0, '')


C_LAUNCH = """
#include <acl/acl_rt.h>
aclError launch(aclrtFuncHandle kernel, aclrtStream stream, void *args, size_t size)
{
    return aclrtLaunchKernelWithHostArgs(kernel, 4, stream, NULL, args, size, NULL, 0);
}
"""


def launch_raw(kernel: ab.Kernel, stream: ab.Stream, block: bytes) -> None:
    data = ffi.from_buffer(bytearray(block))
    assert lib.aclrtLaunchKernelWithHostArgs(kernel._pointer, 4, stream._pointer, ffi.NULL, data, len(block), ffi.NULL, 0) == 0


def launch_checked(kernel: ab.Kernel, stream: ab.Stream, block: bytes) -> None:
    ab.rt.launch_kernel_with_host_args(kernel, 4, stream, ffi.NULL, ffi.from_buffer(bytearray(block)), len(block), ffi.NULL, 0)


def launch_object(kernel: ab.Kernel, stream: ab.Stream, block: bytes) -> None:
    ab.launch(stream, 4, kernel, np.frombuffer(block, np.uint64)[0], np.frombuffer(block, np.uint32)[2])


@pytest.fixture
def launch_in_c(tmp_path: pathlib.Path, prefix: pathlib.Path) -> Callable[[ab.Kernel, ab.Stream, bytes], None]:
    """Code in C, in this process, that is linked with the same library."""
    source, library = tmp_path / 'launch.c', tmp_path / 'launch.so'
    source.write_text(C_LAUNCH)
    where = prefix / 'lib64'
    link = ['-Wl,--no-as-needed', f'-L{where}', f'-Wl,-rpath,{where}', '-lascendcl']
    compile_kernels(source, library, prefix / 'include', ['-Werror', *link])
    code = ctypes.CDLL(str(library))

    def launch(kernel: ab.Kernel, stream: ab.Stream, block: bytes) -> None:
        pointer = ctypes.c_void_p
        assert (
            code.launch(pointer(kernel.handle), pointer(stream.handle), ctypes.create_string_buffer(block), ctypes.c_size_t(len(block)))
            == 0
        )

    return launch


@pytest.mark.parametrize('level', ['L0', 'L1', 'L2', 'C'])
def test_a_real_binarys_kernel_runs_in_numpy(level: str, device: ab.Device, stream: ab.Stream, request: pytest.FixtureRequest) -> None:
    corpus = find_corpus()
    launches = {'L0': launch_raw, 'L1': launch_checked, 'L2': launch_object}
    start = launches[level] if level in launches else request.getfixturevalue('launch_in_c')
    name = next(name for name in corpus.expected if name.endswith('.o') and len(corpus.expected[name]['function_symbols']) == 1)
    with ab.Binary.from_file(corpus.folder / name) as binary:
        (kernel_name,) = binary.kernel_names

        def scale(ctx: KernelContext) -> None:
            n = ctx.value(1, np.uint32)
            ctx.gm(ctx.pointer(0), (ctx.block_num, n), np.float32)[ctx.block_idx] *= 2

        x, *_ = buffers(device)
        with mock.bind(kernel_name, scale, binary=binary):
            kernel = binary.get_kernel(kernel_name)
            head = bytes(kernel.hidden_slots.head)
            start(kernel, stream, (b'' if level == 'L2' else head) + struct.pack('<QQ', x.handle, 8))
            stream.sync()
        np.testing.assert_array_equal(x.to_numpy(), np.arange(32, dtype=np.float32) * 2)
