"""Records of the real loader: those of tests/golden/, and of the files that ACL_BIND_LOADER_GOLDEN names (colons between)."""

from __future__ import annotations

import os
import pathlib
import re
from typing import Any

import pytest
from conftest import ROOT
from golden_data import GOLDEN, load
from loader_replay import Record

Entry = tuple[Record, Record]  # with the whole record file it is from
NO_REAL_FILES = 'no records of real binaries: ACL_BIND_LOADER_GOLDEN names none, and ../shared/golden has none'


def record_files() -> list[pathlib.Path]:
    named = [pathlib.Path(path) for path in os.environ.get('ACL_BIND_LOADER_GOLDEN', '').split(':') if path]
    beside = ROOT.parent / 'shared' / 'golden' / 'loader_vectors.json.gz'
    return [GOLDEN / 'loader_vectors.json.gz', *(named or [beside] * beside.exists())]


FILES = [load(path) for path in record_files()]


def params(found: dict[str, Any]) -> list[Any]:
    if not found:
        return [pytest.param(None, None, marks=pytest.mark.skip(reason=NO_REAL_FILES))]
    return [pytest.param(*entry, id=re.sub(r'[^\w.+-]+', '_', name)) for name, entry in found.items()]


def entries(*parts: str) -> list[Any]:
    """The entries of some parts, each once, with their names as ids."""
    found: dict[str, Entry] = {}
    for records in FILES:
        for part in parts:
            for entry in records.get(part, []):
                name = f'{part}-{entry["name"]}'
                while name in found and found[name][0] != entry:
                    name += '+'  # another file's, of the same name
                found[name] = entry, records
    return params(found)


def real_files() -> list[Any]:
    found = {sha[:16]: (sha, records) for records in FILES for sha in records.get('files', {})}
    return params(found)
