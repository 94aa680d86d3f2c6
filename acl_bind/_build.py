"""Build time only: from the headers to the extension `acl_bind._acl`, and the mock into the package.

The headers under mock_libascendcl/include are read as text once more (the C compiler is the other reader) and become

* cffi's declarations,
* a dispatch table: one function pointer a prototype, filled with dlsym when a library is opened, behind one static C
  wrapper each, since cffi calls those directly and function pointers through libffi at twice the price,
* a flat face of each function, with addresses as integers (acl_bind.pyacl): making a cffi pointer costs half a call,
* a description of every function (release, parameter names, which are outputs), kept in the extension as text.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any

import cffi
from pycparser import c_ast, c_generator, c_parser
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / 'acl_bind'
INCLUDE = ROOT / 'mock_libascendcl' / 'include'
ABI = ('acl_base', 'acl_rt', 'acl_rt_info', 'acl_rt_memory', 'acl')
HEADERS = (*(f'acl/{name}.h' for name in ABI), 'aclmock/host_kernel.h', 'aclmock/aclmock.h')
BUILTIN_TYPES = ['size_t', *(f'{sign}int{bits}_t' for sign in ('', 'u') for bits in (8, 16, 32, 64))]
ENDS_CONTEXTS = ('aclrtResetDevice', 'aclrtResetDeviceForce', 'aclrtDestroyContext', 'aclmock_reset')
OUTPUT = '_out_'  # put behind a parameter's name for the parser


@dataclasses.dataclass
class Function:
    name: str
    since: str
    returns: str
    params: list[tuple[str, str]]  # declaration, name
    outputs: set[str]
    variadic: bool = False


def plain_c(text: str) -> str:
    """The header without comments and preprocessor lines, as a C (not C++) compiler sees it."""
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.DOTALL)
    lines: list[str] = []
    keep = [True]
    for line in text.splitlines():
        word = line.split(maxsplit=1)[0] if line.strip() else ''
        if word in ('#ifdef', '#ifndef', '#if'):
            keep.append(keep[-1] and '__cplusplus' not in line)
        elif word == '#else':
            keep[-1] = keep[-2] and not keep[-1]
        elif word == '#endif':
            keep.pop()
        elif keep[-1] and not word.startswith('#'):
            lines.append(line)
    return '\n'.join(lines)


def constants(text: str) -> list[str]:
    """Names of the header's #defines that are numbers."""
    return re.findall(r'^#define (ACL\w+)\s+-?(?:0x[0-9a-fA-F]+|\d+)U?\s*$', re.sub(r'/\*.*?\*/', '', text), re.MULTILINE)


def parse(declarations: str) -> Any:
    known = ''.join(f'typedef int {name};\n' for name in BUILTIN_TYPES)
    return c_parser.CParser().parse(known + declarations)


def parse_functions(declarations: str, releases: dict[str, str]) -> list[Function]:
    generator = c_generator.CGenerator()
    functions = []
    for node in parse(declarations).ext:
        if not (isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl)):
            continue
        result = generator.visit(node.type.type).replace(node.name, '').strip()
        function = Function(node.name, releases.get(node.name, 'mock'), result, [], set())
        for param in node.type.args.params if node.type.args else []:
            if isinstance(param, c_ast.EllipsisParam):
                function.variadic = True
                continue
            if param.name is None:
                continue  # (void)
            name = param.name.removesuffix(OUTPUT)
            if name != param.name:
                function.outputs.add(name)
            function.params.append((generator.visit(param).replace(param.name, name), name))
        functions.append(function)
    return functions


def read_headers() -> tuple[str, list[str], list[Function]]:
    """cffi's declarations without constants, the constants' names, the functions."""
    texts = [(INCLUDE / header).read_text() for header in HEADERS]
    plain = '\n'.join(map(plain_c, texts))
    releases = {name: f'{major}.{minor}' for major, minor, name in re.findall(r'ACL_SINCE_(\d+)_(\d+) .*?\b(acl\w+)\(', plain)}
    plain = re.sub(r'\bACL_(?:SINCE_\w+|VISIBLE)\b', '', plain)
    functions = parse_functions(re.sub(r'\bACL_OUT ([^,)]*?\w+)(?=[,)])', rf'\1{OUTPUT}', plain), releases)
    fixed = re.sub(r'\bACL_OUT\b|, \.\.\.(?=\))', '', plain)  # what is variadic in C is not in the binding, see wrapper()
    return fixed, [name for text in texts for name in constants(text)], functions


def type_kinds(declarations: str) -> dict[str, str]:
    """Of the typedefs that are not plain numbers: 'pointer', 'enum' or 'struct'."""
    kinds = {c_ast.PtrDecl: 'pointer', c_ast.Enum: 'enum', c_ast.Struct: 'struct', c_ast.Union: 'struct'}
    found = {}
    for node in parse(declarations).ext:
        if isinstance(node, c_ast.Typedef):
            inner = node.type.type if isinstance(node.type, c_ast.TypeDecl) else node.type
            found[node.name] = kinds.get(type(inner), 'number')
    return found


