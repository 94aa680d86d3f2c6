"""Replays one call sequence of tests/golden/resource_vectors.json.gz through the exported functions.

meta.conventions in that file says what the symbols in arguments and outputs stand for.
"""

from __future__ import annotations

import pathlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

from acl_bind import ffi, lib

Step = dict[str, Any]
BUFFER = 8192
ZEROES = 512
CHARS = ffi.typeof('char *')
BLOCKED_AFTER = 0.1  # s: a call that is still in progress then is waiting for what is held
STUCK_AFTER = 0.15  # s: the same for a call that returned in the recording, by the grace of the recorder's device
TIMEOUT = 20  # ms: what a recorded timeout is cut to
LAST_ERROR = {'aclrtPeekAtLastError', 'aclrtGetLastError'}
NEVER_CREATED = 'not called: the handle was never created'
DIED = 'process died'


class Thread:
    """A thread that calls what it is given, one after another."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self.ident: int = self.call(threading.get_ident).result()

    def _run(self) -> None:
        while (item := self._calls.get()) is not None:
            future, function = item
            try:
                future.set_result(function())
            except BaseException as error:
                future.set_exception(error)

    def call(self, function: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        self._calls.put((future, function))
        return future

    def close(self) -> None:
        self._calls.put(None)
        self._thread.join()


class Output:
    """A variable that a call may write: filled with a pattern before."""

    def __init__(self, ctype: Any) -> None:
        self.memory = ffi.new(ctype)
        self.size = ffi.sizeof(ctype.item)
        ffi.memmove(self.memory, b'\xa5' * self.size, self.size)

    def written(self) -> bool:
        return bool(bytes(ffi.buffer(self.memory, self.size)) != b'\xa5' * self.size)


class Replay:
    """One case. run() asserts everything that the recording says."""

    def __init__(self, case: dict[str, Any], binary: bytes, kernel: str, files: pathlib.Path) -> None:
        self.case = case
        self.kernel = kernel
        self.files = files
        self.elf = ffi.from_buffer(binary)
        self.buffers = {f'h{i}': ffi.new('char[]', BUFFER) for i in range(4)}
        self.bad = ffi.new('char[]', ZEROES)
        self.names: dict[str, Any] = {}
        self.threads: dict[int, Thread] = {}
        self.texts: dict[int, str | None] = {}
        self.slots: dict[int, int] = {}
        self.keep: list[Any] = []
        self.called: list[str] = []
        self.blocked: list[Future[Any]] = []
        self.died: list[tuple[Step, int]] = []
        self.loose: set[int] = set()  # threads whose messages no longer compare
        # Whether a call stores the last error shows only in an emptied slot; not where the case reads the slot itself.
        self.exact = not any(step['fn'] in LAST_ERROR for step in case['steps'])
        self.functions = {name: self._callback(name) for name in ('cbA', 'cbB', 'cbSelfCall')}
        self.functions |= {name: ffi.callback('void(aclrtExceptionInfo *)', lambda _info: None) for name in ('exA', 'exB')}
        self.functions['opEx'] = ffi.callback('void(aclrtExceptionInfo *, void *)', lambda _info, _data: None)

    def _callback(self, name: str) -> Any:
        return ffi.callback('void(void *)', lambda _data: self.called.append(name))

    def close(self) -> None:
        lib.aclmock_hold(ffi.NULL, 0)
        for future in self.blocked:
            future.result(timeout=10)
        for thread in self.threads.values():
            thread.close()
        lib.aclmock_reset()

    # ---- arguments ------------------------------------------------------------------------------------------

    def thread(self, number: int) -> Thread:
        if number not in self.threads:
            self.threads[number] = Thread()
        return self.threads[number]

    def _address(self, symbol: str) -> Any:
        name, _, offset = symbol.partition('+')
        if name == 'NULL':
            return ffi.NULL
        base = self.bad if name == 'bad' else self.elf if name == 'elf' else self.buffers.get(name, self.functions.get(name))
        if base is None:
            base = self.names[name]
        return ffi.cast('char *', base) + int(offset or 0)

    def _config(self, ctype: Any, spec: dict[str, Any]) -> Any:
        config = ffi.new(ctype)
        malloc = 'Malloc' in ctype.item.cname
        attributes = spec['attrs']
        if attributes is not None:
            array = ffi.new('aclrtMallocAttribute[]' if malloc else 'aclrtLaunchKernelAttr[]', max(len(attributes), 1))
            for slot, (number, *values) in zip(array, attributes, strict=False):
                setattr(slot, 'attr' if malloc else 'id', number)
                raw = ffi.cast('uint32_t *', ffi.addressof(slot, 'value'))
                for index, value in enumerate(values):
                    raw[index] = value & 0xFFFFFFFF
            config.attrs = array
            self.keep.append(array)
        config.numAttrs = spec.get('numAttrs', len(attributes or []))
        self.keep.append(config)
        return config

    def _argument(self, ctype: Any, value: Any, step: Step) -> Any:
        if isinstance(value, dict):
            return self._thread_id(value['tid']) if 'tid' in value else self._config(ctype, value)
        if isinstance(value, int):
            return TIMEOUT if value > TIMEOUT and step['fn'].startswith('aclrtSynchronize') else ffi.cast(ctype, value)
        if value.startswith('&'):
            return step['outputs'].setdefault(value[1:], Output(ctype)).memory
        if value == 'size:elf':
            return len(self.elf)
        if ctype is CHARS and value not in ('NULL', 'bad', *self.buffers):
            text = ffi.new('char[]', self._string(step, value).encode())
            self.keep.append(text)
            return text
        return ffi.cast(ctype, self._address(value))

    def _thread_id(self, number: int) -> int:
        return self.thread(number).ident if number >= 0 else 0x1234

    def _string(self, step: Step, value: str) -> str:
        if step['fn'] == 'aclInit':
            return str(self.files / value) if value else ''
        return self.kernel if value == 'KERNEL' else value

    # ---- steps ----------------------------------------------------------------------------------------------

    def run(self) -> None:
        for index, step in enumerate(self.case['steps']):
            self.where = f'step {index}: {step["fn"]}({", ".join(map(str, step["args"]))})'
            if step.get('oracle_control'):
                self._control(step)
            elif step['rc'] != NEVER_CREATED:
                self._step({**step, 'outputs': {}})
                if self.blocked:
                    break

    def _control(self, step: Step) -> None:
        name, args = step['fn'], step['args']
        if name in ('_hold', '_release'):
            lib.aclmock_hold(ffi.NULL, name == '_hold')
        elif name == '_mem_limit':
            for device in range(2):
                assert lib.aclmock_set_memory(device, args[0])
        elif name == '_wait_ms':
            time.sleep(min(args[0], 2 * TIMEOUT) / 1000)
        else:
            assert name == '_bytes', f'{self.where}: unknown'
            address = self._address(args[0])
            host = lib.aclmock_host_address(address)
            seen = list(bytes(ffi.buffer(host if host != ffi.NULL else address, args[1])))
            assert seen == step['out']['bytes'], self.where

    def _step(self, step: Step) -> None:
        number = step.get('thread', 0)
        function = getattr(lib, step['fn'])
        types = ffi.typeof(function).args
        args = [self._argument(ctype, value, step) for ctype, value in zip(types, step['args'], strict=True)]
        future = self.thread(number).call(lambda: self._call(function, args))
        if step['rc'] == 'timeout':
            time.sleep(BLOCKED_AFTER)
            assert not future.done(), f'{self.where}: must block, returned {future.result()}'
            self.blocked.append(future)
            return
        returned, slot, pending, self.said = self._result(future, step)
        self._remember(step)
        if str(step['rc']).startswith(DIED):
            self.died.append((step, returned))
            assert returned in (lib.ACL_ERROR_RT_INVALID_HANDLE, lib.ACL_ERROR_INVALID_PARAM, lib.ACL_ERROR_RT_PARAM_INVALID), self.where
        elif step.get('stub') and step['rc'] != 'not reached':
            self._follow(step, returned, pending)
        elif step['rc'] != 'not reached':
            self._compare(step, returned, slot, pending)

    def _result(self, future: Future[Any], step: Step) -> Any:
        try:
            return future.result(timeout=STUCK_AFTER if step.get('stub') else 30)
        except TimeoutError:  # the recorder's device had done what ours holds back
            lib.aclmock_hold(ffi.NULL, 0)
            return future.result(timeout=30)

    def _follow(self, step: Step, returned: Any, pending: bool) -> None:
        """Goes on from where the recorder was: the answer of a step marked stub, and what it left behind, may differ."""
        number = step.get('thread', 0)
        self.slots[number] = step['last_error']
        if step['fn'] == 'aclGetRecentErrMsg':
            self.texts[number] = returned
        if pending and not step['msg_pending']:
            self.thread(number).call(lib.aclGetRecentErrMsg).result()
        elif step['msg_pending'] and not pending:
            self.loose.add(number)

    def _call(self, function: Any, args: list[Any]) -> tuple[Any, int, bool, str]:
        if self.exact:
            lib.aclrtGetLastError(lib.ACL_RT_THREAD_LEVEL)
        returned = function(*args)
        if isinstance(returned, ffi.CData):
            returned = None if returned == ffi.NULL else ffi.string(returned).decode()
        slot = lib.aclrtPeekAtLastError(lib.ACL_RT_THREAD_LEVEL)
        return returned, slot, bool(lib.aclmock_message_pending()), ffi.string(lib.aclmock_last_message()).decode()

    def _remember(self, step: Step) -> None:
        for name, output in step['outputs'].items():
            if output.written():
                self.names[name] = output.memory[0]
            self.keep.append(output)

    def _compare(self, step: Step, returned: Any, slot: int, pending: bool) -> None:
        number = step.get('thread', 0)
        seen = f'{self.where}\n{self.said}'
        if step['rc'] in ('text', 'NULL'):
            self._compare_text(step, returned)
        else:
            assert returned == step['rc'], seen
        if self.exact:
            stored = slot != 0
            assert stored == step['stored'], f'{self.where}: stored'
            assert not stored or slot == step.get('stored_code', step['rc']), f'{self.where}: stored_code'
            slot = slot or self.slots.get(number, 0)
        self.slots[number] = slot
        assert slot == step['last_error'], f'{self.where}: last_error'
        assert number in self.loose or pending == step['msg_pending'], f'{self.where}: msg_pending'
        for name, wanted in self._outputs(step):
            output = step['outputs'][name]
            assert self._matches(step['fn'], wanted, output), f'{self.where}: {name} is {output.memory[0]}, recorded {wanted}'

    def _outputs(self, step: Step) -> Iterator[tuple[str, Any]]:
        if step['rc'] not in ('text', 'NULL') and not isinstance(step.get('out'), str):
            yield from ((name, wanted) for name, wanted in step.get('out', {}).items() if name in step['outputs'])

    def _matches(self, function: str, wanted: Any, output: Output) -> bool:
        value = output.memory[0]
        if isinstance(wanted, dict):
            return all(number == getattr(value.location, key.removeprefix('location.')) for key, number in wanted.items())
        if not isinstance(wanted, str):
            return bool(value == wanted)
        if wanted.startswith('same as ') and 'Create' not in function:
            return bool(value == self.names[wanted.removeprefix('same as ')])
        if wanted == 'NULL':  # where the code is not on the device, an address is the offset alone: 0 for the recorded kernel
            offset = 1 << 20 if function == 'aclrtGetFunctionAddr' else 0
            return int(ffi.cast('uintptr_t', value)) <= offset
        # "set", "stub value", or an address that the real allocator used again and ours does not so soon
        return output.written() == (wanted != 'unchanged') and (wanted != 'set' or value != ffi.NULL)

    def _compare_text(self, step: Step, returned: str | None) -> None:
        assert (returned is None) == (step['rc'] == 'NULL'), f'{self.where}: returned {returned!r}'
        if step['fn'] != 'aclGetRecentErrMsg':
            return
        number = step.get('thread', 0)
        previous, self.texts[number] = self.texts.get(number), returned
        if returned is None:
            return
        same = returned == previous
        grew = previous is not None and not same and previous in returned
        assert bool(returned) == step['out']['length_gt_0'], self.where
        assert same == step['out']['same_text_as_previous_call'], f'{self.where}: {returned}'
        assert grew == step['out']['text_grew_from_previous'], f'{self.where}: {previous} then {returned}'
