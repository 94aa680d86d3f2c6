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

/* With the stream's lock. False: the ring is full of launches that have not run. */
bool argring_give(struct stream *stream, size_t size, struct args_place *place);
/* A block outside the ring. False: no device memory. */
bool argring_give_block(struct stream *stream, size_t size, struct args_place *place);
/* Runner, when the launch is over. */
void argring_take(struct stream *stream, uint64_t ring_end, struct block *block);

#endif
