"""What a launch uses lives until the stream has passed it, no longer, and a failure names the line of its launch."""

from __future__ import annotations

import gc
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from launched import IMPLEMENTATIONS, make

import acl_bind as ab
from acl_bind import _plain, lib
from acl_bind._ffi import Ring, is_fast

RINGS = {'python': _plain.Ring, **({'extension': Ring} if is_fast else {})}
EVERY = _plain.CHECK_EVERY


@pytest.fixture
def probe(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Binary]:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary:
        yield binary


def blocks() -> int:
    return int(lib.aclmock_live(lib.ACLMOCK_BLOCKS))


@pytest.fixture(params=IMPLEMENTATIONS)
def add(request: pytest.FixtureRequest, probe: ab.Binary) -> ab.TypedKernel:
    return make(request.param, probe.get_kernel('add_to_each'), ab.DeviceBuffer, np.int32)


def ways(add: ab.TypedKernel) -> list[Callable[..., None]]:
    kernel = add.kernel
    return [
        lambda stream, buffer, number: add(stream, 1, buffer, number),
        lambda stream, buffer, number: ab.launch(stream, 1, kernel, buffer, np.int32(number)),
        lambda stream, buffer, number: ab.launch(stream, 1, kernel, kernel.args(buffer, np.int32(number))),
        lambda stream, buffer, number: ab.launch_many(stream, [(1, kernel.args(buffer, np.int32(number)))]),
    ]


def test_a_dropped_buffer_lives_until_the_sync(device: ab.Device, stream: ab.Stream, add: ab.TypedKernel) -> None:
    before = blocks()
    for way in ways(add):
        for _ in range(3):
            buffer = device.empty(1, np.int32)
            buffer.fill(0)
            way(stream, buffer, 5)
            del buffer
            assert blocks() > before
        stream.sync()
        gc.collect()
        assert blocks() == before


def test_work_that_is_done_lets_go_too(device: ab.Device, stream: ab.Stream, add: ab.TypedKernel) -> None:
    before = blocks()
    buffer = device.empty(1, np.int32)
    buffer.fill(0)
    add(stream, 1, buffer, 1)
    del buffer
    while not stream.is_done:
        pass
    assert blocks() == before


def test_without_a_sync_it_does_not_grow(device: ab.Device, stream: ab.Stream, add: ab.TypedKernel) -> None:
    """Marks in the stream tell what it has passed."""
    buffer = device.empty(1, np.int32)
    buffer.fill(0)
    most = 0
    for number in range(8 * EVERY):
        add(stream, 1, buffer, 0)
        if number % EVERY == EVERY // 2:
            lib.aclrtSynchronizeStream(stream._pointer)  # the stream has passed it, and acl_bind does not know
            most = max(most, len(stream._ring))
    assert most <= 3 * EVERY
    stream.sync()
    assert len(stream._ring) == 0
    buffer.close()


def test_nothing_is_held_twice(device: ab.Device, stream: ab.Stream, add: ab.TypedKernel) -> None:
    buffer, data, config = device.empty(1, np.int32), ab.Placeholder(b'x'), ab.LaunchConfig(1)
    buffer.fill(0)
    number = np.int32(0)
    watched = (buffer, data, config, number, add, add.kernel, stream, None)
    before = [sys.getrefcount(each) for each in watched]
    for _ in range(100):
        add(stream, config, buffer, number)
        add(stream, 1, buffer, 12345678)
        ab.launch(stream, config, add.kernel, buffer, number)
        with pytest.raises(TypeError):
            add(stream, config, buffer, data)
        with pytest.raises(ValueError, match='range'):
            add(stream, config, buffer, 1 << 40)
    stream.sync()
    after = [sys.getrefcount(each) for each in watched]
    more = {id(None): 60, id(config): 3}  # everybody's; the launchers keep the last one, the stream some
    assert all(now - then <= more.get(id(each), 2) for each, now, then in zip(watched, after, before, strict=True)), (before, after)
    buffer.close()


