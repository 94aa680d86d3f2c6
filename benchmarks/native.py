"""The C side: loops over the floor library and over the mock, called through the same table of function pointers."""

from __future__ import annotations

import ctypes
import functools
import pathlib
import tempfile
from typing import Any

from acl_bind import _loader
from acl_bind._cc import find_compiler, run

from .measure import Gate, Row

SOURCES = pathlib.Path(__file__).resolve().parent / 'csrc'
COPIES = {4096: (1.5, 1.2), 65536: (1.05, 1.03), 1048576: (1.05, 1.03)}  # bytes: must, stretch

HOSTARGS_FLOOR, HANDLE_FLOOR = 'HOSTARGS floor', 'HANDLE floor'
HOSTARGS, HANDLE = 'mock: WithHostArgs', 'mock: handle route'
RANGE = 'mock: range check, 1000 allocations'
ONE, EIGHT = 'mock: 1 thread, 1 stream', 'mock: 8 threads, 8 streams'


def build(folder: pathlib.Path, name: str, *more: str) -> pathlib.Path:
    target = folder / f'lib{name}.so'
    flags = [
        '-std=gnu11',
        '-D_GNU_SOURCE',
        '-O2',
        '-Wall',
        '-Wextra',
        '-Werror',
        '-shared',
        '-fPIC',
        '-pthread',
        f'-I{_loader.MOCK_PREFIX / "include"}',
        *more,
    ]
    run([*find_compiler('CC', 'cc'), *flags, str(SOURCES / f'{name}.c'), '-o', str(target), '-ldl'])
    return target


class Native:
    """Both libraries, opened. The compiled files live as long as this."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.folder.name)
        self.built: dict[str, pathlib.Path] = {}
        self.loops = ctypes.CDLL(str(build(folder, 'loops')))
        self.loops.bench_open.restype = ctypes.c_void_p
        for name in ('bench_launch', 'bench_threads', 'bench_range', 'bench_memcpy'):
            getattr(self.loops, name).restype = ctypes.c_double
        self.floor = self.open(build(folder, 'floor'), mock=False)
        self.mock = self.open(_loader.MOCK_PREFIX / 'lib64' / 'libascendcl.so', mock=True)

    def build(self, name: str, *flags: str) -> pathlib.Path:
        """Compiles another source, once."""
        if name not in self.built:
            self.built[name] = build(pathlib.Path(self.folder.name), name, *flags)
        return self.built[name]

    def open(self, path: pathlib.Path, *, mock: bool) -> ctypes.c_void_p:
        opened = self.loops.bench_open(str(path).encode(), int(mock))
        if not opened:
            raise RuntimeError(f'{path} lacks a function of the loops, or refused to start')
        return ctypes.c_void_p(opened)

    def call(self, name: str, library: ctypes.c_void_p, *arguments: Any) -> float:
        ns: float = getattr(self.loops, name)(library, *arguments)
        if ns < 0:
            raise RuntimeError(f'{name}{arguments}: a call failed with {-ns:.0f}')
        return ns

    def rows(self, scale: float = 1.0) -> list[Row]:
        """scale: of the number of calls in a round, 1 for a few milliseconds."""

        def row(name: str, function: str, library: ctypes.c_void_p, *arguments: Any) -> Row:
            return Row(name, functools.partial(self.call, function, library, *arguments))

        def times(count: int) -> ctypes.c_long:
            return ctypes.c_long(max(1, int(count * scale)))

        rows = [
            row(HOSTARGS_FLOOR, 'bench_launch', self.floor, times(20_000), 0),
            row(HOSTARGS, 'bench_launch', self.mock, times(20_000), 0),
            row(HANDLE_FLOOR, 'bench_launch', self.floor, times(10_000), 1),
            row(HANDLE, 'bench_launch', self.mock, times(10_000), 1),
            row(RANGE, 'bench_range', self.mock, ctypes.c_long(1000), times(100_000)),
            row(ONE, 'bench_threads', self.mock, 1, times(80_000)),
            row(EIGHT, 'bench_threads', self.mock, 8, times(10_000)),
        ]
        for size in COPIES:
            count = times(400_000_000 // size // 10)
            rows.append(row(f'memcpy, {size} bytes', 'bench_memcpy', self.mock, ctypes.c_size_t(size), count, 1))
            rows.append(row(f'aclrtMemcpy, {size} bytes', 'bench_memcpy', self.mock, ctypes.c_size_t(size), count, 0))
        return rows


GATES = [
    Gate(HOSTARGS, HOSTARGS_FLOOR, 6, 3),
    Gate(HANDLE, HANDLE_FLOOR, 3),
    Gate(RANGE, HOSTARGS_FLOOR, 0.5, 0.25),
    Gate(EIGHT, ONE, 1, 0.5),
    *(Gate(f'aclrtMemcpy, {size} bytes', f'memcpy, {size} bytes', *limits) for size, limits in COPIES.items()),
]
