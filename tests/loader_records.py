"""Records of the real loader: those of tests/golden/, and one more file that ACL_BIND_LOADER_GOLDEN names."""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import re
from typing import Any

import pytest
from conftest import ROOT, TESTS
from loader_replay import Record

Entry = tuple[Record, Record]  # with the whole record file it is from
NO_REAL_FILES = 'no records of real binaries: ACL_BIND_LOADER_GOLDEN names none, and ../shared/golden has none'


def record_files() -> list[pathlib.Path]:
    named = os.environ.get('ACL_BIND_LOADER_GOLDEN')
    beside = ROOT.parent / 'shared' / 'golden' / 'loader_vectors.json.gz'
    others = [pathlib.Path(named)] if named else [beside] if beside.exists() else []
    return [TESTS / 'golden' / 'loader_vectors.json.gz', *others]


def read(path: pathlib.Path) -> Record:
    data = path.read_bytes()
    records: Record = json.loads(gzip.decompress(data) if path.suffix == '.gz' else data)
    return records


FILES = [read(path) for path in record_files()]


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
                found.setdefault(f'{part}-{entry["name"]}', (entry, records))
    return params(found)


def real_files() -> list[Any]:
    found = {sha[:16]: (sha, records) for records in FILES for sha in records.get('files', {})}
    return params(found)
