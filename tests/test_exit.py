"""The end of the interpreter in twelve states, and a fork with work pending: exit code 0, nothing on stderr."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

START = """
import contextlib, faulthandler, gc, os, sys, threading, time
faulthandler.enable()
import numpy as np
import acl_bind as ab
from acl_bind import _loader, mock, rt
device = ab.Device(0)

def make():
    stream = device.create_stream()
    other = device.create_stream()
    binary = ab.Binary.from_file(_loader.MOCK_PREFIX / 'kernels' / 'add_custom.o')
    kernel = binary.get_kernel('add_simple')
    buffers = [device.empty(8 * 2048, np.float16) for _ in range(3)]
    for buffer in buffers:
        buffer.fill(0)
    args = kernel.args(*buffers)
    event = stream.record()
    other.wait(event)
    context = device.create_context()
    return stream, other, binary, kernel, buffers, args, event, context

def work(things, times=50):
    stream, _, _, kernel, buffers, *_ = things
    for _ in range(times):
        ab.launch(stream, ab.LaunchConfig(num_blocks=8), kernel, *buffers)
"""

# An exit waits 10 s for work that does not end. The test has no time for that.
IMPATIENT = 'from acl_bind import stream; stream._Exit.timeout_ms = 200\n'

STATES = {
    'every object alive in a global': 'things = make()',
    'objects in a cycle': 'cycle = [make()]; cycle.append(cycle); del cycle',
    'objects in a cycle that a global holds': 'cycle = [make()]; cycle.append(cycle)',
    'objects on a module and on a class': 'class Holder: things = make()\nsys.modules["builtins"].held = make()',
    'work pending': 'things = make(); work(things)',
    'work pending, its objects dropped': 'things = make(); work(things); del things',
    'work that never ends': IMPATIENT + 'things = make(); ab.lib.aclmock_hold(ab.ffi.NULL, 1); work(things)',
    'a thread at work': (
        # The thread is told that its objects, or their context, are gone, if it comes to that.
        'things = make()\ndef run():\n    with contextlib.suppress(ab.AclError):\n        while True: work(things, 1)\n'
        'threading.Thread(target=run, daemon=True).start(); time.sleep(0.02)'
    ),
    'a thread that waits for a stream': (
        IMPATIENT + 'things = make(); ab.lib.aclmock_hold(ab.ffi.NULL, 1); work(things)\n'
        'threading.Thread(target=lambda: things[0].sync(), daemon=True).start(); time.sleep(0.02)'
    ),
    'objects made and dropped in a thread': 'thread = threading.Thread(target=lambda: work(make())); thread.start(); thread.join()',
    'sys.exit with objects in an exception': (
        'try:\n    things = make(); work(things); raise RuntimeError(things)\nexcept RuntimeError: sys.exit(0)'
    ),
    'handles of flat calls': 'rt.set_device(0); stream = rt.create_stream(); address = rt.malloc(64, 0); things = make()',
}


@pytest.mark.parametrize('state', STATES.values(), ids=STATES.keys())
def test_the_interpreter_ends(state: str, long: bool, run_python: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    for _ in range(200 if long else 1):
        done = run_python(START + state)
        assert (done.returncode, done.stderr) == (0, '')


FORK = """
things = make()
mock_hold = mock.hold()
mock_hold.__enter__()
work(things)
before = mock.live()
child = os.fork()
if child == 0:
    try:
        work(things, 1)
    except ab.AclForkError as error:
        assert 'spawn' in str(error)
    else:
        os._exit(3)
    del things
    gc.collect()
    sys.exit(0)  # an ordinary end: atexit steps and finalizers run, and free nothing of the parent's
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
assert mock.live() == before
mock_hold.__exit__(None, None, None)
things[0].sync()
assert not things[4][2].to_numpy().any()
"""


def test_a_fork_with_work_pending(run_python: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = run_python(START + FORK)
    assert (done.returncode, done.stderr) == (0, '')


@pytest.mark.parametrize('way', ['del things; gc.collect(); os._exit(0)', 'os._exit(0)', 'sys.exit(0)', 'things[0].close()'])
def test_ways_to_end_a_forked_child(run_python: Callable[..., subprocess.CompletedProcess[str]], way: str) -> None:
    guarded = f'try:\n        {way}\n    except ab.AclForkError:\n        sys.exit(0)'
    child = f'things = make(); work(things)\nif os.fork() == 0:\n    {guarded}\n    sys.exit(0)\n'
    done = run_python(START + child + '_, status = os.wait()\nassert status == 0, status\nthings[0].sync()\n')
    assert (done.returncode, done.stderr) == (0, '')
