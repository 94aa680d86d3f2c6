"""The functions of acl and acl.rt that a row of the table does not say all about: start and end, dicts for structs."""

from __future__ import annotations

import itertools
import sys
from typing import Any

from .. import runtime
from .._ffi import ffi, lib
from . import _strict
from ._engine import special


def _enum(value: int) -> int:
    """An int32 as the enums' underlying type, which is unsigned, has it."""
    return value & 0xFFFFFFFF


def _address(pointer: Any) -> int:
    return int(ffi.cast('uintptr_t', pointer))


def _pointer(address: int) -> Any:
    return ffi.cast('void *', address)


# ---- start and end ----------------------------------------------------------------------------------------------------

_started = False  # whether a program initialised ACL through here


@special('acl')
def init(path: bytes | None = None) -> int:
    """Where only acl_bind's own objects use ACL so far, this is the program's first call and succeeds."""
    global _started  # noqa: PLW0603
    code: int = lib.aclInit(ffi.NULL if path is None else path)
    if code == lib.ACL_ERROR_REPEAT_INITIALIZE and path is None and not _started and runtime.is_initialised():
        code = 0
    _started |= code == 0
    return code


@special('acl')
def finalize() -> int:
    """Ends ACL, or only the program's use of it while acl_bind's own objects need it."""
    global _started  # noqa: PLW0603
    if not runtime.is_initialised():
        _started = False
        return int(lib.aclFinalize())
    if not _started:
        return int(lib.ACL_ERROR_REPEAT_FINALIZE)
    _started = False
    return int(lib.aclFinalizeReference(ffi.NULL))


@special('acl')
def app_log(level: int, message: bytes) -> None:
    lib.aclAppLog(_enum(level), b'app_log', b'acl', 0, message)


@special('acl')
def get_data_buffer_size(buffer: int) -> int:
    return int(lib.aclGetDataBufferSizeV2(_pointer(buffer))) & 0xFFFFFFFF


@special('acl')
def get_cann_version(package: int) -> tuple[dict[str, str], int]:
    found = ffi.new('aclCANNPackageVersion *')
    code = lib.aclsysGetCANNVersion(_enum(package), found)
    names = ('version', 'majorVersion', 'minorVersion', 'releaseVersion', 'patchVersion', 'reserved')
    keys = ('version', 'major_version', 'minor_version', 'release_version', 'patch_version', 'reserved')
    return {key: ffi.string(getattr(found, name)).decode() for key, name in zip(keys, names, strict=True)}, code & 0xFFFFFFFF


# ---- dicts for structs ------------------------------------------------------------------------------------------------


def _dict(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f'the {what} argument is not dict')
    return value


def _member(source: dict[str, Any], key: str) -> int | None:
    """None for what is missing, and for what is no int: pyACL takes both for 0."""
    value = source.get(key)
    if isinstance(value, int):
        return value
    _strict.refuse_member(source, key)
    return None


def _uint(source: dict[str, Any], key: str, bits: int = 32) -> int:
    value = _member(source, key) or 0
    if not 0 <= value < 1 << 64:
        raise ValueError('PyLong_AsUnsignedLong failed')
    return value & ((1 << bits) - 1)


def _enum_member(source: dict[str, Any], key: str) -> int:
    value = _member(source, key) or 0
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError('PyLong_AsLong failed')
    return _enum(value)


def _attributes(items: Any, what: str, kind: str, key: str) -> tuple[Any, int]:
    """An array of (key, value) structs; the value becomes the first word of its union."""
    if not isinstance(items, list):
        raise ValueError('argument 2 only support the format of list')
    made = ffi.new(f'{kind}[{len(items)}]') if items else ffi.NULL
    for entry, item in zip(made if items else (), items, strict=True):
        setattr(entry, key, _enum_member(_dict(item, what), key))
        entry.value.rsv[0] = _uint(item, 'value')
    return made, len(items)


def _load_options(items: Any) -> Any:
    options, count = _attributes(items, 'bin_option', 'aclrtBinaryLoadOption', 'type')
    return (ffi.new('aclrtBinaryLoadOptions *', (options, count)), options) if count else (ffi.NULL, options)


