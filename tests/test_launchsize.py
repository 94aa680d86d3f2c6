"""Under ACL_MOCK_CHECK: a launch whose arguments have another size than the kernel's compiler noted."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import pytest
from elf_writer import STB_WEAK, STT_OBJECT, ElfWriter, Section, Symbol
from loader_made import kernel_of, load
from loader_replay import BAD_PARAM, handle_out, message

import acl_bind as ab
from acl_bind import ffi, lib


@pytest.fixture
def check() -> Iterator[None]:
    lib.aclmock_set_check(lib.ACLMOCK_CHECK_ERROR)
    yield
    lib.aclmock_set_check(lib.ACLMOCK_CHECK_OFF)
    lib.aclmock_clear_diagnoses()


@pytest.fixture
def kernel(device: ab.Device) -> Iterator[Any]:
    """A kernel that takes 20 bytes of arguments and does nothing."""
    name = ffi.new('char[]', b'k')
    binary, function = handle_out(), handle_out()
    traits = ffi.new('aclmock_traits *')
    assert lib.aclmock_make_binary(ffi.new('aclmock_kernel *', {'name': name}), 1, binary) == 0
    assert lib.aclrtBinaryGetFunction(binary[0], name, function) == 0
    assert lib.aclmock_get_traits(function[0], traits) == 0
    traits.args_size = 20
    assert lib.aclmock_set_traits(function[0], traits) == 0
    yield function[0]
    assert lib.aclrtBinaryUnLoad(binary[0]) == 0


def launch(kernel: Any, stream: ab.Stream, size: int, *placeholders: tuple[int, int]) -> int:
    args = ffi.new('char[]', size)
    table = ffi.new('aclrtPlaceHolderInfo[]', [{'addrOffset': at, 'dataOffset': data} for at, data in placeholders])
    handle = ffi.cast('void *', int(stream))
    rc = lib.aclrtLaunchKernelWithHostArgs(kernel, 1, handle, ffi.NULL, args, size, table, len(placeholders))
    assert lib.aclrtSynchronizeStream(handle) == 0
    return int(rc)


@pytest.mark.usefixtures('check')
@pytest.mark.parametrize('size', [20, 24, 32])
def test_the_noted_size_passes_with_its_padding_and_the_overflow_slot(kernel: Any, stream: ab.Stream, size: int) -> None:
    assert launch(kernel, stream, size) == 0
    assert launch(kernel, stream, size + 100, (0, size)) == 0  # the data of a placeholder follows


@pytest.mark.usefixtures('check')
@pytest.mark.parametrize('size', [8, 16, 40])
def test_another_size_is_diagnosed(kernel: Any, stream: ab.Stream, size: int) -> None:
    assert launch(kernel, stream, size) == BAD_PARAM
    assert 'kernel k takes 20 bytes of arguments, as its compiler noted in the section __CCE_KernelArgSize' in message()
    assert f'this launch passes {size} before the data of placeholders' in message()
    assert launch(kernel, stream, size + 100, (0, size)) == BAD_PARAM


@pytest.mark.usefixtures('check')
def test_an_argument_list_is_measured_without_its_placeholders(kernel: Any, stream: ab.Stream) -> None:
    args, param, buffer = handle_out(), handle_out(), handle_out()
    handle = ffi.cast('void *', int(stream))
    for values, wanted in ((2, 0), (3, BAD_PARAM)):  # with the placeholder: 24 and 32 bytes, and the overflow slot behind
        assert lib.aclrtKernelArgsInit(kernel, args) == 0
        for _ in range(values):
            assert lib.aclrtKernelArgsAppend(args[0], ffi.new('uint64_t *'), 8, param) == 0
        assert lib.aclrtKernelArgsAppendPlaceHolder(args[0], param) == 0
        assert lib.aclrtKernelArgsGetPlaceHolderBuffer(args[0], param[0], 64, buffer) == 0
        assert lib.aclrtKernelArgsFinalize(args[0]) == 0
        assert lib.aclrtLaunchKernelWithConfig(kernel, 1, handle, ffi.NULL, args[0], ffi.NULL) == wanted, message()
    assert lib.aclrtSynchronizeStream(handle) == 0


def test_without_checks_the_size_is_not_looked_at(kernel: Any, stream: ab.Stream) -> None:
    assert launch(kernel, stream, 8) == 0


@pytest.mark.usefixtures('device')
def test_the_size_is_read_from_the_binary() -> None:
    writer = ElfWriter(Symbol('k_mix_aic'), Symbol('k_mix_aiv', value=64), Symbol('plain'))
    writer.add(Section('__CCE_KernelArgSize', struct.pack('<2I', 40, 40)))
    for index, half in enumerate(('aic', 'aiv')):
        writer.symbols.append(Symbol(f'k_mix_{half}__', value=4 * index, size=4, section=2, type=STT_OBJECT, binding=STB_WEAK))
    writer.symbols.append(Symbol('plain__', value=1 << 40, size=4, section=2, type=STT_OBJECT, binding=STB_WEAK))
    traits = ffi.new('aclmock_traits *')
    with load(writer) as loaded:
        for name, size in (('k', 40), ('plain', 0)):  # what lies outside the file is passed over
            assert lib.aclmock_get_traits(kernel_of(loaded, name), traits) == 0
            assert traits.args_size == size
