/* Runs a queued launch: the kernel's host implementation, block after block. */
#ifndef MOCK_EXEC_H
#define MOCK_EXEC_H

#include "stream.h"

struct binary;
struct function;

/* What comes before a SIMT kernel's arguments, as the device sees it. */
struct launch_grid {
    uint64_t sync_counter;
    uint32_t block_dim[3]; /* z, y, x */
    uint32_t grid_dim[3];  /* z, y, x */
};

_Static_assert(sizeof(struct launch_grid) == 32, "the device reads its arguments 32 bytes on");

struct launch {
    struct function *function;
    uint64_t args; /* device address */
    uint32_t args_size;
    uint32_t blocks;
    uint64_t ring_end;        /* of argring.h */
    struct block *args_block; /* likewise */
    uint64_t timeout_us;      /* 0: none */
    uint32_t thread;          /* who launched, for exception callbacks */
    bool grid;                /* a SIMT launch: dimensions come before the arguments */
};

extern const struct task_kind exec_launch;

#endif
