"""Launches, and the ranges of their configuration."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import acl_bind as ab
from acl_bind import ffi, lib


@pytest.fixture
def probe(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Binary]:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary:
        yield binary


@pytest.fixture
def numbers(device: ab.Device) -> Iterator[ab.DeviceBuffer]:
    with device.empty(4, np.int32) as buffer:
        buffer.fill(0)
        yield buffer


def test_as_many_blocks_as_asked(stream: ab.Stream, probe: ab.Binary, numbers: ab.DeviceBuffer) -> None:
    kernel = probe.get_kernel('add_to_each')
    ab.launch(stream, ab.LaunchConfig(num_blocks=4), kernel, numbers, np.int32(5))
    ab.launch(stream, 2, kernel, numbers, np.int32(-2))
    stream.sync()
    assert numbers.to_numpy().tolist() == [3, 3, 5, 5]


def test_no_blocks_is_no_launch(stream: ab.Stream, probe: ab.Binary, numbers: ab.DeviceBuffer) -> None:
    ab.launch(stream, 0, probe.get_kernel('add_to_each'), numbers, np.int32(5))
    stream.sync()
    assert numbers.to_numpy().tolist() == [0, 0, 0, 0]


def test_a_prepared_list_is_launched_again_and_changed(stream: ab.Stream, probe: ab.Binary, numbers: ab.DeviceBuffer) -> None:
    kernel = probe.get_kernel('add_to_each')
    args = kernel.args(numbers, np.int32(1))
    assert len(args) == 2
    for _ in range(3):
        ab.launch(stream, 4, kernel, args)
    args[1] = np.int32(10)
    ab.launch(stream, 4, kernel, args)
    args[-1] = np.int64(100)  # another size: laid out anew
    ab.launch(stream, 4, kernel, args)
    stream.sync()
    assert numbers.to_numpy().tolist() == [113] * 4
    with pytest.raises(IndexError):
        args[2] = np.int32(1)


def test_a_list_of_another_kernel(stream: ab.Stream, probe: ab.Binary, numbers: ab.DeviceBuffer) -> None:
    args = probe.get_kernel('add_to_each').args(numbers, np.int32(1))
    with pytest.raises(ValueError, match='the arguments are of kernel add_to_each, the launch is of do_nothing'):
        ab.launch(stream, 1, probe.get_kernel('do_nothing'), args)


def test_two_lists_in_one_thread_do_not_meet(stream: ab.Stream, probe: ab.Binary, numbers: ab.DeviceBuffer) -> None:
    """The library has one list a thread; KernelArgs are in memory of their own."""
    kernel = probe.get_kernel('add_to_each')
    first, second = kernel.args(numbers, np.int32(1)), kernel.args(numbers, np.int32(20))
    for args in (first, second, first):
        ab.launch(stream, 4, kernel, args)
    stream.sync()
    assert numbers.to_numpy().tolist() == [22] * 4


RANGES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({'num_blocks': -1}, ValueError, 'num_blocks is -1, expected 0 to 65535'),
    ({'num_blocks': 65536}, ValueError, 'num_blocks is 65536'),
    ({'num_blocks': True}, TypeError, 'num_blocks is True'),
    ({'num_blocks': 8.0}, TypeError, 'num_blocks is 8.0'),
    ({'num_blocks': None}, TypeError, 'num_blocks is None'),
    ({'schem_mode': 2}, ValueError, 'schem_mode is 2, expected 0 to 1'),
    ({'schem_mode': 257}, ValueError, 'schem_mode is 257'),
    ({'schem_mode': -1}, ValueError, 'schem_mode is -1'),
    ({'dyn_ubuf_size': 1 << 32}, ValueError, 'dyn_ubuf_size is'),
    ({'dyn_ubuf_size': -1}, ValueError, 'dyn_ubuf_size is'),
    ({'engine_type': 2}, ValueError, 'engine_type is 2'),
    ({'block_dim_offset': 1 << 32}, ValueError, 'block_dim_offset is'),
    ({'block_task_prefetch': 1}, TypeError, 'block_task_prefetch is 1, expected a bool'),
    ({'data_dump': 'yes'}, TypeError, 'data_dump is'),
    ({'enable_profiling': 0}, TypeError, 'enable_profiling is 0'),
    ({'timeout': -0.1}, ValueError, 'timeout is -0.1 s'),
    ({'timeout': 1e30}, ValueError, 'timeout is 1e\\+30 s'),
    ({'timeout': float('nan')}, ValueError, 'timeout is nan'),
    ({'timeout': True}, TypeError, 'timeout is True'),
    ({'timeout': '5'}, TypeError, "timeout is '5'"),
]


@pytest.mark.parametrize(('options', 'kind', 'said'), RANGES, ids=[said for _, _, said in RANGES])
def test_ranges(options: dict[str, Any], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        ab.LaunchConfig(**{'num_blocks': 1, **options})


ALL = {
    'schem_mode': 1,
    'dyn_ubuf_size': 0xFFFFFFFF,
    'engine_type': 1,
    'block_dim_offset': 3,
    'block_task_prefetch': True,
    'data_dump': False,
    'timeout': 2.5,
    'enable_profiling': True,
}


def attributes(config: ab.LaunchConfig) -> dict[int, Any]:
    address, _ = config._c_config
    c_config = ffi.cast('aclrtLaunchKernelCfg *', address)
    return {} if address == 0 else {c_config.attrs[i].id: c_config.attrs[i].value for i in range(c_config.numAttrs)}


def test_every_attribute_of_the_header_can_be_given() -> None:
    ids = {getattr(lib, name) for name in dir(lib) if name.startswith('ACL_RT_LAUNCH_KERNEL_ATTR_')}
    seconds = attributes(ab.LaunchConfig(num_blocks=1, timeout=2))
    assert set(attributes(ab.LaunchConfig(num_blocks=1, **ALL))) | set(seconds) == ids  # type: ignore[arg-type]
    assert attributes(ab.LaunchConfig(num_blocks=1)) == {}


@pytest.mark.parametrize('timeout', [0, 1, 65535])
def test_whole_seconds(timeout: int) -> None:
    ((number, value),) = attributes(ab.LaunchConfig(1, timeout=timeout)).items()
    assert number == lib.ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT
    assert value.timeout == timeout


@pytest.mark.parametrize(('timeout', 'microseconds'), [(0.5, 500_000), (65536, 65_536_000_000), (1e-9, 1), (70000.25, 70_000_250_000)])
def test_other_times_in_microseconds(timeout: float, microseconds: int) -> None:
    ((number, value),) = attributes(ab.LaunchConfig(1, timeout=timeout)).items()
    assert number == lib.ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US
    assert value.timeoutUs.timeoutLow | value.timeoutUs.timeoutHigh << 32 == microseconds


def test_a_config_is_frozen_and_hashable() -> None:
    config = ab.LaunchConfig(num_blocks=3)
    with pytest.raises(AttributeError):
        config.num_blocks = 4  # type: ignore[misc]
    assert config == ab.LaunchConfig(3)
    assert len({config, ab.LaunchConfig(3)}) == 1


def test_the_library_takes_all_of_it(stream: ab.Stream, probe: ab.Binary) -> None:
    ab.launch(stream, ab.LaunchConfig(num_blocks=2, **ALL), probe.get_kernel('do_nothing'))  # type: ignore[arg-type]
    stream.sync()


TOO_MUCH: list[tuple[list[Any], str]] = [
    ([np.int32(0)] * 129, '128'),
    ([ab.Placeholder(bytes(64 * 1024 + 1))], '65536'),
    ([bytes(64 * 1024 + 1)], '65536'),
]


@pytest.mark.parametrize(('values', 'said'), TOO_MUCH, ids=['129 parameters', 'a large placeholder', '65,537 bytes'])
def test_too_many_arguments_for_the_librarys_list(stream: ab.Stream, probe: ab.Binary, values: list[Any], said: str) -> None:
    kernel = probe.get_kernel('do_nothing')
    ab.launch(stream, 1, kernel, *values)  # host arguments have no such limit
    lib._hide('aclrtLaunchKernelWithHostArgs', True)
    try:
        with pytest.raises(ab.AclInvalidArgumentError, match=said):
            ab.launch(stream, 1, kernel, *values)
        ab.launch(stream, 1, kernel, np.int32(0))  # the thread's list is good for the next
    finally:
        lib._hide('aclrtLaunchKernelWithHostArgs', False)
    stream.sync()


def test_configurations_that_come_and_go(device: ab.Device, stream: ab.Stream, probe: ab.Binary) -> None:
    kernel = probe.get_kernel('add_to_each')
    numbers = device.empty(7, np.int32)
    numbers.fill(0)
    for count in range(210):
        ab.launch(stream, ab.LaunchConfig(num_blocks=1 + count % 7), kernel, numbers, np.int32(1))  # dropped, and its address used again
    stream.sync()
    assert numbers.to_numpy().tolist() == [30 * more for more in range(7, 0, -1)]
