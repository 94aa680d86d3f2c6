/* Every way to launch: what reaches the device, and what is refused in which order. */
#include "check.h"

#include <stdint.h>

static const aclmock_param rows[] = {{0, 8}, {8, 4}, {16, 2}};

enum { VECTOR, MIX, AICPU, TABLE, EMPTY_TABLE, SIMT, KERNELS };

static const aclmock_kernel kernels[KERNELS] = {
    [VECTOR] = {.name = "vector"},
    [MIX] = {.name = "mix", .type = ACLMOCK_MIX},
    [AICPU] = {.name = "aicpu", .type = ACLMOCK_AICPU},
    [TABLE] = {.name = "table", .num_params = 3, .params = rows},
    [EMPTY_TABLE] = {.name = "empty_table"},
    [SIMT] = {.name = "simt", .num_params = 3, .params = rows},
};

static aclrtFuncHandle kernel[KERNELS];
static aclrtBinHandle binary;
static aclrtStream stream;

static void set_up(const char *soc)
{
    CHECK_EQ(aclmock_set_soc(soc), 1);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclmock_make_binary(kernels, KERNELS, &binary));
    for (int i = 0; i < KERNELS; ++i) {
        CHECK_OK(aclrtBinaryGetFunction(binary, kernels[i].name, &kernel[i]));
    }
    aclmock_traits traits;
    CHECK_OK(aclmock_get_traits(kernel[SIMT], &traits));
    traits.simt = 1;
    CHECK_OK(aclmock_set_traits(kernel[SIMT], &traits));
    CHECK_OK(aclmock_get_traits(kernel[EMPTY_TABLE], &traits));
    traits.has_params = 1;
    CHECK_OK(aclmock_set_traits(kernel[EMPTY_TABLE], &traits));
    aclmock_record_launches(1);
}

/* The last launch; its first bytes. */
static aclmock_launch last(uint8_t *bytes, size_t room)
{
    aclmock_launch launch;
    CHECK_EQ(aclmock_get_launch(0, &launch, bytes, room), 1);
    return launch;
}

static uint64_t word(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

#define REFUSED(call, code, said)                       \
    do {                                                \
        uint64_t before_ = aclmock_recorded_launches(); \
        CHECK_EQ(call, code);                           \
        CHECK_SAID(said);                               \
        CHECK_EQ(aclmock_recorded_launches(), before_); \
    } while (0)

#define BAD_ARGUMENT ACL_ERROR_INVALID_PARAM    /* of the acl layer */
#define BAD_VALUE ACL_ERROR_RT_PARAM_INVALID    /* of the runtime */
#define BAD_HANDLE ACL_ERROR_RT_INVALID_HANDLE

/* ---- arguments in device memory ----------------------------------------------------------------------- */

TEST(device_arguments_are_passed_as_an_address)
{
    void *memory;
    set_up(NULL);
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtLaunchKernel(kernel[VECTOR], 3, memory, 16, stream));
    aclmock_launch seen = last(NULL, 0);
    CHECK_EQ(seen.args, (uintptr_t)memory);
    CHECK_EQ(seen.args_size, 16);
    CHECK_EQ(seen.num_blocks, 3);
    CHECK_OK(aclrtLaunchKernelV2(kernel[AICPU], 70000, memory, 1, NULL, stream));
    CHECK_EQ(last(NULL, 0).num_blocks, 70000 & 0xffff);
    CHECK_OK(aclrtLaunchKernel(kernel[AICPU], 1, memory, 1, NULL));
    CHECK_OK(aclrtSynchronizeDevice());
}

TEST(device_arguments_may_say_more_than_there_is)
{
    void *memory;
    set_up(NULL);
    CHECK_OK(aclrtMalloc(&memory, 512, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtLaunchKernelV2(kernel[VECTOR], 1, memory, 1 << 30, NULL, stream)); /* the size only informs */
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtLaunchKernelV2(kernel[VECTOR], 1, memory, 8, NULL, stream)); /* found out on the device */
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
}

