/* ACL_MOCK_SCHEDULE=worker: a thread a stream, which runs the stream's tasks as soon as they are queued. */
#include "engine_inner.h"

#define LOOK_NS 10000000 /* a wait for an event may have a time limit */

/* With the engine's lock, which it leaves while tasks run. False: nothing could run. */
static bool run_queued(struct stream *stream)
{
    struct need need;
    pthread_mutex_unlock(&engine.lock);
    bool ran = false;
    if (runner_take(stream)) {
        ran = run_tasks(stream, UINT64_MAX, UINT64_MAX, &need) == PROGRESS_SOME;
        runner_give(stream, ran);
    }
    pthread_mutex_lock(&engine.lock);
    return ran;
}

/* With the engine's lock. There is work, but it waits for something of another stream's, or of a callback. */
static void wait_for_change(struct stream *stream)
{
    atomic_fetch_add(&engine.sleepers, 1);
    uint64_t changes = engine.changes;
    /* Announced as a sleeper: what changes from here on changes the count, so look once more before sleeping. */
    if (!run_queued(stream)) {
        struct timespec look_again = at_ns(now_ns() + LOOK_NS);
        int expired = 0;
        while (engine.changes == changes && !stream->worker.ending && expired == 0) {
            expired = pthread_cond_timedwait(&engine.changed, &engine.lock, &look_again);
        }
    }
    atomic_fetch_sub(&engine.sleepers, 1);
}

static void *work(void *argument)
{
    struct stream *stream = argument;
    pthread_mutex_lock(&engine.lock);
    while (!stream->worker.ending && !call_forked()) {
        atomic_store(&stream->worker.idle, true); /* before the look at the queue; a push does it the other way round */
        if (!engine_has_work(stream)) {
            pthread_cond_wait(&stream->worker.wake, &engine.lock);
            continue;
        }
        atomic_store(&stream->worker.idle, false);
        if (!run_queued(stream)) {
            wait_for_change(stream);
        }
    }
    pthread_mutex_unlock(&engine.lock);
    return NULL;
}

bool worker_start(struct stream *stream)
{
    pthread_cond_init(&stream->worker.wake, NULL);
    return pthread_create(&stream->worker.thread, NULL, work, stream) == 0;
}

void worker_wake(struct stream *stream)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&stream->worker.idle)) {
        pthread_mutex_lock(&engine.lock);
        pthread_cond_signal(&stream->worker.wake);
        pthread_mutex_unlock(&engine.lock);
    }
}

void worker_stop(struct stream *stream)
{
    pthread_mutex_lock(&engine.lock);
    stream->worker.ending = true;
    pthread_cond_signal(&stream->worker.wake);
    ++engine.changes;
    pthread_cond_broadcast(&engine.changed);
    pthread_mutex_unlock(&engine.lock);
    pthread_join(stream->worker.thread, NULL);
    pthread_cond_destroy(&stream->worker.wake);
}
