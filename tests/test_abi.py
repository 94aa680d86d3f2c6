"""The headers against the recorded facts (tests/abi): prototypes, sizes, offsets, values; and the exports."""

from __future__ import annotations

import pathlib
import re
import subprocess

import pytest
from conftest import ROOT, TESTS

from acl_bind._cc import find_compiler
from acl_bind._ffi import signatures

FACTS = '\n'.join((TESTS / 'abi' / name).read_text() for name in ('prototypes.txt', 'more_prototypes.txt'))
SIZES = {'u8': 1, 'u16': 2, 'u32': 4, 'u64': 8, 'i32': 4, 'enum': 4, 'ptr': 8, 'size_t': 8}


def section(title: str) -> str:
    return re.split(r'^## ', FACTS.split(f'## {title}', 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def prototypes() -> list[tuple[str, str]]:
    """(name, prototype) of every function."""
    text = section('chapter 14 prototypes') + section('other prototypes used') + section('more prototypes')
    return [(match[2], match[0].rstrip(';')) for match in re.finditer(r'^[\w ]+\*? ?(\*?)(acl\w+)\(.*\);$', text, re.MULTILINE)]


def enum_values() -> list[tuple[str, str]]:
    return re.findall(r'(ACL_\w+)=(0x[0-9a-f]+|-?\d+)', section('enums (value of every member)') + section('more enums'))


def macro_values() -> list[tuple[str, str]]:
    return re.findall(r'^(ACL_\w+) = (0x[0-9A-Fa-f]+|\d+)U?$', section('macros'), re.MULTILINE)


def structures() -> list[tuple[str, int, str]]:
    """(type, size, members' text) of every public structure."""
    text = section('public structures (verified by compiling the header, offset/size in bytes)')
    text += section('more structures (offset, size in bytes)')
    found = re.findall(r'^(\w+)(?: \(union\))? size (\d+)[^:]*:(.*)$', text, re.MULTILINE)
    return [(name, int(size), members) for name, size, members in found]


def member_facts(members: str) -> list[tuple[str, int, int | None]]:
    """(member, offset, size or None where the fact does not say)."""
    facts = []
    for part in re.split(r'[,|]', members):
        match = re.match(r'\s*(\w+) (\w+)?(?:\[(\d+)\])?(?:\(4\))?\s*(?:\([^@]*\))?\s*(?:@(\d+))?(?: \((\d+)\))?', part)
        if not match or match[1] in ('all',):
            continue
        size = SIZES.get(match[2] or '')
        size = int(match[5]) if match[5] else size * int(match[3] or 1) if size else None
        facts.append((match[1], int(match[4] or 0), size))
    return facts


def test_the_facts_are_read() -> None:
    assert len(prototypes()) == 173
    assert len(enum_values()) == 188
    assert len(macro_values()) == 24
    assert len(structures()) == 20
    members = {name: member_facts(text) for name, _, text in structures()}
    assert members['aclrtTimeoutUs'] == [('timeoutLow', 0, 4), ('timeoutHigh', 4, 4)]


def assertions() -> list[str]:
    lines = [f'_Static_assert({name} == {value}, "{name}");' for name, value in enum_values() + macro_values()]
    for name, size, members in structures():
        lines.append(f'_Static_assert(sizeof({name}) == {size}, "size of {name}");')
        for member, offset, member_size in member_facts(members):
            lines.append(f'_Static_assert(offsetof({name}, {member}) == {offset}, "{name}.{member}");')
            if member_size:
                lines.append(f'_Static_assert(sizeof((({name} *)0)->{member}) == {member_size}, "size of {name}.{member}");')
    for name, prototype in prototypes():
        pointer = re.sub(rf'\b{name}\b', f'(*check_{name})', prototype, count=1)
        lines.append(f'{pointer.replace("()", "(void)")} = {name};')
    return lines


def compile_assertions(tmp_path: pathlib.Path, lines: list[str]) -> subprocess.CompletedProcess[str]:
    source = tmp_path / 'facts.c'
    source.write_text('#include <acl/acl.h>\n' + '\n'.join(lines) + '\n')
    command = [*find_compiler('CC', 'cc'), '-std=c11', '-Wall', '-Wextra', '-Werror', f'-I{ROOT / "mock_libascendcl" / "include"}']
    return subprocess.run([*command, '-fsyntax-only', str(source)], capture_output=True, text=True, check=False)


def test_headers_agree_with_the_facts(tmp_path: pathlib.Path) -> None:
    done = compile_assertions(tmp_path, assertions())
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    'wrong', ['_Static_assert(sizeof(dim3) == 16, "");', 'int (*check)(int) = aclrtFree;', '_Static_assert(ACL_HOST == 0, "");']
)
def test_a_wrong_fact_is_found(tmp_path: pathlib.Path, wrong: str) -> None:
    assert compile_assertions(tmp_path, [wrong]).returncode != 0


def exported(library: pathlib.Path) -> set[str]:
    listing = subprocess.run(['nm', '-D', '--defined-only', str(library)], capture_output=True, text=True, check=True).stdout
    return {line.split()[2] for line in listing.splitlines()}


def test_only_the_abi_and_the_mocks_face_are_exported(prefix: pathlib.Path) -> None:
    assert exported(prefix / 'lib64' / 'libascendcl.so') == set(signatures())


def test_both_names_are_one_library(prefix: pathlib.Path) -> None:
    for name in ('libascendcl.so', 'libacl_rt.so'):
        listing = subprocess.run(['readelf', '-d', str(prefix / 'lib64' / name)], capture_output=True, text=True, check=True).stdout
        assert '[libascendcl.so]' in listing  # the SONAME that programs record, whichever file they were linked with


def test_every_recorded_function_is_declared_with_its_release() -> None:
    missing = {name for name, _ in prototypes()} - set(signatures())
    assert not missing
    assert signatures()['aclrtBinaryGetGlobal'].since == '9.1'
    assert [param.name for param in signatures()['aclrtMalloc'].params if param.output] == ['devPtr']


def test_headers_compile_as_cpp(tmp_path: pathlib.Path) -> None:
    source = tmp_path / 'plain.cpp'
    headers = ''.join(f'#include <{name}>\n' for name in ('acl/acl.h', 'aclmock/aclmock.h', 'aclmock/kernel.hpp'))
    source.write_text(headers + 'int main() { return dim3(1).y == 1 ? 0 : 1; }\n')
    command = [*find_compiler('CXX', 'c++'), '-std=c++17', '-Wall', '-Wextra', '-Werror', f'-I{ROOT / "mock_libascendcl" / "include"}']
    subprocess.run([*command, '-fsyntax-only', str(source)], check=True)
