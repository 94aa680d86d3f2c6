/* A hash table of numbers: it finds where something is in an array of the caller's, who compares the keys. */
#ifndef MOCK_TABLE_H
#define MOCK_TABLE_H

#include "base.h"

struct table_slot {
    uint32_t hash;
    uint32_t index; /* plus one; 0: empty */
};

struct table {
    struct table_slot *slots;
    size_t room; /* 0 or a power of two, at least twice `used` */
    size_t used;
};

/* 32 bits that depend on all bytes of the key. */
uint32_t table_hash(const void *key, size_t size);

/* False without memory, or when the index is too large. */
bool table_add(struct table *table, uint32_t hash, size_t index);
void table_free(struct table *table);

struct table_probe {
    const struct table *table;
    uint32_t hash;
    size_t at;
};

static inline struct table_probe table_probe(const struct table *table, uint32_t hash)
{
    return (struct table_probe){table, hash, hash};
}

/* The next slot whose key may be the one hashed, or NULL. */
static inline struct table_slot *table_next(struct table_probe *probe)
{
    while (probe->table->room != 0) {
        struct table_slot *slot = &probe->table->slots[probe->at++ & (probe->table->room - 1)];
        if (slot->index == 0) {
            return NULL;
        }
        if (slot->hash == probe->hash) {
            return slot;
        }
    }
    return NULL;
}

#endif
