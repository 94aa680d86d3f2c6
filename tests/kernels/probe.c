/* Small kernels for tests: what works, and each way to go wrong on the device. */
#include <aclmock/kernel.h>

/* (int32_t *x, int32_t n): x[block] += n */
ACLMOCK_KERNEL(add_to_each)
{
    int32_t *x = ACLMOCK_GM(ctx, 0, int32_t, aclmock_block_num(ctx));
    x[aclmock_block_idx(ctx)] += ACLMOCK_VALUE(ctx, 1, int32_t);
}

/* (int32_t *x, uint32_t n): reads n elements, which may be more than there are */
ACLMOCK_KERNEL(read_all)
{
    (void)ACLMOCK_GM(ctx, 0, int32_t, ACLMOCK_VALUE(ctx, 1, uint32_t));
}

ACLMOCK_KERNEL(give_up)
{
    aclmock_fail(ctx, "the kernel gave up");
}

ACLMOCK_KERNEL(crash)
{
    volatile uintptr_t nowhere = 8; /* volatile, or the compiler sees it */
    (void)ctx;
    *(volatile int *)nowhere = 0;
}

ACLMOCK_KERNEL(do_nothing)
{
    (void)ctx;
}

ACLMOCK_KERNEL(do_nothing_mixed, .type = ACLMOCK_MIX)
{
    (void)ctx;
}

ACLMOCK_KERNEL(do_nothing_on_cpu, .type = ACLMOCK_AICPU)
{
    (void)ctx;
}
