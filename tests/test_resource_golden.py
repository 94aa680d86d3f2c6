"""What the real library answered around a launch (tests/golden/resource_vectors.json.gz), replayed on the mock.

Other files of the same format: ACL_BIND_RESOURCE_GOLDEN, paths with colons between.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from golden_data import recordings
from resource_replay import DIED, Replay

from acl_bind import lib

RECORDINGS = recordings('cases', 'resource_vectors.json.gz', 'ACL_BIND_RESOURCE_GOLDEN')
CASES = {prefix + case['name']: case for prefix, recording in RECORDINGS for case in recording['cases']}

# Where the real process dies, by the step, and what the mock answers there and in the steps that were not reached.
DEAD_EVENT = 'an event that a device reset has ended: 107017, as for a destroyed one'
DEAD_STREAM = 'the default stream, destroyed through its handle: 107017'
OTHER_CONFIG = 'no configuration after one from a file: 100000, as for another file'
DEATHS = {
    'device_reset_handles_after': DEAD_EVENT,
    'device_reset_unrecorded_event_after': DEAD_EVENT,
    'init_content_change': OTHER_CONFIG,
    'init_null_after_file_finalize': OTHER_CONFIG,
    'stream_default_named': DEAD_STREAM,
    'stream_default_named_force': DEAD_STREAM,
}
ANSWERS = {DEAD_EVENT: 'ACL_ERROR_RT_INVALID_HANDLE', DEAD_STREAM: 'ACL_ERROR_RT_INVALID_HANDLE', OTHER_CONFIG: 'ACL_ERROR_INVALID_PARAM'}


@pytest.fixture(scope='session')
def config_files(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp('config')
    for _, recording in RECORDINGS:
        for name, text in recording['meta']['config_files'].items():
            (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize('name', CASES)
def test_replay(name: str, build_kernels: Callable[[str], pathlib.Path], config_files: pathlib.Path) -> None:
    lib.aclmock_reset()
    replay = Replay(CASES[name], build_kernels('idle.c').read_bytes(), 'idle', config_files)
    try:
        replay.run()
    finally:
        replay.close()
    for step, returned in replay.died:
        answer = ANSWERS[DEATHS[name]] if name in DEATHS else None
        assert answer is None or returned == getattr(lib, answer), step


def dies(case: dict[str, Any]) -> bool:
    return any(str(step['rc']).startswith(DIED) for step in case['steps'])


def test_the_deaths_are_these() -> None:
    assert {case['name'] for case in RECORDINGS[0][1]['cases'] if dies(case)} == set(DEATHS)