def kind_of(declaration: str, name: str, kinds: dict[str, str]) -> str:
    ctype = re.sub(rf'\b{name}$|\bconst\b', '', declaration).strip()
    if re.fullmatch(r'char \*', ctype):
        return 'text'
    return 'pointer' if ctype.endswith('*') else kinds.get(ctype, 'number')


Flat = tuple[str, str]  # declaration, definition


def widened(ctype: str, kind: str) -> str:
    if ctype == 'float':
        return 'double'
    return 'uint64_t' if kind == 'pointer' or ctype.startswith(('uint', 'size_t')) else 'int64_t'


def flat_input(declaration: str, name: str, kind: str) -> tuple[str, str]:
    """A parameter and what is passed on for it."""
    ctype = declaration.removesuffix(name).strip()
    if kind == 'pointer':
        return f'uint64_t {name}', f'({ctype})(uintptr_t){name}'
    return (f'int32_t {name}', f'({ctype}){name}') if kind == 'enum' else (declaration, name)


def flat_face(function: Function, kinds: dict[str, str]) -> Flat | None:
    """The flat face acl_bind_flat_NAME takes pointers as integers; outputs are no parameters.

    Without outputs it returns what the function returns; with one that, widened to 64 bits, or a mark (_binding.c); several
    go to 8 bytes each at the parameter `out`, which is first. None when a struct is in the way or there is no use for one.
    """
    outputs = [(re.sub(rf' ?\*{name}$', '', declaration), name) for declaration, name in function.params if name in function.outputs]
    output_kinds = [kind_of(ctype, '', kinds) for ctype, _ in outputs]
    inputs = [(*param, kind_of(*param, kinds)) for param in function.params if param[1] not in function.outputs]
    no_struct = 'struct' not in [*output_kinds, *(kind for *_, kind in inputs)]
    if not no_struct or function.since == 'mock' or function.returns in ('void', 'char *', 'const char *'):
        return None
    flat = {name: flat_input(declaration, name, kind) for declaration, name, kind in inputs}
    arguments = ', '.join(flat[name][1] if name in flat else f'&{name}' for _, name in function.params)
    params = [param for param, _ in flat.values()]
    wide = [widened(ctype, kind) for (ctype, _), kind in zip(outputs, output_kinds, strict=True)]
    cast = ['(uintptr_t)' if kind == 'pointer' else '' for kind in output_kinds]
    returns, body = function.returns, f'return {table_call(function, arguments)};'
    if kind_of(returns, '', kinds) == 'pointer':
        returns, body = 'uint64_t', body.replace('return ', 'return (uint64_t)(uintptr_t)')
    if outputs:
        locals_ = ''.join(f'{ctype} {name} = 0; ' for ctype, name in outputs)
        body = f'{locals_}{function.returns} code_ = table.{function.name}({arguments}); '
        if len(outputs) == 1 and wide[0] != 'double':
            returns = wide[0]
            body += f'return flat_{wide[0]}(code_, ({wide[0]}){cast[0]}{outputs[0][1]});'
        else:
            params.insert(0, 'void *out')
            body += ''.join(f'(({w} *)out)[{i}] = ({w}){c}{outputs[i][1]}; ' for i, (w, c) in enumerate(zip(wide, cast, strict=True)))
            body += 'return code_;'
    declaration = f'{returns} acl_bind_flat_{function.name}({", ".join(params) or "void"})'
    return declaration, f'static {declaration}\n{{\n    {body}\n}}\n' + thunk(f'flat_{function.name}', params)


def thunk(name: str, params: list[str]) -> str:
    """A flat face whose parameters all are integers takes them as an array too (_pyacl.c)."""
    types = [re.sub(r' ?\w+$', '', param) for param in params]
    if any('*' in ctype or ctype == 'float' for ctype in types):
        return ''
    passed = ', '.join(f'({ctype})in[{at}]' for at, ctype in enumerate(types))
    return f'static uint64_t thunk_{name}(const uint64_t *in)\n{{\n    (void)in;\n    return (uint64_t)acl_bind_{name}({passed});\n}}\n'


def table_call(function: Function, arguments: str) -> str:
    call = f'table.{function.name}({arguments})'
    if function.name not in ENDS_CONTEXTS:
        return call
    return f'contexts_ended(({call}, 0))' if function.returns == 'void' else f'contexts_ended({call})'


def wrapper(function: Function) -> str:
    """The static function that cffi calls in the library's stead.

    Where C has a format and values, the binding has one text, so that a % in it means nothing.
    """
    declaration = ', '.join(declaration for declaration, _ in function.params) or 'void'
    arguments = ', '.join(name for _, name in function.params)
    if function.variadic:
        arguments = re.sub(r'(\w+)$', r'"%s", \1', arguments)
    pointer = function.returns.endswith('*')
    return (
        f'static {function.returns}{"" if pointer else " "}bound_{function.name}({declaration})\n'
        f'{{\n    {"" if function.returns == "void" else "return "}{table_call(function, arguments)};\n}}\n'
        f'#define {function.name} bound_{function.name}\n'
    )


