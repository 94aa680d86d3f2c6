"""Drive Ascend NPU kernels from Python: load an operator binary, get its kernels, build their arguments, launch them.

    import acl_bind as ab, numpy as np

    with ab.Device(0) as dev:
        stream = dev.create_stream()
        kernel = ab.Binary.from_file("add.o").get_kernel("add_custom")
        ...

Three levels: ``lib``/``ffi`` (C as it is), ``rt`` (checked, outputs returned) and the objects here. Importing opens
nothing, and numpy comes with the first use of a name; without a CANN the mock of this package is used, which says so.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import rt
    from ._public import (
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
        Backend,
        Binary,
        Context,
        Device,
        DeviceBuffer,
        Event,
        Kernel,
        KernelArgs,
        LaunchConfig,
        LaunchList,
        Layout,
        Placeholder,
        Ptr,
        Stream,
        TypedKernel,
        backend,
        device_count,
        ffi,
        from_dlpack,
        launch,
        launch_many,
        lib,
    )

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
    'Context',
    'Device',
    'DeviceBuffer',
    'Event',
    'Kernel',
    'KernelArgs',
    'LaunchConfig',
    'LaunchList',
    'Layout',
    'Placeholder',
    'Ptr',
    'Stream',
    'TypedKernel',
    'backend',
    'device_count',
    'ffi',
    'from_dlpack',
    'launch',
    'launch_many',
    'lib',
    'rt',
]


if not TYPE_CHECKING:  # a type checker that sees it believes in every name

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
        if name == 'rt':
            return importlib.import_module('.rt', __name__)
        public = importlib.import_module('._public', __name__)
        globals().update({each: getattr(public, each) for each in __all__ if each != 'rt'})
        return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(types.ModuleType):
    """``launch`` is a module of the package and the function in it: whoever imports the module, the function wins."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value.launch if name == 'launch' and isinstance(value, types.ModuleType) else value)


sys.modules[__name__].__class__ = _Package
