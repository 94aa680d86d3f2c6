#include "engine_inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define TASKS_AT_MOST 1024 /* queued on one stream before whoever queues more must run some, as on hardware */
#define NEED_DEPTH 64

struct engine engine = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static THREAD_LOCAL uint32_t last_task = UINT32_MAX;
static THREAD_LOCAL struct stream *calling_back; /* the stream waits for the callback that this thread runs */

/* ---- start -------------------------------------------------------------------------------------------- */

static void read_schedule(void)
{
    const char *name = env_text("ACL_MOCK_SCHEDULE");
    const char *blocking = env_text("ASCEND_LAUNCH_BLOCKING");
    engine.schedule = SCHEDULE_DEFERRED;
    if (name == NULL) {
        bool each = blocking != NULL && strcmp(blocking, "1") == 0;
        engine.schedule = each ? SCHEDULE_INLINE : SCHEDULE_DEFERRED;
    } else if (strcmp(name, "inline") == 0) {
        engine.schedule = SCHEDULE_INLINE;
    } else if (strcmp(name, "worker") == 0) {
        engine.schedule = SCHEDULE_WORKER;
    } else if (strncmp(name, "random:", 7) == 0) {
        engine.schedule = SCHEDULE_RANDOM;
        engine.random = strtoull(name + 7, NULL, 0) * 2 + 1;
    } else if (strcmp(name, "deferred") != 0) {
        fprintf(stderr, "mock libascendcl: ACL_MOCK_SCHEDULE=%s is unknown, using deferred; known: deferred, inline, "
                        "worker, random:SEED\n", name);
    }
}

void engine_reset(void)
{
    pthread_mutex_lock(&engine.lock);
    engine.hold_new = false;
    read_schedule();
    pthread_mutex_unlock(&engine.lock);
}

void engine_init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void before_fork(void)
{
    pthread_mutex_lock(&engine.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&engine.lock);
}

static void in_child(void)
{
    call_watch(WATCH_FORKED, true);
    after_fork();
}

static void engine_start(void)
{
    engine_init_condition(&engine.changed);
    pthread_atfork(before_fork, after_fork, in_child);
    read_schedule();
}

/* ---- running ------------------------------------------------------------------------------------------ */

bool runner_take(struct stream *stream)
{
    uint32_t state = RUNNER_FREE;
    if (atomic_compare_exchange_strong(&stream->runner, &state, RUNNER_BUSY)) {
        return true;
    }
    if (state == RUNNER_BUSY) {
        atomic_compare_exchange_strong(&stream->runner, &state, RUNNER_WANTED);
    }
    return false;
}

