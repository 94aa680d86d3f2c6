"""A script written for pyACL, step by step on its way to acl_bind: both share the process, its devices and its handles."""

import numpy as np
from kernels import binary_path

import acl_bind as ab
import acl_bind.pyacl as acl

n = 1024

# As it was: every call returns a code, every handle is an int.
assert acl.init() == 0
assert acl.rt.set_device(0) == 0
pointer, ret = acl.rt.malloc(n * 4, 0)
assert ret == 0
host = np.ones(n, np.float32)
assert acl.rt.memcpy(pointer, n * 4, host.ctypes.data, n * 4, 1) == 0
stream, ret = acl.rt.create_stream()
assert ret == 0

# New code beside it takes those handles, and raises instead of returning.
with ab.Device(0):
    scale = ab.Binary.from_file(binary_path()).get_kernel('scale')
    x = ab.DeviceBuffer.from_handle(pointer, n, np.float32)  # borrowed: pyACL frees it
    ab.launch(stream, 8, scale, x, np.float32(7), np.uint32(n))
    assert acl.rt.synchronize_stream(stream) == 0
    assert (x.to_numpy() == 7).all()

# As it was again.
assert acl.rt.memcpy(host.ctypes.data, n * 4, pointer, n * 4, 2) == 0
assert (host == 7).all()
assert acl.rt.free(pointer) == 0
assert acl.rt.destroy_stream(stream) == 0
assert acl.rt.reset_device(0) == 0
assert acl.finalize() == 0
print('pyACL and acl_bind in one process: right')
