"""Run CANN's kernel-launch flow, step by step: an fp16 vector add of 8 x 2048 elements on 8 blocks."""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _loader, rt
from .._ffi import error_for, ffi, lib, opened
from ..args import UserArgs, find_hidden
from ..binary import Binary
from ..kernel import Kernel
from ..layout import lay_out
from ..values import Argument, pointer

BLOCKS = 8
TOTAL = 8 * 2048
TILES = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        '--mode',
        choices=('placeholder', 'simple'),
        default='placeholder',
        help='placeholder (default): total length and tile count come through placeholders; simple: plain pointers only',
    )
    parser.add_argument('--backend', choices=('cann', 'mock'), help='as ACL_BIND_BACKEND')
    parser.add_argument('--device', type=int, default=0, metavar='N', help='device number (default: 0)')
    parser.add_argument('--binary', type=pathlib.Path, help='another operator binary for the same flow')
    parser.add_argument('--kernel', help='the kernel in it')


def _paths(options: argparse.Namespace) -> tuple[pathlib.Path, str]:
    if (options.binary is None) != (options.kernel is None):
        raise ValueError('--binary and --kernel go together')
    if options.binary is not None:
        return options.binary.absolute(), options.kernel
    if opened().kind != 'mock':
        raise ValueError('the sample kernel runs on the mock only: name a kernel built for this NPU with --binary and --kernel')
    return _loader.MOCK_PREFIX / 'kernels' / 'add_custom.o', 'add_custom' if options.mode == 'placeholder' else 'add_simple'


def _sources() -> tuple[Any, Any]:
    random = np.random.default_rng(7)
    return random.random(TOTAL, np.float32).astype(np.float16), random.random(TOTAL, np.float32).astype(np.float16)


def _arguments(addresses: list[int], mode: str) -> list[Argument]:
    arguments = [Argument('pointer', pointer(address)) for address in addresses]
    if mode == 'placeholder':
        arguments += [Argument('placeholder', np.uint32(number).tobytes()) for number in (TOTAL, TILES)]
    return arguments


def _fill(args: UserArgs, arguments: list[Argument]) -> None:
    params = [args.append(argument) for argument in arguments]
    for param, argument in zip(params, arguments, strict=True):
        if argument.kind == 'placeholder':
            ffi.memmove(args.data_buffer(param, len(argument.data)), argument.data, len(argument.data))
    rt.kernel_args_finalize(args.handle)


def _layout_lines(kernel: Kernel, arguments: list[Argument], before: bytes, after: bytes) -> Iterator[str]:
    yield f'   {"offset":>6} {"size":>5}  {"kind":<12} {"what":<16} {"bytes before launch":<18} what the device saw'
    for row in lay_out(arguments, find_hidden(kernel)):
        span = slice(row.offset, row.offset + row.size)
        host = '(filled at launch)' if row.kind == 'placeholder' else before[span].hex()
        yield f'   {row.offset:>6} {row.size:>5}  {row.kind:<12} {row.label:<16} {host:<18} {after[span].hex()}'


class Flow:
    """The nine steps. Each prints its time; what it made is undone by the last two, or silently when a step fails."""

    def __init__(self, device: int) -> None:
        self.device = device
        self.steps = 0
        self.process = contextlib.ExitStack()  # undoes steps 1 and 2
        self.objects = contextlib.ExitStack()  # undoes steps 3 and 4, and the memory

    @contextlib.contextmanager
    def step(self, text: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.steps += 1
        print(f'{self.steps}. {text:<66} {(time.perf_counter() - start) * 1e6:10.1f} us')

    def start(self) -> None:
        with self.step('aclInit'):
            code = lib.aclInit(ffi.NULL)
            if code not in (0, lib.ACL_ERROR_REPEAT_INITIALIZE):
                raise error_for('aclInit', code)
            self.process.callback(rt.finalize_reference)
        with self.step(f'aclrtSetDevice({self.device}), aclrtCreateStream'):
            rt.set_device(self.device)
            self.process.callback(rt.reset_device, self.device)
            self.stream = rt.create_stream()
            self.process.callback(rt.destroy_stream, self.stream)

    def load(self, path: pathlib.Path, name: str) -> None:
        with self.step(f'aclrtBinaryLoadFromFile({path.name})'):
            binary = Binary.from_file(path)
            self.objects.callback(binary.close, force=True)
        with self.step(f'aclrtBinaryGetFunction({name})'):
            self.kernel = binary.get_kernel(name)

    def allocate(self, *arrays: Any) -> list[int]:
        """Device memory with a copy of each array, and for a result of the first one's size, full of NaN."""
        addresses = []
        for array in (*arrays, np.full_like(arrays[0], np.nan)):
            addresses.append(rt.malloc(array.nbytes, lib.ACL_MEM_MALLOC_HUGE_FIRST))
            self.objects.callback(rt.free, addresses[-1])
            rt.memcpy(addresses[-1], array.nbytes, array, array.nbytes, lib.ACL_MEMCPY_HOST_TO_DEVICE)
        return addresses

    def launch(self, arguments: list[Argument]) -> None:
        with self.step(f'aclrtKernelArgs*: {len(arguments)} arguments, finalized'):
            args = UserArgs(self.kernel, 256)
            _fill(args, arguments)
        before = bytes(ffi.buffer(args.buffer, args.room))
        with self.step(f'aclrtLaunchKernelWithConfig on {BLOCKS} blocks'):
            rt.launch_kernel_with_config(self.kernel, BLOCKS, self.stream, None, args.handle, None)
        print(*_layout_lines(self.kernel, arguments, before, bytes(ffi.buffer(args.buffer, args.room))), sep='\n')
        with self.step('aclrtSynchronizeStream'):
            rt.synchronize_stream(self.stream)

    def end(self) -> None:
        with self.step('aclrtBinaryUnLoad'):
            self.objects.close()
        with self.step('aclrtDestroyStream, aclrtResetDevice, aclFinalizeReference'):
            self.process.close()


def run(options: argparse.Namespace) -> int:
    if options.backend:
        os.environ['ACL_BIND_BACKEND'] = options.backend
    path, name = _paths(options)
    print(f'library: {opened().path} ({opened().kind})')
    flow = Flow(options.device)
    with flow.process, flow.objects:
        flow.start()
        flow.load(path, name)
        x, y = _sources()
        z = np.empty_like(x)
        addresses = flow.allocate(x, y)
        flow.launch(_arguments(addresses, options.mode))
        rt.memcpy(z, z.nbytes, addresses[2], z.nbytes, lib.ACL_MEMCPY_DEVICE_TO_HOST)
        flow.end()
    return _verdict(x + y, z)


def _verdict(wanted: Any, got: Any) -> int:
    wrong = np.flatnonzero(wanted.view(np.uint16) != got.view(np.uint16))
    if wrong.size:
        first = wrong[0]
        print(f"WRONG: {wrong.size} of {wanted.size} elements differ from numpy's x + y.")
        print(f'The first is at {first}: {got[first]} instead of {wanted[first]}.')
        print('Check that the kernel adds fp16 vectors x, y into z, and that its parameters are those of the layout above.')
        return 1
    print(f"correct: all {wanted.size} elements equal numpy's x + y")
    return 0
