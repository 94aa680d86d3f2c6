#include "arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "guard.h"
#include "range.h"

#ifdef __SANITIZE_THREAD__ /* leaves 1.5 TiB to the program, owns the hinted range and drops it from a fixed mapping */
#define LARGEST_ARENA ((size_t)1 << 36)
#define TAKES_HINTS false
#else
#define LARGEST_ARENA ((size_t)1 << 40)
#define TAKES_HINTS true
#endif
#define SMALLEST_ARENA ((size_t)1 << 26)
#define SMALL_BLOCK ((size_t)1 << 18) /* blocks up to this share spans of one chunk */
#define RECIPROCAL_ONE ((uint64_t)1 << 42)
#define QUARANTINE_BLOCKS 4096
#define QUARANTINE_BYTES ((size_t)1 << 26)
#define GIVE_BACK ((size_t)1 << 22) /* freed blocks from this size on return their pages to the system */

/* ---- size classes: four a doubling -------------------------------------------------------------------- */

static uint32_t class_of(size_t units)
{
    if (units <= 4) {
        return (uint32_t)units - 1;
    }
    uint32_t top = 63u - (uint32_t)__builtin_clzll(units - 1); /* units - 1 in [2^top, 2^(top+1)) */
    uint32_t quarter = (uint32_t)((units - 1) >> (top - 2)) & 3u;
    return (top - 1) * 4 + quarter;
}

static size_t class_units(uint32_t class)
{
    if (class < 4) {
        return class + 1;
    }
    uint32_t top = class / 4 + 1;
    return ((size_t)(class % 4) + 5) << (top - 2);
}

/* Classes of small blocks count in ARENA_ALIGNMENT, those of large ones in chunks, after the small ones. */
static uint32_t stride_class(size_t bytes)
{
    if (bytes <= SMALL_BLOCK) {
        return class_of(round_up(bytes, ARENA_ALIGNMENT) / ARENA_ALIGNMENT);
    }
    return class_of(SMALL_BLOCK / ARENA_ALIGNMENT) + 1 + class_of(round_up(bytes, ARENA_CHUNK) / ARENA_CHUNK);
}

static size_t class_stride(uint32_t class)
{
    uint32_t small = class_of(SMALL_BLOCK / ARENA_ALIGNMENT) + 1;
    return class < small ? class_units(class) * ARENA_ALIGNMENT : class_units(class - small) * ARENA_CHUNK;
}

/* ---- reservation -------------------------------------------------------------------------------------- */

static void *reserve(uint64_t hint, size_t size, int protection)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#ifdef MAP_FIXED_NOREPLACE
    if (hint != 0 && TAKES_HINTS) {
        void *at = mmap((void *)(uintptr_t)hint, size, protection, flags | MAP_FIXED_NOREPLACE, -1, 0);
        if (at != MAP_FAILED) { /* a kernel older than the flag may have put it elsewhere */
            return at;
        }
    }
#endif
    return mmap(NULL, size, protection, flags, -1, 0);
}

