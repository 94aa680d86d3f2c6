"""Tiling data travels with the arguments: as a numpy struct, a ctypes struct or plain bytes, all the same to the kernel."""

import ctypes

import numpy as np
from kernels import binary_path

import acl_bind as ab


class Tiling(ctypes.Structure):
    _fields_ = (('length', ctypes.c_uint32), ('tiles', ctypes.c_uint32))


n = 1024
tiling_type = np.dtype([('length', np.uint32), ('tiles', np.uint32)], align=True)
same = {
    'a numpy struct': np.array((n, 8), tiling_type),
    'a ctypes struct': Tiling(n, 8),
    'bytes': n.to_bytes(4, 'little') + (8).to_bytes(4, 'little'),
}

with ab.Device(0) as dev, dev.create_stream() as stream:
    kernel = ab.Binary.from_file(binary_path()).get_kernel('add_custom', param_names=('x', 'y', 'z', 'tiling'))
    x, y, z = (dev.empty(n, np.float16) for _ in range(3))
    x.copy_from(np.ones(n, np.float16))
    y.copy_from(np.ones(n, np.float16))
    for name, tiling in same.items():
        z.fill(0)
        args = kernel.args(x, y, z, ab.Placeholder(tiling))
        ab.launch(stream, 8, kernel, args)
        stream.sync()
        assert (z.to_numpy() == 2).all()
        print(f'{name}: right')
    print(args.layout())
