"""launch_many: lists of prepared launches, replayed in one call."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from launched import newest, recording, without

import acl_bind as ab
from acl_bind import lib, mock


@pytest.fixture
def probe(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Binary]:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary, recording():
        yield binary


@pytest.fixture
def numbers(device: ab.Device) -> Iterator[ab.DeviceBuffer]:
    with device.empty(4, np.int32) as buffer:
        buffer.fill(0)
        yield buffer


def test_all_are_launched_in_order_as_often_as_asked(stream: ab.Stream, probe: ab.Binary, numbers: ab.DeviceBuffer) -> None:
    kernel = probe.get_kernel('add_to_each')
    args = [kernel.args(numbers, np.int32(number)) for number in range(4)]
    batch = ab.LaunchList((number, each) for number, each in enumerate(args))
    assert len(batch) == 4
    for _ in range(3):
        ab.launch_many(stream, batch)
    stream.sync()
    assert lib.aclmock_recorded_launches() == 9  # that of no blocks is none
    assert [newest(back).num_blocks for back in range(3)] == [3, 2, 1]
    assert numbers.to_numpy().tolist() == [18, 15, 9, 0]


def test_changes_between_replays(stream: ab.Stream, probe: ab.Binary, numbers: ab.DeviceBuffer) -> None:
    args = probe.get_kernel('add_to_each').args(numbers, np.int32(1))
    batch = ab.LaunchList([(1, args), (ab.LaunchConfig(2, timeout=1.0), args)])
    ab.launch_many(stream, batch)
    args[1] = np.int32(10)
    ab.launch_many(stream, batch)
    args[1] = np.int64(100)  # another size: laid out anew
    ab.launch_many(stream, batch)
    stream.sync()
    assert numbers.to_numpy().tolist() == [222, 111, 0, 0]


def test_by_the_other_route(stream: ab.Stream, probe: ab.Binary, numbers: ab.DeviceBuffer) -> None:
    with without('aclrtLaunchKernelWithHostArgs'):
        ab.launch_many(stream, [(1, probe.get_kernel('add_to_each').args(numbers, np.int32(3)))])
    stream.sync()
    assert numbers.to_numpy().tolist() == [3, 0, 0, 0]


def test_in_another_context(device: ab.Device, probe: ab.Binary) -> None:
    """Each context has an overflow address of its own."""
    batch = ab.LaunchList([(1, probe.get_kernel('do_nothing').args(np.int64(1)))] * 2)
    tails = []
    with device.create_context() as other, device.create_stream() as here, other.create_stream() as there:
        for stream in (here, there, here):
            ab.launch_many(stream, batch)
            tails.append({newest(back).data[8:16] for back in range(2)})
            stream.sync()
    assert tails[0] == tails[2] != tails[1]
    assert [len(tail) for tail in tails] == [1, 1, 1]


def test_those_before_a_failure_are_queued(stream: ab.Stream, probe: ab.Binary, numbers: ab.DeviceBuffer) -> None:
    batch = ab.LaunchList([(1, probe.get_kernel('add_to_each').args(numbers, np.int32(1)))] * 5)
    ab.launch_many(stream, batch)
    code = lib.ACL_ERROR_RT_PARAM_INVALID
    with mock.fault('aclrtLaunchKernelWithHostArgs', code=code, nth=3), pytest.raises(ab.AclInvalidArgumentError) as caught:
        ab.launch_many(stream, batch)
    assert '2 of 5 launches were queued before' in str(caught.value)
    stream.sync()
    assert numbers.to_numpy()[0] == 7


def test_wrong_things(stream: ab.Stream, probe: ab.Binary) -> None:
    args = probe.get_kernel('do_nothing').args()
    with pytest.raises(TypeError, match='launch 1 has int, expected KernelArgs'):
        ab.launch_many(stream, [(1, args), (1, 3)])  # type: ignore[list-item]
    with pytest.raises(ValueError, match='num_blocks is 65536'):
        ab.LaunchList([(65536, args)])
    ab.launch_many(stream, [])
    batch = ab.LaunchList([(1, args)])
    assert repr(batch) == '<LaunchList of 1: do_nothing>'
    probe.close(force=True)
    with pytest.raises(ab.AclHandleError, match='this Binary is closed'):
        ab.launch_many(stream, batch)
