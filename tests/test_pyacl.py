"""pyACL beyond its table: the results of real calls, dicts for structs, and use together with the objects."""

from __future__ import annotations

import pathlib
import threading
import time
from typing import Any

import numpy as np
import pytest

import acl_bind as ab
import acl_bind.pyacl as acl
from acl_bind import lib, mock, rt
from acl_bind.pyacl import _engine, _strict

pytestmark = pytest.mark.skipif(_strict.ENABLED, reason='ACL_BIND_PYACL_STRICT is set, which changes what is tested here')

PROPERTY = {'handleType': 0, 'allocationType': 0, 'memAttr': lib.ACL_HBM_MEM_HUGE, 'location': {'id': 0, 'type': 1}, 'reserve': 0}


# ---- numbers as they come back ----------------------------------------------------------------------------------------


def test_values_on_failure_keep_their_places() -> None:
    assert acl.rt.malloc(64, 0) == (0, lib.ACL_ERROR_RT_CONTEXT_NULL)
    assert acl.rt.stream_query(8) == (0xFFFF, lib.ACL_ERROR_RT_INVALID_HANDLE)
    assert acl.rt.query_device_status(99) == (0xFFFF, lib.ACL_ERROR_RT_INVALID_DEVICEID)
    assert acl.rt.event_elapsed_time(8, 8)[0] == 0.0
    assert acl.rt.get_mem_info(1) == (0, 0, lib.ACL_ERROR_RT_CONTEXT_NULL)


def test_memory_goes_there_and_back(used: None) -> None:
    device, code = acl.rt.malloc(64, 0)
    assert code == 0
    data = bytes(range(64))
    host, code = acl.rt.malloc_host(64)
    assert acl.rt.memcpy(device, 64, acl.util.bytes_to_ptr(data), 64, 1) == 0
    assert acl.rt.memcpy(host, 64, device, 64, 2) == 0
    assert acl.util.ptr_to_bytes(host, 64) == data
    assert acl.rt.free(device) == 0
    assert acl.rt.free_host(host) == 0


def test_an_output_that_looks_like_a_failure_is_none(used: None) -> None:
    for value in (-(1 << 63), (1 << 63) - 1, -1, 0):
        assert acl.rt.set_sys_param_opt(0, value) == 0
        assert acl.rt.get_sys_param_opt(0) == (value, 0)
    buffer = acl.create_data_buffer(-1, -1)
    assert acl.get_data_buffer_addr(buffer) == (1 << 64) - 1
    assert acl.get_data_buffer_size_v2(buffer) == (1 << 64) - 1
    assert acl.get_data_buffer_size(buffer) == 0xFFFFFFFF  # C's uint32_t
    assert acl.destroy_data_buffer(buffer) == 0


def test_the_error_text_is_the_threads_own(used: None) -> None:
    acl.rt.malloc(0, 0)
    other: list[Any] = []
    thread = threading.Thread(target=lambda: other.append(acl.get_recent_err_msg()))
    thread.start()
    thread.join()
    assert 'size is 0' not in (other[0] or '')
    assert 'size is 0' in acl.get_recent_err_msg()
    assert acl.get_recent_err_msg() is None


@pytest.mark.parametrize(('value', 'bits'), [(1.0, 0x3C00), (65504, 0x7BFF), (1e10, 0x7C00), (1e39, 0x7C00), (-2.5, 0xC100), (0, 0)])
def test_float16(value: float, bits: int) -> None:
    assert acl.float_to_float16(value) == bits
    assert acl.float16_to_float(bits) == np.array(bits, np.uint16).view(np.float16)
    assert acl.float16_to_float(bits + (1 << 16)) == acl.float16_to_float(bits)


@pytest.mark.parametrize(('name', 'function'), [('mem_flush', 'aclrtMemFlush'), ('pointer_get_attributes', 'aclrtPointerGetAttributes')])
def test_a_function_that_the_library_lacks_is_said(name: str, function: str) -> None:
    with mock.hide(function):
        face = _engine.make(_engine.ROWS['acl.rt'][name])
        with pytest.raises(ab.AclSymbolNotFoundError, match=f'{function} is not in .* CANN 8.5'):
            face(*range(len(_engine.ROWS['acl.rt'][name].codes)))


