"""Run a function of an AI CPU library.

usage: aicpu.py library.so FUNCTION

FUNCTION takes three device pointers to 16384 fp16 numbers, z = x + y. On the mock, which runs no code of an AI CPU, a host
kernel of that name stands for it (ACL_MOCK_KERNEL_PATH).
"""

import struct
import sys

import acl

LOAD_CPU_KERNEL, FROM_MEMORY = 3, 2
COUNT = 8 * 2048


class Device:
    """A device that is set as long as the block runs."""

    def __enter__(self):
        assert acl.init() == 0
        assert acl.rt.set_device(0) == 0
        self.stream, ret = acl.rt.create_stream()
        assert ret == 0
        return self

    def __exit__(self, *_):
        assert acl.rt.destroy_stream(self.stream) == 0
        assert acl.rt.reset_device(0) == 0
        assert acl.finalize() == 0

    def buffer(self, value):
        size = 2 * COUNT
        data = struct.pack('<e', value) * COUNT
        pointer, ret = acl.rt.malloc(size, 0)
        assert ret == 0, ret
        assert acl.rt.memcpy(pointer, size, acl.util.bytes_to_ptr(data), size, 1) == 0
        return pointer


def main(path, function):
    with open(path, 'rb') as file:
        library = file.read()
    with Device() as device:
        binary, ret = acl.rt.binary_load_from_data(
            acl.util.bytes_to_ptr(library), len(library), [{'type': LOAD_CPU_KERNEL, 'value': FROM_MEMORY}]
        )
        assert ret == 0, (ret, acl.get_recent_err_msg())
        kernel, ret = acl.rt.register_cpu_func(binary, function, function)
        assert ret == 0, (ret, acl.get_recent_err_msg())
        buffers = [device.buffer(value) for value in (1.5, 2.5, 0.0)]
        args, ret = acl.rt.kernel_args_init(kernel)
        assert ret == 0, (ret, acl.get_recent_err_msg())
        values = [struct.pack('<Q', buffer) for buffer in buffers]
        for value in values:
            _, ret = acl.rt.kernel_args_append(args, acl.util.bytes_to_ptr(value), 8)
            assert ret == 0, (ret, acl.get_recent_err_msg())
        assert acl.rt.kernel_args_finalize(args) == 0
        ret = acl.rt.launch_kernel_with_config(kernel, 1, device.stream, [], args, 0)
        assert ret == 0, (ret, acl.get_recent_err_msg())
        ret = acl.rt.synchronize_stream(device.stream)
        assert ret == 0, (ret, acl.get_recent_err_msg())
        back = bytes(bytearray(2 * COUNT))
        assert acl.rt.memcpy(acl.util.bytes_to_ptr(back), len(back), buffers[2], len(back), 2) == 0
        print('AI CPU:', struct.unpack('<e', back[:2])[0], struct.unpack('<e', back[-2:])[0])
        for buffer in buffers:
            acl.rt.free(buffer)
        acl.rt.binary_unload(binary)


if __name__ == '__main__':
    main(*sys.argv[1:3])
