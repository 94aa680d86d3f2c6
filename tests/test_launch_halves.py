"""A kernel for cube and vector cores whose vector half seems to be missing."""

from __future__ import annotations

import pytest
from elf_writer import ElfWriter, Symbol

import acl_bind as ab
from acl_bind import ffi, lib


@pytest.mark.parametrize(('aiv_at', 'refused'), [(0, lib.ACL_ERROR_RT_PARAM_INVALID), (64, lib.ACL_ERROR_RT_FEATURE_NOT_SUPPORT)])
def test_the_vector_half_at_offset_0_counts_as_missing(device: ab.Device, aiv_at: int, refused: int) -> None:
    data = ElfWriter(Symbol('k_mix_aic', value=128, size=32), Symbol('k_mix_aiv', value=aiv_at, size=32)).build()
    arguments = ffi.new('uint64_t *')
    with ab.Binary.from_bytes(data) as binary:
        kernel = binary.get_kernel('k')
        code = lib.aclrtLaunchKernelWithHostArgs(
            ffi.cast('aclrtFuncHandle', kernel.handle), 1, ffi.NULL, ffi.NULL, arguments, 8, ffi.NULL, 0
        )
    assert code == refused  # the other one is whole, and has no host implementation
    said = ffi.string(lib.aclmock_last_message()).decode()
    assert ('offset 0' in said) == (aiv_at == 0)
