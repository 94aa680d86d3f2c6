"""What a person reads after each kind of mistake: tests/messages.txt has them all.

After a change that is meant, write the file anew and read its diff: python tests/test_messages.py
"""

from __future__ import annotations

import contextlib
import ctypes
import pathlib
import re
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from conftest import TESTS

import acl_bind as ab
from acl_bind import _loader
from acl_bind._cc import compile_kernels

EXPECTED = TESTS / 'messages.txt'
Mistake = Callable[['Bench'], Any]


class Big(ctypes.BigEndianStructure):
    _fields_ = (('a', ctypes.c_uint32),)


class Bench:
    """What the mistakes are made with."""

    def __init__(self, folder: pathlib.Path) -> None:
        paths = []
        for name in ('probe', 'tables'):
            paths.append(folder / f'{name}.o')
            compile_kernels(TESTS / 'kernels' / f'{name}.c', paths[-1], _loader.MOCK_PREFIX / 'include')
        self.folder = folder
        self.other = ab.Device(1)
        self.device = ab.Device(0)
        self.stream = self.device.create_stream()
        self.probe, self.tables = map(ab.Binary.from_file, paths)
        self.kernel = self.probe.get_kernel('add_to_each', param_names=('x', 'n'))
        self.slotted = self.tables.get_kernel('slotted', param_names=('x', 'n', 'm', 'k'))
        self.dense = self.tables.get_kernel('dense')
        self.buffer = self.device.empty((2, 3), np.float32)

    def close(self) -> None:
        self.buffer.close()
        self.stream.close()
        self.probe.close(force=True)
        self.tables.close(force=True)
        self.device.close()
        self.other.close()

    def arguments(self, *values: Any) -> object:
        return self.kernel.args(*values)

    def launch(self, config: Any, *values: Any, kernel: ab.Kernel | None = None) -> None:
        ab.launch(self.stream, config, kernel or self.kernel, *values)
        self.stream.sync()

    def closed_buffer(self) -> ab.DeviceBuffer:
        buffer = self.device.empty(3)
        buffer.close()
        return buffer


read_only = np.zeros((2, 3), np.float32)
read_only.flags.writeable = False
packed = np.zeros((), [('small', 'u1'), ('large', 'u8')])
big_struct = np.zeros((), np.dtype([('a', '>u4')], align=True))

