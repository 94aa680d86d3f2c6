"""Who lives how long: queued work, closing and dropping, devices that are reset, forks, and the end of the process."""

from __future__ import annotations

import gc
import pathlib
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import acl_bind as ab
from acl_bind import mock

Run = Callable[..., subprocess.CompletedProcess[str]]


def blocks() -> int:
    return int(ab.lib.aclmock_live(ab.lib.ACLMOCK_BLOCKS))


@pytest.fixture
def probe(device: ab.Device, build_kernels: Callable[[str], pathlib.Path]) -> Iterator[ab.Binary]:
    with ab.Binary.from_file(build_kernels('probe.c')) as binary:
        yield binary


# ---- while work is queued ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize('how', ['dropped', 'closed'])
def test_a_buffer_waits_for_the_launch_that_uses_it(device: ab.Device, stream: ab.Stream, probe: ab.Binary, how: str) -> None:
    kernel = probe.get_kernel('add_to_each')
    before = blocks()
    x: Any = device.empty(1, np.int32)
    with mock.hold(stream):
        ab.launch(stream, 1, kernel, x, np.int32(3))
        if how == 'closed':
            x.close()
            assert x.is_closed
        else:
            x = None
        gc.collect()
        assert blocks() == before + 1
    stream.sync()
    assert blocks() == before


def test_a_closed_buffer_waits_for_copies_and_every_stream(device: ab.Device, stream: ab.Stream) -> None:
    with device.create_stream() as second:
        before = blocks()
        x = device.empty(4, np.uint8)
        with mock.hold():
            x.fill(1, stream=stream)
            x.fill(2, stream=second)
            x.close()
        stream.sync()
        assert blocks() == before + 1
        second.sync()
        assert blocks() == before


def test_a_closed_buffer_without_work_is_freed_at_once(device: ab.Device, stream: ab.Stream) -> None:
    before = blocks()
    x = device.empty(4, np.uint8)
    x.fill(1, stream=stream)
    stream.sync()
    x.close()
    assert blocks() == before


def test_waiting_for_the_device_lets_go_too(device: ab.Device, stream: ab.Stream) -> None:
    before = blocks()
    x = device.empty(4, np.uint8)
    x.fill(1, stream=stream)
    device.default_stream.record()
    del x
    device.sync()
    assert blocks() == before


def test_is_done_lets_go_too(device: ab.Device, stream: ab.Stream) -> None:
    before = blocks()
    x = device.empty(4, np.uint8)
    x.fill(1, stream=stream)
    del x
    while not stream.is_done:
        pass
    assert blocks() == before


def test_arguments_that_were_replaced_wait_for_the_launch(device: ab.Device, stream: ab.Stream, probe: ab.Binary) -> None:
    args = probe.get_kernel('add_to_each').args(device.empty(1, np.int32), np.int32(1))
    before = blocks()
    with mock.hold(stream):
        ab.launch(stream, 1, args.kernel, args)
        args[0] = None
        gc.collect()
        assert blocks() == before
    stream.sync()
    assert blocks() == before - 1


def test_a_binary_that_is_closed_waits_for_its_launches(
    device: ab.Device, stream: ab.Stream, build_kernels: Callable[[str], pathlib.Path]
) -> None:
    binary = ab.Binary.from_file(build_kernels('probe.c'))
    x = device.empty(1, np.int32)
    x.fill(0)
    with mock.hold(stream):
        ab.launch(stream, 1, binary.get_kernel('add_to_each'), x, np.int32(3))
        binary.close(force=True)
        assert ab.lib.aclmock_live(ab.lib.ACLMOCK_BINARIES) == 1
    stream.sync()
    assert ab.lib.aclmock_live(ab.lib.ACLMOCK_BINARIES) == 0
    assert x.to_numpy()[0] == 3


def test_a_failed_stream_lets_go(device: ab.Device, stream: ab.Stream, probe: ab.Binary) -> None:
    x = device.empty(1, np.int32)
    gone = weakref.ref(x)
    ab.launch(stream, 1, probe.get_kernel('give_up'), x)
    del x
    with pytest.raises(ab.AclDeviceError, match='gave up'):
        stream.sync()
    gc.collect()
    assert gone() is None


# ---- devices that are reset --------------------------------------------------------------------------------------------


def test_what_outlives_its_device_frees_nothing_of_the_next(no_leaks: None) -> None:
    with ab.Device(0) as device:
        old = device.empty(64, np.uint8)
        stream = device.create_stream()
    with ab.Device(0) as device:
        new = device.empty(64, np.uint8)
        fresh = device.create_stream()
        old.close()
        stream.close()
        new.fill(7, stream=fresh)
        fresh.sync()
        assert (new.to_numpy() == 7).all()
        fresh.close()
        new.close()
    with pytest.raises(ab.AclHandleError):
        old.to_numpy()
    with pytest.raises(ab.AclHandleError):
        stream.sync()


def test_a_device_reset_by_somebody_else_is_noticed(no_leaks: None) -> None:
    device = ab.Device(0)
    old = device.empty(64, np.uint8)
    ab.rt.reset_device(0)
    with ab.Device(0) as again:
        new = again.empty(64, np.uint8)
        old.close()
        new.fill(7)
        assert (new.to_numpy() == 7).all()
        new.close()
    with pytest.raises(ab.AclError):
        device.close()


def test_a_second_object_of_a_device_keeps_it(device: ab.Device) -> None:
    with ab.Device(0) as second:
        x = second.empty(4, np.uint8)
    x.fill(3)
    assert (x.to_numpy() == 3).all()
    x.close()


