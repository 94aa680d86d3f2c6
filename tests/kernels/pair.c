/* Compares what came by value with what came behind a placeholder. */
#include <aclmock/kernel.h>

/* (uint64_t value, uint64_t *same) */
ACLMOCK_KERNEL(check_equal)
{
    if (*ACLMOCK_GM(ctx, 1, uint64_t, 1) != ACLMOCK_VALUE(ctx, 0, uint64_t)) {
        aclmock_fail(ctx, "the value and what the pointer leads to differ");
    }
}
