/* Launches with an argument list: what runs, what is refused, and how a fault on the device is told. */
#include "check.h"

enum { BLOCKS = 4 };

struct setup {
    aclrtStream stream;
    aclrtBinHandle binary;
    int32_t *numbers; /* device memory for BLOCKS of them, all 0 */
    size_t streams;   /* alive before: the default one */
};

static struct setup set_up(void)
{
    struct setup setup;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    setup.streams = aclmock_live(ACLMOCK_STREAMS);
    CHECK_OK(aclrtCreateStream(&setup.stream));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("probe"), NULL, &setup.binary));
    CHECK_OK(aclrtMalloc((void **)&setup.numbers, BLOCKS * sizeof(int32_t), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(setup.numbers, BLOCKS * sizeof(int32_t), 0, BLOCKS * sizeof(int32_t)));
    return setup;
}

static void tear_down(struct setup *setup)
{
    CHECK_OK(aclrtFree(setup->numbers));
    CHECK_OK(aclrtBinaryUnLoad(setup->binary));
    CHECK_OK(aclrtDestroyStream(setup->stream));
    CHECK_EQ(aclmock_live(ACLMOCK_BLOCKS), 0);
    CHECK_EQ(aclmock_live(ACLMOCK_STREAMS), setup->streams);
    CHECK_EQ(aclmock_live(ACLMOCK_FUNCTIONS), 0);
}

static aclrtFuncHandle find(const struct setup *setup, const char *name)
{
    aclrtFuncHandle kernel;
    CHECK_OK(aclrtBinaryGetFunction(setup->binary, name, &kernel));
    return kernel;
}

/* (int32_t *x, int32_t n), finalized */
static aclrtArgsHandle arguments(const struct setup *setup, aclrtFuncHandle kernel, int32_t n)
{
    aclrtArgsHandle args;
    aclrtParamHandle param;
    CHECK_OK(aclrtKernelArgsInit(kernel, &args));
    CHECK_OK(aclrtKernelArgsAppend(args, (void *)&setup->numbers, sizeof(setup->numbers), &param));
    CHECK_OK(aclrtKernelArgsAppend(args, &n, sizeof(n), &param));
    CHECK_OK(aclrtKernelArgsFinalize(args));
    return args;
}

static aclError launch(const struct setup *setup, const char *name, int32_t n, uint32_t blocks, aclrtStream stream)
{
    aclrtFuncHandle kernel = find(setup, name);
    return aclrtLaunchKernelWithConfig(kernel, blocks, stream, NULL, arguments(setup, kernel, n), NULL);
}

static void check_numbers(const struct setup *setup, int32_t wanted)
{
    int32_t seen[BLOCKS];
    CHECK_OK(aclrtMemcpy(seen, sizeof(seen), setup->numbers, sizeof(seen), ACL_MEMCPY_DEVICE_TO_HOST));
    for (size_t i = 0; i < BLOCKS; ++i) {
        CHECK_EQ(seen[i], wanted);
    }
}

TEST(every_block_runs_once)
{
    struct setup setup = set_up();
    CHECK_OK(launch(&setup, "add_to_each", 5, BLOCKS, setup.stream));
    CHECK_OK(launch(&setup, "add_to_each", -2, BLOCKS, setup.stream));
    CHECK_OK(aclrtSynchronizeStream(setup.stream));
    check_numbers(&setup, 3);
    CHECK_OK(launch(&setup, "add_to_each", 4, BLOCKS, NULL)); /* the default stream */
    CHECK_OK(aclrtSynchronizeStream(NULL));
    check_numbers(&setup, 7);
    tear_down(&setup);
}

TEST(a_list_is_launched_again)
{
    struct setup setup = set_up();
    aclrtFuncHandle kernel = find(&setup, "add_to_each");
    aclrtArgsHandle args = arguments(&setup, kernel, 1);
    for (int i = 0; i < 10; ++i) {
        CHECK_OK(aclrtLaunchKernelWithConfig(kernel, BLOCKS, setup.stream, NULL, args, NULL));
    }
    CHECK_OK(aclrtSynchronizeStream(setup.stream));
    check_numbers(&setup, 10);
    tear_down(&setup);
}

