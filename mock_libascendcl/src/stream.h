/* Streams: queues of tasks, each run in order by one thread at a time. engine.h says who runs them and when. */
#ifndef MOCK_STREAM_H
#define MOCK_STREAM_H

#include "context.h"
#include "error.h"
#include "memcheck.h"
#include "memory.h"
#include "queue.h"

enum runner { RUNNER_NONE = 0 /* dead */, RUNNER_FREE, RUNNER_BUSY, RUNNER_WANTED /* busy, and somebody else came */ };

/* Device memory for the arguments of queued launches, given out and taken back in order. */
struct args_ring {
    struct block *block;
    uint8_t *host;
    uint64_t given;         /* bytes ever given out; producers' */
    _Atomic uint64_t taken; /* bytes given back; the runner's */
};

/* A task that failed on the device, until a synchronize reports it; on a stream in stop mode, for ever. */
struct stream_fault {
    aclError code;
    char *text;
    uint64_t position; /* behind the task */
};

/* The thread that runs the stream's tasks. */
struct worker {
    pthread_t thread;
    pthread_cond_t wake;
    bool ending;       /* with the engine's lock */
    _Atomic bool idle; /* waits for `wake`, or is about to */
};

#define STREAM_ATTRIBUTES 6

/* The part above `id` outlives the stream: whoever waits for it may look there until the slot is used again, and
 * then finds a queue whose positions are all past his. */
struct stream {
    struct cell cell;
    struct context *context;
    struct queue queue;
    _Atomic uint32_t runner;
    _Atomic uint64_t held_from; /* position of the first task that must not run, UINT64_MAX: all may (aclmock_hold) */
    _Atomic uint64_t subscription; /* of report.c, 0: none */
    int32_t id; /* on its device */
    uint32_t flags;
    _Atomic uint32_t attributes[STREAM_ATTRIBUTES]; /* by aclrtStreamAttr, of those that only are kept */
    _Atomic bool calls_host; /* used with aclrtLaunchHostFunc */
    _Atomic bool stop; /* failure mode: nothing more runs after a task that failed */
    struct context_child child;
    struct brief_lock lock; /* producers; also of the fault */
    struct args_ring ring;
    struct worker worker; /* used under ACL_MOCK_SCHEDULE=worker */
    uint64_t tick_mark; /* the ticker's: how far it had been filled one tick ago */
    struct stream_fault fault;
    _Atomic bool failed;  /* whether there is a fault; read without the lock */
    _Atomic bool stopped; /* by one, in stop mode */
    struct stream *next; /* in the engine's list */
    struct stream **link;
};

/* Numbers streams from 0 again. */
void stream_reset(void);

/* Reports 107017; false. */
COLD bool stream_missing(aclrtStream handle);

/* Only the handle: false after reporting 107017. NULL passes. */
static inline bool stream_check(aclrtStream handle)
{
    return LIKELY(handle == NULL || handle_alive(HANDLE_STREAM, handle)) || stream_missing(handle);
}

/* Of a checked handle. NULL stands for the current context's default stream. On failure NULL, reported:
 * 107002 without a context, which a stream needs even if it is of another one. */
struct stream *stream_find(aclrtStream handle);
/* The same, and it must be of the current context: else 107003. */
struct stream *stream_find_here(aclrtStream handle);
/* The same for whatever queues a task: a stream that a fault has stopped gives the fault's code. */
COLD struct stream *stream_find_unusual(aclrtStream handle); /* whatever the next function does not know at once */

ALWAYS_INLINE struct stream *stream_find_open(aclrtStream handle)
{
    struct stream *stream = handle;
    struct context *context = context_current();
    bool usual = stream != NULL && context != NULL && stream->context == context &&
                 !atomic_load_explicit(&stream->stopped, memory_order_acquire);
    return LIKELY(usual) ? stream : stream_find_unusual(handle);
}

/* Runner. Notes a failed task, of which the first is kept. Takes the text (of host_alloc, may be NULL). */
void stream_fail(struct stream *stream, aclError code, char *text);

/* Reports that the calling thread cannot wait for streams (WAIT_IMPOSSIBLE). */
aclError stream_wait_impossible(void);
/* Drops what is queued; 107000 from a task of a stream. */
aclError stream_drop(struct stream *stream);

/* Reports the fault of a task before the position. clear: and forgets it, unless the stream is in stop mode. */
aclError stream_look_at_fault(struct stream *stream, uint64_t position, bool clear);
/* The same for a stream that may have ended; forgets nothing. */
aclError stream_fault_before(struct stream *stream, uint64_t position);

/* For memcheck.h: the task that is queued next. */
struct block_use stream_next_use(const struct stream *stream, const char *what);

/* Waits for what is queued now, then reports and clears the fault of a task if there was one. */
aclError stream_wait(struct stream *stream, int64_t timeout_ms);
/* The same for all streams of the context. */
aclError stream_wait_all(struct context *context, int64_t timeout_ms);

#endif
