"""Rounds that take turns, medians of ratios, gates. Absolute times drift on shared machines, ratios of one run do not much."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import os
import statistics
from collections.abc import Callable, Iterator

ROUNDS = 21


@dataclasses.dataclass(frozen=True)
class Row:
    """Something measured. `run` does it many times and returns nanoseconds a call."""

    name: str
    run: Callable[[], float]


@dataclasses.dataclass(frozen=True)
class Gate:
    """`row` may take at most `must` times as long as `floor`; `stretch` is what we hope for."""

    row: str
    floor: str
    must: float
    stretch: float | None = None


@dataclasses.dataclass(frozen=True)
class Result:
    gate: Gate
    ratio: float

    @property
    def missed(self) -> bool:
        return self.ratio > self.gate.must

    @property
    def used(self) -> float:
        """The part of what is allowed; more than 1 is too much."""
        return self.ratio / self.gate.must

    def __str__(self) -> str:
        stretch = f', hoped for {self.gate.stretch:g}' if self.gate.stretch is not None else ''
        verdict = 'MISSED' if self.missed else 'met'
        return f'{verdict}: {self.gate.row} / {self.gate.floor} = {self.ratio:.2f}, at most {self.gate.must:g}{stretch}'


Times = dict[str, list[float]]  # of each row, one a round


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """The thread stays on one core and the garbage collector waits."""
    cores = os.sched_getaffinity(0)
    collecting = gc.isenabled()
    os.sched_setaffinity(0, {min(cores)})
    gc.disable()
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
        if collecting:
            gc.enable()


def measure(rows: list[Row], rounds: int = ROUNDS) -> Times:
    """Runs all rows once a round, in turns, after one round that does not count."""
    times: Times = {row.name: [] for row in rows}
    with quiet():
        for row in rows:
            row.run()
        for _ in range(rounds):
            for row in rows:
                times[row.name].append(row.run())
    return times


def ratio(times: Times, row: str, floor: str) -> float:
    """Median of the rounds' ratios."""
    return statistics.median(value / base for value, base in zip(times[row], times[floor], strict=True))


def judge(times: Times, gates: list[Gate]) -> list[Result]:
    """Best first, so that the worst gate is printed last."""
    results = [Result(gate, ratio(times, gate.row, gate.floor)) for gate in gates]
    return sorted(results, key=lambda result: result.used)


def verdict(results: list[Result], wanted: bool) -> int:
    """Prints the gates if they are wanted, the worst last. The exit code."""
    if not wanted:
        return 0
    print('', *results, sep='\n')
    return int(any(result.missed for result in results))


def table(times: Times, results: list[Result]) -> str:
    """A line a row: the median in ns and the spread of its rounds, then what the gates on it say."""
    width = max(map(len, times))
    lines = [f'{"":{width}}  median ns    lowest   highest']
    for name, values in times.items():
        gates = [f'{result.ratio:.2f} x {result.gate.floor}' for result in results if result.gate.row == name]
        numbers = ''.join(f'{value:10.1f}' for value in (statistics.median(values), min(values), max(values)))
        lines.append(f'{name:{width}} {numbers}  {", ".join(gates)}'.rstrip())
    return '\n'.join(lines)