# ---- dicts for structs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('name', 'args', 'kind', 'said'),
    [
        ('binary_load_from_file', ('x', ()), ValueError, 'argument 2 only support the format of list'),
        ('binary_load_from_file', ('x', [1]), TypeError, 'the bin_option argument is not dict'),
        ('binary_load_from_file', ('x', [{'type': 1, 'value': -1}]), ValueError, 'PyLong_AsUnsignedLong failed'),
        ('binary_load_from_file', ('x', [{'type': 1 << 64}]), ValueError, 'PyLong_AsLong failed'),
        ('binary_load_from_data', (1, 1, ()), ValueError, 'argument 2 only support the format of list'),
        ('launch_kernel_with_config', (1, 1, 0, None, 1, 0), ValueError, 'argument 2 only support the format of list'),
        ('launch_kernel_with_config', (1, 1, 0, [()], 1, 0), TypeError, 'the cfg argument is not dict'),
        ('launch_kernel_with_host_args', (1, 1, 0, [], 1, 8, {}, 0), ValueError, 'argument 7 only support the format of list'),
        ('launch_kernel_with_host_args', (1, 1, 0, [], 1, 8, [1], 1), TypeError, 'the aclrtPlaceHolderInfo argument is not dict'),
        ('launch_kernel_with_host_args', (1, 1, 0, [], 1, 8, [{}], 2), ValueError, 'place_holder_num is 2, the list has 1'),
        ('register_cpu_func', (1, '', 'x'), ValueError, 'argument 2 or 3 must not be empty'),
        ('get_function_name', (1, 1024), ValueError, 'maxLen should be less than 1024'),
        ('set_stream_attribute', (0, 1, []), TypeError, 'the aclrtStreamAttrValue argument is not dict'),
        ('set_stream_attribute', (0, 9, {'reserved': [1] * 5}), ValueError, 'The length of reserved should be no greater than 4'),
        ('malloc_physical', (1, None, 0), TypeError, 'the aclrtPhysicalMemProp argument is not dict'),
        ('malloc_physical', (1, {'location': 1}, 0), TypeError, 'the aclrtMemLocation argument is not dict'),
        ('malloc_physical', (1, {'reserve': -1}, 0), ValueError, 'PyLong_AsUnsignedLong failed'),
        ('malloc_with_cfg', (1, 0, None), TypeError, 'pyCfg is not dict!'),
        ('malloc_with_cfg', (1, 0, {'x': 1}), TypeError, 'the aclrtMallocAttrValue argument is not dict'),
        ('malloc_with_cfg', (1, 0, {'attrs': 1}), TypeError, 'cfg.attrs malloc failed!'),
        ('malloc_with_cfg', (1, 0, {'attrs': [1], 'numAttrs': 2}), KeyError, "'The numAttrs inputed does not match the expected numAttrs'"),
        ('malloc_with_cfg', (1, 0, {'attrs': [1], 'numAttrs': 1}), TypeError, 'the aclrtMallocWithCfg argument is not dict'),
        ('malloc_with_cfg', (1, 0, {'attrs': [{}], 'numAttrs': 1}), TypeError, 'the aclrtMallocAttrValue argument is not dict'),
        (
            'malloc_with_cfg',
            (1, 0, {'attrs': [{'value': {}}], 'numAttrs': 1}),
            KeyError,
            "'No valid key found in aclrtMallocAttrValue'",
        ),
        ('launch_callback', (1, None, 0, 0), TypeError, 'parameter must be callable'),
        ('set_exception_info_callback', (1,), TypeError, 'acl.rt.set_exception_info_callback args parse failed'),
        ('get_event_id', (), TypeError, 'function takes exactly 1 argument (0 given)'),
        ('get_event_id', (None,), TypeError, 'argument 1 must be int, not None'),
        ('get_event_id', ('1',), TypeError, 'argument 1 must be int, not str'),
    ],
)
def test_what_is_checked_by_hand(name: str, args: tuple[Any, ...], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind) as error:
        getattr(acl.rt, name)(*args)
    assert str(error.value) == said


def test_stream_attributes_are_dicts(used: None) -> None:
    stream, _ = acl.rt.create_stream_with_config(3, 0)
    assert acl.rt.get_stream_attribute(stream, 1) == ({'failureMode': 0}, 0)
    assert acl.rt.set_stream_attribute(stream, 3, {'userCustomTag': 77, 'other': 1}) == 0
    assert acl.rt.get_stream_attribute(stream, 3) == ({'userCustomTag': 77}, 0)
    assert acl.rt.set_stream_attribute(stream, 3, {'userCustomTag': '78'}) == 0  # what is no int is 0, without a word
    assert acl.rt.get_stream_attribute(stream, 3) == ({'userCustomTag': 0}, 0)
    assert acl.rt.get_stream_attribute(stream, 5) == ({'reserved': [3, 0, 0, 0]}, 0)
    assert acl.rt.set_stream_attribute(stream, 4, {'reserved': [5, 'x', 7]}) == 0
    assert acl.rt.get_stream_attribute(stream, 4) == ({'reserved': [5, 0, 0, 0]}, 0)
    assert acl.rt.get_stream_attribute(stream, -1) == ({'reserved': [0] * 4}, lib.ACL_ERROR_RT_PARAM_INVALID)
    assert acl.rt.destroy_stream(stream) == 0


