#include "argring.h"

#define RING ((uint64_t)1 << 18)
#define STEP 128u /* what drivers align argument blocks to */
#define LARGEST (RING / 4)

static bool ring_open(struct stream *stream)
{
    struct args_ring *ring = &stream->ring;
    if (ring->block == NULL) {
        ring->block = memory_alloc_system(stream->context->device, RING);
        if (ring->block == NULL) {
            return false;
        }
        ring->host = arena_host(&stream->context->device->arena, ring->block->address);
    }
    return true;
}

bool argring_give(struct stream *stream, size_t size, struct args_place *place)
{
    struct args_ring *ring = &stream->ring;
    if (size > LARGEST || !ring_open(stream)) {
        return false;
    }
    uint64_t bytes = round_up(size, STEP);
    uint64_t at = ring->given % RING;
    uint64_t skipped = at + bytes > RING ? RING - at : 0; /* a place must not wrap */
    uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_acquire);
    if (ring->given + skipped + bytes - taken > RING) {
        return false;
    }
    at = skipped != 0 ? 0 : at;
    ring->given += skipped + bytes;
    *place = (struct args_place){ring->block->address + at, ring->host + at, ring->given, NULL};
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
