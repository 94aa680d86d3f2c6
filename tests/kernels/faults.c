/* Kernels that go wrong, each in its own way, for each kind of core. Parameter 0: an int32_t of the global memory. */
#include <aclmock/kernel.h>

/* Reads or writes one byte behind what the block has: (p, size of the block) */
ACLMOCK_KERNEL(overrun)
{
    size_t size = ACLMOCK_VALUE(ctx, 1, uint32_t);
    char *memory = (char *)aclmock_gm(ctx, aclmock_param_pointer(ctx, 0), size + 1);
    memory[size] = 1;
}

ACLMOCK_KERNEL(overrun_cube, .type = ACLMOCK_AICORE)
{
    (void)aclmock_gm(ctx, aclmock_param_pointer(ctx, 0), (size_t)ACLMOCK_VALUE(ctx, 1, uint32_t) + 1);
}

ACLMOCK_KERNEL(fail_on_cpu, .type = ACLMOCK_AICPU)
{
    aclmock_fail(ctx, "out of cheese");
}

/* (p): p[0] / p[1] in block 2 */
ACLMOCK_KERNEL(divide)
{
    volatile int32_t *x = ACLMOCK_GM(ctx, 0, int32_t, 2);
    if (aclmock_block_idx(ctx) == 2) {
        x[0] = x[0] / x[1];
    }
}

ACLMOCK_KERNEL(bad_pointer)
{
    volatile uintptr_t nowhere = 16; /* volatile, or the compiler sees it */
    (void)ctx;
    *(volatile int *)nowhere = 0;
}

/* (p): dereferences the device address itself, as no host kernel may */
ACLMOCK_KERNEL(device_pointer)
{
    *(volatile int *)(uintptr_t)aclmock_param_pointer(ctx, 0) = 0;
}

ACLMOCK_KERNEL(spin)
{
    (void)ctx;
    for (volatile int i = 0;; ++i) {
    }
}

ACLMOCK_KERNEL(spin_mixed, .type = ACLMOCK_MIX)
{
    for (;;) {
        (void)aclmock_gm(ctx, aclmock_param_pointer(ctx, 0), 4);
    }
}

/* (p): p[0] += 1 */
ACLMOCK_KERNEL(increment)
{
    *ACLMOCK_GM(ctx, 0, int32_t, 1) += 1;
}
