"""The mock as a whole: counting what lives, holding work back, less memory, another version, starting again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from .. import _handle
from .._ffi import ffi, lib
from ..runtime import forget_init
from ._kernels import bind_again

KINDS = ('contexts', 'streams', 'events', 'binaries', 'functions', 'args', 'blocks')


def live() -> dict[str, int]:
    """How many objects of each kind the library holds, such as {'streams': 1, 'blocks': 3, ...}.

    'functions' are kernels of loaded binaries, 'args' threads with an argument list, 'blocks' pieces of device and
    page-locked memory. C function: aclmock_live.
    """
    return {kind: lib.aclmock_live(getattr(lib, f'ACLMOCK_{kind.upper()}')) for kind in KINDS}


@contextlib.contextmanager
def hold(stream: object = None) -> Iterator[None]:
    """Nothing that is queued on the stream runs inside the block; None: on any stream (aclmock_hold).

    To look at pending work: what a missing sync would read, what a timeout does.
    """
    handle = ffi.NULL if stream is None else ffi.cast('void *', int(stream))  # type: ignore[call-overload]
    lib.aclmock_hold(handle, 1)
    try:
        yield
    finally:
        lib.aclmock_hold(handle, 0)


def memory_limit(nbytes: int, device_id: int = 0) -> None:
    """The device has only so many bytes of memory until the next reset (ACL_MOCK_MEMORY; aclmock_set_memory)."""
    if nbytes < 1 or not lib.aclmock_set_memory(device_id, nbytes):
        raise ValueError(f'nbytes is {nbytes} and device_id {device_id}, expected more than 0 and a device that exists')


def set_version(major: int, minor: int, patch: int) -> None:
    """What aclrtGetVersion tells until the next reset (aclmock_set_version). hide() takes functions away."""
    lib.aclmock_set_version(major, minor, patch)


def reset() -> None:
    """Everything as it was when the library was loaded, and the environment is read again (aclmock_reset).

    Ends all contexts, streams, events, memory and binaries, drops queued work, faults, diagnoses and the trace. Objects
    of this package that are alive are closed by it; kernels in Python stay bound. No other thread may be inside a call.
    """
    lib.aclmock_reset()
    bind_again()
    _handle.forget_all()
    forget_init()
