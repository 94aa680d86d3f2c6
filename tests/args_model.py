"""Argument lists as the specification describes them, in Python: what each call returns and what the buffer then holds."""

from __future__ import annotations

import dataclasses

from acl_bind import lib

OK = 0
NULL_OR_ZERO: int = lib.ACL_ERROR_INVALID_PARAM
BAD: int = lib.ACL_ERROR_RT_PARAM_INVALID
STALE: int = lib.ACL_ERROR_RT_INVALID_HANDLE
LATE: int = lib.ACL_ERROR_RT_FEATURE_NOT_SUPPORT
SLOT = 8
SYSTEM_ROOM = 65536
SYSTEM_PARAMS = 128
PREFILL = 0xCC


def round_up(value: int, step: int) -> int:
    return (value + step - 1) // step * step


@dataclasses.dataclass
class KernelModel:
    cpu: bool
    system_slots: int
    overflow: bool
    ffts: bool
    max_params: int

    @property
    def head(self) -> int:
        """Hidden slots in front, on a chip with inter-core sync."""
        if self.cpu:
            return 0
        return max(0, self.system_slots - self.overflow)

    @property
    def align(self) -> int:
        return 1 if self.cpu else SLOT


@dataclasses.dataclass
class ParamModel:
    placeholder: bool
    offset: int
    size: int
    data_offset: int = 0


class ListModel:
    def __init__(self, room: int) -> None:
        self.buffer = bytearray([PREFILL] * room)
        self.started = False

    def init(self, kernel: KernelModel, max_params: int) -> int:
        self.started = True
        self.kernel = kernel
        self.max_params = max_params % 256
        self.size = self.head = SLOT * kernel.head
        self.params: list[ParamModel] = []
        self.got_buffer = self.overflow_done = self.finalized = self.updating = False
        return OK

    def place(self, size: int) -> int | None:
        offset = round_up(self.size, self.kernel.align)
        return offset if offset + size <= len(self.buffer) else None

    def write(self, offset: int, data: bytes) -> None:
        self.buffer[offset : offset + len(data)] = data

    def add(self, param: ParamModel) -> int:
        self.params.append(param)
        self.size = param.offset + param.size
        return OK

    def append(self, data: bytes) -> int:
        if not data:
            return NULL_OR_ZERO
        if self.finalized or self.got_buffer:
            return LATE
        offset = self.place(len(data))
        if len(self.params) >= self.max_params or offset is None:
            return BAD
        self.write(offset, data)
        return self.add(ParamModel(False, offset, len(data)))

    def placeholder(self) -> int:
        if self.finalized or self.got_buffer:
            return LATE
        offset = self.place(SLOT)
        if len(self.params) >= self.max_params or offset is None:
            return BAD
        return self.add(ParamModel(True, offset, SLOT))

    def append_overflow(self, address: int) -> int:
        kernel = self.kernel
        if self.overflow_done or kernel.cpu or not kernel.overflow or kernel.system_slots == 0:
            return OK
        offset = self.place(SLOT)
        if offset is None:
            return BAD
        self.write(offset, address.to_bytes(SLOT, 'little'))
        self.size = offset + SLOT
        self.overflow_done = True
        return OK

    def refuse_buffer(self, param: ParamModel | None, size: int) -> int:
        if size == 0:
            return NULL_OR_ZERO
        if param is None:
            return STALE
        if not param.placeholder:
            return BAD
        return LATE if self.finalized else OK

    def get_buffer(self, param: ParamModel | None, size: int, overflow: int) -> int:
        code = self.refuse_buffer(param, size) or self.append_overflow(overflow)
        if code != OK or param is None:
            return code
        offset = self.place(size)
        if offset is None:
            return BAD
        param.data_offset = offset
        self.size = offset + size
        self.got_buffer = True
        return OK

    def update(self, param: ParamModel | None, data: bytes) -> int:
        if not data:
            return NULL_OR_ZERO
        if param is None:
            return STALE
        if param.placeholder or param.size != len(data) or param.offset + len(data) > len(self.buffer):
            return BAD
        self.write(param.offset, data)
        self.updating = True
        return OK

    def finalize(self, overflow: int, sync: int) -> int:
        code = self.append_overflow(overflow)
        if code != OK:
            return code
        if self.kernel.ffts and not self.kernel.cpu:
            if len(self.buffer) < SLOT:
                return BAD  # the real library writes past the end
            self.write(0, sync.to_bytes(SLOT, 'little'))
        self.finalized, self.updating = True, False
        return OK

    def launch(self) -> int:
        """Whether it is accepted; the pointers are written by `launched`, once it is known where the device has the block."""
        if not self.finalized or self.updating or self.size == 0 or self.size > len(self.buffer):
            return BAD
        if any(param.placeholder and param.data_offset >= self.size for param in self.params):
            return BAD
        return OK

    def launched(self, base: int) -> bytes:
        for param in self.params:
            if param.placeholder:
                self.write(param.offset, (base + param.data_offset).to_bytes(SLOT, 'little'))
        return bytes(self.buffer[: self.size])
