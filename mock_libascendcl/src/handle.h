/* Handles: the 16-byte cell that a user's handle points to, and slabs that make a stale one safe to test.
 *
 * Objects of a kind live in one reservation of memory that is never given back, so a handle is checked by
 * address, alignment and magic without touching anything that could be unmapped. A freed slot is reused only after
 * HANDLES_IN_QUARANTINE others, so that a stale handle is found instead of meaning another object.
 */
#ifndef MOCK_HANDLE_H
#define MOCK_HANDLE_H

#include "check.h"

struct cell {
    _Atomic uint64_t magic;
    void *object;
};

_Static_assert(sizeof(struct cell) == 16, "as in the real library");

enum {
    MAGIC_STREAM = 0x5354524D,
    MAGIC_EVENT = 0x45564E54,
    MAGIC_BINARY = 0x42494E48,
    MAGIC_FUNCTION = 0x46554E43,
    MAGIC_ARGS = 0x41524753,
    MAGIC_PARAM = 0x50415241,
    MAGIC_DESCRIPTOR = 0x44455343, /* ours: the real library follows the pointer */
    MAGIC_DATABUFFER = 0x44425546, /* ours */
    MAGIC_PHYSICAL = 0x50485953,   /* ours */
    MAGIC_CONTEXT = 0x43545854, /* ours: the real library looks contexts up by address */
};

enum handle_kind {
    HANDLE_CONTEXT,
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_BINARY,
    HANDLE_FUNCTION,
    HANDLE_DATABUFFER,
    HANDLE_PHYSICAL, /* memory without an address (range.h) */
    HANDLE_ARGS, /* the argument object that each thread has */
    HANDLE_DESCRIPTOR, /* of a binary, for aclrtBinaryLoad */
    HANDLE_KINDS
};

#define HANDLES_IN_QUARANTINE 256

/* A zeroed slot (of a kind that is kept: as its last owner left it), dead until handle_publish. NULL: no slot or no memory left. */
void *handle_new(enum handle_kind kind);
void handle_publish(enum handle_kind kind, void *slot);
/* Gives the slot back; every copy of the handle is stale from now on. */
void handle_free(enum handle_kind kind, void *slot);

struct slab {
    char *_Atomic base;
    uint32_t magic;
    uint32_t stride; /* a power of two */
    size_t room;     /* slots */
    bool kept;       /* slots are not cleared: others may still look at a dead one */
    size_t bytes;    /* of all slots, once there is a base */
};

extern struct slab slabs[HANDLE_KINDS];

/* Whether an address is in the slab, and how far. */
static inline bool slab_has(enum handle_kind kind, const void *address, uintptr_t *offset)
{
    const struct slab *slab = &slabs[kind];
    uintptr_t base = (uintptr_t)atomic_load_explicit(&slab->base, memory_order_acquire);
    *offset = (uintptr_t)address - base;
    return base != 0 && *offset < slab->bytes;
}

/* Whether the address is a slot of this kind, alive or not. */
static inline bool handle_in_slab(enum handle_kind kind, const void *handle)
{
    uintptr_t offset;
    return LIKELY(slab_has(kind, handle, &offset) && (offset & (slabs[kind].stride - 1)) == 0);
}

/* Every object with a slab starts with its cell. */
static inline bool handle_alive(enum handle_kind kind, const void *handle)
{
    return handle_in_slab(kind, handle) &&
           atomic_load_explicit(&((struct cell *)handle)->magic, memory_order_acquire) == slabs[kind].magic;
}

/* Makes the handle stale; false when it was already. Of two threads that destroy one handle, one wins. */
static inline bool handle_claim(enum handle_kind kind, void *handle)
{
    uint64_t magic = slabs[kind].magic;
    return handle_in_slab(kind, handle) &&
           atomic_compare_exchange_strong(&((struct cell *)handle)->magic, &magic, 0);
}

/* Who made it: a function of NULL when checks were off. */
struct made handle_made(enum handle_kind kind, const void *handle);

/* Calls `visit` with every live object of the kind. No other thread may make or end one meanwhile. */
void handle_each(enum handle_kind kind, void (*visit)(void *object));

/* How many slots are in use, live or not yet published. */
size_t handle_count(enum handle_kind kind);

/* Whether `size` bytes at `address`, which any caller may have made up, can be read. Cheap for recently seen pages. */
bool memory_readable(const void *address, size_t size);

#endif
