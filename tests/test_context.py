"""Explicit contexts, and objects of several contexts and devices used from any thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

import acl_bind as ab
from acl_bind import rt
from acl_bind._handle import current_context


@pytest.fixture
def context(device: ab.Device) -> Iterator[ab.Context]:
    with device.create_context() as made:
        yield made


def test_making_one_changes_no_current_context(device: ab.Device) -> None:
    before = current_context()
    with device.create_context() as context:
        assert current_context() == before
        assert context.handle != before
        assert (context.device, context.device_id) == (device, 0)
    assert current_context() == before


def test_it_makes_what_a_device_makes(context: ab.Context) -> None:
    with context.create_stream() as stream, context.create_event() as event:
        buffer = context.empty(8, np.int32)
        buffer.copy_from(np.arange(8, dtype=np.int32), stream=stream)
        stream.record(event)
        context.sync()
        assert event.is_done
        assert stream.device == buffer.device == context.device
        np.testing.assert_array_equal(buffer.to_numpy(), np.arange(8))
        buffer.close()


def test_two_contexts_side_by_side(device: ab.Device, context: ab.Context, stream: ab.Stream) -> None:
    with context.create_stream() as other:
        x, y = device.empty(4, np.uint8), context.empty(4, np.uint8)
        x.fill(1, stream=stream)
        y.fill(2, stream=other)
        stream.sync()
        other.sync()
        assert (x.to_numpy()[0], y.to_numpy()[0]) == (1, 2)
        y.close()


def test_set_current(context: ab.Context, device: ab.Device) -> None:
    context.set_current()
    assert current_context() == context.handle
    device.set_current()
    assert current_context() == device.context


def test_streams_of_a_closed_context_are_dead(device: ab.Device) -> None:
    context = device.create_context()
    stream = context.create_stream()
    context.close()
    with pytest.raises(ab.AclHandleError, match='the device or context of this Stream was closed'):
        stream.sync()
    stream.close()


def test_memory_of_a_closed_context_lives(device: ab.Device) -> None:
    context = device.create_context()
    buffer = context.empty(4, np.uint8)
    context.close()
    device.empty(4, np.uint8)
    assert buffer.handle
    buffer.close()


def test_a_borrowed_context_is_not_destroyed(context: ab.Context) -> None:
    borrowed = ab.Context.from_handle(context.handle, context)
    assert borrowed.device_id == 0
    borrowed.close()
    context.create_stream().close()


def test_it_is_what_its_handle_is(context: ab.Context) -> None:
    assert ab.Context.from_handle(context.handle) == context
    assert int(context) == context.handle
    assert repr(context) == f'<Context on device 0, {context.handle:#x}>'


def test_a_thread_without_a_context_uses_objects_and_keeps_their_context(device: ab.Device, context: ab.Context) -> None:
    seen: list[object] = []

    def work() -> None:
        try:
            seen.append(current_context())
            with context.create_stream() as stream:
                stream.sync()
            device.allocate(8).close()
            seen.append(current_context())
        except BaseException as error:
            seen.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [0, context.handle]  # ACL cannot take it away again


def test_the_text_of_107002_names_the_thread() -> None:
    seen: list[BaseException] = []

    def work() -> None:
        try:
            rt.malloc(64, 0)
        except BaseException as error:
            seen.append(error)

    thread = threading.Thread(target=work, name='a worker')
    thread.start()
    thread.join()
    assert isinstance(seen[0], ab.AclContextError)
    assert "'a worker'" in str(seen[0])


def test_calls_put_back_the_threads_context(device: ab.Device) -> None:
    with ab.Device(1) as other:
        device.set_current()
        buffer = other.empty(4, np.uint8)
        buffer.fill(3)
        with other.create_stream() as stream:
            stream.record().sync()
        other.sync()
        assert other.memory_info.total > 0
        assert current_context() == device.context
        buffer.close()
        assert current_context() == device.context
