"""The collector may end objects at any moment, also inside the package's own code, which must not wait for itself then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

COLLECTS = """
import gc, acl_bind as ab
from acl_bind import mock
from acl_bind._handle import Handle, close_all

gc.disable()
device = ab.Device(0)
kept = device.create_stream()
for made in (device.empty(16), device.create_stream(), device.create_event()):
    made.cycle = [made]
del made
# Whoever looks through what is alive comes by here, and the cycles above end at that moment.
Handle._registry = {-1: lambda: (gc.collect(), None)[1], **Handle._registry}
"""


@pytest.mark.parametrize('act', ['mock.reset()', 'close_all()', ''], ids=['reset', 'close_all', 'exit'])
def test_a_collection_while_all_objects_are_looked_through(act: str, run_python: Callable[..., Any]) -> None:
    done = run_python(f'{COLLECTS}{act}\n')
    assert (done.returncode, done.stderr) == (0, '')


@pytest.mark.parametrize('act', ['device.empty(8)', 'device.create_stream()', 'kept.close()'])
def test_a_collection_at_every_allocation(act: str, run_python: Callable[..., Any]) -> None:
    done = run_python(f"""
import gc, acl_bind as ab
device = ab.Device(0)
gc.set_threshold(1, 1, 1)
for _ in range(50):
    kept = device.create_stream()
    made = device.empty(16)
    made.cycle = [made]
    del made
    {act}
""")
    assert (done.returncode, done.stderr) == (0, '')
