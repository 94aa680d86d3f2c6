"""Launch a kernel from a file: arguments through an args handle, sizes in placeholders.

usage: launch_args.py add_custom.o
"""

import struct
import sys

import acl
import numpy as np

HUGE_FIRST, TO_DEVICE, TO_HOST = 0, 1, 2
BLOCKS, TOTAL, TILES = 8, 8 * 2048, 8


def check(ret, what):
    if ret != 0:
        raise RuntimeError(f'{what} failed, ret={ret}: {acl.get_recent_err_msg()}')


def to_device(data):
    pointer, ret = acl.rt.malloc(len(data), HUGE_FIRST)
    check(ret, 'acl.rt.malloc')
    check(acl.rt.memcpy(pointer, len(data), acl.util.bytes_to_ptr(data), len(data), TO_DEVICE), 'acl.rt.memcpy')
    return pointer


def fill(args, pointers):
    for pointer in pointers:
        value = struct.pack('<Q', pointer)
        _, ret = acl.rt.kernel_args_append(args, acl.util.bytes_to_ptr(value), len(value))
        check(ret, 'acl.rt.kernel_args_append')
    places = []
    for _ in (TOTAL, TILES):
        place, ret = acl.rt.kernel_args_append_place_holder(args)
        check(ret, 'acl.rt.kernel_args_append_place_holder')
        places.append(place)
    for place, number in zip(places, (TOTAL, TILES), strict=True):
        buffer, ret = acl.rt.kernel_args_get_place_holder_buffer(args, place, 4)
        check(ret, 'acl.rt.kernel_args_get_place_holder_buffer')
        value = struct.pack('<I', number)
        check(acl.rt.memcpy(buffer, 4, acl.util.bytes_to_ptr(value), 4, 0), 'acl.rt.memcpy')
    check(acl.rt.kernel_args_finalize(args), 'acl.rt.kernel_args_finalize')


def main(path):
    check(acl.init(), 'acl.init')
    check(acl.rt.set_device(0), 'acl.rt.set_device')
    stream, ret = acl.rt.create_stream()
    check(ret, 'acl.rt.create_stream')
    binary, ret = acl.rt.binary_load_from_file(path, [])
    check(ret, 'acl.rt.binary_load_from_file')
    kernel, ret = acl.rt.binary_get_function(binary, 'add_custom')
    check(ret, 'acl.rt.binary_get_function')

    x, y = np.arange(TOTAL).astype(np.float16) % 100, np.ones(TOTAL, np.float16)
    pointers = [to_device(array.tobytes()) for array in (x, y, np.zeros_like(x))]
    args, ret = acl.rt.kernel_args_init(kernel)
    check(ret, 'acl.rt.kernel_args_init')
    fill(args, pointers)
    check(acl.rt.launch_kernel_with_config(kernel, BLOCKS, stream, [], args, 0), 'acl.rt.launch_kernel_with_config')
    check(acl.rt.synchronize_stream(stream), 'acl.rt.synchronize_stream')

    host, ret = acl.rt.malloc_host(x.nbytes)
    check(ret, 'acl.rt.malloc_host')
    check(acl.rt.memcpy(host, x.nbytes, pointers[2], x.nbytes, TO_HOST), 'acl.rt.memcpy')
    z = np.frombuffer(acl.util.ptr_to_bytes(host, x.nbytes), np.float16)
    assert (z == x + y).all()

    check(acl.rt.free_host(host), 'acl.rt.free_host')
    for pointer in pointers:
        check(acl.rt.free(pointer), 'acl.rt.free')
    check(acl.rt.binary_unload(binary), 'acl.rt.binary_unload')
    check(acl.rt.destroy_stream(stream), 'acl.rt.destroy_stream')
    check(acl.rt.reset_device(0), 'acl.rt.reset_device')
    check(acl.finalize(), 'acl.finalize')
    print(f'{TOTAL} elements are right')


if __name__ == '__main__':
    main(sys.argv[1])
