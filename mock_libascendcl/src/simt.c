/* Launches of kernels that run a grid of threads. Only the 950 family has them. */
#include "launch.h"

static uint32_t blocks_of(dim3 grid)
{
    return grid.x * grid.y * grid.z; /* in 32 bits, as in the real library: a product may wrap to 0 */
}

static aclError check_dim(const char *name, dim3 dim)
{
    if (dim.x == 0 || dim.y == 0 || dim.z == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "%s is (%u, %u, %u), expected no 0", name, dim.x, dim.y, dim.z);
    }
    return ACL_SUCCESS;
}

/* What both launches check before their arguments. */
static aclError check_kernel(const struct function *function, dim3 grid_dim, dim3 block_dim)
{
    if (!function->simt) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001", "%s is no SIMT kernel", function->name);
    }
    if (!function->has_params) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001", "%s has no parameter table", function->name);
    }
    aclError code = check_dim("gridDim", grid_dim);
    return code == ACL_SUCCESS ? check_dim("blockDim", block_dim) : code;
}

static aclError launch_simt(struct function *function, dim3 grid_dim, dim3 block_dim, size_t dyn_ubuf,
                            aclrtStream stream, const aclrtLaunchKernelCfg *cfg, struct launch_args *args)
{
    struct launch_grid grid = {
        .block_dim = {block_dim.z, block_dim.y, block_dim.x},
        .grid_dim = {grid_dim.z, grid_dim.y, grid_dim.x},
    };
    args->grid = &grid;
    args->dyn_ubuf = dyn_ubuf;
    return launch(function, blocks_of(grid_dim), stream, cfg, args);
}

aclError aclrtLaunchSIMTKernelWithArgsArray(void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize,
                                            aclrtStream stream, aclrtLaunchKernelCfg *cfg, void **args)
{
    API(func, gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z, dynUbufSize, stream, cfg, args);
    REQUIRE(func);
    struct function *function = launch_resolve(func);
    if (function == NULL || !stream_check(stream)) {
        return thread_call.result;
    }
    struct launch_args passed = {.values = args};
    aclError code = check_kernel(function, gridDim, blockDim);
    if (code == ACL_SUCCESS) {
        code = launch_check_values(function, &passed);
    }
    return code == ACL_SUCCESS ? launch_simt(function, gridDim, blockDim, dynUbufSize, stream, cfg, &passed) : code;
}

aclError aclrtLaunchSIMTKernelWithHostArgs(void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize,
                                           aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs,
                                           size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray,
                                           size_t placeHolderNum)
{
    API(func, gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z, dynUbufSize, stream, cfg, hostArgs, argsSize, placeHolderArray, placeHolderNum);
    REQUIRE(func);
    REQUIRE(hostArgs);
    REQUIRE_SIZE(argsSize);
    struct function *function = stream_check(stream) ? launch_resolve(func) : NULL;
    if (function == NULL) {
        return thread_call.result;
    }
    struct launch_args passed = launch_host_args(hostArgs, argsSize, placeHolderArray, placeHolderNum);
    aclError code = check_kernel(function, gridDim, blockDim);
    if (code == ACL_SUCCESS) {
        code = launch_check_table(function, &passed);
    }
    return code == ACL_SUCCESS ? launch_simt(function, gridDim, blockDim, dynUbufSize, stream, cfg, &passed) : code;
}