static bool reserve_both(struct arena *arena, uint64_t hint, size_t size, bool split)
{
    void *host = reserve(split ? 0 : hint, size, PROT_READ | PROT_WRITE);
    if (host == MAP_FAILED) {
        return false;
    }
    void *user = split ? reserve(hint, size, PROT_NONE) : host;
    struct span *_Atomic *spans = mmap(NULL, (size >> ARENA_CHUNK_BITS) * sizeof(*spans), PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (user == MAP_FAILED || spans == MAP_FAILED) {
        munmap(host, size);
        if (user != MAP_FAILED && split) {
            munmap(user, size);
        }
        return false;
    }
    arena->base = (uint64_t)(uintptr_t)user;
    arena->shift = (ptrdiff_t)((uintptr_t)host - (uintptr_t)user);
    arena->spans = spans;
    arena->size = size;
    return true;
}

bool arena_open(struct arena *arena, uint64_t hint, size_t limit, bool split)
{
    memset(arena, 0, sizeof(*arena));
    pthread_mutex_init(&arena->lock, NULL);
    arena->limit = limit;
    for (size_t size = LARGEST_ARENA; size >= SMALLEST_ARENA; size /= 2) { /* less under `ulimit -v` */
        if (reserve_both(arena, hint, size, split)) {
            return true;
        }
    }
    pthread_mutex_destroy(&arena->lock);
    return false;
}

/* The span that starts with this chunk, or NULL. */
static struct span *first_span(const struct arena *arena, size_t chunk)
{
    struct span *span = atomic_load(&arena->spans[chunk]);
    return span != NULL && span->first == arena->base + (chunk << ARENA_CHUNK_BITS) ? span : NULL;
}

static void free_span(struct span *span)
{
    for (uint32_t i = 0; span != NULL && i < span->blocks; ++i) {
        host_free(span->block[i].notes);
    }
    host_free(span);
}

static void free_spans(struct arena *arena)
{
    for (size_t chunk = arena->chunks_taken; chunk > 0; --chunk) { /* backwards: a span's first chunk is its last here */
        free_span(first_span(arena, chunk - 1));
    }
}

void arena_close(struct arena *arena)
{
    ranges_end(arena);
    free_spans(arena);
    munmap(arena_host(arena, arena->base), arena->size);
    if (arena->shift != 0) {
        munmap((void *)(uintptr_t)arena->base, arena->size);
    }
    munmap(arena->spans, (arena->size >> ARENA_CHUNK_BITS) * sizeof(*arena->spans));
    pthread_mutex_destroy(&arena->lock);
    memset(arena, 0, sizeof(*arena));
}

/* ---- blocks ------------------------------------------------------------------------------------------- */

static void push_free(struct arena *arena, struct span *span, struct block *block)
{
    struct free_list *list = &arena->free[span->stride_class];
    block->next_free = list->first;
    list->first = block;
    ++list->count;
}

static struct block *pop_free(struct free_list *list)
{
    struct block *block = list->first;
    if (block != NULL) {
        list->first = block->next_free;
        --list->count;
    }
    return block;
}

/* Where the upper half starts, which is for ranges. */
static size_t upper_chunk(const struct arena *arena)
{
    return arena->size >> (ARENA_CHUNK_BITS + 1);
}

static bool add_span(struct arena *arena, uint32_t class)
{
    size_t stride = class_stride(class);
    bool small = stride <= SMALL_BLOCK;
    size_t chunks = small ? 1 : stride >> ARENA_CHUNK_BITS;
    uint32_t blocks = small ? (uint32_t)(ARENA_CHUNK / stride) : 1;
    if (chunks > upper_chunk(arena) - arena->chunks_taken) {
        return false;
    }
    struct span *span = host_alloc(sizeof(*span) + blocks * sizeof(struct block));
    if (span == NULL) {
        return false;
    }
    span->first = arena->base + (arena->chunks_taken << ARENA_CHUNK_BITS);
    span->reciprocal = small ? (RECIPROCAL_ONE + stride - 1) / stride : 0; /* exact below one chunk */
    span->stride_class = class;
    span->blocks = blocks;
    for (uint32_t i = blocks; i-- > 0;) {
        span->block[i].address = span->first + i * stride;
        push_free(arena, span, &span->block[i]);
    }
    for (size_t i = 0; i < chunks; ++i) {
        atomic_store_explicit(&arena->spans[arena->chunks_taken + i], span, memory_order_release);
    }
    arena->chunks_taken += chunks;
    if (!small) {
        madvise(arena_host(arena, span->first), chunks << ARENA_CHUNK_BITS, MADV_HUGEPAGE);
    }
    return true;
}

static struct block *take_block(struct arena *arena, size_t bytes, size_t guard)
{
    if (arena->used > arena->limit || bytes > arena->limit - arena->used) { /* the limit may have been lowered */
        return NULL;
    }
    uint32_t class = stride_class(bytes + guard);
    if (arena->free[class].first == NULL && !add_span(arena, class)) {
        return NULL;
    }
    arena->used += bytes;
    return pop_free(&arena->free[class]);
}

struct block *arena_alloc(struct arena *arena, size_t size, size_t bytes, enum block_state state)
{
    bool checked = check_on() && state == BLOCK_LIVE;
    struct made made = checked ? check_made() : (struct made){0};
    pthread_mutex_lock(&arena->lock);
    struct block *block = take_block(arena, bytes, checked ? GUARD_BYTES : 0);
    if (block != NULL) {
        block->size = size;
        block->bytes = bytes;
        block->maker = thread_call.name;
        arena->live += state == BLOCK_LIVE;
        if (checked) {
            guard_start(arena, block, made);
        } else if (guard_has(block)) {
            block->notes->on = false;
        }
        atomic_store_explicit(&block->state, (uint32_t)state, memory_order_release);
    }
    pthread_mutex_unlock(&arena->lock);
    return block;
}

static struct span *span_of(const struct arena *arena, uint64_t address)
{
    return atomic_load(&arena->spans[(address - arena->base) >> ARENA_CHUNK_BITS]);
}

/* A block that leaves the quarantine because there are enough newer ones: adds what is wrong with it. With the lock. */
static void leave_quarantine(struct arena *arena, struct text *why)
{
    size_t offset = 0;
    struct block *block = pop_free(&arena->quarantine);
    arena->quarantined -= block->bytes;
    if (guard_written_after_free(arena, block, &offset) && why->length == 0) {
        text_add(why, "something wrote to byte %zu of ", offset);
        guard_describe(block, why);
        text_add(why, " after it was freed; nothing may keep its address");
    }
    push_free(arena, span_of(arena, block->address), block);
}

static void enter_quarantine(struct arena *arena, struct block *block, const char *site, struct text *why)
{
    struct free_list *list = &arena->quarantine;
    guard_poison(arena, block, site);
    block->next_free = NULL;
    if (list->first == NULL) {
        list->first = block;
    } else {
        list->last->next_free = block;
    }
    list->last = block;
    ++list->count;
    arena->quarantined += block->bytes;
    while (list->count > QUARANTINE_BLOCKS || arena->quarantined > QUARANTINE_BYTES) {
        leave_quarantine(arena, why);
    }
}

/* With the lock held. */
static bool free_block(struct arena *arena, struct block *block, const char *site, struct text *why)
{
    if (block_is(block, BLOCK_FREE)) {
        return false;
    }
    arena->live -= block_is(block, BLOCK_LIVE);
    atomic_store_explicit(&block->state, BLOCK_FREE, memory_order_release);
    block->freer = thread_call.name;
    arena->used -= block->bytes;
    if (guard_has(block)) {
        enter_quarantine(arena, block, site, why);
        return true;
    }
    if (block->bytes >= GIVE_BACK) {
        madvise(arena_host(arena, block->address), block->bytes, MADV_DONTNEED);
    }
    push_free(arena, span_of(arena, block->address), block);
    return true;
}

/* What was found while blocks were freed. */
static void tell(struct text *why)
{
    if (why->length != 0) {
        diagnose("write-after-free", ACL_SUCCESS, "%s", text_get(why));
    }
    text_free(why);
}

bool arena_free(struct arena *arena, struct block *block)
{
    struct text why = {0};
    const char *site = guard_has(block) ? check_site() : "";
    pthread_mutex_lock(&arena->lock);
    bool live = free_block(arena, block, site, &why);
    pthread_mutex_unlock(&arena->lock);
    tell(&why);
    return live;
}

void arena_free_all(struct arena *arena)
{
    struct text why = {0};
    pthread_mutex_lock(&arena->lock);
    ranges_drop(arena);
    for (size_t chunk = 0; chunk < arena->chunks_taken; ++chunk) {
        struct span *span = first_span(arena, chunk);
        for (uint32_t i = 0; span != NULL && i < span->blocks; ++i) {
            free_block(arena, &span->block[i], NULL, &why);
        }
    }
    pthread_mutex_unlock(&arena->lock);
    tell(&why);
}

void arena_reset(struct arena *arena)
{
    pthread_mutex_lock(&arena->lock);
    ranges_end(arena);
    free_spans(arena);
    for (size_t chunk = 0; chunk < arena->chunks_taken; ++chunk) {
        atomic_store(&arena->spans[chunk], NULL);
    }
    madvise(arena_host(arena, arena->base), arena->chunks_taken << ARENA_CHUNK_BITS, MADV_DONTNEED);
    arena->chunks_taken = arena->used = arena->live = 0;
    memset(arena->free, 0, sizeof(arena->free));
    arena->quarantine = (struct free_list){0};
    arena->quarantined = 0;
    pthread_mutex_unlock(&arena->lock);
}

void arena_each(struct arena *arena, void (*visit)(struct block *block))
{
    for (size_t chunk = 0; chunk < arena->chunks_taken; ++chunk) {
        struct span *span = first_span(arena, chunk);
        for (uint32_t i = 0; span != NULL && i < span->blocks; ++i) {
            if (block_is(&span->block[i], BLOCK_LIVE)) {
                visit(&span->block[i]);
            }
        }
    }
}
