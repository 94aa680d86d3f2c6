"""Python functions that a stream calls."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import acl_bind as ab


def test_in_order_with_arguments(device: ab.Device, stream: ab.Stream) -> None:
    seen: list[object] = []
    buffer = device.empty(4, np.uint8)
    stream.launch_host_func(seen.append, 1)
    buffer.fill(5, stream=stream)
    stream.launch_host_func(lambda first, second: seen.append((first, second)), 2, 'x')
    stream.sync()
    assert seen == [1, (2, 'x')]


def test_what_it_raises_comes_with_the_next_sync_and_once(stream: ab.Stream) -> None:
    def fail(text: str) -> None:
        raise KeyError(text)

    stream.launch_host_func(fail, 'first')
    stream.launch_host_func(fail, 'second')
    with pytest.raises(KeyError, match='first'):
        stream.sync()
    with pytest.raises(KeyError, match='second'):
        stream.sync()
    stream.sync()


def test_waiting_for_ones_own_stream_is_noticed(stream: ab.Stream) -> None:
    stream.launch_host_func(stream.sync)
    with pytest.raises(RuntimeError, match='a callback waits for its own stream'):
        stream.sync()


def test_many_from_many_threads(device: ab.Device) -> None:
    counts = [0] * 4
    streams = [device.create_stream() for _ in counts]

    def work(index: int) -> None:
        for _ in range(100):
            streams[index].launch_host_func(add, index)

    def add(index: int) -> None:
        counts[index] += 1

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(counts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for stream in streams:
        stream.sync()
        stream.close()
    assert counts == [100] * 4


def test_it_is_let_go_when_it_has_run(stream: ab.Stream) -> None:
    for _ in range(3):
        stream.launch_host_func(lambda: None)
    stream.sync()
    assert not stream._callbacks._waiting


def test_a_failed_launch_keeps_nothing(stream: ab.Stream) -> None:
    ab.lib.aclmock_fail_call(b'aclrtLaunchHostFunc', 1, 1, ab.lib.ACL_ERROR_RT_MEMORY_ALLOCATION, ab.ffi.NULL)
    with pytest.raises(ab.AclMemoryError):
        stream.launch_host_func(lambda: None)
    assert not stream._callbacks._waiting
