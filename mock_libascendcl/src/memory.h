/* Memory: what an address belongs to, and how many bytes there are behind it. */
#ifndef MOCK_MEMORY_H
#define MOCK_MEMORY_H

#include "context.h"
#include "error.h"

enum place_kind { PLACE_HOST, PLACE_PINNED, PLACE_DEVICE };

struct place {
    enum place_kind kind;
    struct device *device; /* PLACE_DEVICE; of registered host memory, which is PLACE_PINNED, too */
    struct block *block;   /* PLACE_PINNED, PLACE_DEVICE: live */
    void *host;            /* where the mock reaches the bytes */
    uint64_t offset;       /* in the block */
};

/* The arena that the address is in, or page-locked memory's when it is in no device's. */
struct arena *memory_arena(const void *address);

/* Classifies an address. Memory that is in no live block is PLACE_HOST. */
struct place memory_place(const void *address);

/* The same for `size` bytes that somebody wants to touch. False when they leave their block, or lie where device
 * memory is but nothing is allocated. */
bool memory_holds(const void *address, size_t size, struct place *place);
/* Adds why not: "0x... is ...". */
void memory_explain(const void *address, size_t size, struct text *text);
/* memory_holds, or 107000 with the explanation; `argument` names the address. */
aclError memory_reach(const void *address, size_t size, const char *argument, struct place *place);

/* Where the bytes are that a kernel of the device wants, or NULL; then adds why it cannot have them. */
void *memory_reach_from(const struct device *device, uint64_t address, size_t size, struct text *why);

/* The pieces that the calls here share with those that go through a stream (transfer.c). */
aclError memory_check_kind(aclrtMemcpyKind kind);
aclError memory_check_room(size_t count, size_t room, const char *room_name);
aclError memory_copy(void *dst, const void *src, size_t count);
aclError memory_fill(void *devPtr, int32_t value, size_t count);
aclError memory_free_device(void *devPtr);
aclError memory_free_host(void *hostPtr);

/* Frees all page-locked memory. */
void memory_reset(void);

/* Blocks of the program's, on all devices and page-locked. */
size_t memory_live(void);
/* Calls `visit` with each of them. No other thread may make or free one meanwhile. */
void memory_each(void (*visit)(struct block *block));

/* Device memory of the mock's own, not counted as the program's. NULL when there is none left. */
struct block *memory_alloc_system(struct device *device, size_t size);

static inline uint64_t address_number(const void *address)
{
    return (uint64_t)(uintptr_t)address;
}

#endif
