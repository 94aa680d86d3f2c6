/* A launch's configuration: every attribute, its range, what wins; and SIMT launches, which have more of it. */
#include "check.h"

#include <stdint.h>

static const aclmock_param rows[] = {{0, 8}, {8, 4}};
static const aclmock_kernel kernels[] = {{.name = "mix", .type = ACLMOCK_MIX}, {.name = "simt", .num_params = 2, .params = rows}};

static aclrtFuncHandle mix, simt;

static void set_up(const char *soc)
{
    aclrtBinHandle binary;
    aclmock_traits traits;
    CHECK_EQ(aclmock_set_soc(soc), 1);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclmock_make_binary(kernels, 2, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "mix", &mix));
    CHECK_OK(aclrtBinaryGetFunction(binary, "simt", &simt));
    CHECK_OK(aclmock_get_traits(simt, &traits));
    traits.simt = 1;
    CHECK_OK(aclmock_set_traits(simt, &traits));
    aclmock_record_launches(1);
}

static aclError launch(aclrtLaunchKernelCfg *cfg)
{
    uint64_t args = 0;
    return aclrtLaunchKernelWithHostArgs(mix, 1, NULL, cfg, &args, sizeof(args), NULL, 0);
}

static aclError launch_with(int id, uint32_t value)
{
    aclrtLaunchKernelAttr attribute = {.id = (aclrtLaunchKernelAttrId)id, .value.rsv = {value}};
    return launch(&(aclrtLaunchKernelCfg){&attribute, 1});
}

