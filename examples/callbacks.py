"""Python functions in a stream: called when the stream gets there, and what they raise comes out of sync()."""

import numpy as np
from kernels import binary_path

import acl_bind as ab

n = 256
seen: list[str] = []

with ab.Device(0) as dev, dev.create_stream() as stream:
    scale = ab.Binary.from_file(binary_path()).get_kernel('scale')
    x = dev.empty(n, np.float32)
    x.copy_from(np.ones(n, np.float32))

    stream.launch_host_func(seen.append, 'before the kernel')
    ab.launch(stream, 4, scale, x, np.float32(2), np.uint32(n))
    stream.launch_host_func(seen.append, 'after the kernel')
    stream.sync()
    assert seen == ['before the kernel', 'after the kernel']
    print(*seen, sep=', ')

    def complain() -> None:
        raise ValueError('said by a callback')

    stream.launch_host_func(complain)
    try:
        stream.sync()
    except ValueError as error:
        print(f'sync() raised it: {error}')