def describe(function: Function) -> str:
    params = ','.join(('>' if name in function.outputs else '') + name for _, name in function.params)
    return f'{function.name}|{function.since}|{params}'


def source(functions: list[Function], faces: list[Flat]) -> str:
    """The extension's C code."""
    members = ''.join(f'    __typeof__({function.name}) *{function.name};\n' for function in functions)
    rows = ''.join(f'    {{"{function.name}", (void **)&table.{function.name}}},\n' for function in functions)
    text = ''.join(f'    "{describe(function)}\\n"\n' for function in functions)
    flat = '\n'.join(face[1] for face in faces)
    thunks = ''.join(f'    {{"{name}", thunk_flat_{name}}},\n' for name in re.findall(r'thunk_flat_(\w+)\(', flat))
    template = (PACKAGE / '_binding.c').read_text()
    return (
        template.replace('/* MEMBERS */\n', members)
        .replace('/* ROWS */\n', rows)
        .replace('/* DESCRIPTION */\n', text)
        .replace('/* ROUTE */\n', (PACKAGE / '_route.c').read_text())
        .replace('/* WRAPPERS */\n', '\n'.join([flat, *map(wrapper, functions)]))
        .replace('/* THUNKS */\n', thunks)
    )


def make_ffi() -> cffi.FFI:
    declarations, numbers, functions = read_headers()
    route = (PACKAGE / '_route.h').read_text()
    builder = cffi.FFI()
    kinds = type_kinds(declarations)
    faces = [face for function in functions if (face := flat_face(function, kinds))]
    own = plain_c(route) + BINDING_CDEF + ''.join(f'{face[0]};\n' for face in faces)
    builder.cdef(declarations + ''.join(f'#define {name} ...\n' for name in numbers + constants(route)) + own)
    builder.set_source('acl_bind._acl', source(functions, faces))
    return builder


BINDING_CDEF = """
const char *acl_bind_open(const char *path);
const char *acl_bind_path(void);
const char *acl_bind_description(void);
int acl_bind_has(const char *function);
void acl_bind_hide(const char *function, int hidden);
int64_t acl_bind_flat_code(void);
uint64_t acl_bind_flat_value(void);
uint64_t acl_bind_thunk(const char *function);
extern "Python" void acl_bind_pyacl_callback(void *data);
extern "Python" void acl_bind_pyacl_exception(aclrtExceptionInfo *info);
extern "Python" void acl_bind_site(char *site, size_t room);
extern "Python" void acl_bind_host_func(void *call);
extern "Python" void acl_bind_kernel(aclmock_ctx *ctx);
void *acl_bind_kernel_reach(aclmock_ctx *ctx, uint64_t address, size_t bytes);
void acl_bind_kernel_note(aclmock_ctx *ctx, const char *text);
uintptr_t acl_bind_tensor_deleter(int versioned);
uintptr_t acl_bind_capsule_destructor(void);
const char *acl_bind_failed(void);
uint64_t acl_bind_epoch(void);
int acl_bind_launch_block(const acl_bind_plan *plan, const acl_bind_hidden *hidden, const acl_bind_target *target, void *block);
int acl_bind_launch(const acl_bind_plan *plan, const acl_bind_hidden *hidden, const acl_bind_target *target, const void *packed);
int acl_bind_sync(uintptr_t context, uintptr_t stream, int32_t timeout);
int acl_bind_launch_many(const acl_bind_item *items, size_t count, uintptr_t context, uintptr_t stream, size_t *launched);
"""


class BuildExt(build_ext):
    """Generates and compiles the extension, and puts a freshly built mock beside it."""

    def build_extension(self, ext: object) -> None:
        ext.include_dirs = [str(INCLUDE), str(PACKAGE)]  # type: ignore[attr-defined]
        ext.libraries = ['dl']  # type: ignore[attr-defined]
        if ext.name != 'acl_bind._acl':  # type: ignore[attr-defined]
            super().build_extension(ext)
            return
        generated = pathlib.Path(self.build_temp) / '_acl.c'
        generated.parent.mkdir(parents=True, exist_ok=True)
        make_ffi().emit_c_code(str(generated))
        ext.sources = [str(generated)]  # type: ignore[attr-defined]
        super().build_extension(ext)
        built = subprocess.run([sys.executable, str(ROOT / 'build_mock.py'), '--out', str(self.built_mock())], check=False)
        if built.returncode != 0:
            raise SystemExit('acl_bind: the mock could not be built, see above')

    def built_mock(self) -> pathlib.Path:
        return pathlib.Path(self.build_lib) / 'acl_bind' / '_mock'

    def copy_extensions_to_source(self) -> None:
        """An editable install: the mock goes beside the sources as the extension does."""
        super().copy_extensions_to_source()
        target = ROOT / 'acl_bind' / '_mock'
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.built_mock(), target, symlinks=True)
