"""What all objects that own a C handle have in common."""

from __future__ import annotations

import gc
import pathlib
import pickle
import sys
from collections.abc import Callable
from typing import Any

import pytest
from conftest import live
from pytest_mock import MockerFixture

import acl_bind as ab
from acl_bind import lib
from acl_bind._handle import current_context, in_context

Make = Callable[[ab.Device, pathlib.Path], Any]
MAKERS: dict[str, Make] = {
    'Stream': lambda device, _: device.create_stream(),
    'DeviceBuffer': lambda device, _: device.allocate(64),
    'Binary': lambda _, binary: ab.Binary.from_file(binary),
}


@pytest.fixture(params=MAKERS)
def owned(request: pytest.FixtureRequest, device: ab.Device, add_binary: pathlib.Path) -> Any:
    return MAKERS[request.param](device, add_binary)


@pytest.mark.usefixtures('device')
def test_close_ends_it_once(owned: Any) -> None:
    assert not owned.is_closed
    assert int(owned) == owned.handle
    owned.close()
    owned.close()
    assert owned.is_closed
    assert 'closed' in repr(owned)
    with pytest.raises(ab.AclHandleError, match=f'this {type(owned).__name__} is closed'):
        _ = owned.handle


def test_with_closes(owned: Any) -> None:
    with owned as same:
        assert same is owned
    assert owned.is_closed


def test_a_dropped_one_closes_itself(device: ab.Device, add_binary: pathlib.Path) -> None:
    before = live()
    for make in MAKERS.values():
        one = make(device, add_binary)
        cycle = [one]
        cycle.append(cycle)
        del one, cycle
    gc.collect()
    assert live() == before


def test_equality_is_the_handles(device: ab.Device, add_binary: pathlib.Path) -> None:
    for make in MAKERS.values():
        one, other = make(device, add_binary), make(device, add_binary)
        assert one == one  # noqa: PLR0124
        assert one != other
        assert len({one, other, one}) == 2
        assert one != one.handle
        one.close()
        other.close()
        assert one != other


def test_no_pickling(owned: Any) -> None:
    with pytest.raises(TypeError, match=f'a {type(owned).__name__} stands for a handle of this process'):
        pickle.dumps(owned)
    owned.close()


@pytest.mark.parametrize('kind', [ab.Stream, ab.DeviceBuffer, ab.Binary, ab.Kernel], ids=lambda kind: kind.__name__)
def test_no_public_constructor(kind: type) -> None:
    with pytest.raises(TypeError, match=' come from '):
        kind(1)


def test_a_refused_end_is_raised_and_the_object_closed_all_the_same(device: ab.Device, mocker: MockerFixture) -> None:
    stream = device.create_stream()
    handle = stream.handle
    mocker.patch.object(lib, 'aclrtDestroyStream', return_value=lib.ACL_ERROR_RT_STREAM_MODEL)
    with pytest.raises(ab.AclInvalidArgumentError, match='aclrtDestroyStream failed, error code is 107005'):
        stream.close()
    assert stream.is_closed
    mocker.stopall()
    ab.rt.destroy_stream(handle)


def test_a_finalizer_never_raises(device: ab.Device, mocker: MockerFixture) -> None:
    unraisable = mocker.patch.object(sys, 'unraisablehook')
    stream = device.create_stream()
    handle = stream.handle
    mocker.patch.object(lib, 'aclrtDestroyStream', return_value=lib.ACL_ERROR_RT_STREAM_MODEL)
    del stream
    gc.collect()
    mocker.stop(unraisable)
    assert not unraisable.called
    mocker.stopall()
    ab.rt.destroy_stream(handle)


def test_in_context_puts_back_what_was_there() -> None:
    with ab.Device(0) as zero, ab.Device(1) as one:
        assert current_context() == one.handle
        with in_context(zero.handle):
            assert current_context() == zero.handle
        assert current_context() == one.handle


def test_everything_alive_at_exit_is_closed(run_python: Callable[..., Any], add_binary: pathlib.Path) -> None:
    code = f"""
import atexit
import acl_bind as ab

def report():
    kinds = ('STREAMS', 'BINARIES', 'BLOCKS')
    print([ab.lib.aclmock_live(getattr(ab.lib, 'ACLMOCK_' + kind)) for kind in kinds])

atexit.register(report)  # first in, last out
device = ab.Device(0)
stream, buffer, binary = device.create_stream(), device.empty(8), ab.Binary.from_file({str(add_binary)!r})
kernel = binary.get_kernel('add_custom')
cycle = [stream, buffer]
cycle.append(cycle)
"""
    done = run_python(code)
    assert (done.stdout, done.stderr, done.returncode) == ('[0, 0, 0]\n', '', 0)


def test_an_exit_in_the_middle_is_quiet(run_python: Callable[..., Any]) -> None:
    code = """
import sys, threading
import acl_bind as ab
device = ab.Device(0)
streams = [device.create_stream() for _ in range(3)]
buffers = [device.empty(1000) for _ in range(3)]
for stream, buffer in zip(streams, buffers):
    buffer.fill(1, stream=stream)
threading.Thread(target=sys.exit).start()
sys.exit(3)
"""
    done = run_python(code)
    assert (done.stdout, done.stderr, done.returncode) == ('', '', 3)