void runner_give(struct stream *stream, bool progress)
{
    bool wanted = atomic_exchange(&stream->runner, RUNNER_FREE) == RUNNER_WANTED; /* before the look at the sleepers */
    if (UNLIKELY(wanted || (progress && atomic_load(&engine.sleepers) != 0))) {
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

static void drop_task(struct task *task, struct stream *stream)
{
    if (task->kind->drop != NULL) {
        task->kind->drop(task, stream);
    }
}

/* A stream that a fault has stopped drops its tasks. */
static void run_or_drop(struct task *task, struct stream *stream)
{
    ++context_tasks;
    if (LIKELY(!atomic_load_explicit(&stream->stopped, memory_order_relaxed))) {
        task->kind->run(task, stream);
    } else {
        drop_task(task, stream);
    }
    --context_tasks;
}

static void run_task(struct task *task, struct stream *stream)
{
    uint64_t record = 0;
    if (trace_on()) {
        uint64_t position = queue_done(&stream->queue) + 1;
        record = trace_task_begin(task->kind->name, stream->context->device->user_id, stream->id, position);
    }
    run_or_drop(task, stream);
    if (UNLIKELY(record != 0)) {
        trace_task_end(record);
    }
}

static void end_series(const struct task_kind *kind)
{
    if (kind != NULL && kind->end != NULL) {
        kind->end();
    }
}

static bool is_ready(struct task *task, struct stream *stream, struct need *need)
{
    return task->kind->ready == NULL || atomic_load_explicit(&stream->stopped, memory_order_relaxed) ||
           task->kind->ready(task, need);
}

enum progress run_tasks(struct stream *stream, uint64_t position, uint64_t at_most, struct need *need)
{
    struct queue *queue = &stream->queue;
    enum progress progress = PROGRESS_NONE;
    uint64_t held_from = atomic_load_explicit(&stream->held_from, memory_order_acquire);
    uint64_t end = queue_pushed(queue);
    end = end < position ? end : position;
    end = end < held_from ? end : held_from;
    const struct task_kind *kind = NULL;
    for (; at_most > 0 && queue_done(queue) < end; --at_most) {
        struct task *task = queue_first(queue);
        if (UNLIKELY(!is_ready(task, stream, need))) {
            progress = progress == PROGRESS_NONE ? PROGRESS_BLOCKED : progress;
            break;
        }
        if (UNLIKELY(task->kind != kind)) {
            end_series(kind);
            kind = task->kind;
        }
        run_task(task, stream);
        queue_pop(queue);
        progress = PROGRESS_SOME;
        if (UNLIKELY(atomic_load_explicit(&engine.sleepers, memory_order_relaxed) != 0)) {
            engine_notify();
        }
    }
    end_series(kind);
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
        runner_give(stream, progress == PROGRESS_SOME);
        if (progress != PROGRESS_BLOCKED) {
            return progress == PROGRESS_SOME;
        }
        stream = need.stream;
        position = need.position;
    }
    return false;
}

static bool passed(const struct stream *stream, uint64_t position)
{
    return queue_done(&stream->queue) >= position;
}

/* Streams with threads of their own need no help, and get none. */
static bool may_help(void)
{
    return context_tasks == 0 && !call_forked() && engine.schedule != SCHEDULE_WORKER;
}

/* ---- streams ------------------------------------------------------------------------------------------ */

bool engine_add(struct stream *stream)
{
    pthread_once(&engine.once, engine_start);
    if (engine.schedule == SCHEDULE_WORKER && !worker_start(stream)) {
        return false;
    }
    pthread_mutex_lock(&engine.lock);
    atomic_store(&stream->held_from, engine.hold_new ? queue_pushed(&stream->queue) : UINT64_MAX);
    stream->next = engine.streams;
    stream->link = &engine.streams;
    if (stream->next != NULL) {
        stream->next->link = &stream->next;
    }
    engine.streams = stream;
    pthread_mutex_unlock(&engine.lock);
    atomic_store(&stream->runner, RUNNER_FREE);
    engine_notify(); /* a waiter for the slot's former stream may sleep */
    return true;
}

/* Waits for a task that is running. */
static void runner_seize(struct stream *stream, uint32_t state)
{
    uint32_t idle = RUNNER_FREE;
    while (!atomic_compare_exchange_weak(&stream->runner, &idle, state)) {
        idle = RUNNER_FREE;
        nanosleep(&(struct timespec){0, 20000}, NULL);
    }
}

/* With the runner. */
static void drop_tasks(struct stream *stream)
{
    struct queue *queue = &stream->queue;
    for (uint64_t end = queue_pushed(queue); queue_done(queue) < end;) {
        drop_task(queue_first(queue), stream);
        queue_pop(queue);
    }
}

void engine_drop(struct stream *stream)
{
    runner_seize(stream, RUNNER_BUSY);
    drop_tasks(stream);
    runner_give(stream, true);
    engine_notify();
}

void engine_remove(struct stream *stream)
{
    runner_seize(stream, RUNNER_NONE);
    if (engine.schedule == SCHEDULE_WORKER) {
        worker_stop(stream);
    }
    pthread_mutex_lock(&engine.lock);
    *stream->link = stream->next;
    if (stream->next != NULL) {
        stream->next->link = stream->link;
    }
    pthread_mutex_unlock(&engine.lock);
    drop_tasks(stream);
    engine_notify();
}

bool engine_inside(void)
{
    return context_tasks > 0;
}

struct stream *engine_enter_callback(struct stream *stream)
{
    struct stream *before = calling_back;
    calling_back = stream;
    return before;
}

/* ---- holding ------------------------------------------------------------------------------------------ */

/* With the engine's lock. */
static void hold(struct stream *stream, bool on)
{
    uint64_t from = atomic_load(&stream->held_from);
    if (on && from == UINT64_MAX) {
        brief_take(&stream->lock);
        from = queue_pushed(&stream->queue);
        brief_give(&stream->lock);
    }
    atomic_store(&stream->held_from, on ? from : UINT64_MAX);
    if (!on && engine.schedule == SCHEDULE_WORKER) {
        pthread_cond_signal(&stream->worker.wake);
    }
}

/* Whoever slept because of a held task may go on. */
static void wake_all(bool released)
{
    if (released) {
        engine_notify();
        if (engine.schedule != SCHEDULE_WORKER) {
            ticker_wake();
        }
    }
}

void engine_hold(struct stream *stream, bool on)
{
    pthread_mutex_lock(&engine.lock);
    hold(stream, on);
    pthread_mutex_unlock(&engine.lock);
    wake_all(!on);
}

void engine_hold_all(bool on)
{
    pthread_mutex_lock(&engine.lock);
    engine.hold_new = on;
    for (struct stream *stream = engine.streams; stream != NULL; stream = stream->next) {
        hold(stream, on);
    }
    pthread_mutex_unlock(&engine.lock);
    wake_all(!on);
}

/* ---- queueing ----------------------------------------------------------------------------------------- */

/* A full queue: half of it must run first, unless what is in it cannot run now. */
COLD static void make_room(struct stream *stream)
{
    uint64_t goal = queue_done(&stream->queue) + TASKS_AT_MOST / 2;
    while (!passed(stream, goal) && engine_has_work(stream)) {
        uint64_t before = queue_done(&stream->queue);
        if (may_help() && help(stream, goal, UINT64_MAX)) {
            continue;
        }
        nanosleep(&(struct timespec){0, 20000}, NULL); /* another thread is at it */
        if (queue_done(&stream->queue) == before) {
            return;
        }
    }
}

struct task *engine_lock(struct stream *stream)
{
    if (UNLIKELY(queue_pushed(&stream->queue) - queue_done(&stream->queue) >= TASKS_AT_MOST) && context_tasks == 0) {
        make_room(stream);
    }
    brief_take(&stream->lock);
    struct task *slot = queue_slot(&stream->queue);
    if (UNLIKELY(slot == NULL)) {
        brief_give(&stream->lock);
    }
    return slot;
}

uint32_t engine_last_task(void)
{
    return last_task;
}

void engine_push(struct stream *stream)
{
    queue_push(&stream->queue);
    uint64_t position = queue_pushed(&stream->queue);
    last_task = (uint32_t)position;
    if (trace_on()) {
        trace_queued(position); /* before the task can run */
    }
    bool asleep = !atomic_load_explicit(&engine.ticking, memory_order_relaxed);
    brief_give(&stream->lock);
    if (UNLIKELY(engine.schedule != SCHEDULE_DEFERRED)) {
        if (engine.schedule == SCHEDULE_INLINE) {
            engine_poll(stream, position);
        } else if (engine.schedule == SCHEDULE_RANDOM) {
            random_steps();
        } else {
            worker_wake(stream);
            return;
        }
    }
    if (UNLIKELY(asleep)) {
        ticker_wake();
    }
}

/* ---- waiting ------------------------------------------------------------------------------------------ */

void engine_poll(struct stream *stream, uint64_t position)
{
    while (!passed(stream, position) && may_help() && help(stream, position, UINT64_MAX)) {
    }
}

/* Runs something towards the position. False: nothing can run now. */
static bool advance(struct stream *stream, uint64_t position)
{
    if (!may_help()) {
        return false;
    }
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
    while (in_time && !passed(stream, position) && !call_forked()) {
        pthread_mutex_lock(&engine.lock);
        uint64_t changes = engine.changes;
        pthread_mutex_unlock(&engine.lock);
        /* Announced as a sleeper: what changes from here on changes the count, so look once more before sleeping. */
        if (advance(stream, position)) {
            in_time = deadline == 0 || now_ns() < deadline;
        } else if (!passed(stream, position)) {
            in_time = sleep_until_change(changes, deadline);
        }
    }
    atomic_fetch_sub(&engine.sleepers, 1);
    return passed(stream, position);
}

enum wait_result engine_wait(struct stream *stream, uint64_t position, int64_t timeout_ms)
{
    if (UNLIKELY(context_tasks > 0 || calling_back == stream) && !passed(stream, position)) {
        return WAIT_IMPOSSIBLE;
    }
    uint64_t deadline = timeout_ms < 0 ? 0 : now_ns() + (uint64_t)timeout_ms * 1000000u;
    while (!passed(stream, position)) {
        if (!advance(stream, position)) {
            bool done = wait_asleep(stream, position, deadline);
            return done ? WAIT_DONE : call_forked() ? WAIT_IMPOSSIBLE : WAIT_EXPIRED;
        }
        if (deadline != 0 && now_ns() > deadline && !passed(stream, position)) {
            return WAIT_EXPIRED;
        }
    }
    return WAIT_DONE;
}
