/* Calls and launches that fail or come late on purpose. */
#include "check.h"

#include <stdint.h>
#include <time.h>

static void *allocate(aclError wanted)
{
    void *memory = NULL;
    CHECK_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), wanted);
    return memory;
}

TEST(the_nth_call_fails)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK(aclmock_fail_call("aclrtMalloc", 2, 2, ACL_ERROR_RT_MEMORY_ALLOCATION, "no more") > 0);
    allocate(ACL_SUCCESS);
    size_t blocks = aclmock_live(ACLMOCK_BLOCKS);
    allocate(ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK_SAID("aclrtMalloc: no more");
    CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK_EQ(aclmock_faults_left(), 1);
    allocate(ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK_EQ(aclmock_faults_left(), 0);
    CHECK_EQ(aclmock_live(ACLMOCK_BLOCKS), blocks); /* a call made to fail does nothing */
    allocate(ACL_SUCCESS);
}

TEST(codes_of_the_acl_layer_are_not_stored)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK(aclmock_fail_call("aclrtMalloc", 1, 1, ACL_ERROR_INVALID_PARAM, NULL) > 0);
    allocate(ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0);
    CHECK_SAID("on purpose");
}

TEST(every_call_fails_until_it_is_cleared)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK(aclmock_fail_call("aclrtMalloc", 1, ACLMOCK_ALWAYS, 207001, NULL) > 0);
    for (int i = 0; i < 100; ++i) {
        allocate(207001);
    }
    aclmock_clear_faults();
    allocate(ACL_SUCCESS);
}

TEST(functions_that_return_no_code)
{
    CHECK(aclmock_fail_call("aclrtGetSocName", 1, 1, 500000, NULL) > 0);
    CHECK(aclrtGetSocName() == NULL);
    CHECK(aclrtGetSocName() != NULL);
}

TEST(rules_that_cannot_be)
{
    char name[300];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    CHECK_EQ(aclmock_fail_call("aclrtMallok", 1, 1, 207001, NULL), 0);
    CHECK_EQ(aclmock_fail_call("aclrtMalloc", 1, 1, 0, NULL), 0);
    CHECK_EQ(aclmock_fail_call("aclrtMalloc", 1, 0, 207001, NULL), 0);
    CHECK_EQ(aclmock_fail_kernel(name, 1, 1, 507015, NULL), 0);
    CHECK_EQ(aclmock_faults_left(), 0);
    for (int i = 0; i < 256; ++i) {
        CHECK(aclmock_fail_call("aclrtMalloc", 1, 1, 207001, NULL) > 0);
    }
    CHECK_EQ(aclmock_fail_call("aclrtMalloc", 1, 1, 207001, NULL), 0);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

TEST(a_call_comes_late)
{
    CHECK(aclmock_delay_call("aclrtSetDevice", 1, 1, 30000) > 0);
    double start = seconds();
    CHECK_OK(aclrtSetDevice(0));
    CHECK(seconds() - start >= 0.03);
    CHECK_EQ(aclmock_faults_left(), 0);
}

struct flow {
    aclrtStream stream;
    aclrtFuncHandle kernel;
    void *buffers[3];
};

static void start(struct flow *flow)
{
    char path[1024];
    aclrtBinHandle binary;
    snprintf(path, sizeof(path), "%s/add_custom.o", getenv("CHECK_KERNELS"));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&flow->stream));
    CHECK_OK(aclrtBinaryLoadFromFile(path, NULL, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "add_simple", &flow->kernel));
    for (int i = 0; i < 3; ++i) {
        CHECK_OK(aclrtMalloc(&flow->buffers[i], 32768, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK_OK(aclrtMemset(flow->buffers[i], 32768, 0x3C, 32768));
    }
}

static aclError launch(struct flow *flow)
{
    return aclrtLaunchKernelWithHostArgs(flow->kernel, 8, flow->stream, NULL, flow->buffers, sizeof(flow->buffers), NULL, 0);
}

TEST(a_kernel_fails)
{
    struct flow flow;
    uint16_t first = 0;
    start(&flow);
    CHECK(aclmock_fail_kernel("add_simple", 2, 1, ACL_ERROR_RT_AICORE_EXCEPTION, "boom") > 0);
    CHECK_OK(launch(&flow));
    CHECK_OK(aclrtSynchronizeStream(flow.stream));
    CHECK_OK(aclrtMemset(flow.buffers[2], 32768, 0, 32768));
    CHECK_OK(launch(&flow));
    CHECK_EQ(aclrtSynchronizeStream(flow.stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHECK_SAID("kernel add_simple: boom");
    CHECK_OK(aclrtMemcpy(&first, 2, flow.buffers[2], 2, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQ(first, 0); /* it wrote nothing */
    CHECK_OK(launch(&flow));
    CHECK_OK(aclrtSynchronizeStream(flow.stream));
}

TEST(a_kernel_comes_late)
{
    struct flow flow;
    start(&flow);
    CHECK(aclmock_delay_kernel("add_simple", 1, 1, 30000) > 0);
    double begin = seconds();
    CHECK_OK(launch(&flow));
    CHECK_OK(aclrtSynchronizeStream(flow.stream));
    CHECK(seconds() - begin >= 0.03);
}

TEST(less_memory)
{
    size_t left;
    size_t total;
    void *memory;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclmock_set_memory(0, 1 << 20), 1);
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
    CHECK_EQ(total, 1 << 20);
    CHECK_EQ(aclrtMalloc(&memory, 2 << 20, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK_OK(aclrtMalloc(&memory, 1 << 19, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_EQ(aclmock_set_memory(0, 1 << 10), 1); /* less than is in use */
    CHECK_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK_EQ(aclmock_set_memory(99, 1 << 20), 0);
}

TEST(another_version)
{
    int32_t version[3];
    aclmock_set_version(1, 2, 3);
    CHECK_OK(aclrtGetVersion(&version[0], &version[1], &version[2]));
    CHECK_EQ(version[0] * 100 + version[1] * 10 + version[2], 123);
    aclmock_reset();
    CHECK_OK(aclrtGetVersion(&version[0], &version[1], &version[2]));
    CHECK_EQ(version[0], ACL_MAJOR_VERSION);
}
