"""Fuzz the loaders of operator binaries and of their JSON with libFuzzer, under ASan and UBSan.

    python tests/fuzz/run.py [--seconds 30] [--runs N] [--target elf|json] [--keep DIR]

Seeds: the hand-made files of tests/golden/ and, where it is found, the corpus of real binaries (ACL_BIND_CORPUS).
Exits with 1 when something was found; the input is then in DIR. Needs clang (CLANG names another one).
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MOCK = ROOT / 'mock_libascendcl'
FLAGS = ['-std=c11', '-D_GNU_SOURCE', '-pthread', '-O2', '-g', '-fno-omit-frame-pointer', '-fno-sanitize-recover=all']
LARGEST_SEED = {'elf': 2000, 'json': 1000}  # larger ones cost more executions than they find


def build(target: str, scratch: pathlib.Path) -> pathlib.Path:
    program = scratch / f'fuzz_{target}'
    sources = [str(path) for path in sorted((MOCK / 'src').glob('*.c'))]
    paths = [f'-I{MOCK / "include"}', '-iquote', str(MOCK / 'src')]
    command = [os.environ.get('CLANG', 'clang'), *FLAGS, '-fsanitize=fuzzer,address,undefined', *paths, *sources]
    subprocess.run([*command, str(HERE / f'fuzz_{target}.c'), '-o', str(program), '-ldl', '-lm'], check=True)
    return program


def seeds(target: str) -> list[bytes]:
    records: dict[str, Any] = json.loads(gzip.decompress((ROOT / 'tests' / 'golden' / 'loader_vectors.json.gz').read_bytes()))
    if target == 'elf':
        found = [zlib.decompress(base64.b64decode(entry['zlib_b64'])) for entry in records['synthetic']]
    else:
        found = [entry['text'].encode() for entry in records['script_files'].values() if 'text' in entry]
        found.append(b'{"magic": "RT_DEV_BINARY_MAGIC_ELF", "intercoreSync": 1, "debugOptions": "assert"}')
    corpus = pathlib.Path(os.environ.get('ACL_BIND_CORPUS', ROOT.parent / 'shared' / 'corpus'))
    found += [path.read_bytes() for path in sorted(corpus.rglob('*.o' if target == 'elf' else '*.json'))]
    return [data for data in found if len(data) <= LARGEST_SEED[target]]


def fuzz(target: str, options: argparse.Namespace, scratch: pathlib.Path) -> bool:
    """Whether nothing was found."""
    program = build(target, scratch)
    inputs = scratch / target
    inputs.mkdir()
    for index, seed in enumerate(seeds(target)):
        (inputs / f'seed{index}').write_bytes(seed)
    (scratch / 'made.o').write_bytes(seeds('elf')[0])
    limit = [f'-runs={options.runs}'] if options.runs else [f'-max_total_time={options.seconds}']
    limit += [f'-max_len={LARGEST_SEED[target]}', '-timeout=5', '-rss_limit_mb=1024']
    command = [str(program), str(inputs), *limit, '-print_final_stats=1', f'-artifact_prefix={options.keep}/']
    environment = {**os.environ, 'FUZZ_OPERATOR_BINARY': str(scratch / 'made.o'), 'ACL_MOCK_MEMORY': '256M'}
    done = subprocess.run(command, cwd=scratch, env=environment, stderr=subprocess.PIPE, text=True, check=False)
    executed = re.search(r'stat::number_of_executed_units: *(\d+)', done.stderr)
    print(f'{target}: {executed[1] if executed else "?"} executions, exit code {done.returncode}', flush=True)
    if done.returncode != 0:
        print(done.stderr[-6000:], file=sys.stderr)
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--seconds', type=int, default=30, help='a target (default: %(default)s)')
    parser.add_argument('--runs', type=int, help='executions a target, instead of a time')
    parser.add_argument('--target', choices=['elf', 'json'], help='only this one')
    parser.add_argument('--keep', type=pathlib.Path, help='folder for what is found (default: a new one)')
    options = parser.parse_args()
    if shutil.which(os.environ.get('CLANG', 'clang')) is None:
        print('fuzzing needs clang with libFuzzer: apt-get install clang', file=sys.stderr)
        return 2
    options.keep = (options.keep or pathlib.Path(tempfile.mkdtemp(prefix='fuzz-findings-'))).resolve()
    options.keep.mkdir(parents=True, exist_ok=True)
    targets = [options.target] if options.target else ['elf', 'json']
    with tempfile.TemporaryDirectory() as scratch:
        results = [fuzz(target, options, pathlib.Path(scratch)) for target in targets]
    if not all(results):
        print(f'what was found is in {options.keep}', file=sys.stderr)
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
