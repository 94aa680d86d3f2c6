/* CANN's nine-step launch flow: init, device and stream, binary, kernel, arguments, launch, wait, unload, end. */
#include "check.h"

#include <stdint.h>

enum { TOTAL = 8 * 2048, BLOCKS = 8 };

#define BYTES (TOTAL * sizeof(uint16_t))

/* fp16 of small whole numbers: 1.0 is 0x3c00, 2.0 is 0x4000. */
static const uint16_t one = 0x3c00;
static const uint16_t two = 0x4000;

struct flow {
    aclrtStream stream;
    aclrtBinHandle binary;
    aclrtFuncHandle kernel;
    void *memory[3]; /* x, y, z */
};

static void begin(struct flow *flow, const char *kernel)
{
    static uint16_t ones[TOTAL];
    for (size_t i = 0; i < TOTAL; ++i) {
        ones[i] = one;
    }
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&flow->stream));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("add_custom"), NULL, &flow->binary));
    CHECK_OK(aclrtBinaryGetFunction(flow->binary, kernel, &flow->kernel));
    for (size_t i = 0; i < 3; ++i) {
        CHECK_OK(aclrtMalloc(&flow->memory[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    for (size_t i = 0; i < 2; ++i) {
        CHECK_OK(aclrtMemcpy(flow->memory[i], BYTES, ones, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    }
}

static void end(struct flow *flow)
{
    static uint16_t result[TOTAL];
    CHECK_OK(aclrtSynchronizeStream(flow->stream));
    CHECK_OK(aclrtMemcpy(result, BYTES, flow->memory[2], BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    for (size_t i = 0; i < TOTAL; ++i) {
        CHECK_EQ(result[i], two);
    }
    for (size_t i = 0; i < 3; ++i) {
        CHECK_OK(aclrtFree(flow->memory[i]));
    }
    CHECK_OK(aclrtBinaryUnLoad(flow->binary));
    CHECK_OK(aclrtDestroyStream(flow->stream));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
    CHECK_EQ(aclmock_live(ACLMOCK_STREAMS), 0);
    CHECK_EQ(aclmock_live(ACLMOCK_BINARIES), 0);
    CHECK_EQ(aclmock_live(ACLMOCK_BLOCKS), 0);
}

static void append_pointers(struct flow *flow, aclrtArgsHandle args)
{
    aclrtParamHandle param;
    for (size_t i = 0; i < 3; ++i) {
        CHECK_OK(aclrtKernelArgsAppend(args, &flow->memory[i], sizeof(void *), &param));
    }
}

TEST(plain_pointers)
{
    struct flow flow;
    aclrtArgsHandle args;
    begin(&flow, "add_simple");
    CHECK_OK(aclrtKernelArgsInit(flow.kernel, &args));
    append_pointers(&flow, args);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_OK(aclrtLaunchKernelWithConfig(flow.kernel, BLOCKS, flow.stream, NULL, args, NULL));
    end(&flow);
}

static void add_placeholders(aclrtArgsHandle args)
{
    const uint32_t values[2] = {TOTAL, 8};
    aclrtParamHandle params[2];
    for (size_t i = 0; i < 2; ++i) {
        CHECK_OK(aclrtKernelArgsAppendPlaceHolder(args, &params[i]));
    }
    for (size_t i = 0; i < 2; ++i) {
        void *buffer;
        CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(args, params[i], sizeof(values[i]), &buffer));
        memcpy(buffer, &values[i], sizeof(values[i]));
    }
}

TEST(placeholders)
{
    struct flow flow;
    aclrtArgsHandle args;
    begin(&flow, "add_custom");
    CHECK_OK(aclrtKernelArgsInit(flow.kernel, &args));
    append_pointers(&flow, args);
    add_placeholders(args);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_OK(aclrtLaunchKernelWithConfig(flow.kernel, BLOCKS, flow.stream, NULL, args, NULL));
    end(&flow);
}

TEST(placeholders_in_memory_of_the_programs_own)
{
    struct flow flow;
    size_t handle_size;
    size_t size;
    begin(&flow, "add_custom");
    CHECK_OK(aclrtKernelArgsGetHandleMemSize(flow.kernel, &handle_size));
    CHECK_OK(aclrtKernelArgsGetMemSize(flow.kernel, 7 * 8, &size));
    aclrtArgsHandle args = malloc(handle_size);
    void *buffer = malloc(size);
    CHECK_OK(aclrtKernelArgsInitByUserMem(flow.kernel, args, buffer, size));
    append_pointers(&flow, args);
    add_placeholders(args);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_OK(aclrtLaunchKernelWithConfig(flow.kernel, BLOCKS, flow.stream, NULL, args, NULL));
    free(buffer); /* the launch took its own copy */
    free(args);
    end(&flow);
}
