"""Use two devices: one context each, a thread that works on the second, a copy between them."""

import acl

SIZE = 4096


def work(job):
    """On a thread of its own, which has no context before it sets one."""
    assert acl.rt.set_context(job['context']) == 0
    stream, ret = acl.rt.create_stream()
    assert ret == 0
    job['pointer'], ret = acl.rt.malloc(SIZE, 0)
    assert ret == 0
    assert acl.rt.memset_async(job['pointer'], SIZE, job['value'], SIZE, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.rt.destroy_stream(stream) == 0


def main():
    assert acl.init() == 0
    count, ret = acl.rt.get_device_count()
    assert ret == 0
    if count < 2:
        print('this needs two devices')
        return
    jobs = []
    for device in (0, 1):
        context, ret = acl.rt.create_context(device)
        assert ret == 0
        jobs.append({'context': context, 'value': 11 * (device + 1)})
    threads = [acl.util.start_thread(work, job)[0] for job in jobs]
    for thread in threads:
        assert acl.util.stop_thread(thread) == 0

    can, ret = acl.rt.device_can_access_peer(0, 1)
    assert ret == 0
    assert acl.rt.set_context(jobs[0]['context']) == 0
    if can:
        assert acl.rt.device_enable_peer_access(1, 0) == 0
    assert acl.rt.get_device() == (0, 0)
    assert acl.rt.memcpy(jobs[0]['pointer'], SIZE // 2, jobs[1]['pointer'], SIZE // 2, 3) == 0
    host, ret = acl.rt.malloc_host(SIZE)
    assert ret == 0
    assert acl.rt.memcpy(host, SIZE, jobs[0]['pointer'], SIZE, 2) == 0
    assert acl.util.ptr_to_bytes(host, SIZE) == bytes([22]) * (SIZE // 2) + bytes([11]) * (SIZE // 2)
    print('half of device 0 came from device 1')

    assert acl.rt.free_host(host) == 0
    for job in jobs:
        assert acl.rt.set_context(job['context']) == 0
        assert acl.rt.free(job['pointer']) == 0
        assert acl.rt.destroy_context(job['context']) == 0
    assert acl.finalize() == 0


if __name__ == '__main__':
    main()
