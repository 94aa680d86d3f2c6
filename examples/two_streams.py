"""Two streams, and events between them: the second waits for the first, and both are timed."""

import numpy as np
from kernels import binary_path

import acl_bind as ab

n = 1 << 16

with ab.Device(0) as dev, dev.create_stream() as first, dev.create_stream() as second:
    scale = ab.Binary.from_file(binary_path()).get_kernel('scale')
    x = dev.empty(n, np.float32)
    x.copy_from(np.ones(n, np.float32))

    start = first.record()
    ab.launch(first, 16, scale, x, np.float32(3), np.uint32(n))
    halfway = first.record()

    second.wait(halfway)  # without this the two kernels could run at once
    ab.launch(second, 16, scale, x, np.float32(5), np.uint32(n))
    end = second.record()

    end.sync()
    assert (x.to_numpy() == 15).all()
    assert halfway.is_done
    print(f'3 x 5 = {x.to_numpy()[0]:.0f}; the second stream was done {"after" if end - start >= 0 else "before"} the first began')
