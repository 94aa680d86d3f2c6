"""Drive Ascend NPU kernels from Python: load an operator binary, get its kernels, build their arguments, launch them.

    import acl_bind as ab, numpy as np

    with ab.Device(0) as dev:
        stream = dev.create_stream()
        kernel = ab.Binary.from_file("add.o").get_kernel("add_custom")
        ...

Three levels: ``lib``/``ffi`` (C as it is), ``rt`` (checked, outputs returned) and the objects here. Importing opens
nothing; without a CANN the mock of this package is used, which says so.
"""

from . import rt
from ._ffi import ffi, lib
from .args import KernelArgs, Layout
from .binary import Binary, Kernel
from .device import Device, device_count
from .errors import (
    AclAicoreError,
    AclAicpuError,
    AclArgumentLayoutError,
    AclCaptureError,
    AclContextError,
    AclDeviceError,
    AclError,
    AclForkError,
    AclHandleError,
    AclInvalidArgumentError,
    AclKernelNotFoundError,
    AclLibraryNotFoundError,
    AclMemoryError,
    AclNotSupportedError,
    AclStreamContextError,
    AclSymbolNotFoundError,
    AclTimeoutError,
    AclVectorCoreError,
)
from .launch import LaunchConfig, launch
from .memory import DeviceBuffer
from .runtime import Backend, backend
from .stream import Stream
from .values import Placeholder, Ptr

__version__ = '0.1.0'

__all__ = [
    'AclAicoreError',
    'AclAicpuError',
    'AclArgumentLayoutError',
    'AclCaptureError',
    'AclContextError',
    'AclDeviceError',
    'AclError',
    'AclForkError',
    'AclHandleError',
    'AclInvalidArgumentError',
    'AclKernelNotFoundError',
    'AclLibraryNotFoundError',
    'AclMemoryError',
    'AclNotSupportedError',
    'AclStreamContextError',
    'AclSymbolNotFoundError',
    'AclTimeoutError',
    'AclVectorCoreError',
    'Backend',
    'Binary',
    'Device',
    'DeviceBuffer',
    'Kernel',
    'KernelArgs',
    'LaunchConfig',
    'Layout',
    'Placeholder',
    'Ptr',
    'Stream',
    'backend',
    'device_count',
    'ffi',
    'launch',
    'lib',
    'rt',
]
