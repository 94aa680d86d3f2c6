"""KernelArgs launched again and again: what the first launch has learned, the later ones must not get wrong."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import acl_bind as ab
from acl_bind import mock

OFTEN = 4  # the second launch, or the third, goes another way than the first


@pytest.fixture
def add(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Kernel]:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary:
        yield binary.get_kernel('add_to_each')


@pytest.fixture
def x(device: ab.Device) -> ab.DeviceBuffer:
    x = device.empty(1, np.int32)
    x.fill(0)
    return x


def launched(stream: ab.Stream, add: ab.Kernel, args: ab.KernelArgs, x: ab.DeviceBuffer) -> int:
    before = int(x.to_numpy()[0])
    ab.launch(stream, 1, add, args)
    stream.sync()
    return int(x.to_numpy()[0]) - before


def test_the_same_again(stream: ab.Stream, add: ab.Kernel, x: ab.DeviceBuffer) -> None:
    args = add.args(x, np.int32(3))
    assert [launched(stream, add, args, x) for _ in range(OFTEN)] == [3] * OFTEN


def test_a_changed_value(stream: ab.Stream, add: ab.Kernel, x: ab.DeviceBuffer, device: ab.Device) -> None:
    args = add.args(x, np.int32(1))
    for number in range(2, 2 + OFTEN):
        args[1] = np.int32(number)
        assert launched(stream, add, args, x) == number
    y = device.empty(1, np.int32)
    y.fill(0)
    args[0] = y
    assert launched(stream, add, args, y) == 1 + OFTEN


def test_lists_of_one_kernel_do_not_mix(stream: ab.Stream, add: ab.Kernel, x: ab.DeviceBuffer) -> None:
    lists = [add.args(x, np.int32(number)) for number in range(3)]
    for _ in range(OFTEN):
        assert [launched(stream, add, args, x) for args in lists] == [0, 1, 2]


def test_a_scalar_with_fields_is_taken_when_the_list_is_made(stream: ab.Stream, add: ab.Kernel, x: ab.DeviceBuffer) -> None:
    fields = np.zeros((), np.dtype([('number', np.int32)]))[()]
    fields['number'] = 7
    args = add.args(x, fields)
    fields['number'] = 8
    assert [launched(stream, add, args, x) for _ in range(OFTEN)] == [7] * OFTEN


@pytest.mark.parametrize('launches', [0, OFTEN])
def test_arguments_of_another_kernel(stream: ab.Stream, add: ab.Kernel, x: ab.DeviceBuffer, launches: int) -> None:
    args = add.args(x, np.int32(1))
    for _ in range(launches):
        ab.launch(stream, 1, add, args)
    with pytest.raises(ValueError, match='the arguments are of kernel add_to_each, the launch is of do_nothing'):
        ab.launch(stream, 1, add.binary.get_kernel('do_nothing'), args)


@pytest.mark.parametrize('launches', [1, OFTEN])
def test_the_kernel_found_again(stream: ab.Stream, add: ab.Kernel, x: ab.DeviceBuffer, launches: int) -> None:
    args = add.args(x, np.int32(1))
    for _ in range(launches):
        ab.launch(stream, 1, add.binary.get_kernel('add_to_each'), args)
    stream.sync()
    assert x.to_numpy()[0] == launches


def test_a_closed_binary(stream: ab.Stream, add: ab.Kernel, x: ab.DeviceBuffer) -> None:
    args = add.args(x, np.int32(1))
    for _ in range(OFTEN):
        ab.launch(stream, 1, add, args)
    stream.sync()
    add.binary.close(force=True)
    with pytest.raises(ab.AclHandleError, match='this Binary is closed'):
        ab.launch(stream, 1, add, args)


@pytest.mark.parametrize('launches', [0, 1, OFTEN])
def test_a_closed_buffer(stream: ab.Stream, add: ab.Kernel, x: ab.DeviceBuffer, launches: int) -> None:
    args = add.args(x, np.int32(1))
    for _ in range(launches):
        ab.launch(stream, 1, add, args)
    stream.sync()
    x.close()
    with pytest.raises(ab.AclHandleError, match='DeviceBuffer is closed'):
        ab.launch(stream, 1, add, args)


def test_a_failure_names_its_launch(stream: ab.Stream, add: ab.Kernel, device: ab.Device) -> None:
    args = add.binary.get_kernel('give_up').args()
    for _ in range(OFTEN):
        ab.launch(stream, 1, args.kernel, args)
        with pytest.raises(ab.AclDeviceError, match=r'(?s)the kernel gave up.*test_args\.py'):
            stream.sync()


def test_where_the_library_takes_only_lists_its_own_is_launched(stream: ab.Stream, add: ab.Kernel, x: ab.DeviceBuffer) -> None:
    with mock.hide('aclrtLaunchKernelWithHostArgs'):
        args = add.args(x, np.int32(3))
        assert launched(stream, add, args, x) == 3
        with mock.trace() as trace:
            for _ in range(OFTEN):
                ab.launch(stream, 1, add, args)
        names = [call.name for call in trace.calls]
    assert names.count('aclrtLaunchKernelWithConfig') == OFTEN
    assert 'aclrtKernelArgsInit' not in names