def test_virtual_memory(used: None) -> None:
    size, code = acl.rt.mem_get_allocation_granularity(PROPERTY, 1)
    assert (size, code) == (2 << 20, 0)
    handle, code = acl.rt.malloc_physical(size, PROPERTY, 0)
    assert code == 0
    address, code = acl.rt.reserve_mem_address(4 * size, 0, 0, 0)
    assert code == 0
    assert acl.rt.map_mem(address, size, 0, handle, 0) == 0
    data = b'x' * 100
    assert acl.rt.memcpy(address, size, acl.util.bytes_to_ptr(data), 100, 1) == 0
    assert acl.rt.unmap_mem(address) == 0
    assert acl.rt.map_mem(address + size, size, 0, handle, 0) == 0
    back = bytes(bytearray(100))
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(back), 100, address + size, 100, 2) == 0
    assert back == data
    assert acl.rt.pointer_get_attributes(address + size) == ({'location': {'id': 0, 'type': 1}, 'page_size': size, 'rsv': [0] * 4}, 0)
    assert acl.rt.unmap_mem(address + size) == 0
    assert acl.rt.free_physical(handle) == 0
    assert acl.rt.release_mem_address(address) == 0


def test_configured_memory(used: None) -> None:
    config = {'attrs': [{'attr': 1, 'value': {'moduleId': 5}}, {'attr': 2, 'value': {'deviceId': 0}}], 'numAttrs': 2}
    address, code = acl.rt.malloc_with_cfg(64, 0, config)
    assert code == 0
    assert acl.rt.free(address) == 0
    config = {'attrs': [{'attr': 2, 'value': {'deviceId': 1}}], 'numAttrs': 1}
    assert acl.rt.malloc_with_cfg(64, 0, config) == (0, lib.ACL_ERROR_RT_PARAM_INVALID)


def test_versions_and_rates_are_dicts() -> None:
    version, code = acl.get_cann_version(0)
    assert code == 0
    assert list(version) == ['version', 'major_version', 'minor_version', 'release_version', 'patch_version', 'reserved']
    assert version['version'].startswith(f'{version["major_version"]}.{version["minor_version"]}.')
    assert acl.get_cann_version(-1)[1] == lib.ACL_ERROR_INVALID_PARAM
    rates, code = acl.rt.get_device_utilization_rate(0)
    assert list(rates) == ['cube_utilization', 'vector_utilization', 'aicpu_utilization', 'memory_utilization', 'utilization_extend']
    assert acl.rt.get_device_utilization_rate(99)[1] == lib.ACL_ERROR_RT_INVALID_DEVICEID


# ---- with the objects -------------------------------------------------------------------------------------------------


def test_objects_and_pyacl_share_device_and_stream(add_binary: pathlib.Path) -> None:
    with ab.Device(0) as device:
        assert acl.init() == 0  # the program's first, though the objects use ACL already
        assert acl.init() == lib.ACL_ERROR_REPEAT_INITIALIZE
        assert acl.rt.set_device(0) == 0
        number, _ = acl.rt.create_stream()
        kernel = ab.Binary.from_file(add_binary).get_kernel('add_simple')
        n = 8 * 2048
        x, y, z = (device.empty(n, np.float16) for _ in range(3))
        x.copy_from(np.ones(n, np.float16))
        y.copy_from(np.ones(n, np.float16))
        stream = ab.Stream.from_handle(number)
        ab.launch(stream, ab.LaunchConfig(num_blocks=8), kernel, x, y, z)
        assert acl.rt.synchronize_stream(number) == 0
        assert acl.finalize() == 0
        assert acl.finalize() == lib.ACL_ERROR_REPEAT_FINALIZE
        assert z.to_numpy()[0] == 2  # the objects still work
        assert rt.stream_query(number) == 0
        stream.close()
        assert acl.rt.destroy_stream(number) == 0
        assert acl.rt.reset_device(0) == 0


def test_the_memory_of_one_is_the_memory_of_the_other(device: ab.Device) -> None:
    buffer = device.allocate(64)
    data = bytes(range(64))
    assert acl.rt.memcpy(buffer.handle, 64, acl.util.bytes_to_ptr(data), 64, 1) == 0
    assert bytes(buffer.to_numpy()) == data
    assert acl.rt.pointer_get_attributes(buffer.handle)[0]['location'] == {'id': 0, 'type': 1}
    buffer.close()


def test_blocking_calls_let_other_threads_run(used: None) -> None:
    with mock.latency('aclrtSynchronizeDevice', 0.2):
        thread = threading.Thread(target=acl.rt.synchronize_device)
        thread.start()
        start = time.monotonic()
        count = 0
        while thread.is_alive():
            count += 1
            time.sleep(0.01)
        assert count > 2, time.monotonic() - start
    thread.join()
