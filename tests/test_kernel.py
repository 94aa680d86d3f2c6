"""Binaries and kernels as objects: names, look-ups, attributes, globals, closing."""

from __future__ import annotations

import gc
import json
import os
import pathlib
from collections.abc import Callable, Iterator

import pytest
from conftest import ROOT
from pytest_mock import MockerFixture

import acl_bind as ab
from acl_bind import _elf

CORPUS = pathlib.Path(os.environ.get('ACL_BIND_CORPUS') or ROOT.parent / 'shared' / 'corpus')
TABLES = ('dense', 'slotted', 'reals', 'odd')


@pytest.fixture
def probe(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Binary]:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary:
        yield binary


@pytest.fixture
def tables(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Binary]:
    with ab.Binary.from_file(build_kernels('tables.c')) as binary:
        yield binary


def test_kernel_names(tables: ab.Binary) -> None:
    assert sorted(tables.kernel_names) == sorted(TABLES)


def test_no_such_kernel_names_those_there_are(tables: ab.Binary) -> None:
    with pytest.raises(LookupError) as caught:
        tables.get_kernel('slottd')
    error = caught.value
    assert isinstance(error, ab.AclKernelNotFoundError)
    assert error.closest == 'slotted'
    assert sorted(error.kernel_names) == sorted(TABLES)
    assert 'dense' in str(error)
    assert 'did you mean slotted?' in str(error)


def test_on_cann_python_reads_the_names(probe: ab.Binary, mocker: MockerFixture) -> None:
    mocker.patch.object(ab.lib, 'has', lambda name: not name.startswith('aclmock'))
    mocker.patch('acl_bind.binary.kernel_names', lambda data: ('_ZN2ns3addEPhS_', 'subtract') if data[:4] == b'\x7fELF' else ())
    mocker.patch('acl_bind.binary.error_for', lambda api, code, kind: kind(api, code, 'ACL_ERROR_RT_PARAM_INVALID'))
    with pytest.raises(ab.AclKernelNotFoundError, match=r'Did you mean subtract\?\n.*has 2 kernels: _ZN2ns3addEPhS_, subtract'):
        probe.get_kernel('substract')
    with pytest.raises(ab.AclKernelNotFoundError, match=r'_ZN2ns3addEPhS_ is ns::add\(\.\.\.\): ask for it by that name'):
        probe.get_kernel('add')


@pytest.mark.parametrize(
    ('name', 'plain'),
    [('_Z10add_customPhS_S_', 'add_custom'), ('_ZN2ns3addEPh', 'ns::add'), ('add', 'add'), ('_Z', '_Z'), ('_ZN1a1bI1cE', 'a::b')],
)
def test_demangled(name: str, plain: str) -> None:
    assert _elf.demangled(name) == plain


def test_a_look_up_without_a_device_says_so(run_python: Callable[..., object], add_binary: pathlib.Path) -> None:
    code = f"""
import acl_bind as ab
try:
    ab.Binary.from_file({str(add_binary)!r}).get_kernel('add_custom')
except ab.AclContextError as error:
    print(error.code)
"""
    assert '107002' in run_python(code).stdout  # type: ignore[attr-defined]


def test_attributes(probe: ab.Binary) -> None:
    assert probe.get_kernel('do_nothing').attributes == ('vector', None, 0)
    kind, ratio, mode = probe.get_kernel('do_nothing_mixed').attributes
    assert (kind, mode) == ('mix', 0)
    assert ratio is not None
    assert probe.get_kernel('do_nothing_on_cpu').attributes.type == 'aicpu'


def test_a_binary_without_a_table_tells_nothing(probe: ab.Binary) -> None:
    kernel = probe.get_kernel('do_nothing')
    assert kernel.arg_info is None
    assert kernel.num_args is None
    assert probe.get_kernel('do_nothing', param_names=('x', 'n')).num_args == 2
    assert 'no table' in kernel._repr_html_()


def test_asking_for_the_table_leaves_no_message(probe: ab.Binary) -> None:
    assert probe.get_kernel('do_nothing').arg_info is None
    assert ab.lib.aclGetRecentErrMsg() == ab.ffi.NULL


