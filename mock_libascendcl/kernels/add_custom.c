/* z = x + y in fp16, once with the sizes fixed at 8 x 2048 and once with the sizes in placeholders. */
#include <aclmock/kernel.h>

static void add(aclmock_ctx *ctx, uint32_t total, uint32_t tiles)
{
    uint32_t per_block = total / aclmock_block_num(ctx);
    uint32_t first = per_block * aclmock_block_idx(ctx);
    uint32_t per_tile = per_block / tiles;
    const aclmock_half *x = ACLMOCK_GM(ctx, 0, aclmock_half, first + per_block);
    const aclmock_half *y = ACLMOCK_GM(ctx, 1, aclmock_half, first + per_block);
    aclmock_half *z = ACLMOCK_GM(ctx, 2, aclmock_half, first + per_block);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        uint32_t start = first + tile * per_tile;
        for (uint32_t i = start; i < start + per_tile; ++i) {
            z[i] = aclmock_float_to_half(aclmock_half_to_float(x[i]) + aclmock_half_to_float(y[i]));
        }
    }
}

/* (GM_ADDR x, GM_ADDR y, GM_ADDR z) */
ACLMOCK_KERNEL(add_simple)
{
    add(ctx, 8 * 2048, 8);
}

/* (GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR total_length, GM_ADDR tile_count), the last two placeholders */
ACLMOCK_KERNEL(add_custom)
{
    uint32_t total = *ACLMOCK_GM(ctx, 3, uint32_t, 1);
    uint32_t tiles = *ACLMOCK_GM(ctx, 4, uint32_t, 1);
    if (tiles == 0) {
        aclmock_fail(ctx, "tile_count is 0");
    }
    add(ctx, total, tiles);
}
