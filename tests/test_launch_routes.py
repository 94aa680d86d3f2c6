"""Every way to launch gives the device the same bytes: both routes, both implementations, hidden slots included."""

from __future__ import annotations

import pathlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from launched import IMPLEMENTATIONS, make, meaning, newest, recording, without

import acl_bind as ab
from acl_bind import lib

HOST_ARGS = 'aclrtLaunchKernelWithHostArgs'
KERNELS = ('do_nothing', 'do_nothing_mixed', 'do_nothing_on_cpu')


@pytest.fixture
def probe(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Binary]:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary, recording():
        yield binary


@pytest.fixture
def check_equal(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Kernel]:
    with ab.Binary.from_file(build_kernels('pair.c')) as binary:
        yield binary.get_kernel('check_equal')


@pytest.mark.parametrize('name', KERNELS)
@pytest.mark.parametrize('how', IMPLEMENTATIONS)
def test_all_routes_agree(stream: ab.Stream, probe: ab.Binary, how: str, name: str) -> None:
    kernel = probe.get_kernel(name)
    types = (ab.Ptr, np.int8, ab.Placeholder, np.float32, ab.Placeholder, bool)
    values = (None, np.int8(-3), ab.Placeholder(b'tiling..'), np.float32(2.5), ab.Placeholder(b'more'), True)
    prepared = kernel.args(*values)
    seen = {}

    def note(way: str, call: Callable[..., None], *arguments: Any) -> None:
        call(stream, 3, *arguments)
        assert newest()[:2] == (name, 3)
        seen[way] = meaning(newest(), prepared.layout())

    typed, by_handles = make(how, kernel, *types), make(how, kernel, *types, by_handles=True)
    for turn in ('first', 'again'):
        note(f'typed, {turn}', typed, *values)
        note(f'handles, {turn}', by_handles, *values)
        note(f'launch, {turn}', ab.launch, kernel, *values)
        note(f'KernelArgs, {turn}', ab.launch, kernel, prepared)
        with without(HOST_ARGS):
            note(f'typed without the symbol, {turn}', typed, *values)
            note(f'launch without the symbol, {turn}', ab.launch, kernel, *values)
            note(f'KernelArgs without the symbol, {turn}', ab.launch, kernel, prepared)
    assert len(set(seen.values())) == 1, seen
    stream.sync()


@pytest.mark.parametrize('how', IMPLEMENTATIONS)
def test_hidden_slots_are_those_of_the_streams_context(device: ab.Device, probe: ab.Binary, how: str) -> None:
    """Two contexts of a device have an overflow block each, which a launch must not mix up."""
    kernel = probe.get_kernel('do_nothing_mixed')
    typed = make(how, kernel, np.int64)
    overflow: dict[int, int] = {}
    with device.create_context() as other:
        streams = [device.create_stream(), other.create_stream()]
        for turn in range(3):
            for index, stream in enumerate(streams):
                typed(stream, 1, turn)
                sync, number, tail = np.frombuffer(newest().data, np.uint64)
                assert sync != 0
                assert number == turn
                assert overflow.setdefault(index, tail) == tail != 0
        assert overflow[0] != overflow[1]
        for stream in streams:
            stream.sync()
            stream.close()


@pytest.mark.parametrize('how', IMPLEMENTATIONS)
def test_a_device_that_was_closed_leaves_no_address_behind(
    no_leaks: None, build_kernels: Callable[[str], pathlib.Path], how: str
) -> None:
    path, tails = build_kernels('probe.c'), []
    with recording():
        for turn in range(2):
            with ab.Device(0) as device, device.create_stream() as stream, ab.Binary.from_file(path) as binary:
                pads = [device.empty(64 * (turn + 1)) for _ in range(3 * turn)]
                make(how, binary.get_kernel('do_nothing'), np.int64)(stream, 1, 5)
                tails.append(int(np.frombuffer(newest().data, np.uint64)[1]))
                assert lib.aclmock_host_address(ab.ffi.cast('void *', tails[-1])) != ab.ffi.NULL
                stream.sync()
                del pads


@pytest.mark.parametrize('how', IMPLEMENTATIONS)
def test_a_library_without_either_route_says_which_function_it_lacks(stream: ab.Stream, probe: ab.Binary, how: str) -> None:
    typed = make(how, probe.get_kernel('do_nothing'), np.int32)
    with without(HOST_ARGS), without('aclrtKernelArgsAppend'), pytest.raises(ab.AclSymbolNotFoundError, match='aclrtKernelArgsAppend'):
        typed(stream, 1, 3)
    typed(stream, 1, 3)
    stream.sync()


