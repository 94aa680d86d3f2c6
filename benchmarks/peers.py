"""What others take for the same: ctypes, a pyACL-style extension, PyOpenCL on PoCL, cuda.core on a driver that does nothing.

Those that are not installed (pip install acl-bind[bench]) have no row, and the reason is printed.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import sysconfig
from typing import Any

import numpy as np

from .measure import Gate, Row
from .native import Native
from .python import NUMBER, PAYLOAD, SYNC, TYPED, Statement, loop

CTYPES = 'ctypes: ten calls'
TEN_CALLS = 'pyACL-style extension: ten calls'
OPENCL = 'PyOpenCL on PoCL: typed enqueue'
OPENCL_SYNC = 'PyOpenCL on PoCL: enqueue and finish'
CUDA = 'cuda.core.launch on a null driver'

Peers = dict[str, Statement]


def ctypes_calls(native: Native) -> Peers:
    library = ctypes.CDLL(str(native.build('null')))
    values = [ctypes.c_uint64(0x12C000000000 + 4096 * index) for index in range(3)]

    def launch() -> None:
        handle, param, buffer = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        bad = library.aclrtKernelArgsInit(None, ctypes.byref(handle))
        for value in values:
            bad |= library.aclrtKernelArgsAppend(handle, ctypes.byref(value), ctypes.c_size_t(8), ctypes.byref(param))
        bad |= library.aclrtKernelArgsAppend(handle, ctypes.byref(ctypes.c_int32(NUMBER)), ctypes.c_size_t(4), ctypes.byref(param))
        bad |= library.aclrtKernelArgsAppendPlaceHolder(handle, ctypes.byref(param))
        bad |= library.aclrtKernelArgsGetPlaceHolderBuffer(handle, param, ctypes.c_size_t(len(PAYLOAD)), ctypes.byref(buffer))
        ctypes.memmove(buffer, PAYLOAD, len(PAYLOAD))
        bad |= library.aclrtKernelArgsFinalize(handle)
        bad |= library.aclrtLaunchKernelWithConfig(None, 8, None, None, handle, None)
        assert not bad

    return {CTYPES: Statement('launch()', {'launch': launch})}


def ten_calls(native: Native) -> Peers:
    path = native.build('tencalls', f'-I{sysconfig.get_path("include")}')
    spec = importlib.util.spec_from_file_location('tencalls', path)
    assert spec is not None
    assert spec.loader is not None
    acl: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(acl)
    acl.load(str(native.build('null')))
    pointers = np.array([0x12C000000000 + 4096 * index for index in range(3)], np.uint64)
    number, data = np.array([NUMBER], np.int32), np.frombuffer(PAYLOAD, np.uint8)
    addresses = [int(pointers.ctypes.data) + 8 * index for index in range(3)]
    at_number, at_data = int(number.ctypes.data), int(data.ctypes.data)

    def launch() -> None:
        handle, bad = acl.kernel_args_init(1)
        for address in addresses:
            _, code = acl.kernel_args_append(handle, address, 8)
            bad |= code
        _, code = acl.kernel_args_append(handle, at_number, 4)
        param, also = acl.kernel_args_append_place_holder(handle)
        buffer, more = acl.kernel_args_get_place_holder_buffer(handle, param, 64)
        bad |= code | also | more
        acl.copy(buffer, at_data, 64)
        bad |= acl.kernel_args_finalize(handle)
        bad |= acl.launch_kernel_with_config(1, 8, 0, 0, handle)
        assert not bad

    return {TEN_CALLS: Statement('launch()', {'launch': launch, 'kept': (pointers, number, data)})}


OPENCL_SOURCE = """
typedef struct { uchar bytes[64]; } tiling;
__kernel void empty(__global ushort *x, __global ushort *y, __global ushort *z, int number, tiling data) {}
"""


def opencl(_: Native) -> Peers:
    os.environ['POCL_DEVICES'] = 'basic'
    import pocl_binary_distribution  # noqa: PLC0415  (only for the benchmark)
    import pyopencl as cl  # noqa: PLC0415

    del pocl_binary_distribution
    platforms = [platform for platform in cl.get_platforms() if 'Portable' in platform.name]
    if not platforms:
        raise ImportError('no PoCL among the OpenCL platforms')
    if '+Asserts' in platforms[0].version:
        raise ImportError(f'PoCL was built with assertions, which is no fair peer: {platforms[0].version}')
    context = cl.Context(platforms[0].get_devices()[:1])
    queue = cl.CommandQueue(context)
    kernel = cl.Program(context, OPENCL_SOURCE).build().empty
    kernel.set_scalar_arg_dtypes([None, None, None, np.int32, np.dtype((np.void, 64))])
    buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE, 512) for _ in range(3)]
    names = {'kernel': kernel, 'queue': queue, 'number': NUMBER, 'data': np.void(PAYLOAD), **dict(zip('xyz', buffers, strict=True))}
    enqueue = 'kernel(queue, (8,), (1,), x, y, z, number, data)'
    return {OPENCL: Statement(enqueue, names, queue.finish), OPENCL_SYNC: Statement(f'{enqueue}; queue.finish()', names)}


def cuda(native: Native) -> Peers:
    # cuda.bindings opens libcuda.so.1 by that name, and the loader gives it this one, which is there already.
    ctypes.CDLL(str(native.build('nullcuda', '-Wl,-soname,libcuda.so.1')), ctypes.RTLD_GLOBAL)
    from cuda.core import Device, LaunchConfig, ObjectCode, launch  # noqa: PLC0415  (only for the benchmark)

    device = Device(0)
    device.set_current()
    stream, kernel = device.create_stream(), ObjectCode.from_cubin(b'\x7fELFanything').get_kernel('empty')
    config = LaunchConfig(grid=8, block=1)
    names = {'launch': launch, 'stream': stream, 'config': config, 'kernel': kernel, 'number': np.int32(NUMBER)}
    names |= {name: 0x700000000000 + 4096 * index for index, name in enumerate('xyzd')}
    return {CUDA: Statement('launch(stream, config, kernel, x, y, z, number, d)', names)}


def rows(native: Native, scale: float) -> tuple[list[Row], list[str]]:
    """The rows there are, and why others are not."""
    found: list[Row] = []
    missing = []
    for peer, count in ((ctypes_calls, 2_000), (ten_calls, 10_000), (opencl, 2_000), (cuda, 10_000)):
        try:
            peers = peer(native)
        except (ImportError, OSError, RuntimeError) as error:
            missing.append(f'no row for {peer.__name__}: {type(error).__name__}: {error}')
            continue
        turns = max(1, int(count * scale))
        found += [Row(name, functools.partial(loop, statement, turns)) for name, statement in peers.items()]
    return found, missing


GATES = [
    Gate(TYPED, CUDA, 1.0, 0.4),
    Gate(TYPED, OPENCL, 0.25, 0.16),
    Gate(TYPED, TEN_CALLS, 0.25, 0.15),
    Gate(SYNC, OPENCL_SYNC, 0.25, 0.15),
]

