"""acl_bind.mock: faults, counting, checks and starting again."""

from __future__ import annotations

import gc
import os
import sys
import time
from types import ModuleType

import numpy as np
import pytest

import acl_bind as ab
from acl_bind import _loader, rt
from acl_bind._ffi import ffi, lib

KERNELS = _loader.MOCK_PREFIX / 'kernels' / 'add_custom.o'
N = 8 * 2048


def line_here() -> str:
    """This call's line, as sites are told."""
    frame = sys._getframe(1)
    return f'{frame.f_code.co_filename}:{frame.f_lineno}'


def line_after() -> str:
    """The line below this call."""
    frame = sys._getframe(1)
    return f'{frame.f_code.co_filename}:{frame.f_lineno + 1}'


# ---- faults ---------------------------------------------------------------------------------------------------------


def test_the_nth_call_fails(acl_mock: ModuleType) -> None:
    with ab.Device(0) as device:
        acl_mock.fault('aclrtMalloc', 'ACL_ERROR_RT_MEMORY_ALLOCATION', 'no more today', nth=2)
        device.allocate(64)
        with pytest.raises(ab.AclMemoryError, match='no more today'):
            device.allocate(64)
        device.allocate(64)
        assert acl_mock.faults_left() == 0


def test_a_fault_ends_with_its_block(acl_mock: ModuleType) -> None:
    with ab.Device(0) as device:
        with acl_mock.fault('aclrtMalloc', 207001, times=None), pytest.raises(ab.AclMemoryError):
            device.allocate(64)
        device.allocate(64)
        rule = acl_mock.fault('aclrtMalloc', 207001, times=None)
        rule.remove()
        rule.remove()
        device.allocate(64)


