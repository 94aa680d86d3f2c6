"""Send blocks of growing size to the device and back, and check what came back."""

import time

import acl

HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3


def bounce(size, rounds, stream):
    here, ret = acl.rt.malloc_host(size)
    assert ret == 0
    back, ret = acl.rt.malloc_host(size)
    assert ret == 0
    there, ret = acl.rt.malloc(size, 2)
    assert ret == 0
    copy, ret = acl.rt.malloc(size, 2)
    assert ret == 0
    pattern = bytes(i * 7 & 255 for i in range(256)) * (size // 256)
    assert acl.rt.memcpy(here, size, acl.util.bytes_to_ptr(pattern), size, 0) == 0
    start = time.perf_counter()
    for _ in range(rounds):
        assert acl.rt.memset_async(copy, size, 0, size, stream) == 0
        assert acl.rt.memcpy_async(there, size, here, size, HOST_TO_DEVICE, stream) == 0
        assert acl.rt.memcpy_async(copy, size, there, size, DEVICE_TO_DEVICE, stream) == 0
        assert acl.rt.memcpy_async(back, size, copy, size, DEVICE_TO_HOST, stream) == 0
    assert acl.rt.synchronize_stream_with_timeout(stream, 10000) == 0
    seconds = time.perf_counter() - start
    assert acl.util.ptr_to_bytes(back, size) == pattern
    assert acl.rt.memset(there, size, 0, size) == 0
    # every second row of a picture 64 bytes wide
    assert acl.rt.memcpy2d(there, 64, here, 128, 64, size // 128, HOST_TO_DEVICE) == 0
    assert acl.rt.memcpy(back, size, there, size, DEVICE_TO_HOST) == 0
    rows = b''.join(pattern[at : at + 64] for at in range(0, size, 128))
    assert acl.util.ptr_to_bytes(back, size) == rows + bytes(size - len(rows))
    for pointer in (here, back):
        assert acl.rt.free_host(pointer) == 0
    for pointer in (there, copy):
        assert acl.rt.free(pointer) == 0
    return seconds


def main():
    assert acl.init() == 0
    assert acl.rt.set_device(0) == 0
    stream, ret = acl.rt.create_stream()
    assert ret == 0
    free_before, total, ret = acl.rt.get_mem_info(1)
    assert ret == 0
    for size in (256, 4096, 1 << 20):
        seconds = bounce(size, 10, stream)
        print(f'{size:>8} bytes: {30 * size / seconds / 1e6:.0f} MB/s')
    assert acl.rt.get_mem_info(1) == (free_before, total, 0)
    assert acl.rt.stream_query(stream) == (0, 0)
    acl.rt.destroy_stream(stream)
    acl.rt.reset_device(0)
    acl.finalize()


main()
