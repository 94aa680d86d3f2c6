/* The kernels of the examples, for the mock. On an NPU they would be AscendC, built by the Ascend compiler. */
#include <aclmock/kernel.h>

struct tiling {
    uint32_t length;
    uint32_t tiles;
};

/* (GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR tiling): z = x + y in fp16 */
ACLMOCK_KERNEL(add_custom)
{
    const struct tiling *tiling = ACLMOCK_GM(ctx, 3, struct tiling, 1);
    uint32_t per_block = tiling->length / aclmock_block_num(ctx);
    uint32_t first = per_block * aclmock_block_idx(ctx);
    const aclmock_half *x = ACLMOCK_GM(ctx, 0, aclmock_half, first + per_block);
    const aclmock_half *y = ACLMOCK_GM(ctx, 1, aclmock_half, first + per_block);
    aclmock_half *z = ACLMOCK_GM(ctx, 2, aclmock_half, first + per_block);
    for (uint32_t i = first; i < first + per_block; ++i) {
        z[i] = aclmock_float_to_half(aclmock_half_to_float(x[i]) + aclmock_half_to_float(y[i]));
    }
}

/* (GM_ADDR x, float factor, uint32_t length): x *= factor */
ACLMOCK_KERNEL(scale)
{
    uint32_t per_block = ACLMOCK_VALUE(ctx, 2, uint32_t) / aclmock_block_num(ctx);
    uint32_t first = per_block * aclmock_block_idx(ctx);
    float factor = ACLMOCK_VALUE(ctx, 1, float);
    float *x = ACLMOCK_GM(ctx, 0, float, first + per_block);
    for (uint32_t i = first; i < first + per_block; ++i) {
        x[i] *= factor;
    }
}

/* (GM_ADDR x, GM_ADDR sum, uint32_t length) on the AI CPU: arguments are packed, without gaps */
ACLMOCK_KERNEL(sum_on_cpu, .type = ACLMOCK_AICPU)
{
    uint32_t length = ACLMOCK_VALUE_AT(ctx, 16, uint32_t);
    const float *x = (const float *)aclmock_gm(ctx, ACLMOCK_VALUE_AT(ctx, 0, uint64_t), length * sizeof(float));
    float *sum = (float *)aclmock_gm(ctx, ACLMOCK_VALUE_AT(ctx, 8, uint64_t), sizeof(float));
    *sum = 0;
    for (uint32_t i = 0; i < length; ++i) {
        *sum += x[i];
    }
}
