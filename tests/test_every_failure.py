"""Each C function that an object calls, made to fail once: the code comes out as an AclError that names the function.

What is called is not listed here but recorded: a good run of each step is traced, then the step is run again for every
function in the trace, with that one failing.
"""

from __future__ import annotations

import dataclasses
import gc
import pathlib
from collections.abc import Callable, Iterator
from types import ModuleType

import numpy as np
import pytest

import acl_bind as ab

# A failure of these is an answer (no context, not supported), or is met by going on in another way.
ANSWERS = {
    'aclrtGetCurrentContext': 'tells that the thread has none',
    'aclrtGetDevice': 'tells that the device is not known',
    'aclrtSetCurrentContext': "puts the thread's own back as well as it can; see the last test for the way there",
    'aclrtFunctionGetParamCount': 'a refusal means that the binary has no table',
    'aclrtGetSocName': 'returns no code',
    'aclGetRecentErrMsg': 'returns no code',
}
HOST = np.arange(64, dtype=np.uint8)


@dataclasses.dataclass
class World:
    """What the steps work on."""

    device: ab.Device
    stream: ab.Stream
    buffer: ab.DeviceBuffer
    binary: ab.Binary
    event: ab.Event
    path: pathlib.Path


def new(world: World) -> ab.Kernel:
    """A kernel object that has not asked the library anything yet."""
    return world.binary.get_kernel('add_to_each')


def launch_list(world: World) -> None:
    kernel = new(world)
    ab.launch(world.stream, 1, kernel, kernel.args(world.buffer, np.int32(1)))


STEPS: dict[str, Callable[[World], object]] = {
    'open a device': lambda world: ab.Device(1).close(),
    'count devices': lambda world: ab.device_count(),
    'ask for memory': lambda world: world.device.memory_info,
    'wait for a device': lambda world: world.device.sync(),
    'wait for a device, with a limit': lambda world: world.device.sync(1.0),
    'make a context': lambda world: world.device.create_context().close(),
    'make a stream': lambda world: world.device.create_stream().close(),
    'make a stream with a priority': lambda world: world.device.create_stream(priority=1).close(),
    'wait for a stream': lambda world: world.stream.sync(),
    'wait for a stream, with a limit': lambda world: world.stream.sync(1.0),
    'ask a stream': lambda world: world.stream.is_done,
    'make an event': lambda world: world.device.create_event().close(),
    'record an event': lambda world: world.event.record(world.stream),
    'wait for an event': lambda world: world.event.sync(),
    'wait for an event in a stream': lambda world: world.stream.wait(world.event),
    'subtract events': lambda world: world.event - world.event,
    'allocate': lambda world: world.device.allocate(8).close(),
    'copy in': lambda world: world.buffer.copy_from(HOST),
    'copy in, in order': lambda world: world.buffer.copy_from(HOST, stream=world.stream),
    'copy out': lambda world: world.buffer.to_numpy(),
    'copy out, in order': lambda world: world.buffer.to_numpy(stream=world.stream),
    'fill': lambda world: world.buffer.fill(1),
    'fill, in order': lambda world: world.buffer.fill(1, stream=world.stream),
    'load a file': lambda world: ab.Binary.from_file(world.path).close(),
    'load bytes': lambda world: ab.Binary.from_bytes(world.path.read_bytes()).close(),
    'find a kernel': lambda world: world.binary.get_kernel('do_nothing'),
    'attributes of a kernel': lambda world: world.binary.get_kernel('do_nothing').attributes,
    'arguments': lambda world: new(world).args(world.buffer, np.int32(1)),
    'change an argument': lambda world: new(world).args(world.buffer, np.int32(1)).__setitem__(1, np.int32(2)),
    'launch': lambda world: ab.launch(world.stream, 1, new(world), world.buffer, np.int32(1)),
    'launch a new signature': lambda world: ab.launch(world.stream, 1, new(world), world.buffer, np.int64(3), np.int8(1)),
    'launch with a placeholder': lambda world: ab.launch(world.stream, 1, new(world), ab.Placeholder(b'12345678'), np.int32(1)),
    'launch a list': launch_list,
}


@pytest.fixture
def world(acl_mock: ModuleType, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[World]:
    path = build_kernels('probe.c')
    with ab.Device(0) as device, ab.Binary.from_file(path) as binary:
        event = device.create_event()
        world = World(device, device.create_stream(), device.allocate(64), binary, event, path)
        event.record(world.stream)
        world.stream.sync()
        yield world


def run(step: Callable[[World], object], world: World) -> None:
    step(world)
    world.stream.sync()


def functions_of(step: Callable[[World], object], world: World, mock: ModuleType) -> list[str]:
    """The C functions that the step calls, once each."""
    with mock.trace() as trace:
        run(step, world)
        gc.collect()
    names = dict.fromkeys(call.name for call in trace.calls)
    return [name for name in names if name not in ANSWERS]


@pytest.mark.parametrize('name', STEPS)
def test_no_code_is_dropped(name: str, world: World, acl_mock: ModuleType) -> None:
    step = STEPS[name]
    functions = functions_of(step, world, acl_mock)
    assert functions
    for function in functions:
        with acl_mock.fault(function, 'ACL_ERROR_RT_DRV_INTERNAL_ERROR', f'{function} on purpose'):
            with pytest.raises(ab.AclError, match='error code is 507899') as caught:
                run(step, world)
            assert caught.value.api == function
            assert f'{function} on purpose' in str(caught.value)
        world.stream.sync()


def test_the_steps_call_what_objects_are_made_of(world: World, acl_mock: ModuleType) -> None:
    """So that a step that calls nothing any more does not pass unseen."""
    seen = {function for step in STEPS.values() for function in functions_of(step, world, acl_mock)}
    assert len(seen) >= 30, sorted(seen)


def test_the_way_to_another_context(world: World, acl_mock: ModuleType) -> None:
    with ab.Device(1) as other, other.allocate(64) as buffer:
        world.device.set_current()
        fault = acl_mock.fault('aclrtSetCurrentContext', 'ACL_ERROR_RT_DRV_INTERNAL_ERROR')
        with fault, pytest.raises(ab.AclError, match='aclrtSetCurrentContext failed, error code is 507899'):
            buffer.fill(1)