def test_a_library_that_cannot_tell_of_parameters(probe: ab.Binary) -> None:
    ab.lib._hide('aclrtFunctionGetParamCount', True)
    try:
        assert probe.get_kernel('do_nothing').arg_info is None
    finally:
        ab.lib._hide('aclrtFunctionGetParamCount', False)


def test_no_such_global(probe: ab.Binary) -> None:
    with pytest.raises(ab.AclKernelNotFoundError, match='no global variable named nothing'):
        probe.get_global('nothing')


def test_closing_with_kernels_in_use_needs_force(device: ab.Device, add_binary: pathlib.Path) -> None:
    binary = ab.Binary.from_file(add_binary)
    kernel = binary.get_kernel('add_custom')
    with pytest.raises(RuntimeError, match=r'has kernels in use \(add_custom\); drop them first, or close\(force=True\)'):
        binary.close()
    assert not binary.is_closed
    binary.close(force=True)
    with pytest.raises(ab.AclHandleError, match='this Binary is closed'):
        kernel.handle  # noqa: B018


def test_closing_without_kernels(device: ab.Device, add_binary: pathlib.Path) -> None:
    binary = ab.Binary.from_file(add_binary)
    kernel = binary.get_kernel('add_custom')
    del kernel
    gc.collect()
    binary.close()
    binary.close()
    assert binary.is_closed


def test_a_kernel_keeps_its_binary(device: ab.Device, add_binary: pathlib.Path) -> None:
    kernel = ab.Binary.from_file(add_binary).get_kernel('add_custom')
    gc.collect()
    assert kernel.handle
    assert kernel.binary.get_kernel('add_custom') == kernel


def test_the_same_kernel_on_two_devices(device: ab.Device, add_binary: pathlib.Path) -> None:
    with ab.Device(1) as other, ab.Binary.from_file(add_binary) as binary:
        device.set_current()
        kernels = [binary.get_kernel('add_custom', on=each) for each in (device, other)]
        assert [kernel.device_id for kernel in kernels] == [0, 1]


def test_a_borrowed_binary_is_not_unloaded(device: ab.Device, add_binary: pathlib.Path) -> None:
    with ab.Binary.from_file(add_binary) as binary:
        borrowed = ab.Binary.from_handle(binary.handle, binary)
        assert borrowed.get_kernel('add_custom').name == 'add_custom'
        kernel = ab.Kernel.from_handle(borrowed.get_kernel('add_custom').handle, borrowed)
        assert (kernel.name, kernel.device_id, kernel.binary) == ('add_custom', 0, borrowed)
        borrowed.close()
        assert binary.get_kernel('add_custom').name == 'add_custom'


@pytest.mark.parametrize('suffix', ['.txt', ''])
def test_files_that_are_none(tmp_path: pathlib.Path, suffix: str) -> None:
    path = tmp_path / f'file{suffix}'
    with pytest.raises(FileNotFoundError, match='no operator binary at'):
        ab.Binary.from_file(path)
    path.write_bytes(b'')
    with pytest.raises(ValueError, match='is empty'):
        ab.Binary.from_file(path)
    path.write_bytes(b'just a text that is no ELF file, but long enough to have a header of one in it .....')
    with pytest.raises(ab.AclInvalidArgumentError):
        ab.Binary.from_file(path)
    with pytest.raises(IsADirectoryError):
        ab.Binary.from_file(tmp_path)


def test_reading_names_survives_nonsense() -> None:
    for data in (b'', b'{', b'[]', b'\x7fELF\2\1' + bytes(10), b'\x7fELF\2\1' + b'\xff' * 200, b'{"a": 1}'):
        assert _elf.kernel_names(data) == ()


def test_names_in_real_binaries_are_those_the_mock_finds(device: ab.Device) -> None:
    expected = CORPUS / 'expected.json'
    if not expected.is_file():
        pytest.skip(f'no folder of real operator binaries: {expected} is missing, and ACL_BIND_CORPUS does not name another')
    checked = 0
    for name in json.loads(expected.read_text()):
        path = CORPUS / name
        if path.suffix == '.o' and path.is_file():
            with ab.Binary.from_file(path) as binary:
                assert sorted(_elf.kernel_names(path.read_bytes())) == sorted(binary.kernel_names), name
            checked += 1
    assert checked
