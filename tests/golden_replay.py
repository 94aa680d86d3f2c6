"""Replays one recorded call sequence on argument lists through L0, and compares what comes back with the recording."""

from __future__ import annotations

import concurrent.futures
from typing import Any

from golden_data import decode

from acl_bind import ffi, lib

Step = dict[str, Any]

PREFILL = 0xCC  # of the recording's buffers, so that bytes nobody wrote are equal as well
NO_SYNC_SOC = b'Ascend950PR_9599'  # any chip without inter-core sync
STATE = {
    'argsSize': 'args_size', 'bufferSize': 'buffer_size', 'sysParamSize': 'head_size', 'realUserParamNum': 'num_params',
    'placeHolderNum': 'num_placeholders', 'maxUserParamNum': 'max_params', 'isGotPhBuff': 'got_buffer',
    'isProcessedOverflow': 'overflow_done', 'isFinalized': 'finalized', 'isParamUpdating': 'updating',
}  # fmt: skip


def ok(code: int) -> None:
    assert code == 0, (code, message())


def message() -> str:
    return str(ffi.string(lib.aclmock_last_message()).decode())


def number(pointer: Any) -> int:
    return int(ffi.cast('uintptr_t', pointer))


def read(address: Any, size: int) -> bytes:
    return bytes(ffi.buffer(ffi.cast('char *', address), size)) if size else b''


class Kernels:
    """The case's kernels, each looked up in a binary of its own."""

    def __init__(self, described: list[dict[str, Any]]) -> None:
        self.described = described
        self.binaries: list[Any] = []
        self.kept: list[Any] = []
        self.handles = [self.make(kernel) for kernel in described]
        self.set_traits()

    def make(self, kernel: dict[str, Any]) -> Any:
        kind = lib.ACLMOCK_AICPU if kernel['type'] == 'aicpu' else lib.ACLMOCK_AICORE
        name = ffi.new('char[]', b'recorded')
        entry = ffi.new('aclmock_kernel *', {'name': name, 'type': kind})
        binary, function = ffi.new('aclrtBinHandle *'), ffi.new('aclrtFuncHandle *')
        ok(lib.aclmock_make_binary(entry, 1, binary))
        ok(lib.aclrtBinaryGetFunction(binary[0], name, function))
        self.binaries.append(binary[0])
        self.kept += [name, entry]
        return function[0]

    def set_traits(self) -> None:
        """Also after a change of the chip, which decides on the slots in front."""
        for kernel, handle in zip(self.described, self.handles, strict=True):
            params = kernel['user_para_num'] or 0  # None: the recorder left the field alone, and its sizes are those of 0
            traits = {'system_slots': kernel['sys_params'], 'overflow': kernel['overflow'], 'ffts': kernel['ffts'], 'max_params': params}
            ok(lib.aclmock_set_traits(handle, ffi.new('aclmock_traits *', traits)))

    def unload(self) -> None:
        for binary in self.binaries:
            ok(lib.aclrtBinaryUnLoad(binary))


