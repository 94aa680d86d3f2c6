"""Draws what a launch costs into docs/performance.svg: python -m benchmarks.plot [--out FILE] [--rounds N]."""

from __future__ import annotations

import argparse
import html
import math
import pathlib
import statistics
import sys

from . import native, peers, python
from .measure import ROUNDS, Times, measure

OUT = pathlib.Path(__file__).resolve().parent.parent / 'docs' / 'performance.svg'
NAME_WIDTH, BAR_WIDTH, NUMBER_WIDTH, LINE, TOP = 330, 380, 90, 24, 40
FLOOR_COLOUR, OUR_COLOUR, PEER_COLOUR = '#888888', '#1f6fb2', '#d08a2e'


def colour(name: str) -> str:
    if name in (native.HANDLE_FLOOR, native.HOSTARGS_FLOOR):
        return FLOOR_COLOUR
    return OUR_COLOUR if name.startswith('acl_bind') else PEER_COLOUR


def draw(medians: dict[str, float]) -> str:
    """Bars on a logarithmic scale, the shortest first."""
    rows = sorted(medians.items(), key=lambda row: row[1])
    decades = range(math.floor(math.log10(rows[0][1])), math.ceil(math.log10(rows[-1][1])) + 1)
    per_decade = BAR_WIDTH / (len(decades) - 1)
    height, width = TOP + LINE * len(rows) + 10, NAME_WIDTH + BAR_WIDTH + NUMBER_WIDTH

    def at(ns: float) -> float:
        return NAME_WIDTH + (math.log10(ns) - decades[0]) * per_decade

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">']
    lines.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for decade in decades:
        x = at(10**decade)
        lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 10}" stroke="#dddddd"/>')
        lines.append(f'<text x="{x:.1f}" y="{TOP - 14}" text-anchor="middle">{10**decade:,} ns</text>')
    for index, (name, ns) in enumerate(rows):
        y = TOP + LINE * index
        lines.append(f'<text x="{NAME_WIDTH - 8}" y="{y + 14}" text-anchor="end">{html.escape(name)}</text>')
        lines.append(f'<rect x="{NAME_WIDTH}" y="{y + 2}" width="{at(ns) - NAME_WIDTH:.1f}" height="{LINE - 8}" fill="{colour(name)}"/>')
        lines.append(f'<text x="{at(ns) + 6:.1f}" y="{y + 14}">{ns:,.0f}</text>')
    return '\n'.join([*lines, '</svg>', ''])


def measured(rounds: int, scale: float) -> Times:
    opened = native.Native()
    ours = python.Python(opened)
    others, missing = peers.rows(opened, scale)
    print(*missing, sep='\n', end='\n' if missing else '')
    floors = [row for row in opened.rows(scale) if row.name in (native.HANDLE_FLOOR, native.HOSTARGS_FLOOR)]
    return measure(floors + ours.rows(scale) + others, rounds)


def main() -> int:
    parser = argparse.ArgumentParser(prog='python -m benchmarks.plot', description=__doc__)
    parser.add_argument('--out', type=pathlib.Path, default=OUT, help='the SVG (default: docs/performance.svg)')
    parser.add_argument('--rounds', type=int, default=ROUNDS, help='rounds that take turns (default: %(default)s)')
    parser.add_argument('--scale', type=float, default=1.0, help='of the number of calls in a round (default: %(default)s)')
    options = parser.parse_args()
    times = measured(options.rounds, options.scale)
    options.out.write_text(draw({name: statistics.median(values) for name, values in times.items()}))
    print(f'wrote {options.out}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
