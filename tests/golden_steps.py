"""The steps that recorded sequences on argument lists consist of."""

from __future__ import annotations

from typing import Any

from golden_data import decode
from golden_replay import NO_SYNC_SOC, PREFILL, Kernels, List, Replay, Step, message, number, read

from acl_bind import ffi, lib

CELL_AT = 80  # of the handle's cell in a list, as in the real library
LARGE = 1 << 63  # sizes from here on make the recorded arithmetic wrap


def exception(step: Step) -> str:
    """Why the mock refuses a step that the real library takes; '' when it does not."""
    op, state = step['op'], step.get('state', {})
    size = step.get('size', 0)
    rows = {
        'writes past the end of the memory it was given': bool(
            step.get('bytes_written_past_user_buffer') or step.get('bytes_written_past_host_block')
        ),
        'writes a pointer past the end of the arguments': op == 'launch_host'
        and any(at + 8 > step.get('size', len(decode(step['data_hex']))) for at, _ in step['table']),
        'copies what lies behind the buffer': op == 'launch' and state['argsSize'] > state['bufferSize'],
        'the sum of sizes wraps': op == 'mem_size' and step['user_args_size'] >= LARGE and step.get('value', 0) < step['user_args_size'],
        'the size wraps': size >= LARGE,
    }
    return next((reason for reason, applies in rows.items() if applies and step['rc_acl'] == 0), '')


