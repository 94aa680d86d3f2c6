"""Other libraries' device memory as kernel arguments and buffers: DLPack (device type 12) and torch_npu tensors."""

from __future__ import annotations

from typing import Any

from . import _dlpack
from .memory import DeviceBuffer
from .stream import as_stream
from .values import Argument, adapters, pointer


def from_dlpack(value: Any, *, stream: Any = None) -> DeviceBuffer:
    """A buffer on the memory of an object with ``__dlpack__`` on an NPU (DLPack device type 12), which stays its owner.

    ``stream``: the one that will use it, given to the object so that it can wait there. Raises TypeError for an object
    without DLPack, for memory elsewhere and for a tensor that is not C-contiguous.
    """
    device = _npu(value)
    if device is None:
        kind = type(value).__name__
        hint = 'copy it: device.empty(...).copy_from'
        raise TypeError(f'{kind} is not in the memory of an NPU (DLPack device type {_dlpack.EXT_DEV}); {hint}')
    found = _dlpack.request(value, None if stream is None else as_stream(stream).handle)
    if not found.contiguous:
        raise TypeError(f'the tensor of shape {found.shape} is not C-contiguous (strides {found.strides}); use .contiguous()')
    return DeviceBuffer.from_handle(found.address, found.shape, found.dtype, owner=found, device_id=device)


def _npu(value: Any) -> int | None:
    """The device number of an object with DLPack on an NPU."""
    if not hasattr(value, '__dlpack_device__'):
        return None
    kind, number = value.__dlpack_device__()
    return int(number) if kind == _dlpack.EXT_DEV else None


def _torch_npu(value: Any) -> Argument | None:
    """A torch_npu tensor, which says its address itself: no capsule is made for a launch."""
    device = getattr(value, 'device', None)
    if getattr(device, 'type', None) != 'npu' or not hasattr(value, 'data_ptr'):
        return None
    if hasattr(value, 'is_contiguous') and not value.is_contiguous():
        raise TypeError('the tensor is not contiguous; use .contiguous(), since a copy here would be silent')
    address = int(value.data_ptr())
    number = getattr(device, 'index', None)
    return Argument('pointer', pointer(address), value, shown=f'npu tensor {address:#x}', device_id=number, checked=address == 0)


def _dlpack_argument(value: Any) -> Argument | None:
    if _npu(value) is None:
        return None
    buffer = from_dlpack(value)
    address = buffer.handle
    return Argument('pointer', pointer(address), buffer, shown=f'DLPack {address:#x}', device_id=buffer.device_id, checked=address == 0)


adapters.extend((_torch_npu, _dlpack_argument))
