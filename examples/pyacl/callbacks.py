"""Callbacks on a stream, run by a thread of its own: subscribe, launch, process, unsubscribe."""

import acl


class Consumer:
    """A thread that runs the callbacks of a stream until it is told to end."""

    def __init__(self, context, stream):
        self.context, self.stream, self.running = context, stream, True
        self.thread, ret = acl.util.start_thread(self.loop, [100])
        assert ret == 0
        assert acl.rt.subscribe_report(self.thread, stream) == 0

    def loop(self, args):
        (timeout,) = args
        assert acl.rt.set_context(self.context) == 0
        while self.running:
            acl.rt.process_report(timeout)

    def end(self):
        assert acl.rt.unsubscribe_report(self.thread, self.stream) == 0
        self.running = False
        assert acl.util.stop_thread(self.thread) == 0


def main():
    assert acl.init() == 0
    assert acl.rt.set_device(0) == 0
    context, ret = acl.rt.get_context()
    assert ret == 0
    stream, ret = acl.rt.create_stream()
    assert ret == 0
    consumer = Consumer(context, stream)
    memory, ret = acl.rt.malloc(1024, 0)
    assert ret == 0
    done = []
    for i in range(4):
        assert acl.rt.memset_async(memory, 1024, i, 1024, stream) == 0
        assert acl.rt.launch_callback(done.append, f'step {i}', 1, stream) == 0
    assert acl.rt.launch_callback(done.append, None, 1, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    consumer.end()
    assert done == ['step 0', 'step 1', 'step 2', 'step 3', None], done
    print(len(done), 'callbacks, in order')
    acl.rt.free(memory)
    acl.rt.destroy_stream(stream)
    acl.rt.reset_device(0)
    acl.finalize()


if __name__ == '__main__':
    main()
