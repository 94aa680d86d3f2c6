"""Errors: which class, what the text says, and that no code breaks the mapper."""

from __future__ import annotations

import pickle
import threading

import pytest

import acl_bind as ab
from acl_bind._codes import CODES
from acl_bind._ffi import error_for, ffi, lib
from acl_bind.errors import error_class

CONSTANTS = {name: getattr(lib, name) for name in dir(lib) if name.startswith('ACL_ERROR_') and name != 'ACL_ERROR_NONE'}
BASES = [
    ('ACL_ERROR_INVALID_PARAM', ab.AclInvalidArgumentError, ValueError),
    ('ACL_ERROR_RT_PARAM_INVALID', ab.AclInvalidArgumentError, ValueError),
    ('ACL_ERROR_RT_CONTEXT_NULL', ab.AclContextError, RuntimeError),
    ('ACL_ERROR_RT_STREAM_CONTEXT', ab.AclStreamContextError, RuntimeError),
    ('ACL_ERROR_RT_MODEL_CONTEXT', ab.AclStreamContextError, RuntimeError),
    ('ACL_ERROR_RT_INVALID_HANDLE', ab.AclHandleError, RuntimeError),
    ('ACL_ERROR_RT_MEMORY_ALLOCATION', ab.AclMemoryError, MemoryError),
    ('ACL_ERROR_RT_DEVICE_OOM', ab.AclMemoryError, MemoryError),
    ('ACL_ERROR_RT_FEATURE_NOT_SUPPORT', ab.AclNotSupportedError, NotImplementedError),
    ('ACL_ERROR_RT_STREAM_SYNC_TIMEOUT', ab.AclTimeoutError, TimeoutError),
    ('ACL_ERROR_RT_EVENT_SYNC_TIMEOUT', ab.AclTimeoutError, TimeoutError),
    ('ACL_ERROR_RT_AICORE_TIMEOUT', ab.AclTimeoutError, TimeoutError),
    ('ACL_ERROR_RT_STREAM_CAPTURED', ab.AclCaptureError, RuntimeError),
    ('ACL_ERROR_RT_AICORE_EXCEPTION', ab.AclAicoreError, ab.AclDeviceError),
    ('ACL_ERROR_RT_VECTOR_CORE_EXCEPTION', ab.AclVectorCoreError, ab.AclDeviceError),
    ('ACL_ERROR_RT_AICPU_EXCEPTION', ab.AclAicpuError, ab.AclDeviceError),
    ('ACL_ERROR_RT_INTERNAL_ERROR', ab.AclDeviceError, RuntimeError),
]


@pytest.mark.parametrize(('name', 'kind', 'base'), BASES, ids=[row[0] for row in BASES])
def test_class_of_a_code(name: str, kind: type[ab.AclError], base: type[Exception]) -> None:
    assert error_class(CONSTANTS[name], name) is kind
    assert issubclass(kind, base)
    assert issubclass(kind, ab.AclError)


@pytest.mark.parametrize('name', sorted(CONSTANTS))
def test_every_code_has_a_meaning_and_a_fix(name: str) -> None:
    error = error_for('aclrtSomething', CONSTANTS[name])
    assert error.code == CONSTANTS[name]
    assert CONSTANTS[error.name] == CONSTANTS[name]  # two names may share a number
    assert f'error code is {error.code}' in str(error)
    meaning, hint = CODES[name]
    assert meaning
    assert hint.endswith('.')
    assert error.meaning in str(error)
    assert error.hint in str(error)


@pytest.mark.parametrize('code', [1, -1, 42, 99999, 107999, 0x7FFFFFFF, -(1 << 31)])
def test_an_unknown_code_is_an_error_like_any_other(code: int) -> None:
    error = error_for('aclrtSomething', code)
    assert isinstance(error, ab.AclError)
    assert (error.code, error.name, error.api) == (code, '', 'aclrtSomething')
    assert f'error code is {code}' in str(error)


def test_the_librarys_own_words_are_read_once(device: ab.Device) -> None:
    with pytest.raises(ab.AclInvalidArgumentError) as caught:
        ab.rt.malloc(0, lib.ACL_MEM_MALLOC_HUGE_FIRST)
    error = caught.value
    assert error.api == 'aclrtMalloc'
    assert error.name == 'ACL_ERROR_INVALID_PARAM'
    assert 'size is 0' in error.detail
    assert error.detail in str(error)
    assert lib.aclGetRecentErrMsg() == ffi.NULL


def test_a_thread_without_a_device_is_named() -> None:
    caught: list[ab.AclContextError] = []

    def work() -> None:
        with pytest.raises(ab.AclContextError) as raised:
            ab.rt.malloc(64, lib.ACL_MEM_MALLOC_HUGE_FIRST)
        caught.append(raised.value)

    thread = threading.Thread(target=work, name='worker seven')
    thread.start()
    thread.join()
    assert 'worker seven' in str(caught[0])
    assert 'set_device' in str(caught[0])


def test_errors_survive_pickling() -> None:
    error = error_for('aclrtMalloc', CONSTANTS['ACL_ERROR_RT_MEMORY_ALLOCATION'])
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is ab.AclMemoryError
    assert (again.api, again.code, again.name, str(again)) == (error.api, error.code, error.name, str(error))


def test_the_stub_code_names_the_cause() -> None:
    text = str(error_for('aclInit', CONSTANTS['ACL_ERROR_COMPILING_STUB_MODE']))
    assert 'devlib' in text
    assert 'LD_LIBRARY_PATH' in text
