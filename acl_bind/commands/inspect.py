"""Tell what is in an operator binary: its kernels, their parameters, its variables."""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib

from .. import _opbin
from .._elf import demangled


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        'file', type=pathlib.Path, help='a .o, the .json of an AI CPU program, or a host library or program with binaries in it'
    )
    parser.add_argument('--json', action='store_true', help='as JSON')
    parser.add_argument('--extract', type=pathlib.Path, metavar='DIR', help='write the device binaries inside the file there')


def _kernel_lines(kernel: _opbin.Kernel) -> list[str]:
    plain = demangled(kernel.name)
    facts = [kernel.kind + (f' ({kernel.mix}, ratio {kernel.ratio})' if kernel.mix else '')]
    facts += [f'entry {kernel.entry}' if kernel.entry is not None else 'no entry']
    facts += ['SIMT'] * kernel.simt + [f'schedule mode {kernel.schedule_mode}'] * (kernel.schedule_mode != 0)
    facts += [f'{kernel.args_size} bytes of arguments'] * (kernel.args_size is not None)
    lines = [f'  {kernel.name}' + (f' = {plain}' if plain != kernel.name else ''), f'      {", ".join(facts)}']
    lines += [f'      {code.symbol}: {code.size} bytes at {code.address:#x}' for code in kernel.code]
    lines += [f'      parameter {i}: {param.size} bytes at {param.offset}' for i, param in enumerate(kernel.params or ())]
    return lines


def table(contents: _opbin.Contents) -> list[str]:
    """A binary's facts as lines."""
    lines = [f'{contents.name}: {contents.machine}, flags {contents.flags:#x}', f'{len(contents.kernels)} kernels']
    for kernel in contents.kernels:
        lines += _kernel_lines(kernel)
    lines += [f'{len(contents.globals)} variables'] if contents.globals else []
    lines += [f'  {variable.name}: {variable.size} bytes at {variable.address:#x}' for variable in contents.globals]
    lines += [f'the runtime puts in: {", ".join(contents.implicit)}'] if contents.implicit else []
    return lines + [f'not understood: {what}' for what in contents.not_understood]


def extract(path: pathlib.Path, folder: pathlib.Path) -> list[pathlib.Path]:
    """Write the device binaries inside a file, named by where they were."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for at, data in _opbin.embedded(path.read_bytes()):
        written.append(folder / f'{path.stem}_{at:#x}.o')
        written[-1].write_bytes(data)
    return written


def run(options: argparse.Namespace) -> int:
    if options.extract:
        written = extract(options.file, options.extract)
        print('\n'.join(map(str, written)) or f'{options.file} has no device binaries inside')
        return 0 if written else 1
    found = _opbin.read_file(options.file)
    if options.json:
        print(json.dumps([dataclasses.asdict(contents) for contents in found], indent=2))
    else:
        print('\n\n'.join('\n'.join(table(contents)) for contents in found))
    return 0
