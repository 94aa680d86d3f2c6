"""Where the public names of the package are, imported with the first use of one (see __init__.py).

``x as x`` says to a type checker in strict mode that a name is meant for others.
"""

from ._ffi import ffi as ffi, lib as lib
from .args import KernelArgs as KernelArgs
from .binary import Binary as Binary
from .config import LaunchConfig as LaunchConfig
from .context import Context as Context
from .device import Device as Device, device_count as device_count
from .errors import (
    AclAicoreError as AclAicoreError,
    AclAicpuError as AclAicpuError,
    AclArgumentLayoutError as AclArgumentLayoutError,
    AclCaptureError as AclCaptureError,
    AclContextError as AclContextError,
    AclDeviceError as AclDeviceError,
    AclError as AclError,
    AclForkError as AclForkError,
    AclHandleError as AclHandleError,
    AclInvalidArgumentError as AclInvalidArgumentError,
    AclKernelNotFoundError as AclKernelNotFoundError,
    AclLibraryNotFoundError as AclLibraryNotFoundError,
    AclMemoryError as AclMemoryError,
    AclNotSupportedError as AclNotSupportedError,
    AclStreamContextError as AclStreamContextError,
    AclSymbolNotFoundError as AclSymbolNotFoundError,
    AclTimeoutError as AclTimeoutError,
    AclVectorCoreError as AclVectorCoreError,
)
from .event import Event as Event
from .interop import from_dlpack as from_dlpack
from .kernel import Kernel as Kernel
from .launch import launch as launch
from .layout import Layout as Layout
from .memory import DeviceBuffer as DeviceBuffer
from .replay import LaunchList as LaunchList, launch_many as launch_many
from .runtime import Backend as Backend, backend as backend
from .stream import Stream as Stream
from .typed import TypedKernel as TypedKernel
from .values import Placeholder as Placeholder, Ptr as Ptr
