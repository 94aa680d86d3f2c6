/* What the files of the engine share: engine.c (queueing, waiting), random.c (drawing), ticker.c and
 * worker.c (the threads of their own). */
#ifndef MOCK_ENGINE_INNER_H
#define MOCK_ENGINE_INNER_H

#include <time.h>

#include "engine.h"

enum schedule { SCHEDULE_DEFERRED, SCHEDULE_INLINE, SCHEDULE_WORKER, SCHEDULE_RANDOM };

struct engine {
    pthread_once_t once;
    enum schedule schedule;
    pthread_mutex_t lock; /* of the list, the sleepers and the threads */
    pthread_cond_t changed;
    struct stream *streams;
    _Atomic uint32_t sleepers;
    uint64_t changes;
    uint64_t random;
    bool hold_new; /* streams are held from birth (aclmock_hold) */
    _Atomic bool ticking; /* the ticker looks at the streams; false: it must be woken */
};

extern struct engine engine;

static inline struct timespec at_ns(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

/* A condition whose timeouts are those of now_ns. */
void engine_init_condition(pthread_cond_t *condition);

/* Whether the stream has a task that nobody holds back. */
static inline bool engine_has_work(const struct stream *stream)
{
    uint64_t done = queue_done(&stream->queue);
    return done < queue_pushed(&stream->queue) && done < atomic_load_explicit(&stream->held_from, memory_order_acquire);
}

bool runner_take(struct stream *stream);
/* progress: whether a task has run. */
void runner_give(struct stream *stream, bool progress);

enum progress { PROGRESS_NONE, PROGRESS_SOME, PROGRESS_BLOCKED /* by what `need` says */ };

/* With the runner: tasks below `position`, `at_most` of them. */
enum progress run_tasks(struct stream *stream, uint64_t position, uint64_t at_most, struct need *need);

/* random.c. step: one task of a stream that is drawn; false when that could not run, others may. steps: a few, or none. */
bool random_step(void);
void random_steps(void);

/* ticker.c: runs what nobody waits for. */
void ticker_wake(void);

/* worker.c: a thread a stream. start: false when there can be no more threads. */
bool worker_start(struct stream *stream);
void worker_wake(struct stream *stream);
/* On return the thread is gone. */
void worker_stop(struct stream *stream);

#endif