# ---- forks -------------------------------------------------------------------------------------------------------------

FORK = """
import os, sys
import acl_bind as ab
import numpy as np
device = ab.Device(0)
stream, x, event = device.create_stream(), device.empty(4, np.uint8), device.create_event()
{between}
child = os.fork()
if child == 0:
    uses = {uses}
    for name, use in uses.items():
        try:
            use()
        except ab.AclForkError as error:
            assert 'spawn' in str(error)
        else:
            print(name, 'raised nothing')
    sys.exit(0)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0
x.fill(5, stream=stream)
stream.sync()
assert (x.to_numpy() == 5).all()
print('blocks', ab.lib.aclmock_live(ab.lib.ACLMOCK_BLOCKS), 'streams', ab.lib.aclmock_live(ab.lib.ACLMOCK_STREAMS))
"""
USES = """{
    'Device': lambda: ab.Device(0), 'device_count': ab.device_count, 'empty': lambda: device.empty(3), 'device.sync': device.sync,
    'stream.sync': stream.sync, 'is_done': lambda: stream.is_done, 'record': stream.record, 'event.sync': event.sync,
    'to_numpy': x.to_numpy, 'fill': x.fill, 'handle': lambda: x.handle, 'memory_info': lambda: device.memory_info,
    'x.close': x.close, 'stream.close': stream.close,
}"""


@pytest.mark.parametrize('between', ['', 'x.fill(1, stream=stream)'], ids=['idle', 'with work pending'])
def test_a_forked_child_is_told_and_frees_nothing(run_python: Run, between: str) -> None:
    done = run_python(FORK.format(uses=USES, between=between))
    assert (done.stdout, done.stderr, done.returncode) == ('blocks 1 streams 1\n', '', 0)


def test_a_fork_before_the_first_use_is_no_matter(run_python: Run) -> None:
    code = """
import os
import acl_bind as ab
ab.lib, ab.Device
child = os.fork()
with ab.Device(0) as device, device.create_stream() as stream:
    stream.sync()
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    print('both')
"""
    done = run_python(code)
    assert (done.stdout, done.stderr, done.returncode) == ('both\n', '', 0)


# ---- the end -----------------------------------------------------------------------------------------------------------

SETUP = """
import sys, threading
import numpy as np
import acl_bind as ab
device = ab.Device(0)
stream, context, event = device.create_stream(), device.create_context(), device.create_event()
x = device.empty(1 << 16, np.uint8)
binary = ab.Binary.from_file(sys.argv[1] if len(sys.argv) > 1 else {binary!r})
kernel = binary.get_kernel('do_nothing')
args = kernel.args(x)
"""
ENDS = {
    'everything alive': '',
    'in a cycle': 'cycle = [device, stream, x, kernel]; cycle.append(cycle)',
    'in a cycle of objects': 'x.self = x; stream.x = x; x.stream = stream; device.x = x',
    'in a module': 'import types; module = types.ModuleType("m"); sys.modules["m"] = module; module.things = [x, stream, args]',
    'in a thread that waits': 'threading.Thread(target=lambda *_: threading.Event().wait(), args=(x, stream, args), daemon=True).start()',
    'from a thread': 'thread = threading.Thread(target=lambda: ab.Device(0).create_stream()); thread.start(); thread.join()',
    'with work pending': 'x.fill(1, stream=stream); ab.launch(stream, 4, kernel, args)',
    'with a host function pending': 'stream.launch_host_func(print, "called")',
    'after an exception': 'sys.excepthook = lambda *_: None; raise SystemExit(0)',
    'sys.exit inside a with': 'with ab.Device(0) as other, other.create_stream() as s: s.sync(); sys.exit(0)',
    'a capsule out': 'capsule = x.__dlpack__(); other = x.__dlpack__(max_version=(1, 0))',
    'closed in the wrong order': 'device.close(); context.close(); x.close(); stream.close(); binary.close(force=True)',
}


@pytest.mark.parametrize('end', ENDS)
def test_the_end_of_the_process_is_quiet(run_python: Run, build_kernels: Callable[[str], pathlib.Path], long: bool, end: str) -> None:
    code = SETUP.format(binary=str(build_kernels('probe.c'))) + ENDS[end]
    for _ in range(200 if long else 1):
        done = run_python(code, PYTHONFAULTHANDLER='1')
        assert (done.returncode, done.stderr) == (0, '')


def test_nothing_is_left_at_the_end(run_python: Run, build_kernels: Callable[[str], pathlib.Path]) -> None:
    watch = """
import atexit
atexit.register(lambda: print([ab.lib.aclmock_live(kind) for kind in (ab.lib.ACLMOCK_STREAMS, ab.lib.ACLMOCK_EVENTS,
                               ab.lib.ACLMOCK_BINARIES, ab.lib.ACLMOCK_BLOCKS)]))
"""
    code = 'import acl_bind as ab\n' + watch + SETUP.format(binary=str(build_kernels('probe.c')))
    done = run_python(code)
    assert (done.stdout, done.returncode) == ('[0, 0, 0, 0]\n', 0), done.stderr


def test_a_class_is_no_handle_of_another(device: ab.Device, stream: ab.Stream) -> None:
    assert ab.Stream.from_handle(stream.handle) == stream
    assert ab.Event.from_handle(stream.handle) != stream
    assert len({stream, ab.Stream.from_handle(stream.handle), device.default_stream}) == 2
    assert sys.getrefcount(stream) < 20
