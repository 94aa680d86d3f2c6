/* Kernels that tell what they were given. */
#include <aclmock/kernel.h>

/* The argument block, behind its size, goes to `out`: 8 bytes more than the block. */
static void echo_to(aclmock_ctx *ctx, uint64_t out)
{
    uint64_t size = ctx->args_size;
    uint8_t *target = aclmock_gm(ctx, out, sizeof(size) + size);
    memcpy(target, &size, sizeof(size));
    memcpy(target + sizeof(size), ctx->args, size);
}

/* (void *out, ...) */
ACLMOCK_KERNEL(echo)
{
    echo_to(ctx, aclmock_param_pointer(ctx, 0));
}

ACLMOCK_KERNEL(echo_mix, .type = ACLMOCK_MIX)
{
    echo_to(ctx, aclmock_param_pointer(ctx, 0));
}

ACLMOCK_KERNEL(echo_on_cpu, .type = ACLMOCK_AICPU)
{
    echo_to(ctx, ACLMOCK_VALUE_AT(ctx, 0, uint64_t));
}
