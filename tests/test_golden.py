"""The argument lists and launches of tests/golden/args_vectors.json.gz, which the real library executed, replayed on the mock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from golden_data import recordings
from golden_steps import ArgsReplay, exception

import acl_bind as ab
from acl_bind import lib

RECORDINGS = recordings('cases', 'args_vectors.json.gz')
CASES = {prefix + case['name']: (recording['constants'], case) for prefix, recording in RECORDINGS for case in recording['cases']}

# Where the real library corrupts memory or wraps, the mock refuses with 107000 and says why.
POINTER, PAST, BEHIND = (
    'writes a pointer past the end of the arguments', 'writes past the end of the memory it was given', 'copies what lies behind the buffer'
)  # fmt: skip
EXCEPTIONS = {
    'hostargs_addr_last_byte': {POINTER},
    'hostargs_cpu_bad_offsets': {PAST},
    'sizes_aicore': {'the sum of sizes wraps'},
    'sys_get_buffer_size_wraps_to_0': {'the size wraps'},
    'sys_get_buffer_size_wraps_to_4': {'the size wraps'},
    'user_buf_4_ffts_finalize': {PAST},
    'user_buf_smaller_than_sys': {BEHIND},
    'user_buf_smaller_than_sys_finalize_only': {BEHIND},
}


@pytest.fixture
def recorded_launches(device: ab.Device) -> Iterator[None]:
    lib.aclmock_record_launches(1)
    yield
    lib.aclmock_record_launches(0)


@pytest.mark.parametrize('name', CASES)
def test_replay(name: str, recorded_launches: None) -> None:
    constants, case = CASES[name]
    assert lib.aclmock_set_hidden(int(constants['overflow_addr'], 16), int(constants['inter_core_sync_addr'], 16)) == 0
    replay = ArgsReplay(case)
    try:
        replay.run()
    finally:
        replay.close()


def reasons(case: dict[str, Any]) -> set[str]:
    return {reason for step in case['steps'] if (reason := exception(step))}


def test_the_exceptions_are_these() -> None:
    own = {case['name']: reasons(case) for case in RECORDINGS[0][1]['cases']}
    assert {name: found for name, found in own.items() if found} == EXCEPTIONS
