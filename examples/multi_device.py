"""All devices at once, each with its stream, its memory and its look-up of the kernel."""

import numpy as np
from kernels import binary_path

import acl_bind as ab

n = 1 << 12

devices = [ab.Device(number) for number in range(ab.device_count())]
binary = ab.Binary.from_file(binary_path())
work = []
for device in devices:
    stream, x = device.create_stream(), device.empty(n, np.float32)
    scale = binary.get_kernel('scale', on=device)  # puts the code on this device
    x.copy_from(np.ones(n, np.float32), stream=stream)
    ab.launch(stream, 8, scale, x, np.float32(device.device_id + 2), np.uint32(n))
    work.append((stream, x))

for device, (stream, x) in zip(devices, work, strict=True):
    stream.sync()  # sets no device: each object knows its own
    assert (x.to_numpy() == device.device_id + 2).all()
    print(f'device {device.device_id}: {x.to_numpy()[0]:.0f}')

try:
    ab.launch(work[0][0], 8, binary.get_kernel('scale', on=devices[0]), work[-1][1], np.float32(1), np.uint32(n))
except ValueError as error:
    print(f'refused: {error}')

binary.close(force=True)
for device in devices:
    device.close()
