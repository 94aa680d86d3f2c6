"""A user's module, as type checkers see it: everything here must be clean in strict mode. It is never run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import acl_bind as ab


def add(a: NDArray[np.float16], b: NDArray[np.float16]) -> NDArray[Any]:
    with ab.Device(0) as dev:
        assert_type(dev, ab.Device)
        stream = dev.create_stream(priority=1)
        assert_type(stream, ab.Stream)
        kernel = ab.Binary.from_file('add.o', magic='vector').get_kernel('add_custom', param_names=('x', 'y', 'z', 'tiling'))
        assert_type(kernel, ab.Kernel)
        x, y, z = (dev.empty(a.shape, np.float16) for _ in range(3))
        assert_type(x, ab.DeviceBuffer)
        x.copy_from(a, stream=stream)
        y.copy_from(b, stream=stream)
        tiling = ab.Placeholder(np.array([a.size, 8], np.uint32))
        ab.launch(stream, ab.LaunchConfig(num_blocks=8, timeout=0.5), kernel, x, y, z, tiling)
        ab.launch(None, 8, kernel, x, y, z, tiling)
        stream.sync(timeout=2.5)
        return z.to_numpy()


def events(dev: ab.Device) -> float:
    with dev.create_stream() as first, dev.create_stream() as second, dev.create_context() as context:
        assert_type(context, ab.Context)
        start = first.record()
        assert_type(start, ab.Event)
        second.wait(start)
        second.wait(first, timeout=1)
        first.launch_host_func(print, 'here')
        end = second.record(dev.create_event(timing=True))
        end.sync()
        assert_type(end.is_done, bool)
        assert_type(end.timestamp, int)
        return end - start


def look(kernel: ab.Kernel, dev: ab.Device) -> str:
    if kernel.arg_info is not None:
        assert_type(kernel.arg_info[0].offset, int)
    assert_type(kernel.attributes.type, str)
    assert_type(kernel.num_args, int | None)
    assert_type(kernel.binary.kernel_names, tuple[str, ...])
    free, total = dev.memory_info
    assert_type(free, int)
    assert_type(total, int)
    args = kernel.args(ab.Ptr(0), np.int32(1), None, True, b'raw')
    args[0] = dev.empty(3)
    assert_type(args.layout(), ab.Layout)
    assert_type(args.layout()[0].offset, int)
    return str(args.layout())


def failures(stream: ab.Stream) -> tuple[int, str]:
    try:
        stream.sync()
    except ab.AclTimeoutError:
        return 0, 'later'
    except ab.AclDeviceError as error:
        assert_type(error.code, int)
        return error.code, error.hint
    except MemoryError:
        return 1, ab.backend().kind
    return ab.device_count(), stream.device.context.__str__() if stream.device else ''


def borrowed(handle: int, tensor: object) -> list[object]:
    return [
        ab.Stream.from_handle(handle, owner=tensor),
        ab.Event.from_handle(handle),
        ab.Context.from_handle(handle),
        ab.Binary.from_handle(handle),
        ab.DeviceBuffer.from_handle(handle, (2, 3), np.float32, owner=tensor, device_id=0),
        ab.from_dlpack(tensor, stream=handle),
    ]


def levels() -> tuple[int, int]:
    return ab.rt.malloc(64, ab.lib.ACL_MEM_MALLOC_HUGE_FIRST), ab.lib.aclrtFree(ab.ffi.NULL)
