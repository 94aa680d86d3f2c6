"""Binaries over devices, resets and unloading, with kernels that run."""

from __future__ import annotations

import pathlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from loader_replay import BAD_PARAM, Loaded, addresses, handle_out, load_old, message

from acl_bind import ffi, lib

STALE = lib.ACL_ERROR_RT_INVALID_HANDLE
NAME = b'idle'
pytestmark = pytest.mark.usefixtures('device', 'no_leaks')


@pytest.fixture
def device() -> Iterator[None]:
    assert lib.aclrtSetDevice(0) == 0
    yield
    for number in (0, 1):
        while lib.aclrtResetDevice(number) == 0:
            pass


@pytest.fixture(scope='module')
def idle(build_kernels: Callable[[str], pathlib.Path]) -> pathlib.Path:
    return build_kernels('idle.c')


def load(path: pathlib.Path, lazy: bool = False) -> Loaded:
    out = handle_out()
    option = ffi.new('aclrtBinaryLoadOption *', {'type': lib.ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 'value': {'isLazyLoad': lazy}})
    options = ffi.new('aclrtBinaryLoadOptions *', {'options': option, 'numOpt': 1})
    return Loaded(lib.aclrtBinaryLoadFromFile(str(path).encode(), options, out), out[0])


def look_up(loaded: Loaded) -> Any:
    out = handle_out()
    assert lib.aclrtBinaryGetFunction(loaded.handle, NAME, out) == 0, message()
    return out[0]


def new_stream() -> Any:
    out = handle_out()
    assert lib.aclrtCreateStream(out) == 0
    return out[0]


def launch(function: Any, stream: Any) -> int:
    return int(lib.aclrtLaunchKernelWithHostArgs(function, 1, stream, ffi.NULL, ffi.new('char[40]'), 40, ffi.NULL, 0))


def launch_here(function: Any) -> int:
    """On a stream of the current device, to its end."""
    stream = new_stream()
    rc = launch(function, stream)
    assert lib.aclrtSynchronizeStream(stream) == 0, message()
    assert lib.aclrtDestroyStream(stream) == 0
    return rc


def base_of(loaded: Loaded) -> int:
    address, size = ffi.new('void **'), ffi.new('size_t *')
    assert lib.aclrtBinaryGetDevAddress(loaded.handle, address, size) == 0
    assert size[0] > 0
    return int(ffi.cast('uintptr_t', address[0]))


def test_each_device_needs_a_look_up(idle: pathlib.Path) -> None:
    with load(idle) as loaded:
        function = look_up(loaded)
        assert launch_here(function) == 0
        assert lib.aclrtSetDevice(1) == 0
        assert launch_here(function) == STALE
        assert 'was not looked up on device 1' in message()
        assert look_up(loaded) == function
        assert launch_here(function) == 0
        assert lib.aclrtSetDevice(0) == 0
        assert launch_here(function) == 0


def test_a_reset_device_forgets_the_code(idle: pathlib.Path) -> None:
    with load(idle) as loaded:
        function = look_up(loaded)
        assert lib.aclrtResetDevice(0) == 0
        assert lib.aclrtSetDevice(0) == 0
        assert launch_here(function) == STALE
        assert max(address or 0 for address in addresses(function)[1:]) < 1 << 32  # an offset, for there is no base
        assert look_up(loaded) == function
        assert launch_here(function) == 0


def test_lazily_loaded_code_is_copied_by_the_first_launch(idle: pathlib.Path) -> None:
    with load(idle, lazy=True) as loaded:
        function = look_up(loaded)
        assert base_of(loaded) == 0
        assert launch_here(function) == 0
        assert base_of(loaded) != 0


def test_code_is_copied_once(idle: pathlib.Path) -> None:
    with load(idle) as loaded:
        look_up(loaded)
        base = base_of(loaded)
        look_up(loaded)
        assert base_of(loaded) == base


def test_binaries_loaded_the_older_way_run_everywhere(idle: pathlib.Path) -> None:
    with load_old(idle.read_bytes()) as loaded:
        function = look_up(loaded)
        assert launch_here(function) == 0
        assert lib.aclrtSetDevice(1) == 0
        assert launch_here(function) == 0
        assert base_of(loaded) == 0
        out = handle_out()
        assert lib.aclrtBinaryGetFunctionByEntry(loaded.handle, 0, out) == BAD_PARAM
        assert 'aclrtBinaryLoad makes none of them known' in message()


