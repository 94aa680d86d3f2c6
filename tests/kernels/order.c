/* Kernels that show in which order launches ran. */
#include <aclmock/kernel.h>

/* (int32_t *log, uint32_t id): appends the id; log[0] counts */
ACLMOCK_KERNEL(note)
{
    int32_t *log = ACLMOCK_GM(ctx, 0, int32_t, 256);
    int32_t at = __atomic_fetch_add(&log[0], 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&log[1 + at], ACLMOCK_VALUE(ctx, 1, int32_t), __ATOMIC_SEQ_CST);
}

/* (uint32_t *cells, to, a, b, id): cells[to] = 3 cells[a] + 5 cells[b] + id */
ACLMOCK_KERNEL(mix)
{
    uint32_t *cells = ACLMOCK_GM(ctx, 0, uint32_t, 16);
    uint32_t a = cells[ACLMOCK_VALUE(ctx, 2, uint32_t)];
    uint32_t b = cells[ACLMOCK_VALUE(ctx, 3, uint32_t)];
    cells[ACLMOCK_VALUE(ctx, 1, uint32_t)] = 3 * a + 5 * b + ACLMOCK_VALUE(ctx, 4, uint32_t);
}
