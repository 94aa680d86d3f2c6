/* Ranges: addresses of an arena that a program reserves, and memory that it puts behind them itself.
 *
 * They lie in the upper half of the arena, from where arena_alloc takes nothing. Behind a mapped page is a block of its
 * own in state BLOCK_MAPPED that reaches to the end of the mapping. The memory is a piece of one file a device, so that
 * it keeps its content from one mapping to the next.
 */
#ifndef MOCK_RANGE_H
#define MOCK_RANGE_H

#include "arena.h"
#include "handle.h"

#define RANGE_PAGE ((size_t)4096)

/* Memory without an address. */
struct physical {
    struct cell cell;
    struct arena *arena;
    size_t size;
    size_t unit;     /* what it is mapped in steps of */
    uint64_t offset; /* in the arena's file */
    uint32_t mapped; /* how often */
    bool freed;      /* by the program: the last mapping takes it along */
    struct physical *next;
    struct physical **link;
};

struct mapping {
    uint64_t start;
    size_t size;
    struct physical *physical;
    struct mapping *next;
};

struct range {
    uint64_t start;
    size_t size;
    struct mapping *mappings;
    struct range *next; /* of the arena, by address */
};

enum range_result { RANGE_OK, RANGE_UNKNOWN, RANGE_BUSY, RANGE_NO_MEMORY };

/* expect: where it should start, taken if it is free. 0: no room left. */
uint64_t range_reserve(struct arena *arena, size_t size, uint64_t expect);
/* BUSY: something is mapped in it. */
enum range_result range_release(struct arena *arena, uint64_t start);

/* NULL: over the arena's limit, or no memory. */
struct physical *physical_new(struct arena *arena, size_t size, size_t unit);
/* Of a live handle. */
void physical_free(struct physical *physical);

/* UNKNOWN: not within one range. BUSY: something is mapped there already. */
enum range_result range_map(struct arena *arena, uint64_t start, size_t size, struct physical *physical);
enum range_result range_unmap(struct arena *arena, uint64_t start);

/* Ends all ranges and all memory of an arena; with its lock. */
void ranges_drop(struct arena *arena);

/* The same, and as if there had never been any. */
void ranges_end(struct arena *arena);

/* Whether all bytes are mapped; there may be more than one mapping. */
bool range_mapped(const struct arena *arena, uint64_t address, size_t size);

#endif
