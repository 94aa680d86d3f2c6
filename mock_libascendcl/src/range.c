#include "range.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "call.h"

#define PAGES_PER_CHUNK (ARENA_CHUNK / RANGE_PAGE)

static uint64_t upper_half(const struct arena *arena)
{
    return arena->base + arena->size / 2;
}

/* ---- addresses ---------------------------------------------------------------------------------------- */

/* The range that the address is in, with what points at it. */
static struct range **find_range(struct arena *arena, uint64_t address)
{
    struct range **link = &arena->ranges;
    while (*link != NULL && address - (*link)->start >= (*link)->size) {
        link = &(*link)->next;
    }
    return link;
}

/* Where a new range of that size hangs and starts: at `expect`, or at the first gap from it on. */
static struct range **find_gap(struct arena *arena, size_t size, uint64_t expect, uint64_t *start)
{
    struct range **link = &arena->ranges;
    *start = expect;
    while (*link != NULL && *start + size > (*link)->start) {
        uint64_t end = (*link)->start + (*link)->size;
        *start = *start > end ? *start : end;
        link = &(*link)->next;
    }
    return *start + size <= arena->base + arena->size ? link : NULL;
}

uint64_t range_reserve(struct arena *arena, size_t size, uint64_t expect)
{
    struct range *range = host_alloc(sizeof(*range));
    uint64_t start = 0;
    if (range == NULL || size > arena->size / 2) {
        host_free(range);
        return 0;
    }
    pthread_mutex_lock(&arena->lock);
    size = round_up(size, ARENA_CHUNK);
    bool wanted = expect >= upper_half(arena) && expect % ARENA_CHUNK == 0;
    struct range **link = wanted ? find_gap(arena, size, expect, &start) : NULL;
    if (link == NULL || start != expect) {
        link = find_gap(arena, size, upper_half(arena), &start);
    }
    if (link != NULL) {
        *range = (struct range){start, size, NULL, *link};
        *link = range;
    }
    pthread_mutex_unlock(&arena->lock);
    if (link == NULL) {
        host_free(range);
        return 0;
    }
    return start;
}

enum range_result range_release(struct arena *arena, uint64_t start)
{
    pthread_mutex_lock(&arena->lock);
    struct range **link = find_range(arena, start);
    struct range *range = *link;
    enum range_result result = RANGE_UNKNOWN;
    if (range != NULL && range->start == start) {
        result = range->mappings != NULL ? RANGE_BUSY : RANGE_OK;
    }
    if (result == RANGE_OK) {
        *link = range->next;
        host_free(range);
    }
    pthread_mutex_unlock(&arena->lock);
    return result;
}

/* ---- memory ------------------------------------------------------------------------------------------- */

/* With the arena's lock. */
static bool grow_file(struct arena *arena, size_t size)
{
    if (arena->file == 0) { /* 0 is never ours: it is taken where stdin is closed at most */
        int made = memfd_create("libascendcl", MFD_CLOEXEC);
        if (made <= 0) {
            return false;
        }
        arena->file = made;
    }
    return ftruncate(arena->file, (off_t)(arena->file_size + size)) == 0;
}

struct physical *physical_new(struct arena *arena, size_t size, size_t unit)
{
    struct physical *physical = handle_new(HANDLE_PHYSICAL);
    if (physical == NULL) {
        return NULL;
    }
    pthread_mutex_lock(&arena->lock);
    bool fits = size <= arena->limit && arena->used <= arena->limit - size && grow_file(arena, size);
    if (fits) {
        physical->arena = arena;
        physical->size = size;
        physical->unit = unit;
        physical->offset = arena->file_size;
        physical->next = arena->physicals;
        physical->link = &arena->physicals;
        if (physical->next != NULL) {
            physical->next->link = &physical->next;
        }
        arena->physicals = physical;
        arena->file_size += size;
        arena->used += size;
        handle_publish(HANDLE_PHYSICAL, physical);
    }
    pthread_mutex_unlock(&arena->lock);
    if (!fits) {
        handle_free(HANDLE_PHYSICAL, physical);
        return NULL;
    }
    return physical;
}

/* With the arena's lock. */
static void give_back(struct physical *physical)
{
    struct arena *arena = physical->arena;
    fallocate(arena->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)physical->offset, (off_t)physical->size);
    arena->used -= physical->size;
    *physical->link = physical->next;
    if (physical->next != NULL) {
        physical->next->link = physical->link;
    }
    handle_free(HANDLE_PHYSICAL, physical);
}

void physical_free(struct physical *physical)
{
    struct arena *arena = physical->arena;
    pthread_mutex_lock(&arena->lock);
    physical->freed = true;
    if (physical->mapped == 0) {
        give_back(physical);
    }
    pthread_mutex_unlock(&arena->lock);
}

/* ---- mapping ------------------------------------------------------------------------------------------ */

/* The pages of a chunk; made with its first mapping and kept, since others may be looking. */
static struct span *pages_of(struct arena *arena, uint64_t address)
{
    size_t chunk = (address - arena->base) >> ARENA_CHUNK_BITS;
    struct span *span = atomic_load(&arena->spans[chunk]);
    if (span == NULL && (span = host_alloc(sizeof(*span) + PAGES_PER_CHUNK * sizeof(struct block))) != NULL) {
        span->first = arena->base + (chunk << ARENA_CHUNK_BITS);
        span->reciprocal = (UINT64_C(1) << 42) / RANGE_PAGE;
        span->blocks = PAGES_PER_CHUNK;
        for (size_t i = 0; i < PAGES_PER_CHUNK; ++i) {
            span->block[i].address = span->first + i * RANGE_PAGE;
        }
        atomic_store_explicit(&arena->spans[chunk], span, memory_order_release);
        size_t above = chunk + 1 - (arena->size >> (ARENA_CHUNK_BITS + 1));
        arena->chunks_mapped = above > arena->chunks_mapped ? above : arena->chunks_mapped;
    }
    return span;
}

