"""The trace: calls, tasks, and the file for Perfetto."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import threading
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acl_bind as ab
from acl_bind import _loader, rt

KERNELS = _loader.MOCK_PREFIX / 'kernels' / 'add_custom.o'
N = 8 * 2048


def test_calls_and_tasks(acl_mock: ModuleType) -> None:
    with ab.Device(0) as device, device.create_stream() as stream:
        kernel = ab.Binary.from_file(KERNELS).get_kernel('add_simple')
        buffers = [device.empty(N, np.float16) for _ in range(3)]
        with acl_mock.trace() as trace:
            ab.launch(stream, ab.LaunchConfig(num_blocks=8), kernel, *buffers)
            stream.sync()
            with pytest.raises(ab.AclInvalidArgumentError):
                rt.set_device(-3)
        (launch,) = trace.tasks
        assert (launch.name, launch.kernel, launch.num_blocks, launch.device) == ('launch', 'add_simple', 8, 0)
        (call,) = (call for call in trace.calls if call.task == launch.number)
        assert call.name.startswith('aclrtLaunchKernel')
        assert call.arguments['stream'] == stream.handle
        assert call.thread == threading.get_native_id()
        assert call.start <= launch.start <= (launch.end or 0)
        (failed,) = (call for call in trace.calls if call.name == 'aclrtSetDevice')
        assert failed.result == ab.lib.ACL_ERROR_RT_INVALID_DEVICEID
        assert failed.arguments == {'deviceId': -3}
        assert trace.lost == 0
        assert repr(trace) == f'<Trace of {len(trace.calls)} calls and 1 tasks>'


def test_only_the_last_ones_are_kept(acl_mock: ModuleType) -> None:
    with acl_mock.trace(keep=5) as trace:
        for device in range(12):
            assert ab.lib.aclrtSetDevice(-1 - device) != 0
    assert [call.arguments['deviceId'] for call in trace.calls] == [-8, -9, -10, -11, -12]
    assert trace.lost == 7
    with pytest.raises(ValueError, match='keep is 0'), acl_mock.trace(keep=0):
        pass


def flow_with_events(mock: ModuleType) -> Any:
    with ab.Device(0) as device, device.create_stream() as first, device.create_stream() as second:
        buffer = device.allocate(64)
        with mock.trace() as trace:
            buffer.fill(1, stream=first)
            second.wait(first.record())
            buffer.fill(2, stream=second)
            second.sync()
            first.sync()
        return trace


def test_the_file_has_lanes_and_arrows(acl_mock: ModuleType, tmp_path: pathlib.Path) -> None:
    trace = flow_with_events(acl_mock)
    trace.save(tmp_path / 'out.json')
    document = json.loads((tmp_path / 'out.json').read_text())
    events = document['traceEvents']
    names = {event['args']['name'] for event in events if event['ph'] == 'M'}
    assert {'host', 'device 0'} < names
    assert len({name for name in names if name.startswith('stream ')}) == 2
    spans = [event for event in events if event['ph'] == 'X']
    assert len(spans) == len(trace.calls) + len(trace.tasks)
    assert all(span['dur'] >= 0 for span in spans)
    starts = {(event['cat'], event['id']): event for event in events if event['ph'] == 's'}
    ends = {(event['cat'], event['id']): event for event in events if event['ph'] == 'f'}
    assert starts.keys() == ends.keys()
    assert {category for category, _ in starts} == {'queued', 'event'}
    (arrow,) = (key for key in starts if key[0] == 'event')
    assert starts[arrow]['tid'] != ends[arrow]['tid']  # from one stream's lane to the other's
    for key, start in starts.items():
        for end in (start, ends[key]):
            assert any(
                span['pid'] == end['pid'] and span['tid'] == end['tid'] and span['ts'] <= end['ts'] <= span['ts'] + span['dur']
                for span in spans
            ), end


SCRIPT = """
import sys
import acl_bind as ab
with ab.Device(0) as device:
    device.allocate(64).fill(0)
print(*sys.argv[1:])
sys.exit(3)
"""


def run_trace(*arguments: str, cwd: pathlib.Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, '-c', 'import sys; from acl_bind.commands import main; sys.exit(main())', 'trace', *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, timeout=60)


def test_a_script_is_traced(tmp_path: pathlib.Path) -> None:
    (tmp_path / 'script.py').write_text(SCRIPT)
    done = run_trace('-o', 'out.json', 'script.py', 'one', '--two', cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert done.stdout == 'one --two\n'
    assert 'out.json: <Trace of' in done.stderr
    names = {event['name'] for event in json.loads((tmp_path / 'out.json').read_text())['traceEvents']}
    assert {'aclInit', 'aclrtSetDevice', 'aclrtMalloc', 'aclrtMemset', 'aclrtFree', 'aclrtResetDevice'} < names


def test_a_script_that_fails_leaves_its_trace(tmp_path: pathlib.Path) -> None:
    (tmp_path / 'script.py').write_text('import acl_bind as ab\nab.Device(77)\n')
    done = run_trace('script.py', cwd=tmp_path)
    assert done.returncode == 1
    assert 'AclInvalidArgumentError' in done.stderr
    assert 'script.py", line 2' in done.stderr
    assert (tmp_path / 'trace.json').exists()
    assert run_trace('no.py', cwd=tmp_path).stderr == 'acl-bind: no script no.py\n'
