"""What pyACL's calls and its import cost: python -m benchmarks.pyacl [--gates] [--rounds N].

A call may cost twice what the same function costs through `lib` with its cffi pointers made beforehand, which a program that
has addresses as integers does not have. The import may cost 30 ms of processor time.
"""

from __future__ import annotations

import argparse
import functools
import os
import subprocess
import sys
import time
import timeit
from collections.abc import Callable
from typing import Any

os.environ.setdefault('ACL_BIND_BACKEND', 'mock')
import acl_bind.pyacl as acl
from acl_bind import _loader, ffi, lib

from .measure import ROUNDS, Gate, Row, judge, measure, table

IMPORT_MS = 30.0
CALLS = 20000


def _cost(call: Callable[..., Any], *args: Any) -> float:
    """ns of processor time of one call. All are made by the same loop, so that its share is the same."""
    return timeit.timeit(functools.partial(call, *args), timer=time.thread_time, number=CALLS) / CALLS * 1e9


def _row(name: str, call: Callable[..., Any], *args: Any) -> Row:
    return Row(name, lambda: _cost(call, *args))


def _pairs() -> list[Row]:
    assert acl.init() == 0
    assert acl.rt.set_device(0) == 0
    device, _ = acl.rt.malloc(64, 0)
    host, _ = acl.rt.malloc_host(64)
    binary, _ = acl.rt.binary_load_from_file(str(_loader.MOCK_PREFIX / 'kernels' / 'add_custom.o'), [])
    kernel, _ = acl.rt.binary_get_function(binary, 'add_custom')
    args, code = acl.rt.kernel_args_init(kernel)
    assert code == 0
    device_p, host_p, kernel_p = (ffi.cast('void *', number) for number in (device, host, kernel))
    size, status, stream = ffi.new('size_t *'), ffi.new('aclrtStreamStatus *'), ffi.NULL
    room = acl.rt.kernel_args_get_mem_size
    return [
        _row('lib memcpy, 64 bytes', lib.aclrtMemcpy, device_p, 64, host_p, 64, 1),
        _row('pyACL memcpy, 64 bytes', acl.rt.memcpy, device, 64, host, 64, 1),
        _row('lib kernel_args_get_mem_size', lib.aclrtKernelArgsGetMemSize, kernel_p, 64, size),
        _row('pyACL kernel_args_get_mem_size', room, kernel, 64),
        _row('lib stream_query', lib.aclrtStreamQuery, stream, status),
        _row('pyACL stream_query', acl.rt.stream_query, 0),
        *_append(kernel, args, host),
    ]


def _append(kernel: int, args: int, value: int) -> list[Row]:
    """Of an append alone: a list takes 128, so that it is begun again for every 100."""
    handle, param = ffi.new('aclrtArgsHandle *'), ffi.new('aclrtParamHandle *')
    kernel_p, args_p, value_p = (ffi.cast('void *', number) for number in (kernel, args, value))

    def raw() -> None:
        lib.aclrtKernelArgsInit(kernel_p, handle)
        for _ in range(100):
            lib_append(args_p, value_p, 8, param)

    def ours() -> None:
        init(kernel)
        for _ in range(100):
            append(args, value, 8)

    lib_append, init, append = lib.aclrtKernelArgsAppend, acl.rt.kernel_args_init, acl.rt.kernel_args_append

    def each(call: Callable[[], None]) -> float:
        return timeit.timeit(call, timer=time.thread_time, number=CALLS // 100) / CALLS * 1e9

    return [Row('lib kernel_args_append', lambda: each(raw)), Row('pyACL kernel_args_append', lambda: each(ours))]


NAMES = ('memcpy, 64 bytes', 'kernel_args_get_mem_size', 'stream_query', 'kernel_args_append')
GATES = [Gate(f'pyACL {name}', f'lib {name}', 2.0, 1.5) for name in NAMES]


def import_ms(times: int = 7) -> float:
    """Processor time of the import in a fresh process, the best of some."""
    code = 'import time; t = time.process_time(); import acl_bind.pyacl; print(time.process_time() - t)'
    runs = [subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True) for _ in range(times)]
    return min(float(run.stdout) for run in runs) * 1e3


def main() -> int:
    parser = argparse.ArgumentParser(prog='python -m benchmarks.pyacl', description=__doc__)
    parser.add_argument('--gates', action='store_true', help='also print the gates; exit 1 when one is missed')
    parser.add_argument('--rounds', type=int, default=ROUNDS, help='rounds that take turns (default: %(default)s)')
    options = parser.parse_args()
    times = measure(_pairs(), options.rounds)
    results = judge(times, GATES)
    imported = import_ms()
    print(table(times, results))
    print(f'import acl_bind.pyacl: {imported:.1f} ms of processor time, at most {IMPORT_MS:g}')
    if not options.gates:
        return 0
    print('', *results, sep='\n')
    return int(imported > IMPORT_MS or any(result.missed for result in results))


if __name__ == '__main__':
    sys.exit(main())