class ArgsReplay(Replay):
    def step(self, step: Step) -> None:
        code = getattr(self, f'do_{step["op"]}')(step)
        if exception(step):
            assert code == lib.ACL_ERROR_RT_PARAM_INVALID, f'returned {code}, {exception(step)}'
            assert message(), 'a refusal must say why'
            self.stopped = step['op'] != 'mem_size'  # which changes nothing, so that what follows is as recorded
            return
        assert code is None or code == step['rc_acl'], f'returned {code}, recorded {step["rc_acl"]}; {message()}'
        self.check_reports(step)
        self.check_state(step)

    def pick(self, step: Step, name: str, value: Any) -> Any:
        """The value, or NULL where the recording passed that."""
        return ffi.NULL if step.get('null') == name else value

    def list_of(self, step: Step) -> List:
        return self.lists[step['h']]

    def do_init(self, step: Step) -> int:
        out = ffi.new('aclrtArgsHandle *')
        kernel = self.pick(step, 'kernel', self.kernels.handles[step['k']])
        code: int = lib.aclrtKernelArgsInit(kernel, self.pick(step, 'out', out))
        if code == 0:
            args = self.lists[step['h']] = List(out[0])
            args.buffer = args.view().buffer
            args.room = args.view().buffer_size
        return code

    def do_init_user(self, step: Step) -> int:
        kernel = self.kernels.handles[step['k']]
        size = ffi.new('size_t *')
        assert lib.aclrtKernelArgsGetHandleMemSize(kernel, size) == step['handle_mem_size_rc']
        assert size[0] == step['handle_mem_size']
        memory = ffi.new('char[]', size[0])
        assert lib.aclrtKernelArgsGetMemSize(kernel, step.get('user_args_size', 0), size) == step['mem_size_rc']
        assert size[0] == step['mem_size']
        room = step['buf_size'] if 'buf_size' in step else size[0]
        shift = step.get('misalign', 0)
        buffer = ffi.new('char[]', bytes([PREFILL]) * (room + shift))
        code: int = lib.aclrtKernelArgsInitByUserMem(
            self.pick(step, 'kernel', kernel), self.pick(step, 'handle', memory), self.pick(step, 'buffer', buffer + shift), room
        )
        if code == 0:
            args = self.lists[step['h']] = List(ffi.cast('aclrtArgsHandle', memory))
            args.memory = [memory, buffer]
            args.buffer = buffer + shift
            args.room = room
        return code

    def do_reinit_user_inplace(self, step: Step) -> int:
        args = self.list_of(step)
        code: int = lib.aclrtKernelArgsInitByUserMem(self.kernels.handles[step['k']], args.memory[0], args.buffer, args.room)
        return code

    def append(self, step: Step, handle: Any, data: Any, size: int) -> int:
        out = ffi.new('aclrtParamHandle *')
        code: int = lib.aclrtKernelArgsAppend(
            self.pick(step, 'handle', handle), self.pick(step, 'data', data), size, self.pick(step, 'out', out)
        )
        return self.appended(step, code, out)

    def appended(self, step: Step, code: int, out: Any) -> int:
        if code == 0:
            self.list_of(step).params[step['para']['index']] = out[0]
            self.check_param(step, self.list_of(step))
        else:  # the real library leaves an address of its own when the size wraps: nobody may use that
            assert out[0] == ffi.NULL
        return code

    def data(self, step: Step) -> bytes:
        return bytes([step['fill_byte']]) * step['fill_size'] if 'fill_size' in step else decode(step['data_hex'])

    def do_append(self, step: Step) -> int:
        data = self.data(step)
        handle = self.list_of(step).handle
        return self.append(step, handle, ffi.from_buffer(data), step.get('size', len(data)))

    def do_append_from_self(self, step: Step) -> int:
        args = self.list_of(step)
        return self.append(step, args.handle, ffi.cast('char *', args.buffer) + step['offset'], step['size'])

    def do_append_wrong_handle(self, step: Step) -> int:
        data = self.data(step)
        return self.append(step, self.list_of(step).params[step['param']], ffi.from_buffer(data), len(data))

    def do_append_kernel_as_handle(self, step: Step) -> int:
        data = self.data(step)
        return self.append(step, self.kernels.handles[0], ffi.from_buffer(data), len(data))

    def do_append_uninit_mem(self, step: Step) -> int:
        data = self.data(step)
        memory = ffi.new('char[]', bytes([step['byte']]) * 8192)
        return self.append(step, memory, ffi.from_buffer(data), len(data))

    def do_placeholder(self, step: Step) -> int:
        out = ffi.new('aclrtParamHandle *')
        handle = self.pick(step, 'handle', self.list_of(step).handle)
        return self.appended(step, lib.aclrtKernelArgsAppendPlaceHolder(handle, self.pick(step, 'out', out)), out)

    def do_get_ph_buffer(self, step: Step) -> int:
        args = self.list_of(step)
        out = ffi.new('void **')
        code: int = lib.aclrtKernelArgsGetPlaceHolderBuffer(
            self.pick(step, 'handle', args.handle),
            self.pick(step, 'param', args.params[step['param']]),
            step['size'],
            self.pick(step, 'out', out),
        )
        if code == 0 and not exception(step):
            assert number(out[0]) - number(args.buffer) == step['buf_minus_buffer']
            args.buffers[step['param']] = out[0]
            self.check_param(step, args)
        return code

    def do_get_wrong_param(self, step: Step) -> int:
        args = self.list_of(step)
        code: int = lib.aclrtKernelArgsGetPlaceHolderBuffer(args.handle, args.handle, step['size'], ffi.new('void **'))
        return code

    def do_fill(self, step: Step) -> None:
        data = decode(step['data_hex'])
        ffi.memmove(self.list_of(step).buffers[step['param']], data, len(data))

    def do_update(self, step: Step) -> int:
        args = self.list_of(step)
        owner = self.lists[step['param_of'] if 'param_of' in step else step['h']]
        data = decode(step['data_hex'])
        code: int = lib.aclrtKernelArgsParaUpdate(
            self.pick(step, 'handle', args.handle), self.pick(step, 'param', owner.params[step['param']]),
            self.pick(step, 'data', ffi.from_buffer(data)), step.get('size', len(data))
        )  # fmt: skip
        return code

    def do_update_from_self(self, step: Step) -> int:
        args = self.list_of(step)
        source = ffi.cast('char *', args.buffer) + step['offset']
        code: int = lib.aclrtKernelArgsParaUpdate(args.handle, args.params[step['param']], source, step['size'])
        recorded = decode(step['buffer_hex'])
        self.same(args.buffer, recorded, read(args.buffer, len(recorded)), 'the buffer after an update from itself')
        return code

    def do_finalize(self, step: Step) -> int:
        code: int = lib.aclrtKernelArgsFinalize(self.pick(step, 'handle', self.list_of(step).handle))
        return code

    def do_mem_size(self, step: Step) -> int:
        size = ffi.new('size_t *')
        kernel = self.pick(step, 'kernel', self.kernels.handles[step['k']])
        code: int = lib.aclrtKernelArgsGetMemSize(kernel, step['user_args_size'], self.pick(step, 'out', size))
        assert code != 0 or size[0] == step['value']
        return code

    def do_handle_mem_size(self, step: Step) -> int:
        size = ffi.new('size_t *')
        kernel = self.pick(step, 'kernel', self.kernels.handles[step['k']])
        code: int = lib.aclrtKernelArgsGetHandleMemSize(kernel, self.pick(step, 'out', size))
        assert code != 0 or size[0] == step['value']
        return code

    def do_load_elf(self, step: Step) -> None:
        """Sizes that kernels of real files have, by what the loader found out about them."""
        size = ffi.new('size_t *')
        for row in step['elf_kernels']:
            fact = {'sys_params': row['systemParaNum'], 'overflow': row['isSupportOverFlow'], 'ffts': row['isNeedSetFftsAddrInArg']}
            made = Kernels([{'type': 'aicore', 'user_para_num': row['userParaNum'], **fact}])
            assert lib.aclrtKernelArgsGetHandleMemSize(made.handles[0], size) == row['handle_mem_size_rc']
            assert size[0] == row['handle_mem_size']
            assert lib.aclrtKernelArgsGetMemSize(made.handles[0], 64, size) == row['mem_size_64_rc']
            assert size[0] == row['mem_size_64']
            made.unload()

    def do_use_embedded_handle(self, step: Step) -> None:
        args = self.list_of(step)
        args.handle = ffi.cast('char *', args.handle) + CELL_AT

    def do_use_raw_handle(self, step: Step) -> None:
        args = self.list_of(step)
        args.handle = ffi.cast('char *', args.handle) - CELL_AT

    def do_env_no_inter_core_sync(self, step: Step) -> None:
        assert lib.aclmock_set_soc(NO_SYNC_SOC)
        self.kernels.set_traits()

    def do_env_restore_chip_type(self, step: Step) -> None:
        """The recorded chip gets its name back, but not its feature: for us it stays another chip."""

    # ---- launches -------------------------------------------------------------------------------------------

    def launched(self, step: Step, host: Any, table: list[list[int]], before: int) -> None:
        """After a launch of the bytes at `host`: what was queued, and what became of the bytes."""
        wanted = step.get('device')
        assert lib.aclmock_recorded_launches() - before == (wanted is not None)
        if wanted is not None:
            self.check_device(wanted, host, table)
        recorded = decode(step['host_after_hex'])
        self.same(host, recorded, read(host, len(recorded)), 'the host bytes after the launch')

    def check_device(self, wanted: dict[str, Any], host: Any, table: list[list[int]]) -> None:
        recorded = decode(wanted['device_bytes_hex'])
        launch, seen = ffi.new('aclmock_launch *'), ffi.new('char[]', max(1, len(recorded)))
        assert lib.aclmock_get_launch(0, launch, seen, len(recorded))
        assert launch.args_size == wanted['copied_size'] == len(recorded)
        assert [launch.num_blocks] == [sqe['block_dim'] for sqe in wanted['sqe']]
        for at, data_offset in table:
            theirs, ours = int(wanted['dev_base'], 16) + data_offset, launch.args + data_offset
            self.pointers[number(host) + at] = (theirs.to_bytes(8, 'little'), ours.to_bytes(8, 'little'))
        self.same(host, recorded, read(seen, len(recorded)), 'the bytes on the device')

    def do_launch(self, step: Step) -> int:
        args = self.list_of(step)
        recorded = decode(step['host_before_hex'])
        if not exception(step):
            self.same(args.buffer, recorded, read(args.buffer, len(recorded)), 'the host bytes before the launch')
        assert args.placeholders() == step['placeholder_table']
        before = lib.aclmock_recorded_launches()
        code: int = lib.aclrtLaunchKernelWithConfig(
            self.pick(step, 'kernel', self.kernels.handles[step['k']]), step.get('num_blocks', 1), ffi.NULL, ffi.NULL,
            self.pick(step, 'handle', args.handle), ffi.cast('void *', step.get('reserve', 0))
        )  # fmt: skip
        if not exception(step):
            self.launched(step, args.buffer, step['placeholder_table'], before)
        return code

    def do_launch_host(self, step: Step) -> int:
        data = decode(step['data_hex'])
        host = ffi.new('char[]', data)
        table = ffi.new('aclrtPlaceHolderInfo[]', [(at, offset) for at, offset in step['table']])
        before = lib.aclmock_recorded_launches()
        code: int = lib.aclrtLaunchKernelWithHostArgs(
            self.kernels.handles[step['k']], 1, ffi.NULL, ffi.NULL, host, step.get('size', len(data)),
            self.pick(step, 'table', table), step.get('table_num', len(table))
        )  # fmt: skip
        if not exception(step):
            self.launched(step, host, step['table'], before)
        return code
