"""One argument list, launched many times: only what changes is written again."""

import numpy as np
from kernels import binary_path

import acl_bind as ab

n, steps = 512, 6

with ab.Device(0) as dev, dev.create_stream() as stream:
    scale = ab.Binary.from_file(binary_path()).get_kernel('scale')
    x = dev.empty(n, np.float32)
    x.copy_from(np.ones(n, np.float32))
    args = scale.args(x, np.float32(1), np.uint32(n))
    for step in range(1, steps + 1):
        args[1] = np.float32(step)  # the launches before this one keep what they were given
        ab.launch(stream, 8, scale, args)
    stream.sync()
    assert (x.to_numpy() == 720).all()
    print(f'{steps}! = {x.to_numpy()[0]:.0f}')
