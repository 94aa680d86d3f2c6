"""The first program: two arrays to the device, one kernel on eight blocks, the sum back."""

import numpy as np
from kernels import binary_path

import acl_bind as ab

n = 8 * 2048
a, b = np.linspace(0, 1, n).astype(np.float16), np.ones(n, np.float16)
tiling = np.array([n, 8], np.uint32)  # length, tiles

with ab.Device(0) as dev:
    stream = dev.create_stream()
    kernel = ab.Binary.from_file(binary_path()).get_kernel('add_custom')
    x, y, z = (dev.empty(n, np.float16) for _ in range(3))
    x.copy_from(a, stream=stream)
    y.copy_from(b, stream=stream)
    ab.launch(stream, ab.LaunchConfig(num_blocks=8), kernel, x, y, z, ab.Placeholder(tiling))
    stream.sync()  # a failure on the device is raised here, and names the launch
    out = z.to_numpy()

assert np.array_equal(out, a + b)
print(f'{n} sums are right, the last one is {out[-1]}')
