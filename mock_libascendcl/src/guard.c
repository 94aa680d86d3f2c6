#include "guard.h"

#include <string.h>

#define FRESH 0xA5A5A500u /* and a byte that depends on the address, so that a program's own 0xA5 is no alarm */
#define GUARD 0xEE
#define POISON 0xDD
#define FILL_AT_MOST ((size_t)1 << 26) /* filling larger blocks would take the machine's memory */
#define RUN_AT_LEAST 8                 /* shorter runs of the pattern may be chance, unless nothing else was asked for */
#define RUN_OF_ALL 4

static pthread_mutex_t use_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- bytes -------------------------------------------------------------------------------------------- */

static uint32_t fresh_word(uint64_t index)
{
    return FRESH | (uint32_t)(index * 0x9E3779B97F4A7C15u >> 56);
}

static uint8_t fresh_byte(uint64_t address)
{
    return (uint8_t)(fresh_word(address / 4) >> address % 4 * 8); /* little-endian, as all hosts of CANN */
}

static uint8_t *bytes_of(const struct arena *arena, const struct block *block)
{
    return arena_host(arena, block->address);
}

static void fill_fresh(const struct arena *arena, const struct block *block)
{
    uint32_t *words = arena_host(arena, block->address);
    for (size_t i = 0; i < (block->bytes + 3) / 4; ++i) {
        words[i] = fresh_word(block->address / 4 + i);
    }
}

void guard_start(const struct arena *arena, struct block *block, struct made made)
{
    if (block->notes == NULL) {
        block->notes = host_alloc(sizeof(*block->notes));
    }
    if (block->notes == NULL) {
        return;
    }
    *block->notes = (struct block_notes){.on = true, .made = made};
    if (block->bytes <= FILL_AT_MOST) {
        fill_fresh(arena, block);
    }
    memset(bytes_of(arena, block) + block->size, GUARD, block->bytes - block->size + GUARD_BYTES);
}

void guard_poison(const struct arena *arena, struct block *block, const char *site)
{
    block->notes->freer_site = site;
    if (block->bytes <= FILL_AT_MOST) {
        memset(bytes_of(arena, block), POISON, block->bytes);
    }
}

size_t guard_smashed(const struct arena *arena, const struct block *block)
{
    const uint8_t *bytes = bytes_of(arena, block);
    size_t end = block->bytes + GUARD_BYTES;
    while (end > block->size && bytes[end - 1] == GUARD) {
        --end;
    }
    return end - block->size;
}

bool guard_written_after_free(const struct arena *arena, const struct block *block, size_t *offset)
{
    const uint8_t *bytes = bytes_of(arena, block);
    if (block->bytes > FILL_AT_MOST) {
        return false;
    }
    for (size_t i = 0; i < block->bytes; ++i) {
        if (bytes[i] != POISON) {
            *offset = i;
            return true;
        }
    }
    return false;
}

size_t guard_unwritten(const struct arena *arena, const struct block *block, size_t offset, size_t size, size_t *first)
{
    const uint8_t *bytes = bytes_of(arena, block);
    size_t end = offset + size;
    size_t enough = size < RUN_AT_LEAST ? size : RUN_AT_LEAST;
    if (block->bytes > FILL_AT_MOST || size < RUN_OF_ALL) {
        return 0;
    }
    for (size_t at = offset, start = offset; at <= end; ++at) {
        if (at < end && bytes[at] == fresh_byte(block->address + at)) {
            continue;
        }
        if (at - start >= enough) {
            *first = start;
            return at - start;
        }
        start = at + 1;
    }
    return 0;
}

/* ---- uses --------------------------------------------------------------------------------------------- */

static bool over(const struct block_use *use)
{
    return use->done == NULL || atomic_load_explicit(use->done, memory_order_acquire) >= use->position;
}

void guard_use(struct block *block, const struct block_use *use)
{
    struct block_use *uses = block->notes->uses;
    pthread_mutex_lock(&use_lock);
    size_t at = 0;
    while (at < GUARD_USES - 1 && uses[at].done != use->done && !over(&uses[at])) {
        ++at;
    }
    uses[at] = *use;
    pthread_mutex_unlock(&use_lock);
}

bool guard_pending(const struct block *block, struct block_use *use)
{
    bool pending = false;
    pthread_mutex_lock(&use_lock);
    for (size_t i = 0; i < GUARD_USES && !pending; ++i) {
        *use = block->notes->uses[i];
        pending = !over(use);
    }
    pthread_mutex_unlock(&use_lock);
    return pending;
}

/* ---- words -------------------------------------------------------------------------------------------- */

void guard_describe(const struct block *block, struct text *text)
{
    const struct block_notes *notes = guard_has(block) ? block->notes : NULL;
    text_add(text, "the %zu-byte block %#llx that %s made", block->size, (unsigned long long)block->address, block->maker);
    check_add_site(text, notes != NULL ? notes->made.site : NULL);
    if (block_is(block, BLOCK_FREE)) {
        text_add(text, " and %s freed", block->freer != NULL ? block->freer : "the end of its device");
        check_add_site(text, notes != NULL ? notes->freer_site : NULL);
    }
}
