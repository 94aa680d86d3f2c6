"""rt: every function checked, with pyACL's names; and lib beneath it."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_mock import MockerFixture

import acl_bind as ab
from acl_bind import rt
from acl_bind._ffi import ffi, lib, signatures

NAMES = [
    ('aclInit', 'init'),
    ('aclrtMalloc', 'malloc'),
    ('aclrtBinaryGetFunction', 'binary_get_function'),
    ('aclrtBinaryUnLoad', 'binary_unload'),
    ('aclrtKernelArgsParaUpdate', 'kernel_args_para_update'),
    ('aclrtLaunchSIMTKernelWithHostArgs', 'launch_simt_kernel_with_host_args'),
    ('aclrtUnSubscribeReport', 'unsubscribe_report'),
    ('aclrtSetCurrentContext', 'set_context'),
    ('aclGetRecentErrMsg', 'get_recent_err_msg'),
    ('aclrtPeekAtLastError', 'peek_at_last_error'),
]


@pytest.mark.parametrize(('function', 'name'), NAMES)
def test_names(function: str, name: str) -> None:
    assert rt.python_name(function) == name
    assert function in getattr(rt, name).__doc__


def test_there_is_one_for_every_function() -> None:
    functions = [name for name, signature in signatures().items() if signature.since != 'mock']
    names = {rt.python_name(function) for function in functions}
    assert len(names) == len(functions)
    assert names <= set(dir(rt))
    for name in names:
        assert callable(getattr(rt, name))
    with pytest.raises(AttributeError, match='no function mallok'):
        _ = rt.mallok


def test_outputs_come_back(device: ab.Device) -> None:
    address = rt.malloc(64, lib.ACL_MEM_MALLOC_HUGE_FIRST)
    assert isinstance(address, int)
    rt.memset(address, 64, 7, 64)
    host = np.zeros(64, np.uint8)
    rt.memcpy(host, 64, address, 64, lib.ACL_MEMCPY_DEVICE_TO_HOST)
    assert (host == 7).all()
    rt.free(address)
    version = rt.get_version()
    assert version == (lib.ACL_MAJOR_VERSION, lib.ACL_MINOR_VERSION, lib.ACL_PATCH_VERSION)
    assert version.majorVersion == lib.ACL_MAJOR_VERSION
    assert rt.get_soc_name() == ab.backend().soc
    assert rt.get_device() == 0


def test_handles_go_in_as_int_object_or_pointer(device: ab.Device) -> None:
    stream = device.create_stream()
    for handle in (stream, stream.handle, ffi.cast('void *', stream.handle), None):
        rt.synchronize_stream(handle)
    stream.close()
    for wrong in ('stream', 1.5, True):
        with pytest.raises(TypeError, match='is no address'):
            rt.synchronize_stream(wrong)


def test_a_code_is_raised(device: ab.Device) -> None:
    with pytest.raises(ab.AclHandleError, match='error code is 107017') as caught:
        rt.synchronize_stream(8)
    assert caught.value.api == 'aclrtSynchronizeStream'
    assert rt.peek_at_last_error(lib.ACL_RT_THREAD_LEVEL) == caught.value.code  # which returns a code and raises none
    assert rt.get_last_error(lib.ACL_RT_THREAD_LEVEL) == caught.value.code


def test_a_wrong_number_of_arguments() -> None:
    with pytest.raises(TypeError, match=r'malloc\(size, policy\) takes 2 arguments, got 1'):
        rt.malloc(64)


@pytest.mark.parametrize('value', [-1, 1 << 64, 1.5, '64', None])
def test_numbers_are_never_cut(device: ab.Device, value: object) -> None:
    with pytest.raises((TypeError, OverflowError)):
        rt.malloc(value, lib.ACL_MEM_MALLOC_HUGE_FIRST)


def test_a_library_that_misbehaves(device: ab.Device, mocker: MockerFixture) -> None:
    """A code that no header knows, and no text: still an error with all there is to say."""
    mocker.patch.object(lib, 'aclrtSynchronizeDevice', return_value=123456)
    with pytest.raises(ab.AclError, match='aclrtSynchronizeDevice failed, error code is 123456: a code this version does not know'):
        ab._ffi.Checked().aclrtSynchronizeDevice()


def test_names_longer_than_the_first_room(prefix: object, add_binary: object, device: ab.Device) -> None:
    binary = ab.Binary.from_file(str(add_binary))
    kernel = binary.get_kernel('add_custom')
    assert rt.get_function_name(kernel) == 'add_custom'
    with pytest.raises(ab.AclHandleError):
        rt.get_function_name(8)
    binary.close(force=True)


# ---- lib --------------------------------------------------------------------------------------------------------------


def test_lib_returns_the_code_and_raises_nothing() -> None:
    assert lib.aclrtMalloc(ffi.NULL, 0, 0) == lib.ACL_ERROR_INVALID_PARAM


def test_lib_knows_what_it_has() -> None:
    assert lib.has('aclrtMalloc')
    assert not lib.has('aclrtNoSuchFunction')
    assert {'aclrtMalloc', 'ACL_ERROR_RT_PARAM_INVALID', 'has'} <= set(dir(lib))
    with pytest.raises(AttributeError):
        _ = lib.aclrtNoSuchFunction


def test_a_hidden_function_is_missed_when_called(device: ab.Device) -> None:
    lib._hide('aclrtGetMemInfo', True)
    try:
        assert not lib.has('aclrtGetMemInfo')
        with pytest.raises(ab.AclSymbolNotFoundError, match=r'aclrtGetMemInfo is not in .* CANN 8.5 is the first'):
            lib.aclrtGetMemInfo(0, ffi.NULL, ffi.NULL)
    finally:
        lib._hide('aclrtGetMemInfo', False)
    assert lib.has('aclrtGetMemInfo')
    assert device.memory_info[1] > 0
