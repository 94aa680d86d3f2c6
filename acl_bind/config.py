"""How a kernel is launched: the number of blocks and the attributes of the launch."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from ._checks import check_int
from ._ffi import ffi, lib

BLOCKS_AT_MOST = 0xFFFF  # the runtime cuts the number to 16 bits


@dataclasses.dataclass(frozen=True)
class LaunchConfig:
    """How a kernel is launched. All but ``num_blocks`` may be left out.

    num_blocks: 1 to 65535 blocks; 0 launches nothing. schem_mode: 0 normal, 1 all blocks start together.
    dyn_ubuf_size: bytes of dynamic unified buffer. engine_type: 0 AIC, 1 AIV. block_dim_offset: number of the first block.
    block_task_prefetch, data_dump, enable_profiling: switches. timeout: seconds as float (0: never); whole seconds up to
    65535 go by the TIMEOUT attribute, anything else by TIMEOUT_US.
    """

    num_blocks: int
    schem_mode: int | None = None
    dyn_ubuf_size: int | None = None
    engine_type: int | None = None
    block_dim_offset: int | None = None
    block_task_prefetch: bool | None = None
    data_dump: bool | None = None
    timeout: float | None = None
    enable_profiling: bool | None = None

    def __post_init__(self) -> None:
        check_int('num_blocks', self.num_blocks, 0, BLOCKS_AT_MOST)
        for name, high in (('schem_mode', 1), ('dyn_ubuf_size', 0xFFFFFFFF), ('engine_type', 1), ('block_dim_offset', 0xFFFFFFFF)):
            if getattr(self, name) is not None:
                check_int(name, getattr(self, name), 0, high)
        for name in ('block_task_prefetch', 'data_dump', 'enable_profiling'):
            if not isinstance(getattr(self, name), (bool, type(None))):
                raise TypeError(f'{name} is {getattr(self, name)!r}, expected a bool')
        if self.timeout is not None:
            if isinstance(self.timeout, bool) or not isinstance(self.timeout, (int, float)):
                raise TypeError(f'timeout is {self.timeout!r}, expected seconds as a number')
            if not 0 <= self.timeout * 1_000_000 < 1 << 64:
                raise ValueError(f'timeout is {self.timeout} s, expected 0 (never) or a positive number of seconds below 2**64 us')

    def _timeout(self) -> dict[str, Any]:
        assert self.timeout is not None
        if self.timeout == int(self.timeout) and self.timeout <= 0xFFFF:
            return {'id': lib.ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, 'value': {'timeout': int(self.timeout)}}
        microseconds = max(1, round(self.timeout * 1_000_000))
        parts = {'timeoutLow': microseconds & 0xFFFFFFFF, 'timeoutHigh': microseconds >> 32}
        return {'id': lib.ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, 'value': {'timeoutUs': parts}}

    @functools.cached_property
    def _c_config(self) -> tuple[int, object]:
        """The C struct's address (0 without attributes), and what keeps it."""
        members = {
            'schem_mode': (lib.ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, 'schemMode'),
            'dyn_ubuf_size': (lib.ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE, 'dynUBufSize'),
            'engine_type': (lib.ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, 'engineType'),
            'block_dim_offset': (lib.ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET, 'blockDimOffset'),
            'block_task_prefetch': (lib.ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH, 'isBlockTaskPrefetch'),
            'data_dump': (lib.ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, 'isDataDump'),
            'enable_profiling': (lib.ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING, 'enableProfiling'),
        }
        given = {name: getattr(self, name) for name in members if getattr(self, name) is not None}
        rows = [{'id': members[name][0], 'value': {members[name][1]: value}} for name, value in given.items()]
        if self.timeout is not None:
            rows.append(self._timeout())
        if not rows:
            return 0, None
        attributes = ffi.new('aclrtLaunchKernelAttr[]', rows)
        config = ffi.new('aclrtLaunchKernelCfg *', {'attrs': attributes, 'numAttrs': len(rows)})
        return int(ffi.cast('uintptr_t', config)), (config, attributes)


@functools.lru_cache(maxsize=64)
def _of_blocks(num_blocks: int) -> LaunchConfig:
    return LaunchConfig(num_blocks)


def as_config(config: LaunchConfig | int) -> LaunchConfig:
    """A number of blocks is a configuration without attributes."""
    if isinstance(config, LaunchConfig):
        return config
    return _of_blocks(config) if type(config) is int else LaunchConfig(config)  # True is equal to 1, and refused
