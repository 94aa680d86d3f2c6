"""Tell which libascendcl is used and why, and what is wrong with it."""

from __future__ import annotations

import argparse
import os

from .. import _loader
from .._ffi import ffi, lib, opened
from ..errors import AclLibraryNotFoundError
from ..runtime import Backend, backend

VARIABLES = (
    'ACL_BIND_LIBRARY',
    'ACL_BIND_BACKEND',
    *_loader.HOMES,
    'LD_LIBRARY_PATH',
    'ASCEND_RT_VISIBLE_DEVICES',
    'ASCEND_LAUNCH_BLOCKING',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser  # none


def _environment() -> list[str]:
    given = [f'  {name}={os.environ[name]}' for name in VARIABLES if os.environ.get(name)]
    mock = [f'  {name}={value}' for name, value in sorted(os.environ.items()) if name.startswith('ACL_MOCK_')]
    return given + mock or ['  (none of the variables that matter is set)']


def _attempts() -> list[str]:
    lines = []
    for attempt in opened().attempts:
        result = 'opened' if attempt.failure is None else attempt.failure
        lines.append(f'  {attempt.candidate.path} (from {attempt.candidate.reason}): {result}')
    return lines


def _devices() -> str:
    if not lib.has('aclrtGetDeviceCount'):
        return 'unknown'
    count = ffi.new('uint32_t *')
    code = lib.aclrtGetDeviceCount(count)
    return str(count[0]) if code == 0 else f'none (error code is {code})'


def _is_stub(found: Backend) -> bool:
    """Stubs for linking answer every call with one code."""
    version = ffi.new('int32_t[3]')
    code = lib.aclrtGetVersion(version, version + 1, version + 2) if lib.has('aclrtGetVersion') else 0
    return 'devlib' in found.path.split(os.sep) or bool(code == lib.ACL_ERROR_COMPILING_STUB_MODE)


def _missing(found: Backend) -> str:
    if not found.missing:
        return 'none'
    shown = ', '.join(found.missing[:8])
    return f'{len(found.missing)} of the functions known here: {shown}{" ..." if len(found.missing) > 8 else ""}'


def run(_: argparse.Namespace) -> int:
    print('environment:', *_environment(), sep='\n')
    try:
        found = backend()
    except AclLibraryNotFoundError as error:
        print(f'no library: {error}')
        return 1
    print('tried:', *_attempts(), sep='\n')
    print(f'library: {found.path}\n  is {"the mock" if found.kind == "mock" else "a CANN runtime"}, chosen because of {found.reason}')
    print(f'  version {found.version}, SoC {found.soc or "unknown"}, devices {_devices()}')
    print(f'  missing functions: {_missing(found)}')
    if _is_stub(found):
        print('  THIS IS A STUB for linking: take the devlib folder out of LD_LIBRARY_PATH and source set_env.sh')
        return 1
    return 0