TEST(device_arguments_in_order_of_checks)
{
    void *memory;
    set_up(NULL);
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    REFUSED(aclrtLaunchKernel(NULL, 0, NULL, 0, memory), BAD_ARGUMENT, "funcHandle");
    REFUSED(aclrtLaunchKernel(stream, 0, NULL, 0, memory), BAD_ARGUMENT, "argsData");
    REFUSED(aclrtLaunchKernel(stream, 0, memory, 0, memory), BAD_HANDLE, "funcHandle");
    REFUSED(aclrtLaunchKernel(kernel[VECTOR], 0, memory, 0, kernel[VECTOR]), BAD_HANDLE, "stream");
    REFUSED(aclrtLaunchKernel(kernel[VECTOR], 0, memory, 0, stream), BAD_VALUE, "numBlocks");
    REFUSED(aclrtLaunchKernel(kernel[VECTOR], 1, memory, 0, stream), BAD_VALUE, "argsSize");
    REFUSED(aclrtLaunchKernel(kernel[VECTOR], 1, memory, (size_t)1 << 32, stream), BAD_VALUE, "argsSize");
    aclrtLaunchKernelCfg cfg = {NULL, 0};
    REFUSED(aclrtLaunchKernelV2(NULL, 0, NULL, 0, &cfg, memory), BAD_ARGUMENT, "funcHandle");
    REFUSED(aclrtLaunchKernelV2(stream, 0, NULL, 0, &cfg, memory), BAD_ARGUMENT, "argsData");
    REFUSED(aclrtLaunchKernelV2(stream, 0, memory, 0, &cfg, memory), BAD_HANDLE, "funcHandle");
    REFUSED(aclrtLaunchKernelV2(kernel[VECTOR], 0, memory, 0, &cfg, memory), BAD_HANDLE, "stream");
    REFUSED(aclrtLaunchKernelV2(kernel[VECTOR], 0, memory, 0, &cfg, stream), BAD_VALUE, "argsSize"); /* before numBlocks here */
    REFUSED(aclrtLaunchKernelV2(kernel[VECTOR], 0, memory, 8, &cfg, stream), BAD_VALUE, "numBlocks");
    REFUSED(aclrtLaunchKernelV2(kernel[VECTOR], 1, memory, 8, &cfg, stream), BAD_VALUE, "cfg");
    CHECK_OK(aclrtLaunchKernelV2(kernel[VECTOR], 1, memory, 8, NULL, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
}

/* ---- arguments in host memory ------------------------------------------------------------------------- */

static aclError host_args(int which, uint32_t blocks, void *bytes, size_t size, aclrtPlaceHolderInfo *holders, size_t count)
{
    return aclrtLaunchKernelWithHostArgs(kernel[which], blocks, stream, NULL, bytes, size, holders, count);
}

TEST(host_arguments_get_the_addresses_of_their_data)
{
    uint8_t bytes[40], seen[40];
    aclrtPlaceHolderInfo holders[] = {{24, 0}, {0, 32}, {8, 32}, {0, 33}}; /* any order; the last one wins */
    set_up(NULL);
    memset(bytes, 7, sizeof(bytes));
    CHECK_OK(host_args(VECTOR, 1, bytes, sizeof(bytes), holders, 4));
    aclmock_launch launch = last(seen, sizeof(seen));
    CHECK_EQ(launch.args_size, sizeof(bytes));
    CHECK_EQ(launch.args % 8, 0);
    CHECK_EQ(word(seen), launch.args + 33);
    CHECK_EQ(word(seen + 8), launch.args + 32);
    CHECK_EQ(word(seen + 24), launch.args);
    CHECK_EQ(seen[16], 7);
    CHECK_BYTES(bytes, seen, sizeof(seen)); /* the caller's bytes as well */
    uint64_t first = word(bytes);
    CHECK_OK(host_args(VECTOR, 1, bytes, sizeof(bytes), holders, 4)); /* and again, for another place */
    CHECK_EQ(word(bytes) - first, last(NULL, 0).args - launch.args);
    CHECK_OK(aclrtSynchronizeStream(stream));
}

TEST(host_arguments_may_be_reused_at_once)
{
    uint8_t bytes[64], seen[64];
    set_up(NULL);
    aclmock_hold(stream, 1);
    memset(bytes, 1, sizeof(bytes));
    CHECK_OK(host_args(VECTOR, 1, bytes, sizeof(bytes), NULL, 0));
    memset(bytes, 2, sizeof(bytes));
    aclmock_hold(stream, 0);
    CHECK_OK(aclrtSynchronizeStream(stream));
    last(seen, sizeof(seen));
    CHECK_EQ(seen[0], 1);
}

TEST(host_arguments_in_order_of_checks)
{
    uint8_t bytes[16] = {0};
    aclrtPlaceHolderInfo holder = {0, 16};
    set_up(NULL);
    REFUSED(aclrtLaunchKernelWithHostArgs(NULL, 0, bytes, NULL, NULL, 0, NULL, 1), BAD_ARGUMENT, "funcHandle");
    REFUSED(aclrtLaunchKernelWithHostArgs(bytes, 0, bytes, NULL, NULL, 0, NULL, 1), BAD_ARGUMENT, "hostArgs");
    REFUSED(aclrtLaunchKernelWithHostArgs(bytes, 0, bytes, NULL, bytes, 0, NULL, 1), BAD_HANDLE, "funcHandle");
    REFUSED(aclrtLaunchKernelWithHostArgs(kernel[VECTOR], 0, bytes, NULL, bytes, 0, NULL, 1), BAD_HANDLE, "stream");
    REFUSED(host_args(VECTOR, 0, bytes, 0, NULL, 1), BAD_VALUE, "argsSize");
    REFUSED(host_args(VECTOR, 0, bytes, (size_t)1 << 32, NULL, 1), BAD_VALUE, "argsSize");
    REFUSED(host_args(VECTOR, 0, bytes, 16, NULL, 1), BAD_VALUE, "placeHolderArray");
    REFUSED(host_args(VECTOR, 0, bytes, 16, &holder, 1), BAD_VALUE, "dataOffset");
    holder = (aclrtPlaceHolderInfo){16, 0};
    REFUSED(host_args(VECTOR, 0, bytes, 16, &holder, 1), BAD_VALUE, "addrOffset");
    holder = (aclrtPlaceHolderInfo){9, 0}; /* the real library writes behind the end here */
    REFUSED(host_args(VECTOR, 0, bytes, 16, &holder, 1), BAD_VALUE, "addrOffset");
    REFUSED(host_args(VECTOR, 0, bytes, 7, &(aclrtPlaceHolderInfo){0, 0}, 1), BAD_VALUE, "addrOffset");
    REFUSED(host_args(VECTOR, 0, bytes, 16, &holder, 0), BAD_VALUE, "numBlocks");
    CHECK_OK(host_args(VECTOR, 1, bytes, 16, &holder, 0));     /* no placeholders: the array is not looked at */
    CHECK_OK(host_args(VECTOR, 1, bytes, 16, &holder, 65536)); /* cut to 16 bits */
    CHECK_OK(aclrtSynchronizeStream(stream));
}

TEST(host_arguments_of_an_aicpu_kernel)
{
    uint8_t bytes[16] = {0}, seen[16];
    set_up(NULL);
    CHECK_OK(host_args(AICPU, 1, bytes, 16, &(aclrtPlaceHolderInfo){3, 100}, 1)); /* where the data is, is not checked */
    aclmock_launch launch = last(seen, sizeof(seen));
    CHECK_EQ(word(seen + 3), launch.args + 100);
    REFUSED(host_args(AICPU, 1, bytes, 16, NULL, 1), BAD_VALUE, "placeHolderArray"); /* the real library reads NULL */
    REFUSED(host_args(AICPU, 1, bytes, 16, &(aclrtPlaceHolderInfo){9, 0}, 1), BAD_VALUE, "addrOffset");
    CHECK_OK(aclrtSynchronizeStream(stream));
}

TEST(many_and_large_arguments)
{
    static uint8_t bytes[300000];
    set_up(NULL);
    for (int i = 0; i < 3000; ++i) { /* more than a ring has room for, and of sizes that do not fit into its end */
        size_t size = 1 + (size_t)i * 97 % 1000;
        bytes[size - 1] = (uint8_t)i;
        CHECK_OK(host_args(VECTOR, 1, bytes, size, NULL, 0));
        uint8_t seen[1000];
        CHECK_EQ(last(seen, sizeof(seen)).args_size, size);
        CHECK_BYTES(seen, bytes, size);
    }
    CHECK_OK(host_args(VECTOR, 1, bytes, sizeof(bytes), NULL, 0)); /* a block of its own */
    CHECK_EQ(last(NULL, 0).args_size, sizeof(bytes));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQ(aclmock_live(ACLMOCK_BLOCKS), 0);
}

/* ---- one value a parameter ---------------------------------------------------------------------------- */

TEST(values_go_where_the_table_says)
{
    uint8_t seen[18];
    uint64_t a = 0x1122334455667788;
    uint32_t b = 0xaabbccdd;
    uint16_t c = 0xeeff;
    void *values[] = {&a, &b, &c};
    set_up(NULL);
    CHECK_OK(aclrtLaunchKernelWithArgsArray(kernel[TABLE], 2, stream, NULL, values));
    CHECK_EQ(last(seen, sizeof(seen)).args_size, 18); /* no hidden slots */
    CHECK_BYTES(seen, &a, 8);
    CHECK_BYTES(seen + 8, &b, 4);
    CHECK_BYTES(seen + 16, &c, 2);
    CHECK_OK(aclrtLaunchKernelWithArgsArray(kernel[EMPTY_TABLE], 1, stream, NULL, NULL));
    CHECK_EQ(last(NULL, 0).args_size, 0);
    CHECK_OK(aclrtSynchronizeStream(stream));
}

TEST(values_in_order_of_checks)
{
    uint64_t a = 0;
    void *values[] = {&a, NULL, &a};
    set_up(NULL);
    aclrtContext context;
    CHECK_OK(aclrtGetCurrentContext(&context));
    REFUSED(aclrtLaunchKernelWithArgsArray(NULL, 0, values, NULL, NULL), BAD_ARGUMENT, "func");
    REFUSED(aclrtLaunchKernelWithArgsArray(values, 0, values, NULL, NULL), BAD_ARGUMENT, "numBlocks");
    REFUSED(aclrtLaunchKernelWithArgsArray(values, 1, values, NULL, NULL), BAD_HANDLE, "stream");
    REFUSED(aclrtLaunchKernelWithArgsArray(values, 1, stream, NULL, NULL), BAD_HANDLE, "func");
    REFUSED(aclrtLaunchKernelWithArgsArray(kernel[AICPU], 1, stream, NULL, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "AI CPU");
    REFUSED(aclrtLaunchKernelWithArgsArray(kernel[VECTOR], 1, stream, NULL, NULL), BAD_VALUE, "no parameter table");
    REFUSED(aclrtLaunchKernelWithArgsArray(kernel[TABLE], 1, stream, NULL, NULL), BAD_VALUE, "args is NULL");
    REFUSED(aclrtLaunchKernelWithArgsArray(kernel[TABLE], 1, stream, NULL, values), BAD_VALUE, "args[1]");
    aclmock_traits traits;
    CHECK_OK(aclmock_get_traits(kernel[TABLE], &traits));
    traits.params_size = 17; /* a table that lies: the real library writes behind its scratch memory */
    CHECK_OK(aclmock_set_traits(kernel[TABLE], &traits));
    values[1] = &a;
    REFUSED(aclrtLaunchKernelWithArgsArray(kernel[TABLE], 1, stream, NULL, values), BAD_VALUE, "parameter 2");
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    REFUSED(aclrtLaunchKernelWithArgsArray(values, 1, NULL, NULL, NULL), ACL_ERROR_RT_CONTEXT_NULL, "context"); /* before func */
}
