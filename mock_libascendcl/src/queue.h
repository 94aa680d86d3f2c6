/* The tasks of a stream, in order. Producers hold the stream's lock; the one runner takes from the other end. */
#ifndef MOCK_QUEUE_H
#define MOCK_QUEUE_H

#include "acl/acl_base.h"
#include "base.h"

struct stream;
struct task;

/* What a task that cannot run yet waits for: that a stream gets past a position. stream NULL: something else. */
struct need {
    struct stream *stream;
    uint64_t position;
};

struct task_kind {
    const char *name;
    void (*run)(struct task *task, struct stream *stream);
    /* NULL: always ready. Called by the runner; false: `need` says what to help along. */
    bool (*ready)(struct task *task, struct need *need);
    /* Instead of run, when the stream ends first. NULL: nothing to give back. */
    void (*drop)(struct task *task, struct stream *stream);
    /* Called by the runner behind a series of tasks of this kind. NULL: they keep nothing for the next one. */
    void (*end)(void);
};

#define TASK_WORDS 7

/* One cache line. Each kind overlays its own struct on the words. */
struct task {
    const struct task_kind *kind;
    uint64_t words[TASK_WORDS];
};

#define TASK_PAYLOAD(task, type) \
    (__extension__({             \
        _Static_assert(sizeof(type) <= sizeof((task)->words), #type " does not fit a task"); \
        (type *)(void *)(task)->words; \
    }))

#define TASKS_PER_CHUNK 63

/* In a ring, which keeps the length that it needed once: the chunk behind the producers' is the runner's, or free. */
struct task_chunk {
    struct task_chunk *_Atomic next;
    struct task tasks[TASKS_PER_CHUNK];
};

struct queue {
    _Atomic uint64_t pushed; /* position behind the last task queued */
    _Atomic uint64_t done;   /* position behind the last task that has run */
    struct task_chunk *tail; /* producers' */
    uint64_t tail_start;     /* position of its first task */
    struct task_chunk *_Atomic head; /* the runner's */
    uint64_t head_start;
};

/* Positions never repeat, whichever queue: one that waits for a queue long gone finds itself passed. */
bool queue_init(struct queue *queue);
void queue_free(struct queue *queue);

/* For the functions below: one more chunk for the producers (false: no memory), the runner's next chunk. */
COLD bool queue_extend(struct queue *queue);
COLD void queue_advance(struct queue *queue);

static inline uint64_t queue_pushed(const struct queue *queue)
{
    return atomic_load_explicit(&queue->pushed, memory_order_acquire);
}

static inline uint64_t queue_done(const struct queue *queue)
{
    return atomic_load_explicit(&queue->done, memory_order_acquire);
}

/* Producer. A slot to fill, then queue_push to publish it. NULL: no memory. */
static inline struct task *queue_slot(struct queue *queue)
{
    uint64_t position = atomic_load_explicit(&queue->pushed, memory_order_relaxed);
    if (UNLIKELY(position - queue->tail_start == TASKS_PER_CHUNK) && !queue_extend(queue)) {
        return NULL;
    }
    return &queue->tail->tasks[position - queue->tail_start];
}

static inline void queue_push(struct queue *queue)
{
    uint64_t position = atomic_load_explicit(&queue->pushed, memory_order_relaxed);
    atomic_store_explicit(&queue->pushed, position + 1, memory_order_release);
}

/* Runner. The first task; there must be one. */
static inline struct task *queue_first(struct queue *queue)
{
    uint64_t position = atomic_load_explicit(&queue->done, memory_order_relaxed);
    if (UNLIKELY(position - queue->head_start == TASKS_PER_CHUNK)) {
        queue_advance(queue);
    }
    struct task_chunk *head = atomic_load_explicit(&queue->head, memory_order_relaxed);
    return &head->tasks[position - queue->head_start];
}

static inline void queue_pop(struct queue *queue)
{
    uint64_t position = atomic_load_explicit(&queue->done, memory_order_relaxed);
    atomic_store_explicit(&queue->done, position + 1, memory_order_release);
}

#endif