def _launch_config(items: Any) -> Any:
    attributes, count = _attributes(items, 'cfg', 'aclrtLaunchKernelAttr', 'id')
    return (ffi.new('aclrtLaunchKernelCfg *', (attributes, count)), attributes) if count else (ffi.NULL, attributes)


@special('acl.rt')
def binary_load_from_file(path: bytes, items: Any) -> tuple[int, int]:
    options, _keep = _load_options(items)
    handle = ffi.new('aclrtBinHandle *')
    code = lib.aclrtBinaryLoadFromFile(path, options, handle)
    return _address(handle[0]), code


@special('acl.rt')
def binary_load_from_data(data: int, length: int, items: Any) -> tuple[int, int]:
    options, _keep = _load_options(items)
    handle = ffi.new('aclrtBinHandle *')
    code = lib.aclrtBinaryLoadFromData(_pointer(data), length, options, handle)
    return _address(handle[0]), code


@special('acl.rt')
def launch_kernel_with_config(*values: Any) -> int:
    function, blocks, stream, items, args, reserve = values
    config, _keep = _launch_config(items)
    return int(lib.aclrtLaunchKernelWithConfig(_pointer(function), blocks, _pointer(stream), config, _pointer(args), _pointer(reserve)))


@special('acl.rt')
def launch_kernel_with_host_args(*values: Any) -> int:
    function, blocks, stream, items, host_args, size, place_holders, count = values
    config, _keep = _launch_config(items)
    if not isinstance(place_holders, list):
        raise ValueError('argument 7 only support the format of list')
    if count > len(place_holders):
        raise ValueError(f'place_holder_num is {count}, the list has {len(place_holders)}')
    table = ffi.new('aclrtPlaceHolderInfo[]', len(place_holders)) if place_holders else ffi.NULL
    for entry, item in zip(table if place_holders else (), place_holders, strict=True):
        entry.addrOffset, entry.dataOffset = _uint(_dict(item, 'aclrtPlaceHolderInfo'), 'addrOffset'), _uint(item, 'dataOffset')
    launch = lib.aclrtLaunchKernelWithHostArgs
    return int(launch(_pointer(function), blocks, _pointer(stream), config, _pointer(host_args), size, table, count))


@special('acl.rt')
def get_function_name(function: int, room: int) -> tuple[str | None, int]:
    if room >= 1024:
        raise ValueError('maxLen should be less than 1024')
    name = ffi.new('char[1024]')
    code = lib.aclrtGetFunctionName(_pointer(function), room, name)
    return ffi.string(name).decode(), code


@special('acl.rt')
def register_cpu_func(binary: int, function: bytes, kernel: bytes) -> tuple[int, int]:
    if not function or not kernel:
        raise ValueError('argument 2 or 3 must not be empty')
    handle = ffi.new('aclrtFuncHandle *')
    code = lib.aclrtRegisterCpuFunc(_pointer(binary), function, kernel, handle)
    return _address(handle[0]), code


_STREAM_MEMBERS = {1: ('failureMode', 64), 2: ('overflowSwitch', 32), 3: ('userCustomTag', 32)}


@special('acl.rt')
def set_stream_attribute(stream: int, kind: int, value: Any) -> int:
    union = ffi.new('aclrtStreamAttrValue *')
    source = _dict(value, 'aclrtStreamAttrValue')
    if kind in _STREAM_MEMBERS:
        key, bits = _STREAM_MEMBERS[kind]
        setattr(union, key, _uint(source, key, bits))
    else:
        reserved = source.get('reserved')
        words = reserved if isinstance(reserved, list) else []
        if len(words) > 4:
            raise ValueError('The length of reserved should be no greater than 4')
        for at, word in enumerate(itertools.takewhile(lambda each: isinstance(each, int), words)):
            union.reserve[at] = _uint({'word': word}, 'word')
    return int(lib.aclrtSetStreamAttribute(_pointer(stream), _enum(kind), union))