class List:
    """One handle of the case: the list behind it, its parameters and placeholder buffers."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.params: dict[int, Any] = {}
        self.buffers: dict[int, Any] = {}
        self.memory: list[Any] = []  # of a list in user memory
        self.buffer = ffi.NULL
        self.room = 0

    def view(self) -> Any:
        view = ffi.new('aclmock_args *')
        ok(lib.aclmock_get_args(self.handle, view))
        return view

    def placeholders(self) -> list[list[int]]:
        found, arg = [], ffi.new('aclmock_arg *')
        for index in range(self.view().num_params):
            ok(lib.aclmock_get_arg(self.handle, index, arg))
            if arg.placeholder:
                found.append([arg.offset, arg.data_offset])
        return found


class Replay:
    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case
        self.kernels = Kernels(case.get('kernels') or [case['kernel']])
        self.lists: dict[int, List] = {}
        # Where a launch has put pointers, by address of the slot: the recording's bytes and ours.
        self.pointers: dict[int, tuple[bytes, bytes]] = {}
        self.stopped = False  # at a step that the mock refuses: what follows is not comparable
        self.worker: concurrent.futures.ThreadPoolExecutor | None = None
        self.prefill_system_buffer()

    def prefill_system_buffer(self) -> None:
        handle, view = ffi.new('aclrtArgsHandle *'), ffi.new('aclmock_args *')
        ok(lib.aclrtKernelArgsInit(self.kernels.handles[0], handle))
        ok(lib.aclmock_get_args(handle[0], view))
        ffi.memmove(ffi.cast('void *', view.buffer), bytes([PREFILL]) * view.buffer_size, view.buffer_size)

    def enter_thread(self) -> None:
        ok(lib.aclrtSetDevice(0))
        self.prefill_system_buffer()

    def on_thread(self, step: Step) -> None:
        if not step.get('thread'):
            return self.step(step)
        if self.worker is None:
            self.worker = concurrent.futures.ThreadPoolExecutor(1)
            self.worker.submit(self.enter_thread).result()
        return self.worker.submit(self.step, step).result()

    def close(self) -> None:
        if self.worker is not None:
            self.worker.submit(lib.aclrtResetDevice, 0).result()
            self.worker.shutdown()
        lib.aclmock_set_soc(ffi.NULL)
        self.kernels.unload()

    # ---- comparing ------------------------------------------------------------------------------------------

    def same(self, at: Any, recorded: bytes, seen: bytes, what: str) -> None:
        """Equal but for the pointers that launches put there: those must be equal as offsets in the device's block."""
        wanted = bytearray(recorded)
        for slot, (theirs, ours) in self.pointers.items():
            for i in range(8):
                offset = slot - number(at) + i
                if 0 <= offset < len(wanted) and recorded[offset] == theirs[i] and seen[offset] == ours[i]:
                    wanted[offset] = ours[i]
        assert seen.hex() == wanted.hex(), what

    def check_state(self, step: Step) -> None:
        if step.get('h') not in self.lists or 'state' not in step:
            return
        view = self.lists[step['h']].view()
        seen = {theirs: getattr(view, ours) for theirs, ours in STATE.items()}
        assert seen == {name: step['state'][name] for name in STATE}

    def check_param(self, step: Step, args: List) -> None:
        wanted = step['para']
        arg = ffi.new('aclmock_arg *')
        ok(lib.aclmock_get_arg(args.handle, wanted['index'], arg))
        seen = (arg.placeholder, arg.offset, arg.size, arg.data_offset)
        assert seen == (wanted['type'], wanted['paraOffset'], wanted['paraSize'], wanted['dataOffset'])

    def check_final(self) -> None:
        for index, wanted in (self.case['final'] or {}).items():
            args = self.lists[int(index)]
            assert args.view().args_size == wanted['argsSize']
            assert args.placeholders() == wanted['placeholder_table']
            recorded = decode(wanted['buffer_hex'])
            self.same(args.buffer, recorded, read(args.buffer, len(recorded)), 'the buffer at the end')
            for param in wanted['params']:
                self.check_param({'para': param}, args)

    # ---- steps ----------------------------------------------------------------------------------------------

    def run(self) -> None:
        for index, step in enumerate(self.case['steps']):
            try:
                self.on_thread(step)
            except AssertionError as error:
                raise AssertionError(f'step {index} ({step["op"]}): {error}') from error
            if self.stopped:
                return
        self.check_final()

    def step(self, step: Step) -> None:
        raise NotImplementedError

    def check_reports(self, step: Step) -> None:
        for report in step.get('reported_acl', []):
            number_of_message, rest = report.split(': ', 1)
            parts = dict(part.split('=', 1) for part in rest.split('; '))
            assert message().startswith(f'{number_of_message}: {parts["func"]}: {parts["param"]} is'), (message(), report)