def test_a_layout_that_lists_do_not_have_needs_the_symbol(stream: ab.Stream, probe: ab.Binary) -> None:
    kernel = probe.get_kernel('do_nothing')
    kernel.layout = 'bisheng'
    ab.launch(stream, 1, kernel, np.int8(1), np.int16(2))
    assert newest().data == b'\1\0\0\0\2\0'
    with without(HOST_ARGS), pytest.raises(ab.AclSymbolNotFoundError, match=HOST_ARGS):
        ab.launch(stream, 1, kernel, np.int8(1), np.int16(2))
    stream.sync()


@pytest.mark.parametrize('how', IMPLEMENTATIONS)
@pytest.mark.parametrize('layout', ['acl', 'bisheng'])
def test_layouts_agree_with_prepared_lists(stream: ab.Stream, probe: ab.Binary, how: str, layout: str) -> None:
    kernel = probe.get_kernel('do_nothing')
    kernel.layout = layout
    values = (np.int8(1), None, np.float64(2), ab.Placeholder(b'abc'), np.int16(3))
    typed = make(how, kernel, np.int8, None, np.float64, ab.Placeholder, np.int16)
    prepared = kernel.args(*values)
    wanted = {(row.offset, row.data.hex()) for row in prepared.layout() if row.data}
    calls: list[Callable[[], None]] = [
        lambda: typed(stream, 1, *values),
        lambda: ab.launch(stream, 1, kernel, *values),
        lambda: ab.launch(stream, 1, kernel, prepared),
    ]
    for call in calls * 2:
        call()
        assert wanted <= set(meaning(newest(), prepared.layout()))
    stream.sync()


# ---- every kind of value, bit by bit ---------------------------------------------------------------------------------

SCALARS = ('int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64', 'float16', 'float32', 'float64', 'bool', 'complex64')


@st.composite
def numpy_scalars(draw: st.DrawFn) -> Any:
    dtype = np.dtype(draw(st.sampled_from(SCALARS)))
    data = draw(st.binary(min_size=dtype.itemsize, max_size=dtype.itemsize))
    return np.frombuffer(bytes([data[0] & 1]) if dtype.kind == 'b' else data, dtype)[0]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(numpy_scalars(), min_size=1, max_size=6))
def test_scalars_arrive_bit_for_bit(stream: ab.Stream, probe: ab.Binary, scalars: list[Any]) -> None:
    kernel = probe.get_kernel('do_nothing')
    wanted = b''.join(scalar.tobytes().ljust(8, b'\0') for scalar in scalars)
    types = [type(scalar) for scalar in scalars]
    calls: list[Callable[..., None]] = [make(how, kernel, *types) for how in IMPLEMENTATIONS]
    calls += [lambda stream, blocks, *values: ab.launch(stream, blocks, kernel, *values)] * 3
    for call in calls:
        call(stream, 1, *scalars)
        assert newest().data[: len(wanted)] == wanted
    stream.sync()


# ---- threads ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('how', IMPLEMENTATIONS)
def test_threads_do_not_mix_their_payloads(device: ab.Device, check_equal: ab.Kernel, how: str, request: pytest.FixtureRequest) -> None:
    """Two threads launch one typed kernel with their own number by value and behind a placeholder; the kernel compares."""
    launches = 100_000 if request.config.getoption('--long') else 3_000
    typed = make(how, check_equal, np.uint64, ab.Placeholder)
    failures: list[BaseException] = []

    def work(start: int) -> None:
        try:
            with device.create_stream() as stream:
                for number in range(start, start + launches):
                    typed(stream, 1, number, ab.Placeholder(np.uint64(number)))
                    if number % 500 == 0:
                        stream.sync()
                stream.sync()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(index << 40,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_one_prepared_list_in_two_threads(device: ab.Device, check_equal: ab.Kernel) -> None:
    """The library writes into the bytes it is given; a shared list must not be what it writes to."""
    args = check_equal.args(np.uint64(77), ab.Placeholder(np.uint64(77)))
    failures: list[BaseException] = []

    def work() -> None:
        try:
            with device.create_stream() as stream:
                for _ in range(1_000):
                    ab.launch(stream, 1, check_equal, args)
                stream.sync()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
