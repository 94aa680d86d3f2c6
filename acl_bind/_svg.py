"""A row of boxes to scale, as SVG: a kernel's argument block for a notebook."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Sequence

WIDTH = 720
HEIGHT = 36
SCALE_MARKS = 8
SMALLEST = 3  # pixels, so that a one-byte slot in a large block is still seen
COLOURS = {'pointer': '#7eb0d5', 'value': '#b2e061', 'placeholder': '#fd7f6f', 'data': '#ffb55a', 'hidden': '#cccccc'}


@dataclasses.dataclass(frozen=True)
class Box:
    """Offset and size in bytes; ``kind`` chooses the colour; ``title`` is shown under the mouse."""

    offset: int
    size: int
    kind: str
    title: str


def _legend(kinds: Sequence[str]) -> str:
    parts = []
    for number, kind in enumerate(kinds):
        x = number * 110
        parts.append(f'<rect x="{x}" y="62" width="12" height="12" fill="{_fill(kind)}" stroke="#333"/>')
        parts.append(f'<text x="{x + 17}" y="72">{kind}</text>')
    return ''.join(parts)


def _fill(kind: str) -> str:
    return 'url(#acl-bind-hatch)' if kind == 'hidden' else COLOURS[kind]


def boxes(row: Sequence[Box]) -> str:
    """The picture. Slots are coloured by kind, hidden ones hatched; the marks below count bytes."""
    end = max((box.offset + box.size for box in row), default=1)
    scale = (WIDTH - 2) / max(end, 1)
    parts = []
    for box in row:
        width = max(box.size * scale, SMALLEST)
        parts.append(
            f'<rect x="{1 + box.offset * scale:.1f}" y="1" width="{width:.1f}" height="{HEIGHT}" fill="{_fill(box.kind)}" stroke="#333">'
            f'<title>{html.escape(box.title)}</title></rect>'
        )
    step = max(8, -(-end // SCALE_MARKS // 8) * 8)
    marks = ''.join(f'<text x="{1 + at * scale:.1f}" y="52">{at}</text>' for at in range(0, end, step))
    kinds = list(dict.fromkeys(box.kind for box in row))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="78" font-family="sans-serif" font-size="11">'
        '<defs><pattern id="acl-bind-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<rect width="6" height="6" fill="#eee"/><rect width="2" height="6" fill="{COLOURS["hidden"]}"/></pattern></defs>'
        f'{"".join(parts)}{marks}{_legend(kinds)}</svg>'
    )