@special('acl.rt')
def get_stream_attribute(stream: int, kind: int) -> tuple[dict[str, Any], int]:
    union = ffi.new('aclrtStreamAttrValue *')
    code = lib.aclrtGetStreamAttribute(_pointer(stream), _enum(kind), union)
    key = _STREAM_MEMBERS[kind][0] if kind in _STREAM_MEMBERS else 'reserved'
    return {key: getattr(union, key) if key != 'reserved' else list(union.reserve)}, code


def _physical(source: Any) -> Any:
    source = _dict(source, 'aclrtPhysicalMemProp')
    prop = ffi.new('aclrtPhysicalMemProp *')
    for key in ('handleType', 'allocationType', 'memAttr'):
        setattr(prop, key, _enum_member(source, key))
    location = _dict(source.get('location', {}), 'aclrtMemLocation')
    prop.location.id, prop.location.type = _uint(location, 'id'), _enum_member(location, 'type')
    prop.reserve = _uint(source, 'reserve', 64)
    return prop


@special('acl.rt')
def malloc_physical(size: int, source: Any, flags: int) -> tuple[int, int]:
    handle = ffi.new('aclrtDrvMemHandle *')
    code = lib.aclrtMallocPhysical(handle, size, _physical(source), flags)
    return _address(handle[0]), code


@special('acl.rt')
def mem_get_allocation_granularity(source: Any, option: int) -> tuple[int, int]:
    found = ffi.new('size_t *')
    code = lib.aclrtMemGetAllocationGranularity(_physical(source), _enum(option), found)
    return found[0], code


def _malloc_value(entry: Any, source: Any) -> None:
    value = _dict(_dict(source, 'aclrtMallocWithCfg').get('value'), 'aclrtMallocAttrValue')
    entry.attr = _enum_member(source, 'attr')
    for key, bits in (('moduleId', 16), ('deviceId', 32), ('rsv', 64)):
        if key in value:
            number = _uint(value, key, bits)
            ffi.memmove(ffi.addressof(entry, 'value'), number.to_bytes(8, sys.byteorder), bits // 8)
            return
    raise KeyError('No valid key found in aclrtMallocAttrValue')


@special('acl.rt')
def malloc_with_cfg(size: int, policy: int, source: Any) -> tuple[int, int]:
    if not isinstance(source, dict):
        raise TypeError('pyCfg is not dict!')
    config = attributes = ffi.NULL
    if source:
        if 'attrs' not in source:
            raise TypeError('the aclrtMallocAttrValue argument is not dict')
        if not isinstance(source['attrs'], list):
            raise TypeError('cfg.attrs malloc failed!')
        if source.get('numAttrs') != len(source['attrs']):
            raise KeyError('The numAttrs inputed does not match the expected numAttrs')
        attributes = ffi.new('aclrtMallocAttribute[]', len(source['attrs']))
        for entry, item in zip(attributes, source['attrs'], strict=True):
            _malloc_value(entry, item)
        config = ffi.new('aclrtMallocConfig *', (attributes, len(source['attrs'])))
    found = ffi.new('void **')
    code = lib.aclrtMallocWithCfg(found, size, _enum(policy), config)
    return _address(found[0]), code


@special('acl.rt')
def get_device_utilization_rate(device: int) -> tuple[dict[str, int], int]:
    found = ffi.new('aclrtUtilizationInfo *')
    code = lib.aclrtGetDeviceUtilizationRate(device, found)
    rates = {f'{unit}_utilization': getattr(found, f'{unit}Utilization') for unit in ('cube', 'vector', 'aicpu', 'memory')}
    return {**rates, 'utilization_extend': _address(found.utilizationExtend)}, code & 0xFFFFFFFF


@special('acl.rt')
def pointer_get_attributes(address: int) -> tuple[dict[str, Any], int]:
    found = ffi.new('aclrtPtrAttributes *')
    code = lib.aclrtPointerGetAttributes(_pointer(address), found)
    location = {'id': found.location.id, 'type': int(found.location.type)}
    return {'location': location, 'page_size': found.pageSize, 'rsv': list(found.rsv)}, code
