"""Every function of pyACL, by the facts: a right call, wrong types, wrong counts, numbers out of range, keywords.

Each C function is made to fail before it does anything, so that any argument may be passed, and a trace tells which
arguments it was given.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pyacl_facts import CALLED, FACTS, PARSED, UNKNOWN_TEXT, Fact, arguments

import acl_bind.pyacl as acl
from acl_bind import mock, runtime
from acl_bind._ffi import ffi, lib, signatures
from acl_bind.pyacl import _engine, _strict
from acl_bind.pyacl._engine import ROWS

FAILED = 507899
INT32, UINT32, UINT64 = 1 << 32, 1 << 32, 1 << 64

pytestmark = pytest.mark.skipif(_strict.ENABLED, reason='ACL_BIND_PYACL_STRICT is set, which changes what is tested here')


class Index:
    """An integer that is no int."""

    def __index__(self) -> int:
        return 1


WRONG: dict[str, list[Any]] = {
    'k': [None, 1.0, '1', b'1', np.int64(1), Index()],
    'i': [None, 1.0, '1', b'1'],
    'f': [None, '1', b'1', 10**400],
    's': [None, b'name', 1, 'a\0b', '\ud800'],
    'O': [],
}
WRONG |= {'K': WRONG['k'], 'I': WRONG['i'], 'H': WRONG['i'], 'l': WRONG['i'], 'L': WRONG['i']}
# (given, what C sees), and what is refused
WRAPS = {
    'k': [(-1, UINT64 - 1), (UINT64, 0), (UINT64 + 5, 5), (True, 1)],
    'I': [(-1, UINT32 - 1), (UINT32, 0), (UINT32 + 5, 5), (np.int64(3), 3), (Index(), 1)],
    'H': [(-1, 0xFFFF), (1 << 16, 0), (np.int8(3), 3)],
    'i': [(-1, -1), (INT32 // 2 - 1, INT32 // 2 - 1), (-INT32 // 2, -INT32 // 2), (np.int64(3), 3), (Index(), 1), (True, 1)],
    'l': [(-(1 << 63), -(1 << 63)), ((1 << 63) - 1, (1 << 63) - 1)],
}
WRAPS |= {'K': WRAPS['k'], 'L': WRAPS['l'], 'f': [(np.float32(2), 2), (3, 3)], 's': [], 'O': []}
REFUSED = {'i': [INT32 // 2, -INT32 // 2 - 1, 1 << 100], 'l': [1 << 63], 'L': [1 << 63]}


@pytest.fixture(autouse=True)
def at_the_start(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(runtime, '_initialised', False)  # no objects of acl_bind, whatever ran before: finalize ends all
    lib.aclInit(ffi.NULL)
    yield
    mock.clear_faults()
    lib.aclFinalize()


def call(fact: Fact, args: list[Any]) -> tuple[Any, dict[str, int]]:
    """What the function returns, and the inputs that C was given."""
    function = 'aclGetDataBufferSizeV2' if fact.short == 'get_data_buffer_size' else fact.function
    with mock.fault(function, FAILED, times=None), mock.trace() as trace:
        result = fact.get()(*args)
    inputs = {param.name for param in signatures()[function].params if not param.output}
    (made,) = [call for call in trace.calls if call.name == function]
    return result, {name: value for name, value in made.arguments.items() if name in inputs}


def ids(fact: Fact) -> str:
    return fact.name


@pytest.mark.parametrize('fact', CALLED, ids=ids)
def test_a_right_call_reaches_c_and_has_the_right_shape(fact: Fact) -> None:
    result, seen = call(fact, arguments(fact))
    values = result if isinstance(result, tuple) else (result,)
    types: dict[str, Any] = {'int': int, 'float': float, 'str': (str, type(None)), 'dict': dict, 'None': type(None)}
    assert len(values) == len(fact.returns)
    assert all(isinstance(value, types[kind]) for value, kind in zip(values, fact.returns, strict=True))
    code_last = isinstance(result, tuple) or signatures().get(fact.function) is None
    returns_code = fact.function in signatures() and ffi.typeof(getattr(lib, fact.function)).result is ffi.typeof('aclError')
    assert not (returns_code or code_last) or values[-1] in (FAILED, 0)
    assert not returns_code or values[-1] == FAILED
    if set(fact.letters) <= set('kKiIlLH'):
        assert list(seen.values())[: len(fact.letters)] == arguments(fact)


@pytest.mark.filterwarnings('ignore:acl.util:Warning')
@pytest.mark.parametrize('fact', PARSED, ids=ids)
def test_a_wrong_type_is_refused_with_pyacls_words(fact: Fact) -> None:
    for at, code in enumerate(fact.letters):
        for wrong in WRONG[code]:
            args = arguments(fact)
            args[at] = wrong
            with pytest.raises(TypeError) as error:
                fact.get()(*args)
            assert str(error.value) == fact.text, (at, wrong)
            assert error.value.__cause__ is None
            assert error.value.__suppress_context__


@pytest.mark.filterwarnings('ignore:acl.util:Warning')
@pytest.mark.parametrize('fact', PARSED, ids=ids)
def test_a_wrong_count_is_refused_with_pyacls_words(fact: Fact) -> None:
    args = arguments(fact)
    wrong = [[*args, 1], *([] if '/' in fact.codes else [args[:-1]])]
    for given in wrong:
        with pytest.raises(TypeError) as error:
            fact.get()(*given)
        assert str(error.value) == fact.text


@pytest.mark.parametrize('fact', [fact for fact in CALLED if fact.codes == '-'], ids=ids)
def test_ignored_arguments_are_ignored(fact: Fact) -> None:
    call(fact, [1, 'two', None])


@pytest.mark.parametrize('fact', [fact for fact in CALLED if set(fact.letters) & set('kKiIlLH')], ids=ids)
def test_numbers_out_of_range(fact: Fact) -> None:
    if fact.short in ('get_function_name', 'launch_kernel_with_host_args'):
        pytest.skip('a number of its own is checked by hand in test_pyacl.py')
    plain = set(fact.letters) <= set('kKiIlLH')
    for at, code in enumerate(fact.letters):
        for given, seen in WRAPS[code]:
            args = arguments(fact)
            args[at] = given
            _, inputs = call(fact, args)
            if plain:
                bits = 64 if list(inputs.values())[at] >= INT32 else 32
                assert (list(inputs.values())[at] - seen) % (1 << bits) == 0, (at, given)
        for given in REFUSED.get(code, []):
            args = arguments(fact)
            args[at] = given
            with pytest.raises(TypeError) as error:
                fact.get()(*args)
            assert str(error.value) == fact.text


@pytest.mark.parametrize('fact', CALLED, ids=ids)
def test_in_python_they_do_the_same(fact: Fact, monkeypatch: pytest.MonkeyPatch) -> None:
    in_c, seen_by_c = call(fact, arguments(fact))
    monkeypatch.setattr(_engine, 'make_face', None)
    face = _engine.make(ROWS[fact.module][fact.short])
    monkeypatch.setattr(Fact, 'get', lambda _: face)
    in_python, seen = call(fact, arguments(fact))
    assert face.__name__ == fact.short
    assert in_python == in_c
    if set(fact.letters) <= set('kKiIlLH'):
        assert list(seen.values())[: len(fact.letters)] == list(seen_by_c.values())[: len(fact.letters)]


@pytest.mark.parametrize('fact', [fact for fact in FACTS if fact.bound], ids=ids)
def test_there_are_no_keywords(fact: Fact) -> None:
    shown = fact.name if fact.module == 'acl' else fact.short
    with pytest.raises(TypeError) as error:
        fact.get()(*arguments(fact), x=1)
    assert str(error.value) == f'{shown}() takes no keyword arguments'


@pytest.mark.parametrize('fact', [fact for fact in FACTS if not fact.bound], ids=ids)
def test_what_is_not_bound_is_there_and_says_so(fact: Fact) -> None:
    with pytest.raises(NotImplementedError, match=f'{fact.name} is {fact.function}, which acl_bind does not bind'):
        fact.get()(1, x=2)


def test_every_name_is_listed() -> None:
    for module in ('acl', 'acl.rt', 'acl.util'):
        names = {fact.short for fact in FACTS if fact.module == module}
        listed = set(dir(importlib.import_module(f'acl_bind.py{module}')))
        assert names == listed - {'install', 'rt', 'util', 'mdl', 'media', 'op', 'blas', 'prof', 'himpi', 'fv'}


def test_the_table_says_what_the_facts_say() -> None:
    for fact in FACTS:
        row = ROWS[fact.module][fact.short]
        assert fact.text in ('-', row.refusal)
        assert fact.codes in ('?', row.codes.replace('|', '/'))
        assert fact.function in (row.function, '-', 'aclGetDataBufferSize')


def test_the_unknown_ones_are_these() -> None:
    names = [fact.short for fact in UNKNOWN_TEXT]
    assert names == ['get_event_id', 'device_set_limit', 'device_get_limit', 'launch_kernel_with_host_args', 'start_thread']


def test_other_modules_have_any_name() -> None:
    with pytest.raises(NotImplementedError, match=r'acl.mdl.load_from_file: acl.mdl is offline models'):
        acl.mdl.load_from_file('model.om')
    with pytest.raises(AttributeError):
        acl.mdl.__path__  # noqa: B018
    with pytest.raises(AttributeError, match='no_such_function'):
        acl.rt.no_such_function  # noqa: B018
