"""Load a binary from memory with the magic option, and launch with the arguments in one piece of host memory.

usage: launch_data.py add_custom.o
"""

import struct
import sys

import acl

OPTION_MAGIC, MAGIC_VECTOR = 2, 0x41415246
BYTES = 8 * 2048 * 2  # fp16


def check(ret, what):
    if ret != 0:
        print(what, 'failed:', ret, acl.get_recent_err_msg())
        sys.exit(1)


acl.init()
check(acl.rt.set_device(0), 'set_device')
with open(sys.argv[1], 'rb') as file:
    code = file.read()
binary, ret = acl.rt.binary_load_from_data(acl.util.bytes_to_ptr(code), len(code), [{'type': OPTION_MAGIC, 'value': MAGIC_VECTOR}])
check(ret, 'binary_load_from_data')
kernel, ret = acl.rt.binary_get_function(binary, 'add_simple')
check(ret, 'binary_get_function')
name, ret = acl.rt.get_function_name(kernel, 64)
check(ret, 'get_function_name')

one = struct.pack('<e', 1.0) * (BYTES // 2)
pointers = []
for _ in range(3):
    pointer, ret = acl.rt.malloc_align32(BYTES, 0)
    check(ret, 'malloc_align32')
    check(acl.rt.memcpy(pointer, BYTES, acl.util.bytes_to_ptr(one), BYTES, 1), 'memcpy')
    pointers.append(pointer)

args = struct.pack('<3Q', *pointers)
ret = acl.rt.launch_kernel_with_host_args(kernel, 8, 0, [{'id': 1, 'value': 0}], acl.util.bytes_to_ptr(args), len(args), [], 0)
check(ret, 'launch_kernel_with_host_args')
check(acl.rt.synchronize_device(), 'synchronize_device')

host, ret = acl.rt.malloc_host(BYTES)
check(ret, 'malloc_host')
check(acl.rt.memcpy(host, BYTES, pointers[2], BYTES, 2), 'memcpy')
assert acl.util.ptr_to_bytes(host, BYTES) == struct.pack('<e', 2.0) * (BYTES // 2)
print(name, 'added', BYTES // 2, 'numbers')

acl.rt.free_host(host)
for pointer in pointers:
    acl.rt.free(pointer)
acl.rt.binary_unload(binary)
acl.rt.reset_device(0)
acl.finalize()
