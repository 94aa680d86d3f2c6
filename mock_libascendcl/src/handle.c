#include "handle.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* room: what the real library has ids for, or more */
struct slab slabs[HANDLE_KINDS] = {
    [HANDLE_CONTEXT] = {NULL, MAGIC_CONTEXT, 1024, 1u << 12, false, 0},
    [HANDLE_STREAM] = {NULL, MAGIC_STREAM, 1024, 1u << 16, true, 0},
    [HANDLE_EVENT] = {NULL, MAGIC_EVENT, 256, 1u << 18, false, 0},
    [HANDLE_BINARY] = {NULL, MAGIC_BINARY, 4096, 1u << 18, false, 0},
    [HANDLE_FUNCTION] = {NULL, MAGIC_FUNCTION, 256, 1u << 23, false, 0},
    [HANDLE_ARGS] = {NULL, MAGIC_ARGS, 1u << 17, 1u << 14, false, 0},
    [HANDLE_DESCRIPTOR] = {NULL, MAGIC_DESCRIPTOR, 64, 1u << 16, false, 0},
    [HANDLE_DATABUFFER] = {NULL, MAGIC_DATABUFFER, 64, 1u << 20, false, 0},
    [HANDLE_PHYSICAL] = {NULL, MAGIC_PHYSICAL, 128, 1u << 20, false, 0},
};

/* A slot that is not in use, behind its cell. */
struct free_slot {
    struct cell cell;
    struct free_slot *next;
};

struct slab_state {
    size_t touched; /* slots handed out at least once */
    size_t used;
    size_t freed; /* in the list below */
    struct free_slot *oldest;
    struct free_slot *newest;
    struct made *makers; /* NULL until something is made while checks are on */
};

static struct slab_state states[HANDLE_KINDS];
static pthread_mutex_t slab_lock = PTHREAD_MUTEX_INITIALIZER;

static bool slab_reserve(struct slab *slab)
{
    if (atomic_load(&slab->base) != NULL) {
        return true;
    }
    for (size_t room = slab->room; room >= HANDLES_IN_QUARANTINE; room /= 2) { /* less under `ulimit -v` */
        void *base = mmap(NULL, room * slab->stride, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base != MAP_FAILED) {
            slab->room = room;
            slab->bytes = room * slab->stride;
            atomic_store_explicit(&slab->base, base, memory_order_release);
            return true;
        }
    }
    return false;
}

static void *take_slot(const struct slab *slab, struct slab_state *state)
{
    bool fresh = state->touched < slab->room;
    if (state->freed > HANDLES_IN_QUARANTINE || (!fresh && state->freed > 0)) {
        struct free_slot *slot = state->oldest;
        state->oldest = slot->next;
        --state->freed;
        return slot;
    }
    return fresh ? slab->base + state->touched++ * slab->stride : NULL;
}

/* Whole pages go back to the system, the rest is cleared by hand. */
static void clear_slot(char *slot, size_t stride)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t by_hand = stride > page ? page : stride;
    if (stride > page && madvise(slot + page, stride - page, MADV_DONTNEED) != 0) {
        by_hand = stride;
    }
    memset(slot + sizeof(struct cell), 0, by_hand - sizeof(struct cell));
}

/* With the lock. The list of makers has an entry a slot, and none while checks are off. */
static void note_maker(struct slab_state *state, const struct slab *slab, const char *slot, struct made made)
{
    if (state->makers == NULL && made.function != NULL) {
        void *list = mmap(NULL, slab->room * sizeof(*state->makers), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        state->makers = list != MAP_FAILED ? list : NULL;
    }
    if (state->makers != NULL) {
        state->makers[(size_t)(slot - slab->base) / slab->stride] = made;
    }
}

struct made handle_made(enum handle_kind kind, const void *handle)
{
    uintptr_t offset;
    bool inside = slab_has(kind, handle, &offset);
    struct made made = {0};
    pthread_mutex_lock(&slab_lock);
    if (states[kind].makers != NULL && inside) {
        made = states[kind].makers[offset / slabs[kind].stride];
    }
    pthread_mutex_unlock(&slab_lock);
    return made;
}

void *handle_new(enum handle_kind kind)
{
    struct slab *slab = &slabs[kind];
    struct made made = check_on() ? check_made() : (struct made){0};
    pthread_mutex_lock(&slab_lock);
    char *slot = slab_reserve(slab) ? take_slot(slab, &states[kind]) : NULL;
    if (slot != NULL) {
        ++states[kind].used;
        note_maker(&states[kind], slab, slot, made);
    }
    pthread_mutex_unlock(&slab_lock);
    if (slot != NULL) {
        if (!slab->kept) {
            clear_slot(slot, slab->stride);
        }
        ((struct cell *)slot)->object = slot;
    }
    return slot;
}

void handle_publish(enum handle_kind kind, void *slot)
{
    atomic_store_explicit(&((struct cell *)slot)->magic, slabs[kind].magic, memory_order_release);
}

void handle_free(enum handle_kind kind, void *slot)
{
    struct free_slot *freed = slot;
    struct slab_state *state = &states[kind];
    atomic_store_explicit(&freed->cell.magic, 0, memory_order_release);
    pthread_mutex_lock(&slab_lock);
    freed->next = NULL;
    if (state->freed++ == 0) {
        state->oldest = freed;
    } else {
        state->newest->next = freed;
    }
    state->newest = freed;
    --state->used;
    pthread_mutex_unlock(&slab_lock);
}

void handle_each(enum handle_kind kind, void (*visit)(void *object))
{
    pthread_mutex_lock(&slab_lock);
    size_t touched = states[kind].touched;
    pthread_mutex_unlock(&slab_lock);
    for (size_t i = 0; i < touched; ++i) {
        char *slot = slabs[kind].base + i * slabs[kind].stride;
        if (handle_alive(kind, slot)) {
            visit(slot);
        }
    }
}

size_t handle_count(enum handle_kind kind)
{
    pthread_mutex_lock(&slab_lock);
    size_t used = states[kind].used;
    pthread_mutex_unlock(&slab_lock);
    return used;
}

/* ---- addresses a caller made up ------------------------------------------------------------------------- */

#define PAGES_REMEMBERED 16
static THREAD_LOCAL uintptr_t readable_pages[PAGES_REMEMBERED];

static bool page_readable(uintptr_t page)
{
    char byte;
    struct iovec to = {&byte, 1};
    struct iovec from = {(void *)page, 1};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1) {
        return true;
    }
    /* Some containers forbid the call: then take "mapped" for "readable". */
    return errno != EFAULT && msync((void *)page, 1, MS_ASYNC) == 0;
}

bool memory_readable(const void *address, size_t size)
{
    uintptr_t step = 4096;
    uintptr_t first = (uintptr_t)address / step;
    uintptr_t last = ((uintptr_t)address + size - 1) / step;
    if (last < first) {
        return false;
    }
    for (uintptr_t page = first; page <= last; ++page) {
        uintptr_t *known = &readable_pages[page % PAGES_REMEMBERED];
        if (*known == page && page != 0) {
            continue;
        }
        if (page == 0 || !page_readable(page * step)) {
            return false;
        }
        *known = page;
    }
    return true;
}