def test_unloading_with_a_launch_that_has_not_run(idle: pathlib.Path) -> None:
    loaded = load(idle)
    function, stream = look_up(loaded), new_stream()
    lib.aclmock_delay_kernel(NAME, 1, 1, 0)
    assert launch(function, stream) == 0
    assert lib.aclrtBinaryUnLoad(loaded.handle) == 0
    rc = lib.aclrtSynchronizeStream(stream)
    assert rc == 0 or 'unloaded before the launch ran' in message()  # the engine's tick may have run it in between
    assert launch(function, stream) == STALE
    lib.aclrtDestroyStream(stream)
    lib.aclmock_clear_faults()


def test_handles_of_an_unloaded_binary_are_stale(idle: pathlib.Path) -> None:
    loaded = load(idle)
    function, out = look_up(loaded), handle_out()
    assert lib.aclrtBinaryUnLoad(loaded.handle) == 0
    assert lib.aclrtBinaryUnLoad(loaded.handle) == STALE
    assert lib.aclrtBinaryGetFunction(loaded.handle, NAME, out) == STALE
    assert addresses(function)[0] == STALE
    assert lib.aclrtKernelArgsInit(function, out) == STALE


def test_of_two_threads_that_unload_one_wins(idle: pathlib.Path) -> None:
    loaded = load(idle)
    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(lib.aclrtBinaryUnLoad(loaded.handle))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [0] + [STALE] * 7


def test_threads_register_and_find_ai_cpu_functions() -> None:
    out = handle_out()
    option = ffi.new('aclrtBinaryLoadOption *', {'type': lib.ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 'value': {'cpuKernelMode': 2}})
    options = ffi.new('aclrtBinaryLoadOptions *', {'options': option, 'numOpt': 1})
    assert lib.aclrtBinaryLoadFromData(b'library', 7, options, out) == 0
    binary = out[0]
    found: list[set[int]] = []

    def work() -> None:
        handle, mine = handle_out(), set()
        assert lib.aclrtSetDevice(0) == 0
        for index in range(200):
            assert lib.aclrtRegisterCpuFunc(binary, b'Run', f'Op{index}'.encode(), handle) == 0
            mine.add(int(ffi.cast('uintptr_t', handle[0])))
            assert lib.aclrtBinaryGetFunction(binary, f'Op{index}'.encode(), handle) == 0
        found.append(mine)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert found[0] == found[1] == found[2] == found[3]
    assert len(found[0]) == 200
    assert lib.aclrtBinaryUnLoad(binary) == 0


@pytest.mark.parametrize('call', ['destroy twice', 'load what is destroyed', 'load what nobody made'])
def test_a_wrong_descriptor_is_found(call: str) -> None:
    descriptor = lib.aclrtCreateBinary(b'data', 4)
    assert lib.aclrtDestroyBinary(descriptor) == 0
    wrong = ffi.new('char[64]') if call.endswith('made') else descriptor
    rc = lib.aclrtDestroyBinary(wrong) if call.startswith('destroy') else lib.aclrtBinaryLoad(wrong, handle_out())
    assert rc == lib.ACL_ERROR_INVALID_PARAM
    assert 'expected what aclrtCreateBinary returned and nobody has destroyed' in message()


UNBOUND = lib.ACL_ERROR_RT_FEATURE_NOT_SUPPORT  # as far as a kernel without a host implementation gets


@pytest.mark.parametrize(
    ('soc', 'library', 'wanted'),
    [
        ('Ascend950PR_9599', '"AICPUKernel"', UNBOUND),
        ('Ascend950PR_9599', '"Other"', lib.ACL_ERROR_RT_INTERNAL_ERROR),
        ('Ascend910B1', '"Other"', UNBOUND),
    ],
)
def test_only_the_950_family_looks_at_the_library_of_an_ai_cpu_kernel(tmp_path: pathlib.Path, soc: str, library: str, wanted: int) -> None:
    path, out = tmp_path / 'ops.json', handle_out()
    path.write_text(f'{{"Op": {{"opInfo": {{"opKernelLib": {library}}}}}}}')
    option = ffi.new('aclrtBinaryLoadOption *', {'type': lib.ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 'value': {'cpuKernelMode': 0}})
    options = ffi.new('aclrtBinaryLoadOptions *', {'options': option, 'numOpt': 1})
    assert lib.aclmock_set_soc(soc.encode()) == 1
    with Loaded(lib.aclrtBinaryLoadFromFile(str(path).encode(), options, out), out[0]) as loaded:
        assert lib.aclrtBinaryGetFunction(loaded.handle, b'Op', out) == 0
        stream = new_stream()
        assert launch(out[0], stream) == wanted, message()
        assert lib.aclrtDestroyStream(stream) == 0
    lib.aclmock_set_soc(ffi.NULL)
