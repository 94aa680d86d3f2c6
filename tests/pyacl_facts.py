"""The facts about pyACL's functions (tests/pyacl/functions.txt), and values that fit them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from conftest import TESTS

from acl_bind._ffi import signatures


class Fact(NamedTuple):
    name: str
    codes: str
    returns: tuple[str, ...]
    function: str
    text: str

    @property
    def module(self) -> str:
        return self.name.rpartition('.')[0]

    @property
    def short(self) -> str:
        return self.name.rpartition('.')[2]

    @property
    def letters(self) -> str:
        """The codes of the arguments."""
        return '' if self.codes == '-' else self.codes.replace('/', '')

    @property
    def bound(self) -> bool:
        return self.module == 'acl.util' or self.function in signatures() or self.short == 'get_data_buffer_size'

    def get(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(importlib.import_module(f'acl_bind.py{self.module}'), self.short)
        return found


def read() -> list[Fact]:
    lines = [line for line in (TESTS / 'pyacl' / 'functions.txt').read_text().splitlines() if not line.startswith('#')]
    split = [line.split('|') for line in lines]
    return [Fact(name, codes, tuple(returns.split(',')), function, text) for name, codes, returns, function, text in split]


FACTS = read()
# Their source was not seen, or they let Python's own words out: tested by hand.
UNKNOWN_TEXT = [fact for fact in FACTS if fact.text == '-' and fact.codes != '-']
PARSED = [fact for fact in FACTS if fact.bound and fact.text != '-']
CALLED = [fact for fact in PARSED if fact.module != 'acl.util'] + [fact for fact in FACTS if fact.bound and fact.codes == '-']

# What O arguments look like, by function; elsewhere there is none.
PROPERTY = {'handleType': 0, 'allocationType': 0, 'memAttr': 4, 'location': {'id': 0, 'type': 1}, 'reserve': 0}
OBJECTS: dict[str, list[Any]] = {
    'binary_load_from_file': [[{'type': 2, 'value': 5}]],
    'binary_load_from_data': [[]],
    'launch_kernel_with_config': [[{'id': 1, 'value': 1}]],
    'launch_callback': [print, None],
    'set_stream_attribute': [{'failureMode': 1}],
    'set_exception_info_callback': [None],
    'malloc_physical': [PROPERTY],
    'mem_get_allocation_granularity': [PROPERTY],
    'malloc_with_cfg': [{}],
}


def arguments(fact: Fact) -> list[Any]:
    """Values of the right types, each different from the others."""
    objects = iter(OBJECTS.get(fact.short, []))
    made: list[Any] = []
    for at, code in enumerate(fact.letters, 1):
        made.append(next(objects, None) if code == 'O' else f'name{at}' if code == 's' else float(at) if code == 'f' else at)
    return made
