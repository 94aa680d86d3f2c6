#include "argring.h"

bool argring_open(struct stream *stream)
{
    struct args_ring *ring = &stream->ring;
    ring->block = memory_alloc_system(stream->context->device, ARGRING_SIZE);
    if (ring->block == NULL) {
        return false;
    }
    ring->host = arena_host(&stream->context->device->arena, ring->block->address);
    return true;
}

bool argring_give_block(struct stream *stream, size_t size, struct args_place *place)
{
    struct device *device = stream->context->device;
    struct block *block = memory_alloc_system(device, size);
    if (block == NULL) {
        return false;
    }
    *place = (struct args_place){block->address, arena_host(&device->arena, block->address), 0, block};
    return true;
}

void argring_take(struct stream *stream, uint64_t ring_end, struct block *block)
{
    if (block != NULL) {
        arena_free(&stream->context->device->arena, block);
    } else if (ring_end != 0) {
        atomic_store_explicit(&stream->ring.taken, ring_end, memory_order_release);
    }
}
