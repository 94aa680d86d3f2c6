/* What checks add to a block of memory: who made and freed it where, and bytes by which mistakes show.
 *
 * A fresh block is filled with a pattern that no program writes by accident, 32 guard bytes follow it, and a freed one
 * is filled with poison and kept from being handed out again for a while. Only blocks that were made while checks were
 * on have any of this. The reading functions below take addresses as kernels and copies see them, in the arena's host
 * memory.
 */
#ifndef MOCK_GUARD_H
#define MOCK_GUARD_H

#include "arena.h"
#include "check.h"

#define GUARD_BYTES ((size_t)32)
#define GUARD_USES 4 /* streams whose queued work a block is remembered to be used by */

/* A queued task that uses the block. */
struct block_use {
    const _Atomic uint64_t *done; /* how far its stream is; NULL: free entry */
    uint64_t position;            /* the task is over when its stream is there */
    int32_t stream;
    char what[64];
    const char *site;
};

struct block_notes {
    bool on; /* false: the block was made again while checks were off */
    bool smashed; /* its guard bytes were found overwritten, and that was said */
    struct made made;
    const char *freer_site; /* NULL: it ended with its device */
    struct block_use uses[GUARD_USES];
};

static inline bool guard_has(const struct block *block)
{
    return UNLIKELY(block->notes != NULL) && block->notes->on;
}

/* Before the block is handed out: notes, pattern and guard bytes. Without memory for notes it stays unchecked. */
void guard_start(const struct arena *arena, struct block *block, struct made made);
/* When it is freed. */
void guard_poison(const struct arena *arena, struct block *block, const char *site);

/* How many bytes behind the block were overwritten, up to the last one; 0: none. */
size_t guard_smashed(const struct arena *arena, const struct block *block);
/* Whether a freed block's bytes were overwritten since; *offset says where first. */
bool guard_written_after_free(const struct arena *arena, const struct block *block, size_t *offset);
/* The first run of bytes in [offset, offset + size) that still has the pattern; its length, 0: none. */
size_t guard_unwritten(const struct arena *arena, const struct block *block, size_t offset, size_t size, size_t *first);

/* A task that is being queued uses the block. Replaces what is over, or the oldest. */
void guard_use(struct block *block, const struct block_use *use);
/* Copies one that is not over. False: there is none. */
bool guard_pending(const struct block *block, struct block_use *use);

/* "the 64-byte block 0x12c000000000 that aclrtMalloc made at a.py:3 and aclrtFree freed at a.py:9" */
void guard_describe(const struct block *block, struct text *text);

#endif