MISTAKES: dict[str, Mistake] = {
    # values that are no arguments
    'a bare int': lambda b: b.arguments(None, 3),
    'a bare float': lambda b: b.arguments(None, 2.5),
    'a host array': lambda b: b.arguments(np.zeros(4), np.int32(1)),
    'a host array of one element': lambda b: b.arguments(None, np.array([3], np.int32)),
    'a packed structured scalar': lambda b: b.arguments(None, packed[()]),
    'a big-endian structured scalar': lambda b: b.arguments(None, big_struct[()]),
    'a big-endian ctypes struct': lambda b: b.arguments(None, Big(1)),
    'a ctypes char pointer': lambda b: b.arguments(None, ctypes.c_char_p(b'x')),
    'a cffi pointer': lambda b: b.arguments(None, ab.ffi.cast('int32_t *', 64)),
    'a numpy time': lambda b: b.arguments(None, np.datetime64('2026-01-01')),
    'a long double': lambda b: b.arguments(None, np.longdouble(1)),
    'a str': lambda b: b.arguments(None, 'x'),
    'an object': lambda b: b.arguments(None, object()),
    'empty bytes': lambda b: b.arguments(None, b''),
    'an address out of range': lambda _: ab.Ptr(1 << 64),
    'a negative address': lambda _: ab.Ptr(-1),
    'a host address': lambda b: b.arguments(ab.Ptr(read_only.ctypes.data), np.int32(1)),
    'a closed buffer': lambda b: b.arguments(b.closed_buffer(), np.int32(1)),
    'a buffer of another device': lambda b: b.arguments(b.other.empty(3), np.int32(1)),
    # placeholders
    'a placeholder of a number': lambda _: ab.Placeholder(3),
    'a placeholder of a str': lambda _: ab.Placeholder('tiling'),
    'a placeholder of nothing': lambda _: ab.Placeholder(b''),
    'a placeholder of an empty array': lambda _: ab.Placeholder(np.zeros(0, np.int32)),
    'a placeholder of objects': lambda _: ab.Placeholder(np.array([object()])),
    'a placeholder of every other element': lambda _: ab.Placeholder(np.zeros(8)[::2]),
    'a placeholder of big-endian numbers': lambda _: ab.Placeholder(np.zeros(2, '>i4')),
    # what the binary says of its parameters
    'too few arguments': lambda b: b.slotted.args(None, 1),
    'too few arguments without names': lambda b: b.dense.args(None, 1),
    'too few arguments for the names given': lambda b: b.arguments(None),
    'a scalar of another size': lambda b: b.slotted.args(None, np.int64(1), np.int16(1), np.int8(1)),
    'a scalar where a pointer is due': lambda b: b.slotted.args(np.int32(1), 1, 1, 1),
    'an int that 1 byte has no room for': lambda b: b.slotted.args(None, 1, 1, 256),
    'a negative int that 1 byte has no room for': lambda b: b.slotted.args(None, 1, 1, -129),
    'an int that 2 bytes have no room for': lambda b: b.slotted.args(None, 1, 1 << 16, 1),
    'an int that 4 bytes have no room for': lambda b: b.slotted.args(None, 1 << 32, 1, 1),
    'an int that 8 bytes have no room for': lambda b: b.slotted.args(1 << 64, 1, 1, 1),
    'a float in 2 bytes': lambda b: b.slotted.args(None, 1, 1.5, 1),
    'a float out of range': lambda b: b.tables.get_kernel('reals').args(1e300, 1.0, np.float16(1)),
    'another layout than the binary was compiled for': lambda b: b.dense.args(None, 1, 2),
    'a layout that does not exist': lambda b: setattr(b.kernel, 'layout', 'C'),
    # launches
    'negative blocks': lambda b: b.launch(-1, None, np.int32(1)),
    'too many blocks': lambda b: b.launch(65536, None, np.int32(1)),
    'a bool for blocks': lambda b: b.launch(True, None, np.int32(1)),
    'a float for blocks': lambda b: b.launch(8.0, None, np.int32(1)),
    'a schedule mode out of range': lambda _: ab.LaunchConfig(1, schem_mode=257),
    'a negative timeout of a launch': lambda _: ab.LaunchConfig(1, timeout=-1),
    'a list of arguments of another kernel': lambda b: b.launch(1, b.slotted.args(None, 1, 1, 1)),
    'a str for a stream': lambda b: ab.launch('0', 1, b.kernel, None, np.int32(1)),
    # memory
    'a copy of another size': lambda b: b.buffer.copy_from(np.zeros((2, 2), np.float32)),
    'a copy of another dtype': lambda b: b.buffer.copy_from(np.zeros((2, 3), np.int32)),
    'a copy of a list': lambda b: b.buffer.copy_from([1.0] * 6),
    'a copy of a transposed array': lambda b: b.buffer.copy_from(np.zeros((3, 2), np.float32).T),
    'a copy of big-endian numbers': lambda b: b.buffer.copy_from(np.zeros((2, 3), '>f4')),
    'a copy of objects': lambda b: b.buffer.copy_from(np.zeros((2, 3), object)),
    'a copy to a read-only array': lambda b: b.buffer.copy_to(read_only),
    'a copy from a closed buffer': lambda b: b.closed_buffer().to_numpy(),
    'a negative dimension': lambda b: b.device.empty((2, -1)),
    'a float for a dimension': lambda b: b.device.empty((2, 1.5)),  # type: ignore[arg-type]
    'a dtype of objects': lambda b: b.device.empty(3, object),
    'a big-endian dtype': lambda b: b.device.empty(3, '>i4'),
    'a byte out of range': lambda b: b.buffer.fill(256),
    'too much memory': lambda b: b.device.allocate(1 << 50),
    # devices, streams, events
    'a device that is not there': lambda _: ab.Device(99),
    'a negative device': lambda _: ab.Device(-1),
    'a bool for a device': lambda _: ab.Device(True),
    'a negative priority': lambda b: b.device.create_stream(priority=-1),
    'a negative timeout': lambda b: b.stream.sync(-1),
    'a str for a timeout': lambda b: b.stream.sync('1'),  # type: ignore[arg-type]
    'an event that tells no time': lambda b: b.device.create_event(timing=False) - b.device.create_event(),
    'an event that was never recorded': lambda b: b.device.create_event() - b.device.create_event(),
    'a borrowed stream that should make an event': lambda b: ab.Stream.from_handle(b.stream.handle).record(),
    'a host function that cannot be called': lambda b: b.stream.launch_host_func(3),  # type: ignore[arg-type]
    'a context that is none': lambda _: ab.Context.from_handle(64),
    # binaries
    'no such file': lambda b: ab.Binary.from_file(b.folder / 'nothing.o'),
    'a folder for a binary': lambda b: ab.Binary.from_file(b.folder),
    'empty bytes for a binary': lambda _: ab.Binary.from_bytes(b''),
    'no binary at all': lambda _: ab.Binary.from_bytes(b'nothing of the kind'),
    'a magic that does not exist': lambda _: ab.Binary.from_bytes(b'x', magic='c'),
    'a kernel with a letter missing': lambda b: b.tables.get_kernel('slottd'),
    'a tiling key that is not there': lambda b: b.tables.get_kernel_by_entry(77),
    'a variable that is not there': lambda b: b.tables.get_global('g_nothing'),
    'closing a binary whose kernels are in use': lambda b: b.probe.close(),
    'a kernel that fails': lambda b: b.launch(1, kernel=b.probe.get_kernel('give_up')),
    # objects that nobody makes
    'a buffer made by hand': lambda _: ab.DeviceBuffer(),
    'a stream made by hand': lambda _: ab.Stream(),
    'an event made by hand': lambda _: ab.Event(),
    'a context made by hand': lambda _: ab.Context(),
    'a kernel made by hand': lambda _: ab.Kernel(),
    'a binary made by hand': lambda _: ab.Binary(),
    'a pickled stream': lambda b: b.stream.__reduce__(),
    # other libraries
    'DLPack that is not on an NPU': lambda _: ab.from_dlpack(np.zeros(3)),
    'DLPack without a copy': lambda b: b.buffer.__dlpack__(dl_device=(1, 0), copy=False),
    'DLPack for another device': lambda b: b.buffer.__dlpack__(dl_device=(2, 0)),
    'DLPack of a bfloat16 array in a float32 buffer': lambda b: b.buffer.copy_from(np.zeros((2, 3), ml_dtypes.bfloat16)),
}


