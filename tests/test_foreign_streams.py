"""Launching on streams that other libraries made."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import acl_bind as ab


class TorchStream:
    """Counts how often its handle is read, as torch_npu's may change."""

    def __init__(self, handle: int) -> None:
        self.handle, self.reads = handle, 0

    @property
    def npu_stream(self) -> int:
        self.reads += 1
        return self.handle


class WithProtocol:
    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __acl_stream__(self) -> tuple[int, int]:
        return 0, self.handle


class WithParameter:
    def __init__(self, value: Any) -> None:
        self._as_parameter_ = value


STREAMS: dict[str, Any] = {
    'int': int,
    '__acl_stream__': WithProtocol,
    'npu_stream': TorchStream,
    '_as_parameter_': WithParameter,
    'a ctypes pointer in _as_parameter_': lambda handle: WithParameter(ctypes.c_void_p(handle)),
    'None': lambda _: None,
}


@pytest.mark.parametrize('kind', STREAMS)
def test_launching_on_streams_of_others(device: ab.Device, stream: ab.Stream, add_binary: Any, kind: str) -> None:
    with ab.Binary.from_file(add_binary) as binary:
        kernel = binary.get_kernel('add_simple')
        x, y, z = (device.empty(16384, np.float16) for _ in range(3))
        x.copy_from(np.full(16384, 1, np.float16))
        y.copy_from(np.full(16384, 2, np.float16))
        ab.launch(STREAMS[kind](stream.handle), 8, kernel, x, y, z)
        device.sync()
        assert (z.to_numpy() == 3).all()


def test_npu_stream_is_read_at_every_launch(device: ab.Device, stream: ab.Stream, build_kernels: Any) -> None:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary, device.create_stream() as other:
        kernel, theirs = binary.get_kernel('do_nothing'), TorchStream(stream.handle)
        for _ in range(3):
            ab.launch(theirs, 1, kernel, None)
        assert theirs.reads == 3
        ab.lib.aclmock_record_launches(1)
        theirs.handle = other.handle
        ab.launch(theirs, 1, kernel, None)
        first = ab.ffi.new('aclmock_launch *')
        device.sync()
        assert ab.lib.aclmock_get_launch(0, first, ab.ffi.NULL, 0) == 1
        ab.launch(other, 1, kernel, None)
        device.sync()
        second = ab.ffi.new('aclmock_launch *')
        assert ab.lib.aclmock_get_launch(0, second, ab.ffi.NULL, 0) == 1
        ab.lib.aclmock_record_launches(0)
        assert first.stream_id == second.stream_id


@pytest.mark.parametrize('value', ['0', 1.5, object(), True])
def test_what_is_no_stream(device: ab.Device, build_kernels: Any, value: Any) -> None:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary, pytest.raises(TypeError, match=r'stream is .*, expected a Stream'):
        ab.launch(value, 1, binary.get_kernel('do_nothing'))
