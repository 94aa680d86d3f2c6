"""Every function of the library, checked: ``rt.malloc(n, policy)`` returns the pointer or raises AclError.

Names are pyACL's: ``aclrtBinaryGetFunction`` is ``rt.binary_get_function``. Arguments come in C order without the
outputs; outputs are returned, one as it is, several as a named tuple. Where C wants

* a handle or an address, pass an int, None (NULL), anything with ``.handle``, or a cffi pointer; for memory also an object with the buffer
  protocol (bytes, a numpy array), whose memory must outlive the use,
* a string, pass str, bytes or a path.

Addresses and handles come back as int, structs as cffi structs. The functions are made from the headers, in one loop.
"""

from __future__ import annotations

import collections
import os
import re
from collections.abc import Callable
from typing import Any

from ._ffi import Signature, acl, ffi, lib, signatures

_RENAMED = {'aclrtSetCurrentContext': 'set_context', 'aclrtGetCurrentContext': 'get_context'}  # as pyACL does
_WORDS = re.compile(r'[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+|[0-9]+')


def python_name(function: str) -> str:
    """aclrtLaunchSIMTKernelWithHostArgs -> launch_simt_kernel_with_host_args."""
    short = re.sub(r'^acl(rt)?', '', function).replace('UnLoad', 'Unload').replace('UnSubscribe', 'Unsubscribe')
    return _RENAMED.get(function) or '_'.join(_WORDS.findall(short)).lower()


# ---- arguments --------------------------------------------------------------------------------------------------------


def _text_argument(value: Any) -> Any:
    if value is None:
        return ffi.NULL
    return value if isinstance(value, ffi.CData) else ffi.new('char[]', os.fsencode(value))


def _pointer_argument(ctype: Any, value: Any) -> Any:
    if value is None:
        return ffi.NULL
    if isinstance(value, ffi.CData):
        return value
    handle = getattr(value, 'handle', value)
    if isinstance(handle, int) and not isinstance(handle, bool):
        return ffi.cast(ctype, handle)
    try:
        return ffi.from_buffer(value)
    except TypeError:
        raise TypeError(f'{value!r} is no address: pass an int, None, an object with .handle, or a buffer such as bytes') from None


def _converter(ctype: Any) -> Callable[[Any], Any]:
    if ctype.kind == 'pointer' and ctype.item.cname == 'char':
        return _text_argument
    if ctype.kind in ('pointer', 'function'):
        return lambda value: _pointer_argument(ctype, value)
    return lambda value: value  # numbers and structs: cffi checks them, ranges included


# ---- results ----------------------------------------------------------------------------------------------------------


def _as_python(value: Any) -> Any:
    """A C result: addresses as int, strings as str, structs as they are."""
    if not isinstance(value, ffi.CData):
        return value
    ctype = ffi.typeof(value)
    if ctype.kind == 'pointer' and ctype.item.cname == 'char':
        return None if value == ffi.NULL else ffi.string(value).decode(errors='replace')
    return int(ffi.cast('uintptr_t', value)) if ctype.kind == 'pointer' else value


def _make(signature: Signature) -> Callable[..., Any]:
    ctype = ffi.typeof(getattr(lib, signature.name))
    inputs = [(param.name, _converter(arg)) for param, arg in zip(signature.params, ctype.args, strict=True) if not param.output]
    output_names = [param.name for param in signature.params if param.output]
    output_types = [arg for param, arg in zip(signature.params, ctype.args, strict=True) if param.output]
    result_type = collections.namedtuple(python_name(signature.name), output_names) if len(output_names) > 1 else None
    function = getattr(acl, signature.name)
    returns_code = ctype.result is ffi.typeof('aclError')

    def call(*args: Any) -> Any:
        if len(args) != len(inputs):
            raise TypeError(f'{call.__name__}({", ".join(name for name, _ in inputs)}) takes {len(inputs)} arguments, got {len(args)}')
        converted = iter([convert(value) for (_, convert), value in zip(inputs, args, strict=True)])
        outputs = [ffi.new(output) for output in output_types]
        places = iter(outputs)
        returned = function(*(next(places) if param.output else next(converted) for param in signature.params))
        if not outputs:
            return None if returns_code and returned is None else _as_python(returned)
        values = [_as_python(output[0]) for output in outputs]
        return result_type(*values) if result_type else values[0]

    call.__name__ = call.__qualname__ = python_name(signature.name)
    call.__doc__ = (
        f'{signature.name}({", ".join(param.name for param in signature.params)}), in CANN since {signature.since}.\n\n'
        f'Takes {", ".join(name for name, _ in inputs) or "nothing"}; returns {", ".join(output_names) or "nothing"}.'
    )
    return call


def get_function_name(func_handle: Any) -> str:
    """aclrtGetFunctionName, with the room for the name found here. Returns the kernel's name."""
    size = 256
    while True:
        name = ffi.new('char[]', size)
        code = lib.aclrtGetFunctionName(_pointer_argument(ffi.typeof('void *'), func_handle), size, name)
        if code == lib.ACL_ERROR_RT_PARAM_INVALID and size < 1 << 16:
            size *= 4  # longer than that; the library takes names up to 4095 bytes
            continue
        acl.aclrtGetFunctionName(_pointer_argument(ffi.typeof('void *'), func_handle), size, name)
        return str(ffi.string(name).decode(errors='replace'))


def _names() -> dict[str, Signature]:
    found = {python_name(name): signature for name, signature in signatures().items() if signature.since != 'mock'}
    found.pop('get_function_name')
    return found


def __getattr__(name: str) -> Any:
    signature = _names().get(name)
    if signature is None:
        raise AttributeError(f'{__name__} has no function {name}; dir({__name__}) lists them')
    function = _make(signature)
    globals()[name] = function  # the next access does not come here
    return function


def __dir__() -> list[str]:
    return sorted([*_names(), 'get_function_name', 'python_name'])
