"""Recordings of the real library (tests/golden and files named by ACL_BIND_GOLDEN), and how their bytes are written."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import pathlib
from typing import Any

GOLDEN = pathlib.Path(__file__).resolve().parent / 'golden'


def load(path: pathlib.Path) -> dict[str, Any]:
    """A recording, gzipped or not."""
    data = path.read_bytes()
    recording: dict[str, Any] = json.loads(gzip.decompress(data) if path.suffix == '.gz' else data)
    return recording


def recordings(key: str, own: str, variable: str = 'ACL_BIND_GOLDEN') -> list[tuple[str, dict[str, Any]]]:
    """Name and content of tests/golden/`own`, and of every file that the environment's `variable` names (paths with colons
    between) and that has `key`.
    """
    found = [('', load(GOLDEN / own))]
    for path in map(pathlib.Path, filter(None, os.environ.get(variable, '').split(':'))):
        recording = load(path)
        if key in recording:
            found.append((f'{path.name}:', recording))
    return found


def decode(value: str | dict[str, Any]) -> bytes:
    """Bytes written as hex, or as {len, sha256, rle: [[byte, count], ...]} or {len, sha256, hex}."""
    if isinstance(value, str):
        return bytes.fromhex(value)
    data = b''.join(bytes([byte]) * count for byte, count in value['rle']) if 'rle' in value else bytes.fromhex(value['hex'])
    assert len(data) == value['len'], 'a recording is damaged'
    assert hashlib.sha256(data).hexdigest() == value['sha256'], 'a recording is damaged'
    return data
