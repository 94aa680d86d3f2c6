#include "table.h"

#include <string.h>

/* Differs from run to run, so that nobody can write a file whose names all meet in one slot. */
static uint64_t seed(void)
{
    return (uint64_t)(uintptr_t)&seed;
}

static uint64_t mix(uint64_t hash)
{
    hash ^= hash >> 32;
    hash *= UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

uint32_t table_hash(const void *key, size_t size)
{
    const uint8_t *bytes = key;
    uint64_t hash = mix(seed() + size);
    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), bytes += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes, sizeof(word));
        hash = mix(hash ^ word);
    }
    uint64_t rest = 0;
    memcpy(&rest, bytes, size);
    return (uint32_t)mix(hash ^ rest);
}

static void put(struct table *table, uint32_t hash, uint32_t index)
{
    size_t at = hash;
    while (table->slots[at & (table->room - 1)].index != 0) {
        ++at;
    }
    table->slots[at & (table->room - 1)] = (struct table_slot){hash, index};
}

static bool grow(struct table *table)
{
    size_t room = table->room != 0 ? table->room * 2 : 16;
    struct table bigger = {host_alloc(room * sizeof(struct table_slot)), room, table->used};
    if (bigger.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < table->room; ++i) {
        if (table->slots[i].index != 0) {
            put(&bigger, table->slots[i].hash, table->slots[i].index);
        }
    }
    host_free(table->slots);
    *table = bigger;
    return true;
}

bool table_add(struct table *table, uint32_t hash, size_t index)
{
    if (index >= UINT32_MAX || (table->used * 2 >= table->room && !grow(table))) {
        return false;
    }
    put(table, hash, (uint32_t)index + 1);
    ++table->used;
    return true;
}

void table_free(struct table *table)
{
    host_free(table->slots);
    *table = (struct table){0};
}