static bool have_pages(struct arena *arena, uint64_t start, size_t size)
{
    uint64_t end = start + size;
    for (uint64_t at = start / ARENA_CHUNK * ARENA_CHUNK; at < end; at += ARENA_CHUNK) {
        if (pages_of(arena, at) == NULL) {
            return false;
        }
    }
    return true;
}

static void mark_pages(struct arena *arena, const struct mapping *mapping, bool mapped)
{
    uint64_t end = mapping->start + mapping->size;
    for (uint64_t at = mapping->start; at < end; at += RANGE_PAGE) {
        struct block *block = arena_find(arena, at);
        if (mapped) {
            block->size = block->bytes = end - at;
            block->page_size = (uint32_t)mapping->physical->unit;
            block->maker = thread_call.name;
        } else {
            block->freer = thread_call.name;
        }
        atomic_store_explicit(&block->state, mapped ? BLOCK_MAPPED : BLOCK_FREE, memory_order_release);
    }
}

static bool overlaps(const struct range *range, uint64_t start, size_t size)
{
    for (const struct mapping *at = range->mappings; at != NULL; at = at->next) {
        if (start < at->start + at->size && at->start < start + size) {
            return true;
        }
    }
    return false;
}

/* With the arena's lock. */
static enum range_result map_locked(struct arena *arena, const struct mapping *wanted)
{
    struct range *range = *find_range(arena, wanted->start);
    if (range == NULL || wanted->size > range->size - (wanted->start - range->start)) {
        return RANGE_UNKNOWN;
    }
    if (overlaps(range, wanted->start, wanted->size)) {
        return RANGE_BUSY;
    }
    struct mapping *mapping = have_pages(arena, wanted->start, wanted->size) ? host_alloc(sizeof(*mapping)) : NULL;
    void *place = arena_host(arena, wanted->start);
    if (mapping == NULL || mmap(place, wanted->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, arena->file,
                                (off_t)wanted->physical->offset) == MAP_FAILED) {
        host_free(mapping);
        return RANGE_NO_MEMORY;
    }
    *mapping = *wanted;
    mapping->next = range->mappings;
    range->mappings = mapping;
    ++mapping->physical->mapped;
    mark_pages(arena, mapping, true);
    return RANGE_OK;
}

enum range_result range_map(struct arena *arena, uint64_t start, size_t size, struct physical *physical)
{
    struct mapping wanted = {start, size, physical, NULL};
    pthread_mutex_lock(&arena->lock);
    enum range_result result = map_locked(arena, &wanted);
    pthread_mutex_unlock(&arena->lock);
    return result;
}

/* With the arena's lock. */
static void unmap_first(struct arena *arena, struct mapping **link)
{
    struct mapping *mapping = *link;
    *link = mapping->next;
    mark_pages(arena, mapping, false);
    mmap(arena_host(arena, mapping->start), mapping->size, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (--mapping->physical->mapped == 0 && mapping->physical->freed) {
        give_back(mapping->physical);
    }
    host_free(mapping);
}

enum range_result range_unmap(struct arena *arena, uint64_t start)
{
    pthread_mutex_lock(&arena->lock);
    struct range *range = *find_range(arena, start);
    struct mapping **link = range != NULL ? &range->mappings : NULL;
    while (link != NULL && *link != NULL && (*link)->start != start) {
        link = &(*link)->next;
    }
    bool found = link != NULL && *link != NULL;
    if (found) {
        unmap_first(arena, link);
    }
    pthread_mutex_unlock(&arena->lock);
    return found ? RANGE_OK : RANGE_UNKNOWN;
}

void ranges_drop(struct arena *arena)
{
    while (arena->ranges != NULL) {
        struct range *range = arena->ranges;
        while (range->mappings != NULL) {
            unmap_first(arena, &range->mappings);
        }
        arena->ranges = range->next;
        host_free(range);
    }
    while (arena->physicals != NULL) {
        give_back(arena->physicals);
    }
}

void ranges_end(struct arena *arena)
{
    size_t upper = arena->size >> (ARENA_CHUNK_BITS + 1);
    ranges_drop(arena);
    for (size_t chunk = upper; chunk < upper + arena->chunks_mapped; ++chunk) {
        host_free(atomic_load(&arena->spans[chunk]));
        atomic_store(&arena->spans[chunk], NULL);
    }
    arena->chunks_mapped = 0;
    if (arena->file != 0) {
        close(arena->file);
        arena->file = 0;
        arena->file_size = 0;
    }
}

bool range_mapped(const struct arena *arena, uint64_t address, size_t size)
{
    for (;;) {
        const struct block *block = arena_find(arena, address);
        if (block == NULL || !block_is(block, BLOCK_MAPPED)) {
            return false;
        }
        size_t left = block->bytes - (address - block->address);
        if (size <= left) {
            return true;
        }
        address += left;
        size -= left;
    }
}
