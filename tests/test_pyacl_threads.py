"""pyACL's threads and callbacks."""

from __future__ import annotations

import errno
import pathlib
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import acl_bind.pyacl as acl
from acl_bind import lib
from acl_bind.pyacl import _strict, _threads

pytestmark = pytest.mark.skipif(_strict.ENABLED, reason='ACL_BIND_PYACL_STRICT is set, which changes what is tested here')


# ---- threads ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(('argument', 'given'), [(None, ()), ([], ([],)), ((1, 2), ((1, 2),)), (0, (0,))])
def test_a_thread_gets_its_one_argument(argument: Any, given: tuple[Any, ...]) -> None:
    seen: list[Any] = []
    thread, code = acl.util.start_thread(lambda *args: seen.append((args, threading.get_ident())), argument)
    assert code == 0
    assert acl.util.stop_thread(thread) == 0
    assert seen == [(given, thread)]
    assert acl.util.stop_thread(thread) == errno.ESRCH


def test_a_thread_that_raises_is_reported_once(capfd: pytest.CaptureFixture[str]) -> None:
    thread, _ = acl.util.start_thread(lambda: 1 // 0, None)
    with pytest.raises(RuntimeError, match='exception=ZeroDivisionError,msg=thread call failed;'):
        acl.util.stop_thread(thread)
    assert 'ZeroDivisionError' in capfd.readouterr().err
    assert acl.util.stop_thread(thread) == errno.ESRCH


def test_threads_refuse_and_cannot_join_themselves() -> None:
    with pytest.raises(TypeError, match=r'function takes exactly 2 arguments \(0 given\)'):
        acl.util.start_thread()
    with pytest.raises(TypeError, match='parameter must be callable'):
        acl.util.start_thread(1, None)
    assert acl.util.stop_thread(threading.get_ident()) == errno.EDEADLK


# ---- callbacks --------------------------------------------------------------------------------------------------------


@pytest.fixture
def subscribed(used: None) -> Iterator[int]:
    """A stream whose callbacks this thread runs."""
    stream, _ = acl.rt.create_stream()
    assert acl.rt.subscribe_report(threading.get_ident(), stream) == 0
    yield stream
    assert acl.rt.unsubscribe_report(threading.get_ident(), stream) == 0
    assert acl.rt.destroy_stream(stream) == 0


def test_a_callback_gets_its_one_argument_in_process_report(subscribed: int) -> None:
    seen: list[Any] = []
    for data in (None, [1], 'x'):
        assert acl.rt.launch_callback(lambda *args: seen.append((args, threading.get_ident())), data, 0, subscribed) == 0
        assert acl.rt.process_report(1000) == 0
    assert seen == [((data,), threading.get_ident()) for data in (None, [1], 'x')]
    assert acl.rt.process_report(1) == lib.ACL_ERROR_RT_REPORT_TIMEOUT


def test_what_a_callback_raises_comes_out_of_process_report(subscribed: int) -> None:
    def fail(_: object) -> None:
        raise KeyError('from the callback')

    assert acl.rt.launch_callback(fail, 0, 1, subscribed) == 0
    with pytest.raises(SystemError, match='process_report') as error:
        acl.rt.process_report(1000)
    assert isinstance(error.value.__cause__, KeyError)
    assert acl.rt.process_report(1) == lib.ACL_ERROR_RT_REPORT_TIMEOUT
    assert acl.rt.synchronize_stream(subscribed) == 0


def test_a_callback_that_is_not_queued_is_let_go(used: None) -> None:
    stream, _ = acl.rt.create_stream()
    for _ in range(3):
        assert acl.rt.launch_callback(print, 'never', 0, stream) == lib.ACL_ERROR_RT_STREAM_NO_CB_REG
    assert _threads._queued == {}
    assert acl.rt.destroy_stream(stream) == 0


def test_exceptions_of_the_device_are_told(used: None, add_binary: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    fields = ('error_code', 'task_id', 'stream_id', 'thread_id', 'device_id')
    getters = [getattr(acl.rt, f'get_{field}_from_exception_info') for field in fields]
    seen: list[list[int]] = []

    def note(info: int) -> None:
        seen.append([get(info) for get in getters])
        raise ValueError('from the callback')

    assert [get(0) for get in getters] == [0xFFFFFFFF] * 5
    assert acl.rt.set_exception_info_callback(note) == 0
    stream, _ = acl.rt.create_stream()
    binary, _ = acl.rt.binary_load_from_file(str(add_binary), [])
    kernel, _ = acl.rt.binary_get_function(binary, 'add_simple')
    args = bytes(24)  # null pointers
    for _ in range(2):
        assert acl.rt.launch_kernel_with_host_args(kernel, 1, stream, [], acl.util.bytes_to_ptr(args), 24, [], 0) == 0
        assert acl.rt.synchronize_stream(stream) != 0
    assert len(seen) == 2  # also after it raised
    assert seen[0][2] == acl.rt.stream_get_id(stream)[0]
    assert seen[0][4] == 0
    assert 'from the callback' in capfd.readouterr().err
    assert acl.rt.set_exception_info_callback() == 0
    assert acl.rt.launch_kernel_with_host_args(kernel, 1, stream, [], acl.util.bytes_to_ptr(args), 24, [], 0) == 0
    assert acl.rt.synchronize_stream(stream) != 0
    assert len(seen) == 2
    assert acl.rt.binary_unload(binary) == 0
    assert acl.rt.destroy_stream(stream) == 0
