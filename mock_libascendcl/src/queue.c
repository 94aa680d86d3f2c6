#include "queue.h"

_Static_assert(sizeof(struct task) == 64, "a task is a cache line");

static struct task_chunk *take_chunk(struct queue *queue)
{
    struct task_chunk *chunk = atomic_exchange_explicit(&queue->spare, NULL, memory_order_acquire);
    if (chunk == NULL) {
        chunk = host_alloc(sizeof(*chunk));
    } else {
        atomic_store_explicit(&chunk->next, NULL, memory_order_relaxed);
    }
    return chunk;
}

bool queue_init(struct queue *queue)
{
    static _Atomic uint64_t queues;
    uint64_t start = (atomic_fetch_add(&queues, 1) + 1) << 32;
    queue->head_start = queue->tail_start = start;
    atomic_store(&queue->done, start);
    atomic_store(&queue->pushed, start);
    queue->head = queue->tail = take_chunk(queue);
    return queue->head != NULL;
}

void queue_free(struct queue *queue)
{
    for (struct task_chunk *chunk = queue->head; chunk != NULL;) {
        struct task_chunk *next = atomic_load(&chunk->next);
        host_free(chunk);
        chunk = next;
    }
    host_free(atomic_load(&queue->spare));
    queue->head = queue->tail = NULL;
    atomic_store(&queue->spare, NULL);
}

bool queue_extend(struct queue *queue)
{
    struct task_chunk *chunk = take_chunk(queue);
    if (chunk == NULL) {
        return false;
    }
    atomic_store_explicit(&queue->tail->next, chunk, memory_order_release);
    queue->tail = chunk;
    queue->tail_start += TASKS_PER_CHUNK;
    return true;
}

void queue_advance(struct queue *queue)
{
    struct task_chunk *used = queue->head;
    queue->head = atomic_load_explicit(&used->next, memory_order_acquire);
    queue->head_start += TASKS_PER_CHUNK;
    host_free(atomic_exchange_explicit(&queue->spare, used, memory_order_acq_rel)); /* one stays for the producers */
}