TEST(a_launch_without_finalize)
{
    struct setup setup = set_up();
    aclrtFuncHandle kernel = find(&setup, "add_to_each");
    aclrtArgsHandle args;
    aclrtParamHandle param;
    int32_t n = 1;
    CHECK_OK(aclrtKernelArgsInit(kernel, &args));
    CHECK_OK(aclrtKernelArgsAppend(args, &setup.numbers, sizeof(setup.numbers), &param));
    CHECK_OK(aclrtKernelArgsAppend(args, &n, sizeof(n), &param));
    CHECK_EQ(aclrtLaunchKernelWithConfig(kernel, BLOCKS, setup.stream, NULL, args, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("aclrtKernelArgsFinalize");
    CHECK_OK(aclrtKernelArgsFinalize(args));
    n = 2;
    CHECK_OK(aclrtKernelArgsParaUpdate(args, param, &n, sizeof(n)));
    CHECK_EQ(aclrtLaunchKernelWithConfig(kernel, BLOCKS, setup.stream, NULL, args, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_OK(aclrtLaunchKernelWithConfig(kernel, BLOCKS, setup.stream, NULL, args, NULL));
    CHECK_OK(aclrtSynchronizeStream(setup.stream));
    check_numbers(&setup, 2);
    tear_down(&setup);
}

TEST(null_zero_and_reserved)
{
    struct setup setup = set_up();
    aclrtFuncHandle kernel = find(&setup, "add_to_each");
    aclrtArgsHandle args = arguments(&setup, kernel, 1);
    CHECK_EQ(aclrtLaunchKernelWithConfig(NULL, 1, setup.stream, NULL, args, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtLaunchKernelWithConfig(kernel, 0, setup.stream, NULL, args, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("numBlocks");
    CHECK_EQ(aclrtLaunchKernelWithConfig(kernel, 1, setup.stream, NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtLaunchKernelWithConfig(kernel, 1, setup.stream, NULL, args, args), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("reserve");
    tear_down(&setup);
}

TEST(the_device_gets_16_bits_of_the_block_count)
{
    struct setup setup = set_up();
    aclmock_launch seen;
    aclmock_record_launches(1);
    CHECK_OK(launch(&setup, "do_nothing", 0, 65536, setup.stream));
    CHECK_OK(aclrtSynchronizeStream(setup.stream));
    CHECK_EQ(aclmock_get_launch(0, &seen, NULL, 0), 1);
    CHECK_EQ(seen.num_blocks, 0);
    tear_down(&setup);
}

TEST(a_stream_of_another_context)
{
    struct setup setup = set_up();
    aclrtContext context;
    aclrtContext other;
    CHECK_OK(aclrtGetCurrentContext(&context));
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_EQ(launch(&setup, "add_to_each", 1, 1, setup.stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_SAID("aclrtLaunchKernelWithConfig");
    CHECK_OK(aclrtSetCurrentContext(context));
    CHECK_OK(aclrtDestroyContext(other));
    tear_down(&setup);
}

TEST(a_kernel_that_was_not_looked_up_on_this_device)
{
    struct setup setup = set_up();
    aclrtFuncHandle kernel = find(&setup, "add_to_each");
    aclrtArgsHandle args = arguments(&setup, kernel, 1);
    CHECK_OK(aclrtSetDevice(1));
    CHECK_EQ(aclrtLaunchKernelWithConfig(kernel, 1, NULL, NULL, args, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0); /* not stored */
    CHECK_SAID("device 1");
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtSetDevice(0));
    tear_down(&setup);
}

/* ---- faults on the device ----------------------------------------------------------------------------- */

TEST(a_kernel_that_leaves_a_block)
{
    struct setup setup = set_up();
    CHECK_OK(launch(&setup, "read_all", 1000, 1, setup.stream)); /* accepted: found out on the device */
    CHECK_EQ(aclrtSynchronizeStream(setup.stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_SAID("read_all");
    CHECK_SAID("4000");
    CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    tear_down(&setup);
}

TEST(a_kernel_that_says_so)
{
    struct setup setup = set_up();
    CHECK_OK(launch(&setup, "give_up", 0, 2, setup.stream));
    CHECK_EQ(aclrtSynchronizeStream(setup.stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_SAID("the kernel gave up");
    tear_down(&setup);
}

TEST(a_kernel_that_crashes)
{
    struct setup setup = set_up();
    CHECK_OK(launch(&setup, "crash", 0, 1, setup.stream));
    CHECK_EQ(aclrtSynchronizeStream(setup.stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_SAID("crash");
    CHECK_OK(launch(&setup, "add_to_each", 1, BLOCKS, setup.stream)); /* and the process lives */
    CHECK_OK(aclrtSynchronizeStream(setup.stream));
    check_numbers(&setup, 1);
    tear_down(&setup);
}

TEST(a_kernel_with_fewer_arguments_than_it_takes)
{
    struct setup setup = set_up();
    aclrtArgsHandle args;
    aclrtFuncHandle kernel = find(&setup, "read_all");
    CHECK_OK(aclrtKernelArgsInit(kernel, &args));
    CHECK_OK(aclrtKernelArgsFinalize(args)); /* the overflow address alone */
    CHECK_OK(aclrtLaunchKernelWithConfig(kernel, 1, setup.stream, NULL, args, NULL));
    CHECK_EQ(aclrtSynchronizeStream(setup.stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_SAID("read_all");
    tear_down(&setup);
}