def test_a_dropped_stream_ends_at_once(device: ab.Device, add: ab.TypedKernel) -> None:
    streams = lib.aclmock_live(lib.ACLMOCK_STREAMS)
    buffer = device.empty(1, np.int32)
    buffer.fill(0)
    gc.disable()
    try:
        stream = device.create_stream()
        add(stream, 1, buffer, 1)
        del stream
        assert lib.aclmock_live(lib.ACLMOCK_STREAMS) == streams
    finally:
        gc.enable()
    assert buffer.to_numpy()[0] == 1
    buffer.close()


# ---- where a launch was made -----------------------------------------------------------------------------------------


def fail_on(stream: ab.Stream, binary: ab.Binary, how: str) -> None:
    bad = binary.get_kernel('give_up')
    if how == 'typed':
        typed = bad.bind(np.int32)
        for number in range(3):
            typed(stream, 1, number)  # guilty: typed
    elif how == 'launch':
        for number in range(3):
            ab.launch(stream, 1, bad, np.int32(number))  # guilty: launch
    elif how == 'prepared':
        ab.launch(stream, 1, bad, bad.args(np.int32(1)))  # guilty: prepared
    else:
        ab.launch_many(stream, [(1, bad.args(np.int32(1)))])  # guilty: many


@pytest.mark.parametrize('how', ['typed', 'launch', 'prepared', 'many'])
def test_a_failure_names_its_line(stream: ab.Stream, probe: ab.Binary, how: str) -> None:
    good = probe.get_kernel('do_nothing')
    ab.launch(stream, 1, good, np.int32(1))
    fail_on(stream, probe, how)
    ab.launch(stream, 1, good, np.int32(1))
    with pytest.raises(ab.AclVectorCoreError) as caught:
        stream.sync()
    text = str(caught.value)
    assert f'# guilty: {how}' in text
    assert f'give_up at {__file__}:' in text
    assert 'do_nothing' not in text
    stream.sync()


def test_several_lines_may_be_it(stream: ab.Stream, probe: ab.Binary) -> None:
    bad = probe.get_kernel('give_up')
    ab.launch(stream, 1, bad)  # one
    ab.launch(stream, 1, bad)  # two
    with pytest.raises(ab.AclVectorCoreError) as caught:
        stream.sync()
    assert '# one' in str(caught.value)
    assert '# two' in str(caught.value)
    assert 'one of the launches since the last sync, the newest last (2)' in str(caught.value)


# ---- the ring itself, both of them -----------------------------------------------------------------------------------


@pytest.mark.parametrize('how', RINGS)
def test_a_ring_lets_go_in_order(how: str) -> None:
    ring: Any = RINGS[how]()
    code = sys._getframe().f_code
    kept = [object() for _ in range(1000)]
    before = [sys.getrefcount(each) for each in kept]
    for number, each in enumerate(kept):
        ring.keep(each, code if number % 2 else None, number, (each,))
    del each
    assert (len(ring), ring.position) == (1000, 1000)
    assert [lasti for _, _, lasti in ring.launches()] == list(range(1, 1000, 2))
    assert sum(each is kept[7] for each in ring.objects()) == 1
    ring.release(400)
    assert len(ring) == 600
    held = [sys.getrefcount(each) for each in kept]
    assert [now - then for now, then in zip(held, before, strict=True)] == [0] * 400 + [2] * 600
    ring.release(10)
    ring.release(5000)
    assert (len(ring), ring.position) == (0, 1000)
    assert [sys.getrefcount(each) for each in kept] == before


@pytest.mark.parametrize('how', RINGS)
def test_what_a_ring_lets_go_of_may_use_it(how: str) -> None:
    ring: Any = RINGS[how]()

    class Busy:
        def __del__(self) -> None:
            ring.keep(None, None, 0, ())
            ring.release(ring.position - 3)
            ring.launches()

    for _ in range(500):
        ring.keep(Busy(), None, 0, (Busy(), Busy()))
    ring.release(ring.position)
    ring.release(ring.position)
    assert len(ring) <= 3


@pytest.mark.parametrize('how', RINGS)
def test_a_ring_goes_with_what_it_holds(how: str) -> None:
    ring: Any = RINGS[how]()
    kept = object()
    before = sys.getrefcount(kept)
    ring.keep(kept, None, 0, (kept,))
    del ring
    gc.collect()
    assert sys.getrefcount(kept) == before
