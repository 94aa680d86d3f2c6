/* An arena: the addresses of one memory (a device's, or page-locked host memory) and the blocks in it.
 *
 * The user sees addresses of a reservation that cannot be touched (PROT_NONE); kernels and copies reach the same
 * bytes `shift` further on. Page-locked host memory has shift 0. Addresses are plentiful (up to 1 TiB an arena) and
 * memory is only counted against `limit`, so blocks of one size class are cut from spans of their own, and the block
 * at an address is found by two loads and a multiplication.
 */
#ifndef MOCK_ARENA_H
#define MOCK_ARENA_H

#include <pthread.h>

#include "base.h"

enum block_state { BLOCK_FREE, BLOCK_LIVE, BLOCK_SYSTEM /* the mock's own, not for users */, BLOCK_MAPPED /* range.h */ };

struct block_notes;

struct block {
    uint64_t address;
    size_t size;  /* bytes the user asked for */
    size_t bytes; /* bytes the driver gives for it: what copies and kernels may touch */
    _Atomic uint32_t state;
    uint32_t page_size;
    const char *maker; /* the function of the ABI that made it */
    const char *freer; /* and the one that freed it last */
    struct block *next_free;
    struct block_notes *notes; /* guard.h; NULL unless it was ever made while checks were on */
};

struct span {
    uint64_t first; /* address of block 0 */
    uint64_t reciprocal;
    uint32_t stride_class;
    uint32_t blocks;
    struct block block[];
};

#define ARENA_CHUNK_BITS 21
#define ARENA_CHUNK ((size_t)1 << ARENA_CHUNK_BITS)
#define ARENA_CLASSES 128
#define ARENA_ALIGNMENT 512 /* as the driver gives in practice */

struct range;
struct physical;

struct free_list {
    struct block *first;
    struct block *last;
    size_t count;
};

struct arena {
    uint64_t base;
    size_t size; /* 0: not open */
    ptrdiff_t shift;
    size_t limit;
    size_t used;
    size_t chunks_taken;
    size_t live; /* blocks of the program's */
    struct span *_Atomic *spans; /* one a chunk */
    struct free_list free[ARENA_CLASSES];
    struct free_list quarantine; /* freed while checks are on */
    size_t quarantined;          /* bytes in it */
    /* range.h: in the upper half */
    struct range *ranges;
    struct physical *physicals;
    int file; /* 0: none yet */
    uint64_t file_size;
    size_t chunks_mapped; /* chunks of the upper half that ever were, up to the last */
    pthread_mutex_t lock;
};

/* hint: where the reservation should start. split: the user's addresses cannot be touched. */
bool arena_open(struct arena *arena, uint64_t hint, size_t limit, bool split);
void arena_close(struct arena *arena);

/* A block of `bytes` for a request of `size`, or NULL when that exceeds the limit. */
struct block *arena_alloc(struct arena *arena, size_t size, size_t bytes, enum block_state state);
/* False when the block was not live. */
bool arena_free(struct arena *arena, struct block *block);
void arena_free_all(struct arena *arena);
/* Calls `visit` with every block of the program's. No other thread may make or free one meanwhile. */
void arena_each(struct arena *arena, void (*visit)(struct block *block));
/* As newly opened: no block was ever there. Nobody may hold one. */
void arena_reset(struct arena *arena);

static inline bool arena_holds(const struct arena *arena, uint64_t address)
{
    return address - arena->base < arena->size;
}

static inline void *arena_host(const struct arena *arena, uint64_t address)
{
    return (void *)((uintptr_t)address + (uintptr_t)arena->shift);
}

/* The block slot whose bytes could include the address, live or not; NULL when none was ever there. */
static inline struct block *arena_find(const struct arena *arena, uint64_t address)
{
    uint64_t offset = address - arena->base;
    if (offset >= arena->size) {
        return NULL;
    }
    struct span *span = atomic_load_explicit(&arena->spans[offset >> ARENA_CHUNK_BITS], memory_order_acquire);
    if (span == NULL) {
        return NULL;
    }
    uint64_t index = ((address - span->first) * span->reciprocal) >> 42;
    return index < span->blocks ? &span->block[index] : NULL;
}

static inline bool block_is(const struct block *block, enum block_state state)
{
    return atomic_load_explicit(&block->state, memory_order_acquire) == (uint32_t)state;
}

#endif
