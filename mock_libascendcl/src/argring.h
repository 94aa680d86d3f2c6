/* Device memory for the arguments of queued launches: a ring a stream, since launches end in the order they came. */
#ifndef MOCK_ARGRING_H
#define MOCK_ARGRING_H

#include "stream.h"

struct args_place {
    uint64_t address; /* what the kernel gets */
    uint8_t *host;
    uint64_t ring_end;   /* for argring_take; 0: a block of its own */
    struct block *block; /* NULL: in the ring */
};

#define ARGRING_SIZE ((uint64_t)1 << 18)
#define ARGRING_STEP 128u /* what drivers align argument blocks to */
#define ARGRING_LARGEST (ARGRING_SIZE / 4)

/* For argring_give. False: no device memory. */
COLD bool argring_open(struct stream *stream);

/* With the stream's lock. False: the ring is full of launches that have not run. */
ALWAYS_INLINE bool argring_give(struct stream *stream, size_t size, struct args_place *place)
{
    struct args_ring *ring = &stream->ring;
    if (UNLIKELY(size > ARGRING_LARGEST || (ring->block == NULL && !argring_open(stream)))) {
        return false;
    }
    uint64_t bytes = round_up(size, ARGRING_STEP);
    uint64_t start = ring->given;
    if (UNLIKELY(start % ARGRING_SIZE + bytes > ARGRING_SIZE)) { /* a place must not wrap */
        start = round_up(start, ARGRING_SIZE);
    }
    if (UNLIKELY(start + bytes - atomic_load_explicit(&ring->taken, memory_order_acquire) > ARGRING_SIZE)) {
        return false;
    }
    ring->given = start + bytes;
    uint64_t at = start % ARGRING_SIZE;
    *place = (struct args_place){ring->block->address + at, ring->host + at, ring->given, NULL};
    return true;
}

/* A block outside the ring. False: no device memory. */
COLD bool argring_give_block(struct stream *stream, size_t size, struct args_place *place);
/* Runner, when the launch is over. */
void argring_take(struct stream *stream, uint64_t ring_end, struct block *block);

#endif
