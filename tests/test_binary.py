"""Operator binaries and kernels as objects."""

from __future__ import annotations

import gc
import pathlib
from typing import Any

import pytest
from pytest_mock import MockerFixture

import acl_bind as ab
from acl_bind import lib


def test_kernels_by_name(device: ab.Device, add_binary: pathlib.Path) -> None:
    with ab.Binary.from_file(add_binary) as binary:
        kernel = binary.get_kernel('add_custom')
        assert kernel.name == 'add_custom'
        assert kernel.binary is binary
        assert binary.get_kernel('add_custom') == kernel
        assert binary.get_kernel('add_simple') != kernel
        assert 'add_custom' in repr(kernel)


@pytest.mark.parametrize('convert', [str, pathlib.Path, lambda path: str(path).encode()], ids=['str', 'Path', 'bytes'])
def test_paths(device: ab.Device, add_binary: pathlib.Path, convert: Any) -> None:
    ab.Binary.from_file(convert(add_binary)).close()


def test_a_relative_path(device: ab.Device, add_binary: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(add_binary.parent)
    with ab.Binary.from_file('add_custom.o') as binary:
        assert binary.name == str(add_binary)


def test_a_name_that_is_not_there(device: ab.Device, add_binary: pathlib.Path) -> None:
    with ab.Binary.from_file(add_binary) as binary:
        with pytest.raises(ab.AclKernelNotFoundError) as caught:
            binary.get_kernel('add_custm')
        assert isinstance(caught.value, LookupError)
        assert 'did you mean add_custom' in str(caught.value)
        assert 'add_simple' in str(caught.value)


def test_files_that_are_no_binary(device: ab.Device, tmp_path: pathlib.Path, add_binary: pathlib.Path) -> None:
    whole = add_binary.read_bytes()
    (tmp_path / 'empty.o').write_bytes(b'')
    (tmp_path / 'text.o').write_text('no binary at all, but more than sixty-four bytes long, which an ELF header has\n')
    (tmp_path / 'cut.o').write_bytes(whole[: len(whole) // 2])
    other = bytearray(whole)
    other[18] = 22  # e_machine: S/390
    (tmp_path / 'other.o').write_bytes(other)
    cases: list[tuple[pathlib.Path, type[Exception], str]] = [
        (tmp_path / 'none.o', FileNotFoundError, 'no operator binary at'),
        (tmp_path, IsADirectoryError, 'is a directory'),
        (tmp_path / 'empty.o', ValueError, 'is empty'),
        (tmp_path / 'text.o', ab.AclInvalidArgumentError, 'does not load'),
        (tmp_path / 'cut.o', ab.AclInvalidArgumentError, 'does not load'),
        (tmp_path / 'other.o', ab.AclInvalidArgumentError, 'does not load'),
    ]
    for path, kind, said in cases:
        with pytest.raises(kind, match=said):
            ab.Binary.from_file(path)


def test_bytes(device: ab.Device, add_binary: pathlib.Path) -> None:
    data = bytearray(add_binary.read_bytes())
    binary = ab.Binary.from_bytes(bytes(data))
    data[:] = bytes(len(data))
    del data
    gc.collect()
    binary.get_kernel('add_custom')
    binary.close(force=True)
    with pytest.raises(ValueError, match='data is empty'):
        ab.Binary.from_bytes(b'')
    with pytest.raises(ab.AclInvalidArgumentError):
        ab.Binary.from_bytes(b'x')


def test_lazy(device: ab.Device, add_binary: pathlib.Path) -> None:
    with ab.Binary.from_file(add_binary, lazy=True) as binary:
        binary.get_kernel('add_custom')


def test_an_unknown_magic(device: ab.Device, add_binary: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="magic is 'gpu', expected one of aicore, vector, cube"):
        ab.Binary.from_file(add_binary, magic='gpu')


def test_magic_goes_by_bytes_which_take_it(device: ab.Device, add_binary: pathlib.Path, mocker: MockerFixture) -> None:
    from_file = mocker.spy(lib, 'aclrtBinaryLoadFromFile')
    ab.Binary.from_file(add_binary, magic='vector').close()
    assert not from_file.called


def test_a_kernel_keeps_its_binary_loaded(device: ab.Device, add_binary: pathlib.Path) -> None:
    kernel = ab.Binary.from_file(add_binary).get_kernel('add_custom')
    gc.collect()
    assert lib.aclmock_live(lib.ACLMOCK_BINARIES) >= 1
    assert kernel.handle
    binary = kernel.binary
    with pytest.raises(RuntimeError, match=r'kernels in use \(add_custom\)'):
        binary.close()
    binary.close(force=True)
    with pytest.raises(ab.AclHandleError, match='this Binary is closed'):
        _ = kernel.handle


def test_a_binary_loaded_before_there_is_a_device(run_python: Any, add_binary: pathlib.Path) -> None:
    code = f"""
import acl_bind as ab
binary = ab.Binary.from_file({str(add_binary)!r})
try:
    binary.get_kernel('add_custom')
except ab.AclContextError as error:
    print('set_device' in str(error))
with ab.Device(0) as device, device.create_stream() as stream:
    kernel = binary.get_kernel('add_custom')
    print(kernel.name)
    del kernel
    binary.close()
"""
    done = run_python(code)
    assert (done.stdout, done.stderr) == ('True\nadd_custom\n', '')
