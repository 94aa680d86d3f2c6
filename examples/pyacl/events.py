"""Time work on a stream with events, and make one stream wait for another."""

import acl

SYNC, TIME_LINE = 1, 8
COMPLETE = 1  # of query_event_status


def value_of(call, *args):
    *values, ret = call(*args)
    if ret != 0:
        raise RuntimeError(f'{call.__name__}: {ret}, {acl.get_recent_err_msg()}')
    return values[0]


def main():
    assert acl.init() == 0
    assert acl.rt.set_device(0) == 0
    first, second = value_of(acl.rt.create_stream), value_of(acl.rt.create_stream)
    start, end = (value_of(acl.rt.create_event_with_flag, TIME_LINE | SYNC) for _ in range(2))
    ready = value_of(acl.rt.create_event_ex_with_flag, SYNC)
    size = 1 << 20
    a, b = value_of(acl.rt.malloc, size, 0), value_of(acl.rt.malloc, size, 0)

    acl.rt.record_event(start, first)
    for i in range(20):
        acl.rt.memset_async(a, size, i, size, first)
    acl.rt.record_event(end, first)
    acl.rt.record_event(ready, first)
    assert acl.rt.stream_wait_event(second, ready) == 0
    assert acl.rt.memcpy_async(b, size, a, size, 3, second) == 0
    assert acl.rt.synchronize_stream(second) == 0

    assert value_of(acl.rt.query_event_status, ready) == COMPLETE
    assert acl.rt.synchronize_event_with_timeout(end, 1000) == 0
    elapsed = value_of(acl.rt.event_elapsed_time, start, end)
    stamps = [value_of(acl.rt.event_get_timestamp, event) for event in (start, end)]
    assert elapsed >= 0
    assert stamps[1] >= stamps[0]
    back = bytes(bytearray(16))
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(back), 16, b + size - 16, 16, 2) == 0
    assert back == bytes([19] * 16)
    print(f'20 memsets took {elapsed:.3f} ms')

    for event in (start, end, ready):
        assert acl.rt.destroy_event(event) == 0
    for stream in (first, second):
        assert acl.rt.destroy_stream(stream) == 0
    for pointer in (a, b):
        assert acl.rt.free(pointer) == 0
    assert acl.rt.reset_device(0) == 0
    acl.finalize()


main()
