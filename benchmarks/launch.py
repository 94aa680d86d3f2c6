"""What a launch costs: python -m benchmarks.launch [--gates] [--rounds N]."""

from __future__ import annotations

import argparse
import sys

from . import native, peers, python
from .measure import ROUNDS, judge, measure, table, verdict


def main() -> int:
    parser = argparse.ArgumentParser(prog='python -m benchmarks.launch', description=__doc__)
    parser.add_argument('--gates', action='store_true', help='also print the gates, the worst last; exit 1 when one is missed')
    parser.add_argument('--rounds', type=int, default=ROUNDS, help='rounds that take turns (default: %(default)s)')
    parser.add_argument('--scale', type=float, default=1.0, help='of the number of calls in a round (default: %(default)s)')
    options = parser.parse_args()
    opened = native.Native()
    ours = python.Python(opened)
    others, missing = peers.rows(opened, options.scale)
    times = measure(opened.rows(options.scale) + ours.rows(options.scale) + others, options.rounds)
    gates = [gate for gate in native.GATES + python.GATES + peers.GATES if gate.row in times and gate.floor in times]
    results = judge(times, gates)
    print(table(times, results))
    print(*missing, sep='\n')
    return verdict(results, options.gates)


if __name__ == '__main__':
    sys.exit(main())
