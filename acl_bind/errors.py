"""What a failed call becomes. AclError carries function, code, name, the library's own text and a hint.

Its text contains ``error code is 107002``, which people grep for, what the code means, what to do, and what the library
said. Everything else here is a subclass, so that ``except MemoryError`` or ``except LookupError`` work as one expects.
"""

from __future__ import annotations

import threading

from ._codes import CODES


class AclError(RuntimeError):
    """A function of the library returned a nonzero code.

    Attributes: ``code`` (int), ``name`` (its constant, '' when unknown), ``api`` (the C function), ``detail`` (what
    aclGetRecentErrMsg said, '' for nothing), ``extra`` (what acl_bind knows besides, such as the launches), ``hint`` (what to do).
    """

    def __init__(self, api: str, code: int, name: str = '', detail: str = '', extra: str = '') -> None:
        self.api, self.code, self.name, self.detail, self.extra = api, code, name, detail.strip(), extra
        meaning, self.hint = CODES.get(name, ('a code this version does not know', 'See the documentation of your CANN version.'))
        self.meaning = meaning
        super().__init__(self._text())

    def _text(self) -> str:
        text = f'{self.api} failed, error code is {self.code}'
        text += f' ({self.name}): {self.meaning}. {self.hint}' if self.name else f': {self.meaning}. {self.hint}'
        return '\n'.join(part for part in (text, self.detail, self.extra) if part)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.api, self.code, self.name, self.detail, self.extra)


class AclInvalidArgumentError(AclError, ValueError):
    """100000 and the rest of 1000xx and 1070xx: an argument or a state that cannot be right."""


class AclContextError(AclError):
    """107002: the calling thread has no device or context."""

    def _text(self) -> str:
        return f'{super()._text()}\nIt was called in thread {threading.current_thread().name!r}.'


class AclStreamContextError(AclError):
    """107003, 107004: the stream or model belongs to another context."""


class AclHandleError(AclError):
    """107017: a stale handle, one of another kind, or a kernel not looked up on this device."""


class AclMemoryError(AclError, MemoryError):
    """207001, 207018: device or host memory ran out."""


class AclNotSupportedError(AclError, NotImplementedError):
    """207000: not on this chip, or not in this state."""


class AclTimeoutError(AclError, TimeoutError):
    """507046, 507047, and the kernel timeouts (507014 and its like)."""


class AclCaptureError(AclError):
    """A stream or event is being captured, or is not and should be."""


class AclKernelNotFoundError(AclError, LookupError):
    """A binary has no kernel of that name; lists those it has (``kernel_names``) and the closest one (``closest``, or None)."""

    kernel_names: tuple[str, ...] = ()
    closest: str | None = None


class AclDeviceError(AclError):
    """507xxx: the device, or work on it, failed."""


class AclAicoreError(AclDeviceError):
    """507015: a kernel failed on an AI Core."""


class AclVectorCoreError(AclDeviceError):
    """507035: a kernel failed on a vector core."""


class AclAicpuError(AclDeviceError):
    """507018: a kernel failed on the AI CPU."""


class AclLibraryNotFoundError(ImportError):
    """No libascendcl could be opened; says what was tried."""


class AclSymbolNotFoundError(AttributeError):
    """The opened library lacks a function; says which CANN has it."""


class AclArgumentLayoutError(ValueError):
    """The binary wants its parameters at other offsets than the chosen layout gives them."""


class AclForkError(RuntimeError):
    """Devices do not survive a fork: start workers with multiprocessing's "spawn"."""


_CLASSES: dict[str, type[AclError]] = {
    'ACL_ERROR_RT_CONTEXT_NULL': AclContextError,
    'ACL_ERROR_RT_STREAM_CONTEXT': AclStreamContextError,
    'ACL_ERROR_RT_MODEL_CONTEXT': AclStreamContextError,
    'ACL_ERROR_RT_INVALID_HANDLE': AclHandleError,
    'ACL_ERROR_RT_MEMORY_ALLOCATION': AclMemoryError,
    'ACL_ERROR_BAD_ALLOC': AclMemoryError,
    'ACL_ERROR_RT_DEVICE_OOM': AclMemoryError,
    'ACL_ERROR_RT_FEATURE_NOT_SUPPORT': AclNotSupportedError,
    'ACL_ERROR_API_NOT_SUPPORT': AclNotSupportedError,
    'ACL_ERROR_FEATURE_UNSUPPORTED': AclNotSupportedError,
    'ACL_ERROR_RT_STREAM_SYNC_TIMEOUT': AclTimeoutError,
    'ACL_ERROR_RT_EVENT_SYNC_TIMEOUT': AclTimeoutError,
    'ACL_ERROR_RT_AICORE_TIMEOUT': AclTimeoutError,
    'ACL_ERROR_RT_VECTOR_CORE_TIMEOUT': AclTimeoutError,
    'ACL_ERROR_RT_AICPU_TIMEOUT': AclTimeoutError,
    'ACL_ERROR_RT_FFTS_PLUS_TIMEOUT': AclTimeoutError,
    'ACL_ERROR_RT_AICORE_EXCEPTION': AclAicoreError,
    'ACL_ERROR_RT_VECTOR_CORE_EXCEPTION': AclVectorCoreError,
    'ACL_ERROR_RT_AICPU_EXCEPTION': AclAicpuError,
    'ACL_ERROR_RT_SYMBOL_NOT_FOUND': AclKernelNotFoundError,
    'ACL_ERROR_KERNEL_NOT_FOUND': AclKernelNotFoundError,
}
# Families of codes, by their thousands, for the names that have no row above.
_FAMILIES: dict[int, type[AclError]] = {100: AclInvalidArgumentError, 107: AclInvalidArgumentError, 507: AclDeviceError}


def error_class(code: int, name: str) -> type[AclError]:
    """The class for a code; AclError itself for one that nothing is known of."""
    if 'CAPTURE' in name:
        return AclCaptureError
    return _CLASSES.get(name) or _FAMILIES.get(code // 1000, AclError)
