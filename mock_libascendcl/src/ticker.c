/* The background tick: a thread that runs the tasks which nobody has waited for within a tick. */
#include "engine_inner.h"

#define TICK_NS 1000000
#define RANDOM_TICK_NS 250000000 /* rare: a seed repeats its order as long as only calls that queue or wait decide it */
#define IDLE_TICKS 50

static struct {
    pthread_t thread;
    pthread_cond_t tick;
    bool started;
    bool stopping;
} ticker;

/* With the lock: a stream with work that was there one tick ago already, with its runner taken. */
static struct stream *overdue_stream(void)
{
    for (struct stream *stream = engine.streams; stream != NULL; stream = stream->next) {
        bool overdue = queue_done(&stream->queue) < stream->tick_mark && engine_has_work(stream);
        if (overdue && runner_take(stream)) {
            return stream;
        }
    }
    return NULL;
}

/* With the lock. Whether any stream has work. */
static bool mark_streams(void)
{
    bool work = false;
    for (struct stream *stream = engine.streams; stream != NULL; stream = stream->next) {
        brief_take(&stream->lock); /* orders this against a push that finds the ticker awake */
        stream->tick_mark = queue_pushed(&stream->queue);
        brief_give(&stream->lock);
        work = work || engine_has_work(stream);
    }
    return work;
}

/* With the lock, which it leaves while a task runs. */
static void run_overdue(void)
{
    struct stream *stream;
    struct need need;
    for (unsigned turns = 0; turns < 64 && (stream = overdue_stream()) != NULL; ++turns) {
        uint64_t mark = stream->tick_mark;
        pthread_mutex_unlock(&engine.lock);
        enum progress progress = run_tasks(stream, mark, UINT64_MAX, &need);
        runner_give(stream, progress == PROGRESS_SOME);
        pthread_mutex_lock(&engine.lock);
        if (progress != PROGRESS_SOME) {
            stream->tick_mark = 0; /* what it waits for is overdue too, or comes later: on to the others */
        }
    }
}

static void *tick(void *unused)
{
    unsigned idle = 0;
    pthread_mutex_lock(&engine.lock);
    while (!ticker.stopping && !call_forked()) {
        struct timespec next = at_ns(now_ns() + (engine.schedule == SCHEDULE_RANDOM ? RANDOM_TICK_NS : TICK_NS));
        if (idle < IDLE_TICKS) {
            pthread_cond_timedwait(&ticker.tick, &engine.lock, &next);
        } else {
            atomic_store(&engine.ticking, false);
            if (!mark_streams()) {
                pthread_cond_wait(&ticker.tick, &engine.lock);
            }
            atomic_store(&engine.ticking, true);
            idle = 0;
        }
        run_overdue();
        idle = mark_streams() ? 0 : idle + 1;
    }
    pthread_mutex_unlock(&engine.lock);
    return unused;
}

void ticker_wake(void)
{
    pthread_mutex_lock(&engine.lock);
    if (!ticker.started && !ticker.stopping) {
        engine_init_condition(&ticker.tick);
        atomic_store(&engine.ticking, true);
        ticker.started = pthread_create(&ticker.thread, NULL, tick, NULL) == 0;
    }
    if (ticker.started) {
        pthread_cond_signal(&ticker.tick);
    }
    pthread_mutex_unlock(&engine.lock);
}

__attribute__((destructor)) static void ticker_stop(void)
{
    if (call_forked()) {
        return;
    }
    pthread_mutex_lock(&engine.lock);
    bool started = ticker.started;
    ticker.stopping = true;
    if (started) {
        pthread_cond_signal(&ticker.tick);
    }
    pthread_mutex_unlock(&engine.lock);
    if (started) { /* a kernel that never ends must not keep the process */
        struct timespec end;
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec += 1;
        pthread_timedjoin_np(ticker.thread, NULL, &end);
    }
}
