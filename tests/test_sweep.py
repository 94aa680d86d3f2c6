"""Every function of a flow fails once: the objects raise, and nothing is left behind."""

from __future__ import annotations

import contextlib
import gc
from collections import Counter
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import acl_bind as ab
from acl_bind import _loader, mock

KERNELS = _loader.MOCK_PREFIX / 'kernels' / 'add_custom.o'
N = 8 * 2048
CODE = 'ACL_ERROR_RT_INTERNAL_ERROR'

# A failure of these is not the program's business: "none" is an ordinary answer, or it is part of telling another failure.
QUIET = {
    'aclrtGetCurrentContext': 'a thread without a context gives the same code',
    'aclGetRecentErrMsg': 'the failure it would explain is raised without it',
}
# These end something, or lead to where it can be ended; when they refuse, it is still there.
ENDS = {
    'aclrtSetCurrentContext',
    'aclrtFree',
    'aclrtFreeHost',
    'aclrtDestroyStream',
    'aclrtDestroyEvent',
    'aclrtDestroyContext',
    'aclrtBinaryUnLoad',
}


def copies(device: ab.Device) -> None:
    with device.create_stream() as stream, device.empty(64, np.float32) as x:
        host = np.arange(64, dtype=np.float32)
        x.copy_from(host)
        x.fill(1, stream=stream)
        stream.sync()
        x.copy_from(host, stream=stream)
        assert np.array_equal(x.to_numpy(stream=stream), host)
        assert stream.is_done
        assert device.memory_info[0] > 0


def launches(device: ab.Device) -> None:
    with contextlib.ExitStack() as stack:
        stream = stack.enter_context(device.create_stream())
        binary = stack.enter_context(ab.Binary.from_file(KERNELS))
        x, y, z = (stack.enter_context(device.empty(N, np.float16)) for _ in range(3))
        x.fill(0)
        y.fill(0)
        config = ab.LaunchConfig(num_blocks=8, timeout=10.0)
        ab.launch(stream, config, binary.get_kernel('add_simple'), x, y, z)
        stream.sync(timeout=10)
        total, tiles = ab.Placeholder(np.uint32(N)), ab.Placeholder(np.uint32(8))
        ab.launch(stream, ab.LaunchConfig(num_blocks=8), binary.get_kernel('add_custom'), x, y, z, total, tiles)
        stream.sync()
        assert not z.to_numpy().any()


def argument_lists(device: ab.Device) -> None:
    with contextlib.ExitStack() as stack:
        stream = stack.enter_context(device.create_stream())
        binary = stack.enter_context(ab.Binary.from_bytes(KERNELS.read_bytes()))
        buffers = [stack.enter_context(device.empty(N, np.float16)) for _ in range(3)]
        for buffer in buffers:
            buffer.fill(0)
        args = binary.get_kernel('add_simple').args(*buffers)
        for _ in range(2):
            ab.launch(stream, ab.LaunchConfig(num_blocks=8), binary.get_kernel('add_simple'), args)
            args[0] = buffers[1]
        stream.sync()


def events(device: ab.Device) -> None:
    with device.allocate(64) as x, device.create_stream() as first, device.create_stream() as second:
        begin = first.record(timing=True)
        x.fill(1, stream=first)
        with begin, first.record(timing=True) as end:
            second.wait(end)
            x.fill(2, stream=second)
            second.sync()
            end.sync()
            assert end.is_done
            assert end - begin >= 0


def contexts(device: ab.Device) -> None:
    with device.create_context() as context, context.allocate(64) as x, context.create_stream() as stream:
        x.fill(1, stream=stream)
        stream.sync()
        context.sync()


FLOWS = [copies, launches, argument_lists, events, contexts]


def functions_of(flow: Callable[[ab.Device], None], device: ab.Device) -> Counter[str]:
    """How often the flow calls each function."""
    flow(device)  # once for what is cached
    with mock.trace() as trace:
        flow(device)
    return Counter(call.name for call in trace.calls)


def left_over(before: dict[str, int]) -> dict[str, int]:
    gc.collect()
    after = mock.live()
    kinds = ('contexts', 'streams', 'events', 'binaries', 'blocks')
    return {kind: after[kind] - before[kind] for kind in kinds if after[kind] != before[kind]}


def fail_once(flow: Callable[[ab.Device], None], device: ab.Device, function: str, nth: int) -> bool:
    """Whether it raised an AclError; another error goes through."""
    raised = ''
    with mock.fault(function, CODE, nth=nth):
        try:
            flow(device)
        except ab.AclError as error:
            raised = str(error)
        assert mock.faults_left() == 0, f'{function} was not called {nth} times'
    assert not raised or (function in raised and f'error code is {getattr(ab.lib, CODE)}' in raised), raised
    return bool(raised)


@pytest.mark.parametrize('flow', FLOWS)
def test_every_function_fails_once(flow: Callable[[ab.Device], None], acl_mock: ModuleType, long: bool) -> None:
    with ab.Device(0) as device:
        wrong = []
        for function, count in functions_of(flow, device).items():
            for nth in range(1, (count if long else min(count, 2)) + 1):
                before = mock.live()
                raised = fail_once(flow, device, function, nth)
                left = left_over(before)
                if raised == (function in QUIET) or (left and function not in ENDS):
                    wrong.append(f'{function}, call {nth}: {"raised" if raised else "was silent"}, left {left}')
        assert not wrong, '\n'.join(wrong)


@pytest.mark.parametrize('flow', FLOWS)
def test_every_allocation_of_the_mock_fails_once(flow: Callable[[ab.Device], None], acl_mock: ModuleType, long: bool) -> None:
    """No crash, an AclError or nothing, and nothing left behind."""
    with ab.Device(0) as device:
        flow(device)
        failed = False
        for after in range(1000):
            before = mock.live()
            ab.lib.aclmock_fail_host_alloc(after)
            with contextlib.suppress(ab.AclError):
                flow(device)
            reached = ab.lib.aclmock_host_allocs_left() < 0
            ab.lib.aclmock_fail_host_alloc(-1)
            assert left_over(before) == {}, f'allocation {after}'
            failed = failed or reached
            if not reached:
                break
        assert failed


def test_the_flows_call_most_of_what_the_objects_use(acl_mock: ModuleType) -> None:
    with ab.Device(0) as device:
        called = set().union(*(functions_of(flow, device) for flow in FLOWS))
    assert len(called) > 30, sorted(called)
