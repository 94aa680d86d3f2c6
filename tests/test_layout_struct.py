"""What a kernel finds in its argument block is what a C compiler makes of the struct with the same members."""

from __future__ import annotations

import ctypes
import itertools
import pathlib
import subprocess
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import acl_bind as ab
from acl_bind._cc import find_compiler

# Every numpy scalar of a fixed width, and the C type with its size, alignment and bits.
SCALARS = {
    np.bool_: 'bool',
    **{np.dtype(f'{sign}int{bits}').type: f'{sign}int{bits}_t' for sign in ('', 'u') for bits in (8, 16, 32, 64)},
    np.float16: 'uint16_t', np.float32: 'float', np.float64: 'double', np.complex64: 'float _Complex', np.complex128: 'double _Complex',
}  # fmt: skip
FIELDS = {
    ctypes.c_int8: 'int8_t',
    ctypes.c_int16: 'int16_t',
    ctypes.c_float: 'float',
    ctypes.c_double: 'double',
    ctypes.c_uint64: 'uint64_t',
}
# A member in each layout: where its slot starts.
MEMBERS = {'acl': '_Alignas(8) _Alignas({0}) {0}', 'bisheng': '_Alignas(4) _Alignas({0}) {0}', 'packed': '{0}'}
KERNELS = {'acl': ['echo', 'echo_mix'], 'bisheng': ['echo'], 'packed': ['echo_on_cpu']}

ROOM = 4096  # of the buffer that a kernel writes to


class Inside(NamedTuple):
    """A pointer so far into the buffer."""

    offset: int


Parameter = tuple[str, bytes, Any]  # C type, its bytes (of a placeholder: its data's), the argument


def scalar(kind: Any) -> st.SearchStrategy[Parameter]:
    size = np.dtype(kind).itemsize
    raw = st.sampled_from([b'\0', b'\1']) if kind is np.bool_ else st.binary(min_size=size, max_size=size)
    return raw.map(lambda data: (SCALARS[kind], data, np.frombuffer(data, kind)[0]))


@st.composite
def structs(draw: st.DrawFn) -> Parameter:
    fields = draw(st.lists(st.sampled_from(list(FIELDS)), min_size=1, max_size=5))
    made: Any = type('Made', (ctypes.Structure,), {'_fields_': [(f'f{i}', field) for i, field in enumerate(fields)]})
    data = draw(st.binary(min_size=ctypes.sizeof(made), max_size=ctypes.sizeof(made)))
    members = ' '.join(f'{FIELDS[field]} f{i};' for i, field in enumerate(fields))
    return f'struct {{ {members} }}', data, made.from_buffer_copy(data)


PARAMETERS: st.SearchStrategy[Parameter] = st.one_of(
    st.sampled_from(list(SCALARS)).flatmap(scalar),
    structs(),
    st.integers(0, ROOM - 1).map(lambda offset: ('void *', bytes(8), Inside(offset))),
    st.just(('void *', bytes(8), None)),
    st.binary(min_size=1, max_size=33).map(lambda data: (f'struct {{ uint8_t bytes[{len(data)}]; }}', data, data)),
    st.binary(min_size=1, max_size=80).map(lambda data: ('void *', data, ab.Placeholder(data))),
)
SIGNATURES = st.tuples(st.sampled_from(list(MEMBERS)), st.lists(PARAMETERS, max_size=10))


def declare(index: int, layout: str, parameters: list[Parameter]) -> str:
    """A struct like the argument block, and the offsets of its members."""
    types = ['void *', *(c_type for c_type, _, _ in parameters)]
    names = [f't{index}_{i}' for i in range(len(types))]
    typedefs = ''.join(f'typedef __typeof__({c_type}) {name};\n' for c_type, name in zip(types, names, strict=True))
    members = ' '.join(f'{MEMBERS[layout].format(name)} m{i};' for i, name in enumerate(names))
    attribute = '__attribute__((packed)) ' if layout == 'packed' else ''
    offsets = ', '.join(f'offsetof(struct s{index}, m{i})' for i in range(len(types)))
    return f'{typedefs}struct {attribute}s{index} {{ {members} }};\nconst size_t o{index}[] = {{{offsets}}};\n'


def compile_offsets(folder: pathlib.Path, signatures: list[tuple[str, list[Parameter]]]) -> list[list[int]]:
    """Where the C compiler puts the members of each signature's struct, `out` first."""
    source = folder / 'structs.c'
    declarations = ''.join(declare(i, *signature) for i, signature in enumerate(signatures))
    source.write_text('#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n' + declarations)
    library = folder / f'structs{next(COUNTER)}.so'
    command = [*find_compiler('CC', 'cc'), '-std=gnu11', '-shared', '-fPIC', str(source), '-o', str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    opened = ctypes.CDLL(str(library))
    return [list((ctypes.c_size_t * (len(parameters) + 1)).in_dll(opened, f'o{i}')) for i, (_, parameters) in enumerate(signatures)]


COUNTER = itertools.count()


@pytest.fixture
def echo(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Binary]:
    with ab.Binary.from_file(build_kernels('echo.c')) as binary:
        yield binary


def placed(parameter: Parameter, out: ab.DeviceBuffer) -> Parameter:
    c_type, _, argument = parameter
    if not isinstance(argument, Inside):
        return parameter
    address = int(out) + argument.offset
    return c_type, address.to_bytes(8, 'little'), ab.Ptr(address)


def launch(stream: ab.Stream, kernel: ab.Kernel, out: ab.DeviceBuffer, parameters: list[Parameter]) -> bytes:
    ab.launch(stream, 1, kernel, out, *(argument for _, _, argument in parameters))
    stream.sync()
    told = out.to_numpy().tobytes()
    return told[8 : 8 + int.from_bytes(told[:8], 'little')]


def check(block: bytes, head: int, offsets: list[int], parameters: list[Parameter]) -> None:
    """Each member where the compiler has it, bit for bit; a placeholder's data where its pointer says."""
    base = None
    for offset, (_, data, argument) in zip(offsets, parameters, strict=True):
        start = head + offset
        if not isinstance(argument, ab.Placeholder):
            assert block[start : start + len(data)] == data
            continue
        address = int.from_bytes(block[start : start + 8], 'little')
        base = address - block.rindex(data) if base is None and block.count(data) == 1 else base
        assert any(block[at : at + len(data)] == data for at in range(head, len(block))), 'the data did not travel'
        if base is not None:
            assert block[address - base : address - base + len(data)] == data


@pytest.mark.parametrize('examples', [6, pytest.param(60, marks=pytest.mark.long)])
def test_random_signatures(stream: ab.Stream, device: ab.Device, echo: ab.Binary, tmp_path: pathlib.Path, examples: int) -> None:
    with device.empty(ROOM, np.uint8) as out:

        @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
        @given(st.lists(SIGNATURES, min_size=8, max_size=8))
        def run(signatures: list[tuple[str, list[Parameter]]]) -> None:
            for (layout, parameters), offsets in zip(signatures, compile_offsets(tmp_path, signatures), strict=True):
                passed = [placed(parameter, out) for parameter in parameters]
                for name in KERNELS[layout]:
                    kernel = echo.get_kernel(name)
                    kernel.layout = layout
                    head = 8 if name == 'echo_mix' else 0
                    block = launch(stream, kernel, out, passed)
                    assert block[head : head + 8] == int(out).to_bytes(8, 'little')
                    check(block, head, offsets[1:], passed)

        run()
