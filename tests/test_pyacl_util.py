"""pyACL's memory helpers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import acl_bind.pyacl as acl
from acl_bind.pyacl import _strict

pytestmark = pytest.mark.skipif(_strict.ENABLED, reason='ACL_BIND_PYACL_STRICT is set, which changes what is tested here')


def test_the_numpy_helpers_warn_at_the_callers_line() -> None:
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    with pytest.warns(Warning, match=r'acl.util.numpy_to_ptr will be deprecated. Please use acl.util.bytes_to_ptr instead.') as seen:
        assert acl.util.numpy_to_ptr(array) == array.ctypes.data
    assert seen[0].filename == __file__
    assert seen[0].category is Warning
    with pytest.warns(Warning, match='ptr_to_numpy') as seen:
        view = acl.util.ptr_to_numpy(array.ctypes.data, (6,), 3)
    assert seen[0].filename == __file__
    view[0] = 77
    assert array[0, 0] == 77
    with warnings.catch_warnings(record=True) as both:
        warnings.simplefilter('always')
        assert acl.util.numpy_to_ptr(array.T) == array.ctypes.data
    assert 'discontiguous' in str(both[1].message)
    assert [each.filename for each in both] == [__file__, __file__]


@pytest.mark.filterwarnings('ignore:acl.util:Warning')
def test_arrays_to_pointers() -> None:
    array = np.arange(6.0).reshape(2, 3)
    address, kept = acl.util.numpy_contiguous_to_ptr(array)
    assert address == array.ctypes.data
    assert kept is array
    address, kept = acl.util.numpy_contiguous_to_ptr(array.T)
    assert kept.flags.c_contiguous
    assert address == kept.ctypes.data != array.ctypes.data
    for wrong in ([1], None, 1.0):
        with pytest.raises(ValueError, match='needs an ndarray as argument'):
            acl.util.numpy_to_ptr(wrong)


@pytest.mark.filterwarnings('ignore:acl.util:Warning')
def test_pointers_to_arrays() -> None:
    memory = np.zeros(16, np.uint8)
    address = memory.ctypes.data
    for letter in '?bBhHiIlLqQfdFD':
        dtype = np.dtype(letter)
        assert acl.util.ptr_to_numpy(address, (1,), dtype.num).dtype == dtype
    assert acl.util.ptr_to_numpy(address, (2,), 23).dtype == np.float16
    assert acl.util.ptr_to_numpy(address, (), ord('f')).shape == ()
    own = acl.util.ptr_to_numpy(0, (2, 3), 11)
    assert own.flags.owndata
    assert own.flags.f_contiguous
    cases: list[tuple[Any, int, type[Exception], str]] = [
        ([2], 11, ValueError, 'shape is empty'),
        ((1.0,), 11, TypeError, 'the second argument is not list of int'),
        ((-1,), 11, ValueError, 'negative dimensions are not allowed'),
        ((1 << 63,), 11, ValueError, 'negative dimensions are not allowed'),
        ((1 << 64,), 11, ValueError, 'PyLong_AsVoidPtr failed'),
        ((1,), 17, ValueError, 'Invalid data-type'),
        ((1,), 1000, ValueError, 'Invalid data-type'),
        ((1 << 62, 1 << 62), 11, ValueError, 'too (big|large)'),
    ]
    for shape, number, kind, said in cases:
        with pytest.raises(kind, match=said):
            acl.util.ptr_to_numpy(address, shape, number)


def test_bytes() -> None:
    data = b'a\0b'
    assert acl.util.ptr_to_bytes(acl.util.bytes_to_ptr(data), 3) == data
    assert acl.util.ptr_to_bytes(0, 4) == bytes(4)
    assert acl.util.ptr_to_bytes(1, 0) == b''
    for wrong in (bytearray(1), memoryview(b'1'), '1', None):
        with pytest.raises(ValueError, match='needs an byte as argument'):
            acl.util.bytes_to_ptr(wrong)
    for size in (-1, 1 << 63):
        with pytest.raises(ValueError, match='convert c pointer to bytes failed'):
            acl.util.ptr_to_bytes(acl.util.bytes_to_ptr(data), size)


def test_warnings_as_errors_stop_at_the_call() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with pytest.raises(Warning, match='deprecated'):
            acl.util.numpy_to_ptr(np.zeros(1))
