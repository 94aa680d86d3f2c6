#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace.h"

#define TASKS_AT_MOST 1024 /* queued on one stream before whoever queues more must run some, as on hardware */
#define TICK_NS 1000000
#define IDLE_TICKS 50
#define NEED_DEPTH 64

enum schedule { SCHEDULE_DEFERRED, SCHEDULE_INLINE, SCHEDULE_WORKER, SCHEDULE_RANDOM };

static struct {
    pthread_once_t once;
    enum schedule schedule;
    pthread_mutex_t lock; /* of the list, the sleepers and the ticker */
    pthread_cond_t changed;
    struct stream *streams;
    _Atomic uint32_t sleepers;
    uint64_t changes;
    uint64_t random;
    pthread_t ticker;
    pthread_cond_t tick;
    bool ticker_started;
    bool stopping;
    _Atomic bool ticking; /* the ticker looks at the streams; false: it must be woken */
} engine = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static THREAD_LOCAL uint32_t tasks_running; /* on this thread: more than 0 inside a kernel */

/* ---- start -------------------------------------------------------------------------------------------- */

static void read_schedule(void)
{
    const char *name = env_text("ACL_MOCK_SCHEDULE");
    const char *blocking = env_text("ASCEND_LAUNCH_BLOCKING");
    engine.schedule = blocking != NULL && strcmp(blocking, "1") == 0 ? SCHEDULE_INLINE : SCHEDULE_DEFERRED;
    if (name == NULL || strcmp(name, "deferred") == 0) {
        return;
    }
    if (strcmp(name, "inline") == 0) {
        engine.schedule = SCHEDULE_INLINE;
    } else if (strcmp(name, "worker") == 0) {
        engine.schedule = SCHEDULE_WORKER;
    } else if (strncmp(name, "random:", 7) == 0) {
        engine.schedule = SCHEDULE_RANDOM;
        engine.random = strtoull(name + 7, NULL, 0) * 2 + 1;
    } else {
        fprintf(stderr, "mock libascendcl: ACL_MOCK_SCHEDULE=%s is unknown, using deferred; known: deferred, inline, "
                        "worker, random:SEED\n", name);
    }
}

void engine_reset(void)
{
    pthread_mutex_lock(&engine.lock);
    read_schedule();
    pthread_mutex_unlock(&engine.lock);
}

static void engine_start(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&engine.changed, &attributes);
    pthread_cond_init(&engine.tick, &attributes);
    pthread_condattr_destroy(&attributes);
    read_schedule();
}

