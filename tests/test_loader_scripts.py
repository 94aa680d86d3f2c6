"""Step scripts of the real loader, replayed: options, AI CPU programs, lifetimes over devices and resets."""

from __future__ import annotations

import json
import pathlib
import re

import pytest
from loader_records import entries
from loader_replay import BAD_PARAM, Record, message
from loader_scripts import Script, write_files

from acl_bind import lib


@pytest.mark.parametrize(('entry', 'records'), entries('options', 'aicpu', 'lifetime'))
def test_a_script(entry: Record, records: Record, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path.parent / re.sub(r'\W', '_', tmp_path.name)  # a dot in its path would name other companions
    folder.mkdir(exist_ok=True)
    write_files(records['script_files'], folder)
    monkeypatch.chdir(folder)
    script = Script(folder)
    if not entry.get('no_device'):
        assert lib.aclrtSetDevice(0) == 0
    try:
        for step in entry['steps']:
            assert script.run(step) == []
        if 'died' in entry:
            step = json.loads(re.sub(r'^step \d+ ', '', entry['died']['stage']))
            assert script.run({**step, 'rc': BAD_PARAM, 'last_error': BAD_PARAM}) == []
            assert message()
    finally:
        script.close()