def message(bench: Bench, mistake: Mistake) -> str:
    try:
        mistake(bench)
    except Exception as error:
        text = f'{type(error).__name__}: {error}'
    else:
        text = 'nothing was raised'
    text = text.replace(str(bench.folder), 'FOLDER').replace(str(TESTS), 'TESTS')
    text = re.sub(r'0x[0-9a-f]{5,}', '0xADDRESS', text)
    text = re.sub(r'of stream \d+', 'of stream N', text)
    text = re.sub(r'has \d+ of \d+', 'has FREE of TOTAL', text)
    return re.sub(r'(messages\.py):\d+', r'\1:LINE', text)


@contextlib.contextmanager
def bench_in(folder: pathlib.Path) -> Iterator[Bench]:
    bench = Bench(folder)
    try:
        yield bench
    finally:
        bench.close()


def expected() -> dict[str, str]:
    parts = re.split(r'^## (.*)\n', EXPECTED.read_text(), flags=re.MULTILINE)[1:]
    return {title: text.strip('\n') for title, text in zip(parts[::2], parts[1::2], strict=True)}


@pytest.fixture(scope='module')
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench_in(tmp_path_factory.mktemp('messages')) as made:
        yield made


@pytest.mark.parametrize('title', MISTAKES)
def test_message(bench: Bench, title: str) -> None:
    assert message(bench, MISTAKES[title]) == expected()[title]


def test_no_message_is_left_over() -> None:
    assert list(expected()) == list(MISTAKES)


def write() -> None:
    with tempfile.TemporaryDirectory() as folder, bench_in(pathlib.Path(folder)) as bench:
        lines = [f'## {title}\n{message(bench, mistake)}\n' for title, mistake in MISTAKES.items()]
    EXPECTED.write_text('\n'.join(lines))


if __name__ == '__main__':
    write()
