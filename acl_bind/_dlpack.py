"""DLPack's capsules, read and made: https://dmlc.github.io/dlpack. Both forms, the versioned and the older one."""

from __future__ import annotations

import ctypes
import importlib
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._ffi import lib

if TYPE_CHECKING:
    from numpy.typing import NDArray

CPU = 1
EXT_DEV = 12  # kDLExtDev, which torch_npu says for an NPU
HOST_TYPES = (CPU, 3, 11)  # and page-locked memory of CUDA and ROCm
VERSION = (1, 0)
READ_ONLY, IS_COPIED = 1, 2

_KINDS = {'i': 0, 'u': 1, 'f': 2, 'c': 5, 'b': 6}  # numpy's kind to DLPack's type code
_EXTENDED = {
    4: 'bfloat16',
    7: 'float8_e3m4',
    8: 'float8_e4m3',
    9: 'float8_e4m3b11fnuz',
    10: 'float8_e4m3fn',
    11: 'float8_e4m3fnuz',
    12: 'float8_e5m2',
}
_EXTENDED_CODES = {name: code for code, name in _EXTENDED.items()}


class _Device(ctypes.Structure):
    _fields_ = (('kind', ctypes.c_int32), ('number', ctypes.c_int32))


class _DataType(ctypes.Structure):
    _fields_ = (('code', ctypes.c_uint8), ('bits', ctypes.c_uint8), ('lanes', ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ('data', ctypes.c_void_p),
        ('device', _Device),
        ('ndim', ctypes.c_int32),
        ('dtype', _DataType),
        ('shape', ctypes.POINTER(ctypes.c_int64)),
        ('strides', ctypes.POINTER(ctypes.c_int64)),
        ('byte_offset', ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (('tensor', _Tensor), ('context', ctypes.c_void_p), ('deleter', ctypes.c_void_p))


class _Versioned(ctypes.Structure):
    _fields_ = (
        ('major', ctypes.c_uint32),
        ('minor', ctypes.c_uint32),
        ('context', ctypes.c_void_p),
        ('deleter', ctypes.c_void_p),
        ('flags', ctypes.c_uint64),
        ('tensor', _Tensor),
    )


_FORMS: dict[bytes, type[_Managed | _Versioned]] = {b'dltensor': _Managed, b'dltensor_versioned': _Versioned}
_NAMES = [ctypes.create_string_buffer(name) for name in _FORMS]  # a capsule refers to its name
_USED_NAMES = {name: ctypes.create_string_buffer(b'used_' + name) for name in _FORMS}
_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def _python(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_capsule_new = _python('PyCapsule_New', ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_capsule_valid = _python('PyCapsule_IsValid', ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_capsule_pointer = _python('PyCapsule_GetPointer', ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
_capsule_rename = _python('PyCapsule_SetName', ctypes.c_int, ctypes.py_object, ctypes.c_void_p)


# ---- types ------------------------------------------------------------------------------------------------------------


def extension_dtype(name: str) -> np.dtype[Any]:
    """A dtype that numpy itself has not, such as 'bfloat16'."""
    try:
        found: np.dtype[Any] = np.dtype(getattr(importlib.import_module('ml_dtypes'), name))
    except ImportError:
        raise TypeError(f'numpy has no {name}; install ml_dtypes (pip install ml_dtypes)') from None
    return found


def _numpy_dtype(kind: _DataType) -> np.dtype[Any]:
    if kind.lanes == 1 and kind.code in _EXTENDED:
        return extension_dtype(_EXTENDED[kind.code])
    letters = {code: letter for letter, code in _KINDS.items()}
    if kind.lanes != 1 or kind.bits % 8 or kind.code not in letters:
        raise TypeError(f'DLPack type code {kind.code} with {kind.bits} bits and {kind.lanes} lanes has no numpy dtype')
    return np.dtype('?' if letters[kind.code] == 'b' else f'{letters[kind.code]}{kind.bits // 8}')


def _type_of(dtype: np.dtype[Any]) -> _DataType:
    code = _EXTENDED_CODES.get(dtype.name, _KINDS.get(dtype.kind))
    if code is None:
        raise BufferError(f'DLPack has no type for dtype {dtype}')
    return _DataType(code, dtype.itemsize * 8, 1)


# ---- in ---------------------------------------------------------------------------------------------------------------


class Imported:
    """A capsule's tensor, ours until this object goes: then its maker is told."""

    def __init__(self, capsule: Any) -> None:
        names = [name for name in _FORMS if _capsule_valid(id(capsule), name)]
        if not names:
            raise TypeError(f'{type(capsule).__name__} is no DLPack capsule that is still unused')
        self._address = _capsule_pointer(id(capsule), names[0])
        managed = _FORMS[names[0]].from_address(self._address)
        if isinstance(managed, _Versioned) and managed.major != VERSION[0]:
            raise TypeError(f'DLPack version {managed.major}.{managed.minor}, expected {VERSION[0]}.x')
        _capsule_rename(capsule, ctypes.addressof(_USED_NAMES[names[0]]))
        self._capsule = capsule
        self._deleter = managed.deleter
        tensor = managed.tensor
        self.shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        self.dtype = _numpy_dtype(tensor.dtype)
        self.device = (tensor.device.kind, tensor.device.number)
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.read_only = isinstance(managed, _Versioned) and bool(managed.flags & READ_ONLY)
        compact = tuple(math.prod(self.shape[i + 1 :]) for i in range(tensor.ndim))
        self.strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else compact
        meaningless = [size == 1 for size in self.shape]
        self.contiguous = 0 in self.shape or all(
            skip or given == wanted for skip, given, wanted in zip(meaningless, self.strides, compact, strict=True)
        )

    def __del__(self) -> None:
        if getattr(self, '_deleter', None):
            _DELETER(self._deleter)(self._address)


def request(value: Any, stream: int | None = None) -> Imported:
    """Ask an object for its capsule. Older makers know no arguments: torch_npu's takes none."""
    arguments: dict[str, Any] = {} if stream is None else {'stream': stream}
    for attempt in ({**arguments, 'max_version': VERSION}, arguments, {}):
        try:
            capsule = value.__dlpack__(**attempt)
        except TypeError:
            if not attempt:
                raise
        else:
            return Imported(capsule)
    raise AssertionError('the last attempt has no arguments')


def import_host(value: Any) -> NDArray[Any]:
    """A numpy array on the memory of an object with __dlpack__ on the CPU."""
    found = request(value)
    if not found.contiguous:
        raise TypeError('the tensor is not C-contiguous; use .contiguous(), since a copy here would be silent')
    nbytes = math.prod(found.shape) * found.dtype.itemsize
    if not nbytes:
        return np.empty(found.shape, found.dtype)
    memory = (ctypes.c_uint8 * nbytes).from_address(found.address)
    memory._owner = found
    array = np.frombuffer(memory, found.dtype).reshape(found.shape)
    array.flags.writeable = not found.read_only
    return array


# ---- out --------------------------------------------------------------------------------------------------------------

class Source(NamedTuple):
    """What a capsule is made of: memory that ``owner`` keeps."""

    address: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    device: tuple[int, int]
    owner: object
    copied: bool = False


def export(source: Source, *, versioned: bool) -> Any:
    """A capsule, of the versioned form or the older one."""
    shape, count = source.shape, max(len(source.shape), 1)
    dimensions = (ctypes.c_int64 * count)(*shape)
    strides = (ctypes.c_int64 * count)(*(math.prod(shape[i + 1 :]) for i in range(len(shape))))
    longs = ctypes.POINTER(ctypes.c_int64)
    pointers = ctypes.cast(dimensions, longs), ctypes.cast(strides, longs)
    tensor = _Tensor(source.address, _Device(*source.device), len(shape), _type_of(source.dtype), *pointers, 0)
    deleter = lib.acl_bind_tensor_deleter(versioned)
    managed = _Versioned(*VERSION, None, deleter, IS_COPIED * source.copied, tensor) if versioned else _Managed(tensor, None, deleter)
    owner = (managed, dimensions, strides, source.owner)  # what the deleter lets go of
    managed.context = id(owner)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))
    return _capsule_new(ctypes.addressof(managed), ctypes.addressof(_NAMES[versioned]), lib.acl_bind_capsule_destructor())
