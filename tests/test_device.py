"""Devices as objects, what a process has of them, and the library's own facts."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable

import numpy as np
import pytest

import acl_bind as ab
from acl_bind import lib, rt

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_backend_tells_what_is_used() -> None:
    found = ab.backend()
    assert found.kind == 'mock'
    assert found.path.endswith('libascendcl.so')
    assert found.version == f'{lib.ACL_MAJOR_VERSION}.{lib.ACL_MINOR_VERSION}.{lib.ACL_PATCH_VERSION}'
    assert found.soc == 'Ascend910B1'
    assert found.missing == ()


def test_device_count() -> None:
    assert ab.device_count() == 2


def test_a_device_counts_once() -> None:
    with ab.Device(0) as first:
        with ab.Device(0) as second:
            assert first == second
        first.sync()  # the second's end was not the last
    with pytest.raises(ab.AclDeviceError, match='error code is 507007'):
        rt.reset_device(0)


@pytest.mark.parametrize('number', [2, 64, 1 << 30])
def test_a_device_that_is_not_there(number: int) -> None:
    with pytest.raises(ab.AclInvalidArgumentError, match=r'error code is 107001'):
        ab.Device(number)


NO_NUMBERS = [(-1, ValueError), (1 << 40, ValueError), (True, TypeError), ('0', TypeError), (0.0, TypeError)]


@pytest.mark.parametrize(('number', 'kind'), NO_NUMBERS)
def test_what_is_no_device_number(number: object, kind: type[Exception]) -> None:
    with pytest.raises(kind, match='device_id is'):
        ab.Device(number)  # type: ignore[arg-type]


def test_objects_work_in_a_thread_without_a_device(device: ab.Device) -> None:
    failed: list[BaseException] = []

    def work() -> None:
        try:
            with device.create_stream() as stream, device.allocate(64) as buffer:
                buffer.fill(3, stream=stream)
                stream.sync()
                assert (buffer.to_numpy() == 3).all()
        except BaseException as error:
            failed.append(error)
            raise

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failed


def test_objects_of_two_devices_side_by_side(no_leaks: None) -> None:
    with ab.Device(0) as zero, ab.Device(1) as one:
        first, second = zero.create_stream(), one.create_stream()
        with first, second, zero.empty(4, np.int32) as a, one.empty(4, np.int32) as b:
            a.fill(1, stream=first)
            b.fill(2, stream=second)
            first.sync()
            second.sync()
            assert a.to_numpy()[0] == 0x01010101
            assert b.to_numpy()[0] == 0x02020202
        assert rt.get_device() == 1


def test_memory_info(device: ab.Device) -> None:
    free, total = device.memory_info
    with device.allocate(1 << 20):
        assert device.memory_info[0] <= free - (1 << 20)
        assert device.memory_info[1] == total
    assert device.memory_info[0] == free


def test_use_after_close() -> None:
    device = ab.Device(0)
    device.close()
    for use in (device.create_stream, device.sync, lambda: device.allocate(8), lambda: device.memory_info):
        with pytest.raises(ab.AclHandleError, match='this Device is closed'):
            use()


def test_somebody_else_who_initialised_keeps_it(run_python: Run) -> None:
    """100002 from aclInit means that it is shared: our end takes our share only."""
    code = """
import acl_bind as ab
from acl_bind import rt, ffi
rt.init(None)
with ab.Device(0) as device:
    device.sync()
ab.runtime._at_exit()
print(rt.finalize_reference())
"""
    done = run_python(code)
    assert (done.stdout, done.stderr) == ('0\n', '')


def test_no_device_is_opened_by_questions(run_python: Run) -> None:
    code = """
import acl_bind as ab
ab.backend(), ab.device_count()
print(ab.lib.aclmock_live(ab.lib.ACLMOCK_CONTEXTS))
"""
    assert run_python(code).stdout == '0\n'


def test_the_mocks_variables(run_python: Run) -> None:
    code = """
import acl_bind as ab
print(ab.device_count(), ab.backend().soc)
with ab.Device(4) as device:
    print(device.memory_info.total)
"""
    done = run_python(code, ACL_MOCK_DEVICE_COUNT='5', ACL_MOCK_SOC='Ascend910B4', ACL_MOCK_MEMORY='128M')
    assert done.stdout == f'5 Ascend910B4\n{128 << 20}\n'


def test_warmup(device: ab.Device) -> None:
    device.warmup()


def test_in_a_notebook(device: ab.Device) -> None:
    html = device._repr_html_()
    assert '<b>Device 0</b>' in html
    assert 'MiB free' in html
    device.close()
    assert device._repr_html_() == '<b>Device 0</b>, closed'


def test_a_wrong_id_tells_the_variable_and_the_valid_ones(run_python: Run) -> None:
    code = """
import acl_bind as ab
try:
    ab.Device(3)
except ab.AclInvalidArgumentError as error:
    print(str(error).splitlines()[-1])
"""
    done = run_python(code, ACL_MOCK_DEVICE_COUNT='8', ASCEND_RT_VISIBLE_DEVICES='1,3,5')
    assert done.stdout == "Valid ids: 0 to 2. ASCEND_RT_VISIBLE_DEVICES is '1,3,5'.\n"


def test_a_variable_that_changes_too_late_is_said_once(run_python: Run) -> None:
    code = """
import os, warnings
import acl_bind as ab
ab.Device(0).close()
os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '1'
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    ab.Device(0).close()
    ab.Device(0).close()
print(len(caught), caught[0].message)
"""
    done = run_python(code, ASCEND_RT_VISIBLE_DEVICES='0')
    assert done.stdout == "1 ASCEND_RT_VISIBLE_DEVICES was '0' when the first device was opened; that it is '1' now has no effect\n"
