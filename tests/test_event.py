"""Events as objects: order between streams, times, waits with an end."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import acl_bind as ab
from acl_bind import mock

LARGE = 1 << 20


def test_a_new_event_counts_as_done(device: ab.Device) -> None:
    with device.create_event() as event:
        assert event.is_done
        event.sync()


def test_record_sync_and_done(device: ab.Device, stream: ab.Stream) -> None:
    buffer = device.empty(LARGE, np.uint8)
    with mock.hold(stream):
        buffer.fill(7, stream=stream)
        event = stream.record()
        assert not event.is_done
        with pytest.raises(TimeoutError, match='error code is 507047'):
            event.sync(timeout=0.01)
    event.sync(timeout=10)
    assert event.is_done
    assert buffer.to_numpy()[-1] == 7


def test_a_second_record_replaces_the_first(device: ab.Device, stream: ab.Stream) -> None:
    event = stream.record()
    event.sync()
    with mock.hold(stream):
        event.record(stream)
        assert not event.is_done
    event.sync()


def test_wait_orders_two_streams(device: ab.Device, stream: ab.Stream) -> None:
    with device.create_stream() as second:
        x, y = device.empty(4, np.uint8), device.empty(4, np.uint8)
        x.fill(1)
        with mock.hold(stream):
            x.fill(9, stream=stream)
            second.wait(stream.record())
            y.copy_from(x, stream=second)
            assert not second.is_done
        second.sync()
        assert (y.to_numpy() == 9).all()


def test_wait_takes_a_stream(device: ab.Device, stream: ab.Stream) -> None:
    with device.create_stream() as second:
        x = device.empty(4, np.uint8)
        with mock.hold(stream):
            x.fill(9, stream=stream)
            second.wait(stream)
            x.fill(3, stream=second)
        second.sync()
        assert (x.to_numpy() == 3).all()


def test_wait_with_an_end(device: ab.Device, stream: ab.Stream) -> None:
    with device.create_stream() as second:
        second.wait(stream.record(), timeout=0.5)
        second.sync()
        for timeout in (-1, 1 << 40):
            with pytest.raises(ValueError, match='timeout is'):
                second.wait(stream.record(), timeout=timeout)


def test_times(device: ab.Device, stream: ab.Stream) -> None:
    start = stream.record()
    device.empty(LARGE, np.uint8).fill(1, stream=stream)
    end = stream.record()
    end.sync()
    assert end - start >= 0
    assert (end - start) * 1000 == pytest.approx(end.timestamp - start.timestamp, abs=1.5)
    assert start - start == 0
    with pytest.raises(TypeError):
        end - 3  # type: ignore[operator]


def test_no_time_before_it_is_done(device: ab.Device, stream: ab.Stream) -> None:
    start = stream.record()
    with mock.hold(stream):
        end = stream.record()
        with pytest.raises(ab.AclInvalidArgumentError, match='error code is 107006'):
            end - start


def test_an_event_of_a_borrowed_stream(device: ab.Device, stream: ab.Stream) -> None:
    borrowed = ab.Stream.from_handle(stream.handle, stream)
    event = device.create_event()
    device.set_current()
    assert borrowed.record(event) is event
    event.sync()


def test_a_borrowed_event_is_not_destroyed(device: ab.Device, stream: ab.Stream) -> None:
    event = stream.record()
    ab.Event.from_handle(event.handle, event).close()
    event.sync()


def test_dropped_with_a_record_pending(device: ab.Device, stream: ab.Stream) -> None:
    with mock.hold(stream):
        stream.record()
        gc.collect()
    stream.sync()


def test_repr_and_close(device: ab.Device) -> None:
    event = device.create_event()
    assert hex(event.handle) in repr(event)
    event.close()
    assert repr(event) == '<Event closed>'
    with pytest.raises(ab.AclHandleError, match='this Event is closed'):
        event.sync()
