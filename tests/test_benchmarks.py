"""The benchmarks run and judge as they say. What they measure is not a matter of tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from xml.etree import ElementTree

from conftest import ROOT

from benchmarks import native, plot, python
from benchmarks.measure import Gate, Row, judge, measure, table


def test_every_row_is_measured_and_every_gate_judged() -> None:
    command = [sys.executable, '-m', 'benchmarks.launch', '--gates', '--rounds', '1', '--scale', '0.001']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    rows, verdicts = done.stdout.split('\n\n')
    assert native.HOSTARGS in rows
    assert len(verdicts.splitlines()) >= len(native.GATES)
    assert ('MISSED' in verdicts) == (done.returncode == 1)


def test_the_worst_gate_comes_last() -> None:
    times = {'floor': [1.0, 2.0, 4.0], 'slow': [3.0, 5.0, 16.0], 'slower': [9.0, 18.0, 36.0]}
    results = judge(times, [Gate('slower', 'floor', 8), Gate('slow', 'floor', 6, 2)])
    assert [(result.gate.row, result.ratio, result.missed) for result in results] == [('slow', 3.0, False), ('slower', 9.0, True)]
    assert str(results[-1]) == 'MISSED: slower / floor = 9.00, at most 8'
    assert str(results[0]) == 'met: slow / floor = 3.00, at most 6, hoped for 2'


def test_a_bar_is_as_long_as_its_logarithm() -> None:
    picture = plot.draw({native.HANDLE_FLOOR: 10.0, python.TYPED: 100.0, 'a & b': 1000.0})
    root = ElementTree.fromstring(picture)
    space = '{http://www.w3.org/2000/svg}'
    bars = [rect for rect in root.findall(f'{space}rect') if rect.get('x')]
    assert [float(bar.get('width', '0')) for bar in bars] == [0, plot.BAR_WIDTH / 2, plot.BAR_WIDTH]
    assert [bar.get('fill') for bar in bars] == [plot.FLOOR_COLOUR, plot.OUR_COLOUR, plot.PEER_COLOUR]
    assert 'a & b' in [text.text for text in root.findall(f'{space}text')]


def test_what_the_mock_costs_is_measured() -> None:
    command = [sys.executable, '-m', 'benchmarks.objects', '--rounds', '1', '--scale', '0.01']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert 'in Python, 8 blocks' in done.stdout


def test_rounds_take_turns() -> None:
    order = []

    def row(name: str) -> Row:
        def run() -> float:
            order.append(name)
            return float(len(order))

        return Row(name, run)

    times = measure([row('a'), row('b')], rounds=2)
    assert order == ['a', 'b'] * 3
    assert times == {'a': [3.0, 5.0], 'b': [4.0, 6.0]}
    assert [line.split() for line in table(times, []).splitlines()[1:]] == [['a', '4.0', '3.0', '5.0'], ['b', '5.0', '4.0', '6.0']]


def test_a_call_that_fails_is_no_measurement(run_python: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    code = 'from benchmarks.native import Native; n = Native(); n.call("bench_range", n.mock, -1, 1)'
    assert 'bench_range(-1, 1): a call failed' in run_python(code, PYTHONPATH=str(ROOT)).stderr


def test_loading_is_measured() -> None:
    command = [sys.executable, '-m', 'benchmarks.loader', '--gates', '--rounds', '1', '--sizes', '20,40']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    assert '40 kernels / 20 kernels = ' in done.stdout


def test_pyacl_is_measured() -> None:
    command = [sys.executable, '-m', 'benchmarks.pyacl', '--gates', '--rounds', '1']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    assert 'pyACL memcpy, 64 bytes / lib memcpy, 64 bytes = ' in done.stdout
    assert 'import acl_bind.pyacl: ' in done.stdout
