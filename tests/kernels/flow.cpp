/* z = x + y in fp16, as a C++ kernel registered by its signature; the tiling comes through a placeholder. */
#include <aclmock/kernel.hpp>

using namespace aclmock;

struct Tiling {
    uint32_t total;
    uint32_t tiles;
};

static void add_tiled(GM<half> x, GM<half> y, GM<half> z, const Tiling *tiling)
{
    if (tiling->tiles == 0) {
        fail("tiles is 0");
    }
    size_t per_block = tiling->total / block_num();
    size_t per_tile = per_block / tiling->tiles;
    for (size_t tile = 0; tile < tiling->tiles; ++tile) {
        size_t start = per_block * block_idx() + tile * per_tile;
        for (size_t i = start; i < start + per_tile; ++i) {
            z[i] = x[i] + y[i];
        }
    }
}
ACLMOCK_REGISTER(add_tiled)
