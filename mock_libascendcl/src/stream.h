/* Streams: queues of tasks, each run in order by one thread at a time. engine.h says who runs them and when. */
#ifndef MOCK_STREAM_H
#define MOCK_STREAM_H

#include "context.h"
#include "error.h"
#include "memory.h"
#include "queue.h"

enum runner { RUNNER_NONE = 0 /* dead */, RUNNER_FREE, RUNNER_BUSY };

/* Device memory for the arguments of queued launches, given out and taken back in order. */
struct args_ring {
    struct block *block;
    uint8_t *host;
    uint64_t given;         /* bytes ever given out; producers' */
    _Atomic uint64_t taken; /* bytes given back; the runner's */
};

/* A task that failed on the device, until a synchronize reports it. */
struct stream_fault {
    aclError code;
    char *text;
};

struct stream {
    struct cell cell;
    struct context *context;
    int32_t id; /* on its device */
    uint32_t flags;
    uint32_t priority;
    _Atomic uint64_t failure_mode;
    struct context_child child;
    pthread_mutex_t lock; /* producers; also of the fault */
    struct queue queue;
    struct args_ring ring;
    _Atomic uint32_t runner;
    _Atomic bool held; /* aclmock_hold: nothing runs */
    uint64_t tick_mark; /* the ticker's: how far it had been filled one tick ago */
    struct stream_fault fault;
    _Atomic bool failed; /* whether there is a fault; read without the lock */
    struct stream *next; /* in the engine's list */
    struct stream **link;
};

/* Numbers streams from 0 again. */
void stream_reset(void);

/* Only the handle: false after reporting 107017. NULL passes. */
bool stream_check(aclrtStream handle);
/* Of a checked handle. NULL stands for the current context's default stream. On failure NULL, reported:
 * 107002 without a context, which a stream needs even if it is of another one. */
struct stream *stream_find(aclrtStream handle);
/* The same, and it must be of the current context, as whatever queues a task wants it: else 107003. */
struct stream *stream_find_here(aclrtStream handle);

/* Runner. Notes a failed task, of which the first is kept. Takes the text (of host_alloc, may be NULL). */
void stream_fail(struct stream *stream, aclError code, char *text);

/* Waits for what is queued now, then reports and clears the fault of a task if there was one. */
aclError stream_wait(struct stream *stream, int64_t timeout_ms);
/* The same for all streams of the context. */
aclError stream_wait_all(struct context *context, int64_t timeout_ms);

#endif
