"""Where the real operator binaries are: the folder ACL_BIND_CORPUS, else ../shared/corpus. They are never in the repository."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import pathlib
from typing import Any

import pytest
from conftest import ROOT


class Corpus:
    """Files by their sha256, and what is known about the binaries among them."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.expected: dict[str, dict[str, Any]] = json.loads((folder / 'expected.json').read_text())
        files = [path for path in sorted(folder.rglob('*')) if path.is_file() and not path.name.endswith('expected.json')]
        self.paths = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in files}

    def has(self, sha: str) -> bool:
        return sha in self.paths

    def bytes_of(self, sha: str) -> bytes:
        if sha not in self.paths:
            pytest.skip(f'the file with sha256 {sha[:16]}... is not in {self.folder}: its package states no licence, fetch it')
        return self.paths[sha].read_bytes()


def corpus_folder() -> pathlib.Path | None:
    named = os.environ.get('ACL_BIND_CORPUS')
    folder = pathlib.Path(named) if named else ROOT.parent / 'shared' / 'corpus'
    if named and not (folder / 'expected.json').is_file():
        raise pytest.UsageError(f'ACL_BIND_CORPUS={named} has no expected.json')
    return folder if (folder / 'expected.json').is_file() else None


@functools.lru_cache
def open_corpus() -> Corpus | None:
    folder = corpus_folder()
    return Corpus(folder) if folder else None


def find_corpus() -> Corpus:
    """The corpus, or a skip that says what to set."""
    corpus = open_corpus()
    if corpus is None:
        pytest.skip('no real binaries: set ACL_BIND_CORPUS to a folder with an expected.json')
    return corpus
