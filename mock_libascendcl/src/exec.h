/* Runs a queued launch: the kernel's host implementation, block after block. */
#ifndef MOCK_EXEC_H
#define MOCK_EXEC_H

#include "stream.h"

struct binary;
struct function;

struct launch {
    struct function *function;
    uint64_t args; /* device address */
    uint32_t args_size;
    uint32_t blocks;
    uint64_t ring_end;        /* of argring.h */
    struct block *args_block; /* likewise */
    uint64_t timeout_us;      /* 0: none */
};

extern const struct task_kind exec_launch;

#endif
