"""What loading a binary costs a kernel: python -m benchmarks.loader [--gates] [--rounds N] [--sizes 1000,10000,100000].

Each row loads a made binary, looks up all its kernels and unloads it. Time and memory must grow with the number of
kernels and no faster, so a kernel of the largest binary may cost at most twice what one of the smallest does.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import sys
import tempfile
import time

os.environ.setdefault('ACL_BIND_BACKEND', 'mock')
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'tests'))
from elf_writer import ElfWriter, Symbol

from acl_bind import ffi, lib

from .measure import Gate, Row, judge, measure, table, verdict

FACTOR = 2.0


def check(code: int) -> None:
    if code != 0:
        raise RuntimeError(ffi.string(lib.aclmock_last_message()).decode())


def peak_memory() -> int:
    """The most bytes in memory since the last clearing."""
    found = re.search(r'VmHWM:\s+(\d+) kB', pathlib.Path('/proc/self/status').read_text())
    return int(found[1]) * 1024 if found else 0


class Made:
    """A binary with so many kernels, named as compilers name them."""

    def __init__(self, folder: pathlib.Path, kernels: int) -> None:
        self.names = [f'MadeOperator_5a59b54a1e9bb70b7d142caf2e2d732a_{index}'.encode() for index in range(kernels)]
        self.path = folder / f'{kernels}.o'
        self.path.write_bytes(ElfWriter(*(Symbol(name.decode(), value=16, size=32) for name in self.names)).build())

    def load_and_look_up(self) -> None:
        binary, function = ffi.new('void **'), ffi.new('void **')
        check(lib.aclrtBinaryLoadFromFile(str(self.path).encode(), ffi.NULL, binary))
        handle, get = binary[0], lib.aclrtBinaryGetFunction
        for name in self.names:
            get(handle, name, function)
        check(lib.aclrtBinaryUnLoad(handle))

    def time(self) -> float:
        repeats = max(1, 10000 // len(self.names))
        start = time.perf_counter_ns()
        for _ in range(repeats):
            self.load_and_look_up()
        return (time.perf_counter_ns() - start) / len(self.names) / repeats

    def memory(self) -> str:
        pathlib.Path('/proc/self/clear_refs').write_text('5')
        before = peak_memory()
        self.load_and_look_up()
        more, size = peak_memory() - before, self.path.stat().st_size
        count = len(self.names)
        return f'{count} kernels: a file of {size} bytes, at most {more} bytes more in memory, {more / count:.0f} a kernel'


def main() -> int:
    parser = argparse.ArgumentParser(prog='python -m benchmarks.loader', description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--gates', action='store_true', help='also print the gates, the worst last; exit 1 when one is missed')
    parser.add_argument('--rounds', type=int, default=5, help='rounds that take turns (default: %(default)s)')
    parser.add_argument('--sizes', default='1000,10000,100000', help='numbers of kernels (default: %(default)s)')
    options = parser.parse_args()
    check(lib.aclrtSetDevice(0))
    with tempfile.TemporaryDirectory() as folder:
        made = {f'{count} kernels': Made(pathlib.Path(folder), count) for count in map(int, options.sizes.split(','))}
        print(*(binary.memory() for binary in made.values()), sep='\n')
        times = measure([Row(name, binary.time) for name, binary in made.items()], options.rounds)
    smallest = next(iter(made))
    results = judge(times, [Gate(name, smallest, FACTOR) for name in list(made)[1:]])
    print('', table(times, results), sep='\n')
    return verdict(results, options.gates)


if __name__ == '__main__':
    sys.exit(main())
