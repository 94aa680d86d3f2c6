"""Build the mock libascendcl with the system's C compiler, into a folder laid out like a CANN installation.

    python build_mock.py [--out DIR] [--debug] [--sanitize address,undefined|thread]

DIR (default: build/mock) gets include/acl, include/aclmock, lib64/libascendcl.so, lib64/libacl_rt.so (the same library)
and kernels/*.o (sample host kernels). Nothing but a C11 compiler and Python is needed; CC names another compiler.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / 'acl_bind'))  # not the package, which needs the extension that is built later
from _cc import BuildError, compile_kernels, find_compiler, run  # noqa: E402

SOURCE = ROOT / 'mock_libascendcl'
# One name for both files: whatever was linked with -lascendcl or -lacl_rt loads one and the same library.
SONAME = 'libascendcl.so'
OTHER_NAME = 'libacl_rt.so'
WARNINGS = ['-Wall', '-Wextra', '-Wconversion', '-Wmissing-prototypes', '-Werror']


def optimisation(debug: bool, sanitize: str | None) -> list[str]:
    flags = ['-O0', '-g3'] if debug else ['-O2', '-g1']
    if sanitize:
        flags = ['-O1', '-g', f'-fsanitize={sanitize}', '-fno-omit-frame-pointer', '-fno-sanitize-recover=all']
    return flags


def compile_library(out: pathlib.Path, flags: list[str]) -> None:
    """Compile src/*.c, each on its own, and link them to lib64/libascendcl.so."""
    base = [*find_compiler('CC', 'cc'), '-std=c11', '-D_GNU_SOURCE', '-pthread', '-fPIC', '-fvisibility=hidden', *WARNINGS, *flags]
    base += [f'-I{SOURCE / "include"}', '-iquote', str(SOURCE / 'src')]
    sources = sorted((SOURCE / 'src').glob('*.c'))
    library = out / 'lib64' / SONAME
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = [pathlib.Path(scratch, f'{source.stem}.o') for source in sources]
        commands = [[*base, '-c', str(source), '-o', str(obj)] for source, obj in zip(sources, objects, strict=True)]
        list(pool.map(run, commands))
        # nodelete: threads and signal handlers of the mock outlive a dlclose.
        link = [*find_compiler('CC', 'cc'), '-shared', '-pthread', *flags, f'-Wl,-soname,{SONAME}', '-Wl,-z,nodelete', '-Wl,--no-undefined']
        if any('sanitize' in flag for flag in flags):
            link.remove('-Wl,--no-undefined')
        run([*link, *map(str, objects), '-o', str(library), '-ldl', '-lm'])
    other = library.with_name(OTHER_NAME)
    other.unlink(missing_ok=True)
    other.symlink_to(SONAME)


def build(out: pathlib.Path, *, debug: bool = False, sanitize: str | None = None) -> None:
    """Fill `out`. Raises BuildError with the compiler's own words."""
    for folder in ('lib64', 'kernels'):
        (out / folder).mkdir(parents=True, exist_ok=True)
    shutil.copytree(SOURCE / 'include', out / 'include', dirs_exist_ok=True)
    compile_library(out, optimisation(debug, sanitize))
    for source in sorted((SOURCE / 'kernels').glob('*.c')):
        compile_kernels(source, out / 'kernels' / f'{source.stem}.o', out / 'include')


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--out', type=pathlib.Path, default=pathlib.Path('build/mock'), help='folder to fill (default: %(default)s)')
    parser.add_argument('--debug', action='store_true', help='no optimisation, all debug information')
    parser.add_argument('--sanitize', metavar='LIST', help='address,undefined or thread')
    options = parser.parse_args()
    try:
        build(options.out, debug=options.debug, sanitize=options.sanitize)
    except BuildError as error:
        print(f'build_mock: {error}', file=sys.stderr)
        return 1
    print(f'the mock is in {options.out}: lib64/{SONAME}, include, kernels')
    return 0


if __name__ == '__main__':
    sys.exit(main())
