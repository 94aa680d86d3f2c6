"""What the mock costs a Python program: copies, and kernels written in Python: python -m benchmarks.objects [--rounds N]."""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import tempfile
from typing import Any

import numpy as np

from .measure import ROUNDS, Gate, Row, judge, measure, table
from .native import COPIES
from .python import Statement, loop

IN_C = 'launch and sync, a kernel in C that does nothing'
PER_LAUNCH = 'launch and sync, in Python, called once a launch'
PER_BLOCK = 'launch and sync, in Python, 8 blocks'
BLOCKS = 8
CALLS = 2_000
BYTES_A_ROUND = 400_000_000


def copies(ab: Any, device: Any, scale: float) -> list[Row]:
    rows = []
    for size in COPIES:
        source, target = np.ones(size, np.uint8), np.empty(size, np.uint8)
        names = {'source': source, 'target': target, 'buffer': device.allocate(size), 'copy': np.copyto}
        count = max(1, int(min(CALLS, BYTES_A_ROUND // size) * scale))
        texts = {'numpy': 'copy(target, source)', 'copy_from': 'buffer.copy_from(source)', 'copy_to': 'buffer.copy_to(target)'}
        for name, text in texts.items():
            statement = Statement(text, names)
            rows.append(Row(f'{name}, {size} bytes', lambda statement=statement, count=count: loop(statement, count)))  # type: ignore[misc]
    return rows


def kernels(ab: Any, device: Any, scale: float) -> list[Row]:
    from acl_bind import mock  # noqa: PLC0415  (now that the backend is chosen)
    from acl_bind._cc import compile_kernels  # noqa: PLC0415
    from acl_bind._loader import MOCK_PREFIX  # noqa: PLC0415

    names = ('in_c', 'per_launch', 'per_block')
    with tempfile.TemporaryDirectory() as folder:
        source, path = pathlib.Path(folder, 'nothing.c'), pathlib.Path(folder, 'nothing.o')
        source.write_text('#include <aclmock/kernel.h>\n' + ''.join(f'ACLMOCK_KERNEL({name}) {{ (void)ctx; }}\n' for name in names))
        compile_kernels(source, path, MOCK_PREFIX / 'include', [])
        binary = ab.Binary.from_file(path)
    stream = device.create_stream()
    mock.bind('per_launch', lambda ctx: None, binary=binary, per_block=False)
    mock.bind('per_block', lambda ctx: None, binary=binary)
    rows = []
    for name, label in zip(names, (IN_C, PER_LAUNCH, PER_BLOCK), strict=True):
        typed = binary.get_kernel(name).bind(np.int32)
        statement = Statement('typed(stream, blocks, 1); stream.sync()', {'typed': typed, 'stream': stream, 'blocks': BLOCKS})
        rows.append(Row(label, lambda statement=statement: loop(statement, max(1, int(CALLS * scale)))))  # type: ignore[misc]
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(prog='python -m benchmarks.objects', description=__doc__)
    parser.add_argument('--rounds', type=int, default=ROUNDS, help='rounds that take turns (default: %(default)s)')
    parser.add_argument('--scale', type=float, default=1.0, help='of the number of calls in a round (default: %(default)s)')
    options = parser.parse_args()
    os.environ['ACL_BIND_BACKEND'] = 'mock'
    import acl_bind as ab  # noqa: PLC0415  (now that the backend is chosen)

    with ab.Device(0) as device:
        times = measure(copies(ab, device, options.scale) + kernels(ab, device, options.scale), options.rounds)
    compared = [Gate(f'{name}, {size} bytes', f'numpy, {size} bytes', 100) for name in ('copy_from', 'copy_to') for size in COPIES]
    compared += [Gate(row, IN_C, 1000) for row in (PER_LAUNCH, PER_BLOCK)]
    print(table(times, judge(times, compared)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
