"""Makes a pyACL function from its row of the table and the C function's declaration."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .._ffi import ffi, flat, flat_result, lib, make_face, signatures, thunk
from ._table import TABLES

Call = Callable[..., Any]

LOOK = {'uint64_t': (1 << 64) - 1, 'int64_t': -(1 << 63)}  # what a flat face returns when there is more to know
UNKNOWN_STATUS = 0xFFFF


class Row(NamedTuple):
    module: str
    name: str
    codes: str
    shape: str
    function: str
    text: str

    @property
    def refusal(self) -> str:
        """The TypeError's text when the arguments do not fit."""
        standard = f'{self.module}.{self.name} args parse failed'
        return standard + self.text if self.text in ('', '!') else self.text


def _rows(module: str) -> dict[str, Row]:
    lines = TABLES[module].strip().splitlines()
    return {row[0]: Row(module, *(*row, '')[:5]) for row in (line.split(maxsplit=4) for line in lines)}


ROWS = {module: _rows(module) for module in TABLES}


# ---- arguments --------------------------------------------------------------------------------------------------------


class UnfitError(Exception):
    """An argument that PyArg_ParseTuple would refuse."""


def _unsigned(bits: int, index: bool) -> Call:
    mask = (1 << bits) - 1

    def convert(value: Any) -> int:
        if not index and not isinstance(value, int):
            raise UnfitError(f'expected int, got {type(value).__name__}')
        return operator.index(value) & mask

    return convert


def _signed(bits: int) -> Call:
    def convert(value: Any) -> int:
        number = operator.index(value)
        if not -(1 << (bits - 1)) <= number < 1 << (bits - 1):
            raise UnfitError(f'{number} does not fit {bits} bits')
        return number

    return convert


def _float(value: Any) -> float:
    if not (hasattr(type(value), '__float__') or hasattr(type(value), '__index__')):
        raise UnfitError(f'expected float, got {type(value).__name__}')
    return float(value)


def _string(value: Any) -> bytes:
    if not isinstance(value, str) or '\0' in value:
        raise UnfitError('expected str without a zero character')
    return value.encode()


CONVERTERS: dict[str, Call] = {
    'k': _unsigned(64, index=False),
    'K': _unsigned(64, index=False),
    'I': _unsigned(32, index=True),
    'H': _unsigned(16, index=True),
    'i': _signed(32),
    'l': _signed(64),
    'L': _signed(64),
    'f': _float,
    's': _string,
    'O': lambda value: value,
}


def convert(row: Row, args: Sequence[Any]) -> list[Any]:
    """The arguments as PyArg_ParseTuple would hand them to C. Raises the row's TypeError."""
    if row.codes == '-':
        return []
    codes, optional = row.codes.replace('|', ''), '|' in row.codes
    try:
        if len(args) != len(codes) and not (optional and not args):
            raise UnfitError(f'expected {len(codes)} arguments, got {len(args)}')
        return [CONVERTERS[code](value) for code, value in zip(codes, args, strict=False)]
    except (UnfitError, TypeError, OverflowError, UnicodeEncodeError):
        raise TypeError(row.refusal) from None


# ---- results ----------------------------------------------------------------------------------------------------------


def _text(pointer: Any) -> str | None:
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()


def _waiting(signed: bool, shape: str) -> tuple[int, int]:
    """What a flat face that returned its mark has to tell."""
    output, code = flat_result(signed)
    return (UNKNOWN_STATUS if code and shape == 'xr' else output), code


def _finish_one(function: Call, shape: str) -> Call:
    mark = LOOK[ffi.typeof(function).result.cname]

    def finish(*values: Any) -> tuple[Any, int]:
        output = function(*values)
        return (output, 0) if output != mark else _waiting(mark < 0, shape)

    return finish


def _finish_several(function: Call, shape: str) -> Call:
    ctype = ffi.typeof(f'{"double" if "f" in shape else "int64_t"}[{len(shape) - 1}]')

    def finish(*values: Any) -> tuple[Any, ...]:
        place = ffi.new(ctype)
        code = function(place, *values)
        return (*place, code)

    return finish