@pytest.mark.parametrize(
    ('arguments', 'options', 'named'),
    [
        (('aclrtMallok', 207001), {}, 'aclrtMallok'),
        (('aclmock_live', 207001), {}, 'aclmock_live'),
        (('aclrtMalloc', 0), {}, 'code is 0'),
        (('aclrtMalloc', 'ACL_ERROR_NOPE'), {}, 'ACL_ERROR_NOPE'),
        (('aclrtMalloc', True), {}, 'code is True'),
        (('aclrtMalloc', 207001), {'nth': 0}, 'nth is 0'),
        (('aclrtMalloc', 207001), {'times': 0}, 'times is 0'),
    ],
)
def test_faults_that_cannot_be(acl_mock: ModuleType, arguments: tuple[object, ...], options: dict[str, int], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        acl_mock.fault(*arguments, **options)
    assert acl_mock.faults_left() == 0


def test_a_kernel_fails(acl_mock: ModuleType) -> None:
    with ab.Device(0) as device, device.create_stream() as stream:
        kernel = ab.Binary.from_file(KERNELS).get_kernel('add_simple')
        buffers = [device.empty(N, np.float16) for _ in range(3)]
        for buffer in buffers:
            buffer.fill(0)
        acl_mock.fault_kernel('add_simple', 'ACL_ERROR_RT_AICORE_EXCEPTION', nth=2)
        for _ in range(2):
            ab.launch(stream, ab.LaunchConfig(num_blocks=8), kernel, *buffers)
        with pytest.raises(ab.AclAicoreError, match='kernel add_simple'):
            stream.sync()
        ab.launch(stream, ab.LaunchConfig(num_blocks=8), kernel, *buffers)
        stream.sync()


def test_latency(acl_mock: ModuleType) -> None:
    with acl_mock.latency('aclrtSetDevice', 0.03, times=1):
        start = time.perf_counter()
        rt.set_device(0)
        assert time.perf_counter() - start >= 0.03
    with pytest.raises(ValueError, match='seconds is 0'):
        acl_mock.latency('aclrtSetDevice', 0)


def test_hidden_functions(acl_mock: ModuleType) -> None:
    with acl_mock.hide('aclrtGetSocName'):
        assert not lib.has('aclrtGetSocName')
        with pytest.raises(ab.AclSymbolNotFoundError, match='aclrtGetSocName'):
            lib.aclrtGetSocName()
        assert ab.backend().soc is None
    assert lib.has('aclrtGetSocName')
    assert ab.backend().soc


def test_another_version(acl_mock: ModuleType) -> None:
    before = ab.backend().version
    acl_mock.set_version(7, 8, 9)
    assert ab.backend().version == '7.8.9'
    acl_mock.reset()
    assert ab.backend().version == before


def test_less_memory(acl_mock: ModuleType) -> None:
    with ab.Device(0) as device:
        acl_mock.memory_limit(1 << 20)
        with pytest.raises(ab.AclMemoryError):
            device.allocate(2 << 20)
        device.allocate(1 << 19)
    with pytest.raises(ValueError, match='device_id 99'):
        acl_mock.memory_limit(1, device_id=99)


# ---- counting, holding, starting again ------------------------------------------------------------------------------


def test_what_is_alive(acl_mock: ModuleType) -> None:
    with ab.Device(0) as device:
        before = acl_mock.live()
        stream, buffer = device.create_stream(), device.allocate(64)
        after = acl_mock.live()
        assert {kind: after[kind] - before[kind] for kind in after if after[kind] != before[kind]} == {'streams': 1, 'blocks': 1}
        stream.close()
        buffer.close()
        assert acl_mock.live() == before


def test_held_work_does_not_run(acl_mock: ModuleType) -> None:
    with ab.Device(0) as device, device.create_stream() as stream:
        buffer = device.allocate(64)
        buffer.fill(1)
        with acl_mock.hold(stream):
            buffer.fill(2, stream=stream)
            assert not stream.is_done
            assert buffer.to_numpy()[0] == 1  # what a missing sync reads
            with pytest.raises(ab.AclTimeoutError):
                stream.sync(timeout=0.01)
        stream.sync()
        assert buffer.to_numpy()[0] == 2


def test_objects_are_closed_by_a_reset(acl_mock: ModuleType) -> None:
    device = ab.Device(0)
    stream, buffer = device.create_stream(), device.allocate(64)
    acl_mock.reset()
    assert device.is_closed
    assert stream.is_closed
    with pytest.raises(ab.AclHandleError, match='closed'):
        buffer.fill(0)
    buffer.close()
    with ab.Device(0) as again:
        assert again.allocate(64).to_numpy().shape == (64,)
    assert not any(count for kind, count in acl_mock.live().items() if kind not in ('args', 'contexts'))


def test_a_reset_reads_the_environment(acl_mock: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ACL_MOCK_DEVICE_COUNT', '3')
    acl_mock.reset()
    assert ab.device_count() == 3


def test_resets_leak_nothing(acl_mock: ModuleType, long: bool) -> None:
    def round_trip() -> None:
        device = ab.Device(0)
        device.create_stream()
        device.allocate(1000).fill(1)
        ab.Binary.from_file(KERNELS).get_kernel('add_simple')
        acl_mock.reset()

    for _ in range(3):
        round_trip()
    gc.collect()
    before = lib.aclmock_host_allocs()
    for _ in range(10000 if long else 30):
        round_trip()
    assert lib.aclmock_host_allocs() == before


# ---- checks ---------------------------------------------------------------------------------------------------------


def test_a_diagnosis_says_what_where_and_what_to_do(acl_mock: ModuleType) -> None:
    with acl_mock.checks('warn'), ab.Device(0) as device:
        made, buffer = line_here(), device.empty(100, np.uint8)
        read, _ = line_here(), buffer.to_numpy()
        (diagnosis,) = acl_mock.report()
        assert diagnosis.kind == 'unwritten-read'
        assert diagnosis.function == 'aclrtMemcpy'
        assert diagnosis.site == read
        assert f'aclrtMalloc made at {made}' in diagnosis.text
        assert str(diagnosis).startswith('unwritten-read: aclrtMemcpy: bytes 0 to 99')
        acl_mock.clear_report()
        assert acl_mock.report() == []


def test_under_error_the_call_raises(acl_mock: ModuleType) -> None:
    with acl_mock.checks('error'), ab.Device(0) as device:
        buffer = device.empty(100, np.uint8)
        with pytest.raises(ab.AclError, match='unwritten-read'):
            buffer.to_numpy()


def test_checks_end_with_their_block(acl_mock: ModuleType) -> None:
    with pytest.raises(ValueError, match="mode is 'loud'"), acl_mock.checks('loud'):
        pass
    with acl_mock.checks('error'):
        pass
    with ab.Device(0) as device:
        device.empty(100).to_numpy()
    assert acl_mock.report() == []


def test_memory_of_another_device(acl_mock: ModuleType) -> None:
    with acl_mock.checks('error'), ab.Device(1) as other, ab.Device(0) as device, device.create_stream() as stream:
        kernel = ab.Binary.from_file(KERNELS).get_kernel('add_simple')
        x, y = (device.empty(N, np.float16) for _ in range(2))
        z = other.empty(N, np.float16)
        with pytest.raises(ab.AclError):
            ab.launch(stream, ab.LaunchConfig(num_blocks=8), kernel, x, y, ab.Ptr(z.handle))
        assert 'wrong-device' in {each.kind for each in acl_mock.report()}


def test_a_launch_with_freed_memory(acl_mock: ModuleType) -> None:
    with acl_mock.checks('error'), ab.Device(0) as device, device.create_stream() as stream:
        kernel = ab.Binary.from_file(KERNELS).get_kernel('add_simple')
        buffers = [device.empty(N, np.float16) for _ in range(3)]
        address = buffers[2].handle
        buffers[2].close()
        block = ffi.new('uint64_t[3]', [buffers[0].handle, buffers[1].handle, address])
        with pytest.raises(ab.AclError, match='use-after-free'):
            rt.launch_kernel_with_host_args(kernel, 8, stream, None, block, 24, None, 0)


def test_memory_freed_under_a_pending_launch(acl_mock: ModuleType) -> None:
    with acl_mock.checks('error'), ab.Device(0) as device, device.create_stream() as stream:
        kernel = ab.Binary.from_file(KERNELS).get_kernel('add_simple')
        addresses = [rt.malloc(2 * N, lib.ACL_MEM_MALLOC_HUGE_FIRST) for _ in range(3)]
        with acl_mock.hold(stream):
            launched = line_after()
            ab.launch(stream, ab.LaunchConfig(num_blocks=8), kernel, *map(ab.Ptr, addresses))
            with pytest.raises(ab.AclError, match=f'add_simple on stream [0-9]+, queued at {launched}'):
                rt.free(addresses[1])
        stream.sync()
        for address in addresses:
            rt.free(address)
        assert [each.kind for each in acl_mock.report()] == ['free-in-use']


def test_leaks_since_a_mark(acl_mock: ModuleType) -> None:
    with acl_mock.checks('warn'), ab.Device(0) as device:
        start = acl_mock.mark()
        made, stream = line_here(), device.create_stream()
        (leak,) = acl_mock.leaks_since(start)
        assert leak.kind == 'leak'
        assert f'aclrtCreateStream made at {made}' in leak.text
        stream.close()
        assert acl_mock.leaks_since(start) == []


def test_an_honest_program_is_told_nothing(acl_mock: ModuleType) -> None:
    with acl_mock.checks('error'), ab.Device(0) as device, device.create_stream() as stream:
        kernel = ab.Binary.from_file(KERNELS).get_kernel('add_simple')
        x, y, z = (device.empty(N, np.float16) for _ in range(3))
        ones = np.ones(N, np.float16)
        x.copy_from(ones, stream=stream)
        y.copy_from(ones, stream=stream)
        for _ in range(20):
            ab.launch(stream, ab.LaunchConfig(num_blocks=8), kernel, x, y, z)
        del x, y
        stream.sync()
        assert z.to_numpy().tolist() == [2.0] * N
        z.close()
    assert acl_mock.report() == []
    assert 'ACL_MOCK_CHECK' in os.environ
