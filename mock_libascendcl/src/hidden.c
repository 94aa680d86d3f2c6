#include "hidden.h"

#include "aclmock/aclmock.h"
#include "memory.h"

#define OVERFLOW_BLOCK ((size_t)512)
#define SYNC_BLOCK ((size_t)4096)

/* Two threads may both allocate; the first to store wins. */
static uint64_t address_once(_Atomic uint64_t *where, struct device *device, size_t size)
{
    uint64_t address = atomic_load_explicit(where, memory_order_acquire);
    if (LIKELY(address != 0)) {
        return address;
    }
    struct block *block = memory_alloc_system(device, size);
    if (block == NULL) {
        return 0;
    }
    if (!atomic_compare_exchange_strong(where, &address, block->address)) {
        arena_free(&device->arena, block);
        return address;
    }
    return block->address;
}

uint64_t hidden_overflow(struct context *context)
{
    return address_once(&context->overflow, context->device, OVERFLOW_BLOCK);
}

uint64_t hidden_sync(struct device *device)
{
    return address_once(&device->sync_address, device, SYNC_BLOCK);
}

uint64_t aclmock_overflow_address(void)
{
    struct context *context = context_current();
    return context != NULL ? hidden_overflow(context) : 0;
}

uint64_t aclmock_sync_address(void)
{
    struct context *context = context_current();
    return context != NULL ? hidden_sync(context->device) : 0;
}

aclError aclmock_set_hidden(uint64_t overflow, uint64_t sync)
{
    API(overflow, sync);
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    atomic_store(&context->overflow, overflow);
    atomic_store(&context->device->sync_address, sync);
    return ACL_SUCCESS;
}
