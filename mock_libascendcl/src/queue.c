#include "queue.h"

_Static_assert(sizeof(struct task) == 64, "a task is a cache line");

bool queue_init(struct queue *queue)
{
    static _Atomic uint64_t queues;
    uint64_t start = (atomic_fetch_add(&queues, 1) + 1) << 32;
    queue->head_start = queue->tail_start = start;
    atomic_store(&queue->done, start);
    atomic_store(&queue->pushed, start);
    struct task_chunk *chunk = host_alloc(sizeof(*chunk));
    if (chunk != NULL) {
        atomic_store(&chunk->next, chunk);
    }
    queue->tail = chunk;
    atomic_store(&queue->head, chunk);
    return chunk != NULL;
}

void queue_free(struct queue *queue)
{
    struct task_chunk *first = queue->tail;
    for (struct task_chunk *next, *chunk = first; chunk != NULL; chunk = next != first ? next : NULL) {
        next = atomic_load(&chunk->next);
        host_free(chunk);
    }
    queue->tail = NULL;
    atomic_store(&queue->head, NULL);
}

bool queue_extend(struct queue *queue)
{
    struct task_chunk *next = atomic_load_explicit(&queue->tail->next, memory_order_relaxed);
    if (next == atomic_load_explicit(&queue->head, memory_order_acquire)) {
        struct task_chunk *made = host_alloc(sizeof(*made));
        if (made == NULL) {
            return false;
        }
        atomic_store_explicit(&made->next, next, memory_order_relaxed);
        atomic_store_explicit(&queue->tail->next, made, memory_order_release);
        next = made;
    }
    queue->tail = next;
    queue->tail_start += TASKS_PER_CHUNK;
    return true;
}

void queue_advance(struct queue *queue)
{
    struct task_chunk *used = atomic_load_explicit(&queue->head, memory_order_relaxed);
    queue->head_start += TASKS_PER_CHUNK;
    atomic_store_explicit(&queue->head, atomic_load_explicit(&used->next, memory_order_acquire), memory_order_release);
}
