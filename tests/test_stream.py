"""Streams as objects."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import acl_bind as ab
from acl_bind import lib


@pytest.fixture
def probe(build_kernels: Callable[[str], pathlib.Path]) -> pathlib.Path:
    return build_kernels('probe.c')


def test_a_stream_keeps_order(device: ab.Device, stream: ab.Stream) -> None:
    with device.allocate(8) as buffer:
        for byte in range(20):
            buffer.fill(byte, stream=stream)
        assert (buffer.to_numpy(stream=stream) == 19).all()  # a copy to ordinary memory waits for the stream


def test_is_done(device: ab.Device, stream: ab.Stream) -> None:
    assert stream.is_done
    with device.allocate(8) as buffer:
        buffer.fill(1, stream=stream)
        stream.sync()
        assert stream.is_done


@pytest.mark.parametrize(('timeout', 'kind'), [(-1, ValueError), (1e12, ValueError), (True, TypeError), ('1', TypeError)])
def test_timeouts_that_are_none(stream: ab.Stream, timeout: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match='timeout is'):
        stream.sync(timeout)


@pytest.mark.parametrize('timeout', [None, 0, 0.001, 5, 2.5])
def test_timeouts(stream: ab.Stream, timeout: Any) -> None:
    stream.sync(timeout)


def test_a_borrowed_stream_is_never_destroyed(device: ab.Device) -> None:
    with device.create_stream() as stream:
        borrowed = ab.Stream.from_handle(stream.handle)
        borrowed.sync()
        assert 'borrowed' in repr(borrowed)
        borrowed.close()
        stream.sync()


def test_a_failure_names_the_launch(stream: ab.Stream, probe: pathlib.Path) -> None:
    with ab.Binary.from_file(probe) as binary:
        good, bad = binary.get_kernel('do_nothing'), binary.get_kernel('give_up')
        ab.launch(stream, 1, good)
        ab.launch(stream, 2, bad)  # the guilty line
        with pytest.raises(ab.AclVectorCoreError, match='error code is 507035') as caught:
            stream.sync()
        text = str(caught.value)
        assert 'the kernel gave up' in text
        assert 'It was launched here:' in text
        assert f'give_up at {__file__}:' in text
        assert 'ab.launch(stream, 2, bad)  # the guilty line' in text
        stream.sync()  # told once
        del good, bad


def test_streams_of_a_closed_device_are_dead(no_leaks: None) -> None:
    with ab.Device(0) as device:
        stream = device.create_stream()
    with pytest.raises(ab.AclHandleError, match='the device or context of this Stream was closed'):
        stream.sync()
    stream.close()  # it went with the device
    assert stream.is_closed


def test_launch_blocking_means_inline(run_python: Callable[..., Any], probe: pathlib.Path) -> None:
    code = f"""
import acl_bind as ab
with ab.Device(0) as device, device.create_stream() as stream:
    kernel = ab.Binary.from_file({str(probe)!r}).get_kernel('add_to_each')
    numbers = device.empty(2, 'i4')
    numbers.fill(0)
    ab.launch(stream, 2, kernel, numbers, ab.ffi.new('int32_t[1]', [5]))
    print(numbers.to_numpy())
"""
    assert run_python(code, ASCEND_LAUNCH_BLOCKING='1').stdout == '[5 5]\n'
    assert run_python(code, ACL_MOCK_SCHEDULE='inline').stdout == '[5 5]\n'


@pytest.mark.parametrize('schedule', ['deferred', 'inline', 'worker', 'random:3'])
def test_every_schedule_gets_there(run_python: Callable[..., Any], probe: pathlib.Path, schedule: str) -> None:
    code = f"""
import acl_bind as ab, numpy as np
with ab.Device(0) as device:
    kernel = ab.Binary.from_file({str(probe)!r}).get_kernel('add_to_each')
    streams = [device.create_stream() for _ in range(3)]
    buffers = [device.empty(4, np.int32) for _ in streams]
    for stream, buffer in zip(streams, buffers):
        buffer.fill(0, stream=stream)
        for n in range(10):
            ab.launch(stream, 4, kernel, buffer, np.int32(n))
    device.sync()
    print([int(buffer.to_numpy().sum()) for buffer in buffers])
"""
    done = run_python(code, ACL_MOCK_SCHEDULE=schedule)
    assert (done.stdout, done.stderr) == ('[180, 180, 180]\n', '')


def test_a_wrong_schedule_is_said(run_python: Callable[..., Any]) -> None:
    done = run_python('import acl_bind as ab; ab.Device(0).create_stream().sync()', ACL_MOCK_SCHEDULE='sometimes')
    assert 'ACL_MOCK_SCHEDULE' in done.stderr
    assert done.returncode == 0 or 'sometimes' in done.stderr


def test_the_random_schedule_shows_a_missing_wait(run_python: Callable[..., Any], probe: pathlib.Path) -> None:
    """Two streams write one element and nobody waits: in the queues' own order it never shows."""
    code = f"""
import acl_bind as ab, numpy as np
with ab.Device(0) as device:
    kernel = ab.Binary.from_file({str(probe)!r}).get_kernel('add_to_each')
    streams = [device.create_stream() for _ in range(2)]
    seen = set()
    for turn in range(60):
        buffer = device.empty(1, np.int32)
        buffer.fill(0)
        buffer.fill(1, stream=streams[0])
        ab.launch(streams[1], 1, kernel, buffer, np.int32(1))
        device.sync()
        seen.add(int(buffer.to_numpy()[0]))
    print(sorted(seen))
"""
    assert run_python(code, ACL_MOCK_SCHEDULE='random:5').stdout == f'[{0x01010101}, {0x01010102}]\n'


def test_live_counts_are_those_of_the_program(device: ab.Device) -> None:
    before = lib.aclmock_live(lib.ACLMOCK_STREAMS)
    streams = [device.create_stream() for _ in range(5)]
    assert lib.aclmock_live(lib.ACLMOCK_STREAMS) == before + 5
    for stream in streams:
        stream.close()
    assert lib.aclmock_live(lib.ACLMOCK_STREAMS) == before
    assert np.all([stream.is_closed for stream in streams])
