"""A kernel that fails on the device: the error comes with the next sync, and says which launch it was."""

import numpy as np
from kernels import binary_path

import acl_bind as ab

n = 256

with ab.Device(0) as dev, dev.create_stream() as stream:
    scale = ab.Binary.from_file(binary_path()).get_kernel('scale')
    x = dev.empty(n, np.float32)
    x.copy_from(np.ones(n, np.float32))
    ab.launch(stream, 8, scale, x, np.float32(2), np.uint32(n))
    ab.launch(stream, 8, scale, x, np.float32(2), np.uint32(4 * n))  # longer than the buffer
    try:
        stream.sync()
    except ab.AclDeviceError as error:
        print(f'{type(error).__name__} {error.code} from {error.api}')
        print(error)

    ab.launch(stream, 8, scale, x, np.float32(1), np.uint32(n))  # the process and the device live on
    stream.sync()
    print('and the device works')
