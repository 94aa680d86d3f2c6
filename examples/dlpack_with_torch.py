"""torch tensors in host memory to the device and back, bfloat16 too; with torch_npu its tensors are arguments as they are."""

import ml_dtypes
import numpy as np
import torch
from kernels import binary_path

import acl_bind as ab

n = 256

with ab.Device(0) as dev, dev.create_stream() as stream:
    scale = ab.Binary.from_file(binary_path()).get_kernel('scale')
    tensor = torch.arange(n, dtype=torch.float32)
    x = dev.empty(n, np.float32)
    x.copy_from(tensor)  # no copy in between
    ab.launch(stream, 8, scale, x, np.float32(2), np.uint32(n))
    stream.sync()

    back = torch.from_dlpack(x.__dlpack__(dl_device=(1, 0)))  # a copy in host memory
    assert torch.equal(back, tensor * 2)
    x.copy_to(tensor)  # into a tensor that is there
    assert torch.equal(back, tensor)

    small = torch.arange(8, dtype=torch.bfloat16)
    y = dev.empty(8, ml_dtypes.bfloat16)
    y.copy_from(small)
    assert y.to_numpy().tolist() == small.tolist()
    print(f'torch {torch.__version__}: float32 and bfloat16 there and back')

# With torch_npu installed:
#     ab.launch(torch.npu.current_stream(), 8, scale, npu_tensor, np.float32(2), np.uint32(n))
#     buffer = ab.from_dlpack(npu_tensor)