def finisher(row: Row) -> Call:
    """Takes converted arguments, calls C, and gives what pyACL gives."""
    function = flat(row.function)
    casts = [argument for argument in ffi.typeof(function).args if argument.cname != 'void *']
    if row.shape == 's':
        finish: Call = lambda *values: _text(function(*values))  # noqa: E731
    elif row.shape in ('r', 'u', 'f'):
        finish = function
    elif len(row.shape) == 2 and row.shape != 'fr':
        finish = _finish_one(function, row.shape)
    else:
        finish = _finish_several(function, row.shape)
    if all(argument.cname in _NATIVE.get(code, ()) for code, argument in zip(row.codes.strip('-'), casts, strict=True)):
        return finish

    def fit(*values: Any) -> Any:
        """Where pyACL's code is not C's type: the value as C sees it."""
        pairs = zip(casts, values, strict=True)
        return finish(*(int(ffi.cast(ctype, value)) if isinstance(value, int) else value for ctype, value in pairs))

    return fit


# Which C types a code fits as it is. `int` stands for enums: their flat faces take int32_t.
_NATIVE = {
    'k': ('uint64_t', 'size_t'),
    'K': ('uint64_t', 'size_t'),
    'i': ('int32_t', 'int'),
    'I': ('uint32_t',),
    'l': ('int64_t',),
    'L': ('int64_t',),
    'H': ('uint16_t',),
    'f': ('float',),
    's': ('char *', 'char const *'),
}


# ---- functions --------------------------------------------------------------------------------------------------------

SPECIAL: dict[tuple[str, str], Call] = {}
RAW: set[tuple[str, str]] = set()


def special(module: str, *, raw: bool = False) -> Callable[[Call], Call]:
    """Registers what stands behind a `*` in the table. It takes the arguments as the codes convert them, raw as they came."""

    def register(function: Call) -> Call:
        key = (module, function.__name__)
        SPECIAL[key] = function
        if raw:
            RAW.add(key)
        return function

    return register


def slow_face(row: Row, finish: Call) -> Call:
    where = f'{row.module}.{row.name}' if row.module == 'acl' else row.name

    def slow(args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        if kw:
            raise TypeError(f'{where}() takes no keyword arguments')
        return finish(*(args if (row.module, row.name) in RAW else convert(row, args)))

    return slow


def make(row: Row) -> Call:
    """The function that programs call: in C where its arguments are all numbers and it was built, else in Python."""
    key = (row.module, row.name)
    if row.shape != '*' and not lib.has(row.function):
        return in_python(row, lambda *_: getattr(lib, row.function)())  # raises AclSymbolNotFoundError
    slow = slow_face(row, SPECIAL[key] if row.shape == '*' else finisher(row))
    codes = row.codes.strip('-')
    simple = set(codes) <= set('kKiIlLH') and row.shape in ('r', 'u', 'ur', 'xr')
    address = thunk(row.function) if simple and make_face and _fits(codes, flat(row.function)) else 0
    if not address:
        return in_python(row, slow)
    result = ffi.typeof(flat(row.function)).result.cname
    signed = result not in ('uint64_t', 'size_t', 'uint32_t', 'uint16_t')
    waiting = functools.partial(_waiting, signed, row.shape) if len(row.shape) == 2 else None
    made: Call = make_face(address, row.name, document(row), row.codes, signed, slow, waiting)
    return made


def in_python(row: Row, slow: Call) -> Call:
    def face(*args: Any, **kw: Any) -> Any:
        return slow(args, kw)

    return named(row, face)


def document(row: Row) -> str:
    return f'{row.function} of libascendcl.' if row.function.startswith('acl') else ''


def named(row: Row, face: Call) -> Call:
    face.__name__ = face.__qualname__ = row.name
    face.__module__ = row.module
    face.__doc__ = document(row)
    return face


def _fits(codes: str, function: Call) -> bool:
    types = ffi.typeof(function).args
    return all(ctype.cname in _NATIVE[code] for code, ctype in zip(codes, types, strict=True))


def has(row: Row) -> bool:
    """Whether acl_bind has the C function behind a row, or none is needed."""
    return row.module == 'acl.util' or row.function in signatures()


def missing(row: Row) -> Call:
    """Stands for a function that acl_bind does not have: it is there, and says what it is when it is called."""

    def face(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f'{row.module}.{row.name} is {row.function}, which acl_bind does not bind; docs/pyacl.md has the list')

    return named(row, face)
