"""Where the public names of the package are, imported with the first use of one (see __init__.py)."""

# ruff: noqa: F401

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
