"""stream.sync() again and again: what the first found, the later ones in C must notice as well."""

from __future__ import annotations

import gc
import inspect
import pathlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import acl_bind as ab
from acl_bind import mock


@pytest.fixture
def stream(stream: ab.Stream) -> ab.Stream:
    """One that has been waited for: from now on sync() has nothing to ask."""
    stream.sync()
    return stream


@pytest.fixture
def kernels(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Binary]:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary:
        yield binary


def test_what_queued_work_used_is_let_go(device: ab.Device, stream: ab.Stream, kernels: ab.Binary) -> None:
    kernel = kernels.get_kernel('do_nothing')
    for _ in range(3):
        x = device.empty(4, np.uint8)
        dropped = weakref.ref(x)
        ab.launch(stream, 1, kernel, x)
        del x
        gc.collect()
        assert dropped() is not None
        stream.sync()
        assert dropped() is None


def test_a_failure_is_raised_with_its_launch(device: ab.Device, stream: ab.Stream, kernels: ab.Binary) -> None:
    ab.launch(stream, 1, kernels.get_kernel('crash'), np.int32(1))
    with pytest.raises(ab.AclDeviceError, match=r'(?s)kernel crash.*test_sync\.py'):
        stream.sync()
    stream.sync()


def test_what_a_callback_raises_is_raised_once(stream: ab.Stream) -> None:
    def fail() -> None:
        raise KeyError('from the callback')

    stream.launch_host_func(fail)
    with pytest.raises(KeyError, match='from the callback'):
        stream.sync()
    stream.sync()
    stream.launch_host_func(fail)
    with pytest.raises(KeyError):
        stream.sync()


def test_a_callback_must_not_wait_for_its_stream(stream: ab.Stream) -> None:
    stream.launch_host_func(stream.sync)
    with pytest.raises(RuntimeError, match='a callback waits for its own stream'):
        stream.sync()


def test_a_closed_stream(device: ab.Device) -> None:
    stream = device.create_stream()
    stream.sync()
    stream.close()
    with pytest.raises(ab.AclHandleError, match='this Stream is closed'):
        stream.sync()


def test_a_stream_whose_device_was_reset() -> None:
    device = ab.Device(0)
    stream = device.create_stream()
    stream.sync()
    device.close()
    with pytest.raises(ab.AclHandleError, match='the device or context of this Stream was closed'):
        stream.sync()


def test_the_stream_of_another_context(device: ab.Device, stream: ab.Stream) -> None:
    with device.create_context():
        stream.sync()
        stream.sync()


def test_with_a_timeout(device: ab.Device, stream: ab.Stream) -> None:
    stream.sync(1)
    stream.sync(timeout=None)
    with mock.hold():
        device.empty(1, np.uint8).fill(1, stream=stream)
        with pytest.raises(ab.AclTimeoutError):
            stream.sync(timeout=0.01)
    stream.sync()


@pytest.mark.parametrize(('arguments', 'names'), [((1, 2), {}), ((), {'seconds': 1}), (('soon',), {})])
def test_wrong_arguments(stream: ab.Stream, arguments: tuple[Any, ...], names: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        stream.sync(*arguments, **names)


def test_the_library_misbehaves(stream: ab.Stream) -> None:
    with mock.fault('aclrtSynchronizeStream', 507899), pytest.raises(ab.AclError, match='aclrtSynchronizeStream'):
        stream.sync()
    stream.sync()


def test_its_help() -> None:
    assert list(inspect.signature(ab.Stream.sync).parameters) == ['self', 'timeout']
    assert 'aclrtSynchronizeStream' in str(ab.Stream.sync.__doc__)
