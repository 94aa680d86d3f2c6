"""Where the public names of the package are, imported with the first use of one (see __init__.py)."""

# ruff: noqa: F401

from ._ffi import ffi, lib
from .args import KernelArgs
from .binary import Binary
from .config import LaunchConfig
from .context import Context
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
from .event import Event
from .interop import from_dlpack
from .kernel import Kernel
from .launch import launch
from .layout import Layout
from .memory import DeviceBuffer
from .replay import LaunchList, launch_many
from .runtime import Backend, backend
from .stream import Stream
from .typed import TypedKernel
from .values import Placeholder, Ptr
