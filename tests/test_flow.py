"""CANN's nine-step launch flow from Python, at each of the three levels."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import acl_bind as ab
from acl_bind import ffi, lib, rt

BLOCKS = 8
TOTAL = 8 * 2048
TILES = 8
RANDOM = np.random.default_rng(3)
X, Y = (RANDOM.random(TOTAL, np.float32).astype(np.float16) for _ in range(2))
pytestmark = pytest.mark.usefixtures('no_leaks')


def ok(code: int) -> None:
    assert code == 0, code


def test_raw(add_binary: pathlib.Path) -> None:
    ok(0 if lib.aclInit(ffi.NULL) in (0, lib.ACL_ERROR_REPEAT_INITIALIZE) else 1)
    ok(lib.aclrtSetDevice(0))
    stream, binary, kernel = ffi.new('aclrtStream *'), ffi.new('aclrtBinHandle *'), ffi.new('aclrtFuncHandle *')
    ok(lib.aclrtCreateStream(stream))
    ok(lib.aclrtBinaryLoadFromFile(str(add_binary).encode(), ffi.NULL, binary))
    ok(lib.aclrtBinaryGetFunction(binary[0], b'add_custom', kernel))
    memory = ffi.new('void *[3]')
    for i, array in enumerate((X, Y, np.zeros_like(X))):
        ok(lib.aclrtMalloc(memory + i, X.nbytes, lib.ACL_MEM_MALLOC_HUGE_FIRST))
        ok(lib.aclrtMemcpy(memory[i], X.nbytes, ffi.from_buffer(array), X.nbytes, lib.ACL_MEMCPY_HOST_TO_DEVICE))
    args, params, place = ffi.new('aclrtArgsHandle *'), ffi.new('aclrtParamHandle[5]'), ffi.new('void **')
    ok(lib.aclrtKernelArgsInit(kernel[0], args))
    for i in range(3):
        ok(lib.aclrtKernelArgsAppend(args[0], memory + i, 8, params + i))
    for i in (3, 4):
        ok(lib.aclrtKernelArgsAppendPlaceHolder(args[0], params + i))
    for i, number in ((3, TOTAL), (4, TILES)):
        ok(lib.aclrtKernelArgsGetPlaceHolderBuffer(args[0], params[i], 4, place))
        ffi.cast('uint32_t *', place[0])[0] = number
    ok(lib.aclrtKernelArgsFinalize(args[0]))
    ok(lib.aclrtLaunchKernelWithConfig(kernel[0], BLOCKS, stream[0], ffi.NULL, args[0], ffi.NULL))
    ok(lib.aclrtSynchronizeStream(stream[0]))
    z = np.empty_like(X)
    ok(lib.aclrtMemcpy(ffi.from_buffer(z), z.nbytes, memory[2], z.nbytes, lib.ACL_MEMCPY_DEVICE_TO_HOST))
    assert (z == X + Y).all()
    for i in range(3):
        ok(lib.aclrtFree(memory[i]))
    ok(lib.aclrtBinaryUnLoad(binary[0]))
    ok(lib.aclrtDestroyStream(stream[0]))
    ok(lib.aclrtResetDevice(0))


def _checked_arguments(kernel: int, addresses: list[int]) -> int:
    args: int = rt.kernel_args_init(kernel)
    for address in addresses:
        rt.kernel_args_append(args, np.uint64(address).tobytes(), 8)
    holes = [rt.kernel_args_append_place_holder(args) for _ in range(2)]
    for hole, number in zip(holes, (TOTAL, TILES), strict=True):
        buffer = rt.kernel_args_get_place_holder_buffer(args, hole, 4)
        ffi.cast('uint32_t *', buffer)[0] = number
    rt.kernel_args_finalize(args)
    return args


def test_checked(add_binary: pathlib.Path) -> None:
    rt.set_device(0)
    stream = rt.create_stream()
    binary = rt.binary_load_from_file(add_binary, None)
    kernel = rt.binary_get_function(binary, 'add_custom')
    addresses: list[int] = []
    for array in (X, Y, np.zeros_like(X)):
        addresses.append(rt.malloc(array.nbytes, lib.ACL_MEM_MALLOC_HUGE_FIRST))
        rt.memcpy(addresses[-1], array.nbytes, array, array.nbytes, lib.ACL_MEMCPY_HOST_TO_DEVICE)
    rt.launch_kernel_with_config(kernel, BLOCKS, stream, None, _checked_arguments(kernel, addresses), None)
    rt.synchronize_stream(stream)
    z = np.empty_like(X)
    rt.memcpy(z, z.nbytes, addresses[2], z.nbytes, lib.ACL_MEMCPY_DEVICE_TO_HOST)
    assert (z == X + Y).all()
    for address in addresses:
        rt.free(address)
    rt.binary_unload(binary)
    rt.destroy_stream(stream)
    rt.reset_device(0)


@pytest.mark.parametrize('prepared', [False, True], ids=['one shot', 'prepared list'])
def test_objects(add_binary: pathlib.Path, prepared: bool) -> None:
    with ab.Device(0) as device, device.create_stream() as stream:
        kernel = ab.Binary.from_file(add_binary).get_kernel('add_custom')
        x, y, z = (device.empty(TOTAL, np.float16) for _ in range(3))
        x.copy_from(X, stream=stream)
        y.copy_from(Y, stream=stream)
        values: tuple[Any, ...] = (x, y, z, ab.Placeholder(np.uint32(TOTAL)), ab.Placeholder(np.uint32(TILES)))
        arguments = (kernel.args(*values),) if prepared else values
        ab.launch(stream, ab.LaunchConfig(num_blocks=BLOCKS), kernel, *arguments)
        stream.sync()
        assert (z.to_numpy() == X + Y).all()
        kernel.binary.close(force=True)
        for buffer in (x, y, z):
            buffer.close()
