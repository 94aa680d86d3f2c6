"""An AI CPU operator: its arguments are packed without gaps, which acl_bind does by itself."""

import numpy as np
from kernels import binary_path

import acl_bind as ab

n = 1000

with ab.Device(0) as dev, dev.create_stream() as stream:
    kernel = ab.Binary.from_file(binary_path()).get_kernel('sum_on_cpu', param_names=('x', 'sum', 'length'))
    assert kernel.layout == 'packed'
    x, total = dev.empty(n, np.float32), dev.empty(1, np.float32)
    x.copy_from(np.arange(n, dtype=np.float32))
    args = kernel.args(x, total, np.uint32(n))
    ab.launch(stream, 1, kernel, args)
    stream.sync()
    print(args.layout())
    assert total.to_numpy()[0] == n * (n - 1) / 2
    print(f'the sum is {total.to_numpy()[0]:.0f}')