TEST(every_attribute_and_its_range)
{
    static const int flags[] = {1, 5, 6, 9}, free_ones[] = {2, 3, 4, 7, 8}, unknown[] = {0, 10, -1, 1000};
    set_up(NULL);
    for (int i = 0; i < 4; ++i) {
        CHECK_OK(launch_with(flags[i], 0));
        CHECK_OK(launch_with(flags[i], 1));
        CHECK_OK(launch_with(flags[i], 0x100)); /* only the low byte counts */
        CHECK_EQ(launch_with(flags[i], 2), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_EQ(launch_with(flags[i], 255), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_SAID("255");
        CHECK_EQ(launch_with(unknown[i], 0), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_SAID("attribute");
    }
    for (int i = 0; i < 5; ++i) {
        CHECK_OK(launch_with(free_ones[i], 0));
        CHECK_OK(launch_with(free_ones[i], UINT32_MAX));
    }
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

TEST(the_last_of_two_wins)
{
    aclrtLaunchKernelAttr attributes[] = {{.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, .value.schemMode = 2},
                                          {.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, .value.schemMode = 1}};
    set_up(NULL);
    CHECK_OK(launch(&(aclrtLaunchKernelCfg){attributes, 2}));
    attributes[0].value.schemMode = 1;
    attributes[1].value.schemMode = 2;
    CHECK_EQ(launch(&(aclrtLaunchKernelCfg){attributes, 2}), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

TEST(seconds_or_microseconds)
{
    aclrtLaunchKernelAttr attributes[] = {{.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, .value.timeout = 1},
                                          {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, .value.timeoutUs = {0, 0}},
                                          {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, .value.timeout = 0}};
    set_up(NULL);
    CHECK_EQ(launch(&(aclrtLaunchKernelCfg){attributes, 2}), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("TIMEOUT_US");
    CHECK_EQ(launch(&(aclrtLaunchKernelCfg){attributes + 1, 2}), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(launch(&(aclrtLaunchKernelCfg){attributes, 1}));
    CHECK_OK(launch(&(aclrtLaunchKernelCfg){attributes + 1, 1}));
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

TEST(no_attributes)
{
    aclrtLaunchKernelAttr unused = {.id = (aclrtLaunchKernelAttrId)99};
    set_up(NULL);
    CHECK_OK(launch(NULL));
    CHECK_OK(launch(&(aclrtLaunchKernelCfg){&unused, 0}));
    CHECK_EQ(launch(&(aclrtLaunchKernelCfg){NULL, 0}), ACL_ERROR_RT_PARAM_INVALID); /* even though there are none */
    CHECK_SAID("attrs");
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

TEST(a_bad_range_is_found_before_an_unknown_attribute)
{
    aclrtLaunchKernelAttr attributes[] = {{.id = (aclrtLaunchKernelAttrId)77},
                                          {.id = ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, .value.isDataDump = 2}};
    set_up(NULL);
    CHECK_EQ(launch(&(aclrtLaunchKernelCfg){attributes, 2}), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("attribute 6");
    CHECK_EQ(launch(&(aclrtLaunchKernelCfg){attributes, 1}), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("attribute 77");
}

TEST(mix_kernels_of_310P_need_a_configuration)
{
    aclrtLaunchKernelAttr unused;
    set_up("Ascend310P3");
    CHECK_EQ(launch(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("cfg is NULL");
    CHECK_OK(launch(&(aclrtLaunchKernelCfg){&unused, 0}));
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

/* ---- SIMT --------------------------------------------------------------------------------------------- */

static const dim3 one = {1, 1, 1};
static const dim3 grid = {2, 3, 4};
static const dim3 block = {32, 2, 5};

TEST(a_simt_launch_has_its_dimensions_in_front)
{
    uint64_t a = 0x1122334455667788;
    uint32_t b = 99, words[11];
    void *values[] = {&a, &b};
    static const uint32_t dims[] = {0, 0, 5, 2, 32, 4, 3, 2};
    aclmock_launch seen;
    set_up("Ascend950PR_9599");
    CHECK_OK(aclrtLaunchSIMTKernelWithArgsArray(simt, grid, block, 0, NULL, NULL, values));
    CHECK_EQ(aclmock_get_launch(0, &seen, words, sizeof(words)), 1);
    CHECK_EQ(seen.args_size, 32 + 12);
    CHECK_EQ(seen.num_blocks, 24);
    CHECK_BYTES(words, dims, 32);
    CHECK_BYTES(words + 8, &a, 8);
    CHECK_EQ(words[10], 99);
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

TEST(placeholders_of_a_simt_launch_count_from_its_arguments)
{
    uint64_t bytes[3] = {7, 8, 9}, seen_bytes[7];
    aclrtPlaceHolderInfo holder = {8, 16};
    aclmock_launch seen;
    set_up("Ascend950PR_9599");
    CHECK_OK(aclrtLaunchSIMTKernelWithHostArgs(simt, grid, block, 0, NULL, NULL, bytes, sizeof(bytes), &holder, 1));
    CHECK_EQ(aclmock_get_launch(0, &seen, seen_bytes, sizeof(seen_bytes)), 1);
    CHECK_EQ(seen.args_size, 32 + 24);
    CHECK_EQ(seen_bytes[4], 7);
    CHECK_EQ(seen_bytes[5], seen.args + 32 + 16);
    CHECK_EQ(seen_bytes[6], 9);
    CHECK_EQ(bytes[1], 8); /* the caller's bytes stay */
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

static aclError simt_host(void *func, dim3 grid_dim, dim3 block_dim, void *bytes, size_t size, size_t holders)
{
    return aclrtLaunchSIMTKernelWithHostArgs(func, grid_dim, block_dim, 0, NULL, NULL, bytes, size, NULL, holders);
}

TEST(simt_launches_in_order_of_checks)
{
    uint64_t bytes[3] = {0};
    const dim3 none = {1, 0, 1}, wraps = {1u << 16, 1u << 16, 1};
    set_up("Ascend950PR_9599");
    CHECK_EQ(simt_host(NULL, none, none, NULL, 0, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("func");
    CHECK_EQ(simt_host(bytes, none, none, NULL, 0, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("hostArgs");
    CHECK_EQ(simt_host(bytes, none, none, bytes, 0, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("argsSize");
    CHECK_EQ(simt_host(bytes, none, none, bytes, 8, 1), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(simt_host(mix, none, none, bytes, 8, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("no SIMT kernel");
    CHECK_EQ(simt_host(simt, none, none, bytes, 8, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("gridDim");
    CHECK_EQ(simt_host(simt, one, none, bytes, 8, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("blockDim");
    CHECK_EQ(simt_host(simt, one, one, bytes, 8, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("placeHolderArray");
    CHECK_EQ(simt_host(simt, wraps, one, bytes, 8, 0), ACL_ERROR_RT_PARAM_INVALID); /* 2^32 blocks are 0 */
    CHECK_SAID("numBlocks");
    CHECK_EQ(aclrtLaunchSIMTKernelWithArgsArray(simt, one, one, 0, NULL, NULL, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("args is NULL");
    CHECK_EQ(aclrtLaunchSIMTKernelWithArgsArray(NULL, one, one, 0, NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(simt_host(simt, one, one, bytes, 8, 0));
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

TEST(a_simt_launch_and_the_unified_buffer)
{
    uint64_t bytes[3] = {0};
    aclrtLaunchKernelAttr attribute = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE, .value.dynUBufSize = 229377};
    aclrtLaunchKernelCfg cfg = {&attribute, 1};
    set_up("Ascend950PR_9599");
    CHECK_OK(aclrtLaunchSIMTKernelWithHostArgs(simt, one, one, 229376, NULL, &cfg, bytes, 8, NULL, 0)); /* instead of cfg's */
    CHECK_EQ(aclrtLaunchSIMTKernelWithHostArgs(simt, one, one, 229377, NULL, NULL, bytes, 8, NULL, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("unified buffer");
    CHECK_EQ(aclrtLaunchKernelWithHostArgs(simt, 1, NULL, &cfg, bytes, 8, NULL, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(launch(&cfg)); /* not a SIMT kernel: nobody looks */
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

TEST(other_chips_refuse_simt_launches_last)
{
    uint64_t bytes[3] = {0};
    set_up(NULL);
    CHECK_EQ(simt_host(simt, one, one, bytes, 8, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("950");
    aclrtContext other;
    aclrtStream stream;
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_EQ(aclrtLaunchSIMTKernelWithHostArgs(simt, one, one, 0, stream, NULL, bytes, 8, NULL, 0), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtDestroyContext(other));
}