static struct timespec at_ns(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

/* ---- running ------------------------------------------------------------------------------------------ */

static bool runner_take(struct stream *stream)
{
    uint32_t idle = RUNNER_FREE;
    return atomic_compare_exchange_strong(&stream->runner, &idle, RUNNER_BUSY);
}

static void runner_give(struct stream *stream)
{
    atomic_store(&stream->runner, RUNNER_FREE); /* before the look at the sleepers */
    if (UNLIKELY(atomic_load(&engine.sleepers) != 0)) {
        engine_notify();
    }
}

void engine_notify(void)
{
    pthread_mutex_lock(&engine.lock);
    ++engine.changes;
    pthread_cond_broadcast(&engine.changed);
    pthread_mutex_unlock(&engine.lock);
}

enum progress { PROGRESS_NONE, PROGRESS_SOME, PROGRESS_BLOCKED /* by what `need` says */ };

static void run_task(struct task *task, struct stream *stream)
{
    uint64_t record = 0;
    if (trace_on()) {
        uint64_t position = queue_done(&stream->queue) + 1;
        record = trace_task_begin(task->kind->name, stream->context->device->user_id, stream->id, position);
    }
    ++tasks_running;
    task->kind->run(task, stream);
    --tasks_running;
    if (UNLIKELY(record != 0)) {
        trace_task_end(record);
    }
}

/* With the runner: tasks below `position`, `at_most` of them. */
static enum progress run_tasks(struct stream *stream, uint64_t position, uint64_t at_most, struct need *need)
{
    struct queue *queue = &stream->queue;
    enum progress progress = PROGRESS_NONE;
    uint64_t end = queue_pushed(queue);
    end = end < position ? end : position;
    for (; at_most > 0 && queue_done(queue) < end; --at_most) {
        struct task *task = queue_first(queue);
        if (atomic_load_explicit(&stream->held, memory_order_relaxed)) {
            return progress;
        }
        if (task->kind->ready != NULL && !task->kind->ready(task, need)) {
            return progress == PROGRESS_NONE ? PROGRESS_BLOCKED : progress;
        }
        run_task(task, stream);
        queue_pop(queue);
        progress = PROGRESS_SOME;
        if (UNLIKELY(atomic_load_explicit(&engine.sleepers, memory_order_relaxed) != 0)) {
            engine_notify();
        }
    }
    return progress;
}

/* Runs what the stream's tasks below `position` need, wherever that is queued. False: nothing can run now. */
static bool help(struct stream *stream, uint64_t position, uint64_t at_most)
{
    for (unsigned depth = 0; depth < NEED_DEPTH && stream != NULL; ++depth) {
        struct need need = {NULL, 0};
        if (!runner_take(stream)) {
            return false; /* another thread is at it */
        }
        enum progress progress = run_tasks(stream, position, at_most, &need);
        runner_give(stream);
        if (progress != PROGRESS_BLOCKED) {
            return progress == PROGRESS_SOME;
        }
        stream = need.stream;
        position = need.position;
    }
    return false;
}

/* ---- random ------------------------------------------------------------------------------------------- */

static uint64_t random_below(uint64_t bound)
{
    engine.random ^= engine.random << 13;
    engine.random ^= engine.random >> 7;
    engine.random ^= engine.random << 17;
    return engine.random % bound;
}

/* With the engine's lock: a stream with work, drawn among all, with its runner taken. NULL: none can run. */
static struct stream *draw_stream(void)
{
    struct stream *drawn = NULL;
    uint64_t seen = 0;
    for (struct stream *stream = engine.streams; stream != NULL; stream = stream->next) {
        bool work = queue_done(&stream->queue) < queue_pushed(&stream->queue);
        if (work && !atomic_load(&stream->held) && random_below(++seen) == 0) {
            drawn = stream;
        }
    }
    return drawn != NULL && runner_take(drawn) ? drawn : NULL;
}

/* One task of a random stream. False: the one drawn could not run; others may. */
static bool random_step(void)
{
    struct need need;
    pthread_mutex_lock(&engine.lock);
    struct stream *stream = draw_stream();
    pthread_mutex_unlock(&engine.lock);
    if (stream == NULL) {
        return false;
    }
    bool ran = run_tasks(stream, UINT64_MAX, 1, &need) == PROGRESS_SOME;
    runner_give(stream);
    return ran;
}

/* A few steps, or none: so that a task may run long before anybody waits for it. */
static void random_steps(void)
{
    pthread_mutex_lock(&engine.lock);
    uint64_t steps = random_below(4) == 0 ? 1 + random_below(8) : 0;
    pthread_mutex_unlock(&engine.lock);
    while (steps-- > 0) {
        random_step();
    }
}

/* ---- the ticker --------------------------------------------------------------------------------------- */

/* With the lock: a stream with work that was there one tick ago already, with its runner taken. */
static struct stream *overdue_stream(void)
{
    for (struct stream *stream = engine.streams; stream != NULL; stream = stream->next) {
        if (queue_done(&stream->queue) < stream->tick_mark && !atomic_load(&stream->held) && runner_take(stream)) {
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
        pthread_mutex_lock(&stream->lock); /* orders this against a push that finds the ticker awake */
        stream->tick_mark = queue_pushed(&stream->queue);
        pthread_mutex_unlock(&stream->lock);
        work = work || queue_done(&stream->queue) < stream->tick_mark;
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
        runner_give(stream);
        pthread_mutex_lock(&engine.lock);
        if (progress != PROGRESS_SOME) {
            return; /* what it waits for is overdue too, or comes later */
        }
    }
}

static void *tick(void *unused)
{
    unsigned idle = 0;
    pthread_mutex_lock(&engine.lock);
    while (!engine.stopping) {
        struct timespec next = at_ns(now_ns() + TICK_NS);
        if (idle < IDLE_TICKS) {
            pthread_cond_timedwait(&engine.tick, &engine.lock, &next);
        } else {
            atomic_store(&engine.ticking, false);
            if (!mark_streams()) {
                pthread_cond_wait(&engine.tick, &engine.lock);
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

static void wake_ticker(void)
{
    pthread_mutex_lock(&engine.lock);
    if (!engine.ticker_started && !engine.stopping) {
        atomic_store(&engine.ticking, true);
        engine.ticker_started = pthread_create(&engine.ticker, NULL, tick, NULL) == 0;
    }
    pthread_cond_signal(&engine.tick);
    pthread_mutex_unlock(&engine.lock);
}

/* ---- streams ------------------------------------------------------------------------------------------ */

void engine_add(struct stream *stream)
{
    pthread_once(&engine.once, engine_start);
    pthread_mutex_lock(&engine.lock);
    stream->next = engine.streams;
    stream->link = &engine.streams;
    if (stream->next != NULL) {
        stream->next->link = &stream->next;
    }
    engine.streams = stream;
    pthread_mutex_unlock(&engine.lock);
    atomic_store(&stream->runner, RUNNER_FREE);
    engine_notify(); /* a waiter for the slot's former stream may sleep */
}

void engine_remove(struct stream *stream)
{
    uint32_t idle = RUNNER_FREE;
    while (!atomic_compare_exchange_weak(&stream->runner, &idle, RUNNER_NONE)) { /* a task is running */
        idle = RUNNER_FREE;
        nanosleep(&(struct timespec){0, 20000}, NULL);
    }
    pthread_mutex_lock(&engine.lock);
    *stream->link = stream->next;
    if (stream->next != NULL) {
        stream->next->link = stream->link;
    }
    pthread_mutex_unlock(&engine.lock);
    struct queue *queue = &stream->queue;
    while (queue_done(queue) < queue_pushed(queue)) {
        struct task *task = queue_first(queue);
        if (task->kind->drop != NULL) {
            task->kind->drop(task, stream);
        }
        queue_pop(queue);
    }
    engine_notify();
}

/* ---- queueing ----------------------------------------------------------------------------------------- */

/* A full queue: run half of it, unless what is in it cannot run now. */
static void make_room(struct stream *stream)
{
    uint64_t goal = queue_done(&stream->queue) + TASKS_AT_MOST / 2;
    while (queue_done(&stream->queue) < goal && help(stream, goal, UINT64_MAX)) {
    }
}

struct task *engine_lock(struct stream *stream)
{
    if (UNLIKELY(queue_pushed(&stream->queue) - queue_done(&stream->queue) >= TASKS_AT_MOST) && tasks_running == 0) {
        make_room(stream);
    }
    pthread_mutex_lock(&stream->lock);
    struct task *slot = queue_slot(&stream->queue);
    if (UNLIKELY(slot == NULL)) {
        pthread_mutex_unlock(&stream->lock);
    }
    return slot;
}

void engine_push(struct stream *stream)
{
    queue_push(&stream->queue);
    uint64_t position = queue_pushed(&stream->queue);
    if (trace_on()) {
        trace_queued(position); /* before the task can run */
    }
    bool asleep = !atomic_load_explicit(&engine.ticking, memory_order_relaxed);
    pthread_mutex_unlock(&stream->lock);
    if (UNLIKELY(engine.schedule != SCHEDULE_DEFERRED)) {
        if (engine.schedule == SCHEDULE_INLINE) {
            engine_poll(stream, position);
        } else if (engine.schedule == SCHEDULE_RANDOM) {
            random_steps();
        }
    }
    if (UNLIKELY(asleep)) {
        wake_ticker();
    }
}

/* ---- waiting ------------------------------------------------------------------------------------------ */

static bool passed(const struct stream *stream, uint64_t position)
{
    return queue_done(&stream->queue) >= position;
}

void engine_poll(struct stream *stream, uint64_t position)
{
    while (!passed(stream, position) && tasks_running == 0 && help(stream, position, UINT64_MAX)) {
    }
}

/* Runs something towards the position. False: nothing can run now. */
static bool advance(struct stream *stream, uint64_t position)
{
    if (engine.schedule == SCHEDULE_RANDOM && random_step()) {
        return true;
    }
    return help(stream, position, engine.schedule == SCHEDULE_RANDOM ? 1 : UINT64_MAX);
}

/* Until something changes; false when the deadline (0: none) came first. */
static bool sleep_until_change(uint64_t changes, uint64_t deadline)
{
    int expired = 0;
    struct timespec end = at_ns(deadline);
    pthread_mutex_lock(&engine.lock);
    while (engine.changes == changes && expired == 0) {
        expired = deadline == 0 ? pthread_cond_wait(&engine.changed, &engine.lock)
                                : pthread_cond_timedwait(&engine.changed, &engine.lock, &end);
    }
    pthread_mutex_unlock(&engine.lock);
    return expired == 0;
}

static bool wait_asleep(struct stream *stream, uint64_t position, uint64_t deadline)
{
    bool in_time = true;
    atomic_fetch_add(&engine.sleepers, 1);
    while (in_time && !passed(stream, position)) {
        pthread_mutex_lock(&engine.lock);
        uint64_t changes = engine.changes;
        pthread_mutex_unlock(&engine.lock);
        /* Announced as a sleeper: what changes from here on changes the count, so look once more before sleeping. */
        if (!advance(stream, position) && !passed(stream, position)) {
            in_time = sleep_until_change(changes, deadline);
        }
    }
    atomic_fetch_sub(&engine.sleepers, 1);
    return in_time || passed(stream, position);
}

enum wait_result engine_wait(struct stream *stream, uint64_t position, int64_t timeout_ms)
{
    if (UNLIKELY(tasks_running > 0) && !passed(stream, position)) {
        return WAIT_IMPOSSIBLE;
    }
    uint64_t deadline = timeout_ms < 0 ? 0 : now_ns() + (uint64_t)timeout_ms * 1000000u;
    while (!passed(stream, position)) {
        if (!advance(stream, position)) {
            return wait_asleep(stream, position, deadline) ? WAIT_DONE : WAIT_EXPIRED;
        }
        if (deadline != 0 && now_ns() > deadline && !passed(stream, position)) {
            return WAIT_EXPIRED;
        }
    }
    return WAIT_DONE;
}

/* ---- the mock's own face ------------------------------------------------------------------------------ */

__attribute__((destructor)) static void engine_stop(void)
{
    pthread_mutex_lock(&engine.lock);
    bool started = engine.ticker_started;
    engine.stopping = true;
    pthread_cond_signal(&engine.tick);
    pthread_mutex_unlock(&engine.lock);
    if (started) { /* a kernel that never ends must not keep the process */
        struct timespec end;
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec += 1;
        pthread_timedjoin_np(engine.ticker, NULL, &end);
    }
}
