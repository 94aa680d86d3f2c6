/* Handles that have ended, are of another kind, or were never any: 107017, and the process lives. */
#include "check.h"

struct objects {
    aclrtStream stream;
    aclrtEvent event;
    aclrtBinHandle binary;
    aclrtFuncHandle function;
    aclrtArgsHandle args;
    aclrtParamHandle param;
};

static struct objects make(void)
{
    struct objects made;
    int value = 0;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&made.stream));
    CHECK_OK(aclrtCreateEvent(&made.event));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("probe"), NULL, &made.binary));
    CHECK_OK(aclrtBinaryGetFunction(made.binary, "do_nothing", &made.function));
    CHECK_OK(aclrtKernelArgsInit(made.function, &made.args));
    CHECK_OK(aclrtKernelArgsAppend(made.args, &value, sizeof(value), &made.param));
    CHECK_OK(aclrtKernelArgsFinalize(made.args));
    return made;
}

static void no_stream(aclrtStream stream, const struct objects *good)
{
    aclrtStreamStatus status;
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_SAID("aclrtSynchronizeStream");
    CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtSynchronizeStreamWithTimeout(stream, 10), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtStreamQuery(stream, &status), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtDestroyStreamForce(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtRecordEvent(good->event, stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtStreamWaitEvent(stream, good->event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtMemsetAsync((void *)8, 4, 0, 4, stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtMemcpyAsync((void *)8, 4, &status, 4, ACL_MEMCPY_DEFAULT, stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtLaunchKernelWithConfig(good->function, 1, stream, NULL, good->args, NULL), ACL_ERROR_RT_INVALID_HANDLE);
}

static void no_event(aclrtEvent event, const struct objects *good)
{
    aclrtEventRecordedStatus status;
    float ms;
    CHECK_EQ(aclrtRecordEvent(event, good->stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_SAID("aclrtRecordEvent");
    CHECK_EQ(aclrtStreamWaitEvent(good->stream, event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtSynchronizeEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtQueryEventStatus(event, &status), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtEventElapsedTime(&ms, good->event, event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
}

static void no_binary(aclrtBinHandle binary)
{
    aclrtFuncHandle function;
    CHECK_EQ(aclrtBinaryGetFunction(binary, "do_nothing", &function), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_SAID("aclrtBinaryGetFunction");
    CHECK_EQ(aclrtBinaryUnLoad(binary), ACL_ERROR_RT_INVALID_HANDLE);
}

static void no_function(aclrtFuncHandle function, const struct objects *good)
{
    aclrtArgsHandle args;
    size_t size;
    char memory[256];
    CHECK_EQ(aclrtKernelArgsGetMemSize(function, 8, &size), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtKernelArgsGetHandleMemSize(function, &size), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtKernelArgsInitByUserMem(function, memory, memory, sizeof(memory)), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtLaunchKernelWithConfig(function, 1, good->stream, NULL, good->args, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_SAID("funcHandle");
    CHECK_EQ(aclrtKernelArgsInit(function, &args), ACL_ERROR_RT_INVALID_HANDLE);
}

static void no_args(aclrtArgsHandle args, const struct objects *good)
{
    aclrtParamHandle param;
    int value = 0;
    void *buffer;
    CHECK_EQ(aclrtKernelArgsAppend(args, &value, 4, &param), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtKernelArgsAppendPlaceHolder(args, &param), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtKernelArgsGetPlaceHolderBuffer(args, good->param, 4, &buffer), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtKernelArgsParaUpdate(args, good->param, &value, 4), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtKernelArgsFinalize(args), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtLaunchKernelWithConfig(good->function, 1, good->stream, NULL, args, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_SAID("argsHandle");
}

static void no_param(aclrtParamHandle param, const struct objects *good)
{
    int value = 0;
    void *buffer;
    CHECK_EQ(aclrtKernelArgsParaUpdate(good->args, param, &value, 4), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtKernelArgsGetPlaceHolderBuffer(good->args, param, 4, &buffer), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST(stale_stream)
{
    struct objects good = make();
    aclrtStream stale;
    CHECK_OK(aclrtCreateStream(&stale));
    CHECK_OK(aclrtDestroyStream(stale));
    no_stream(stale, &good);
}

TEST(stale_event)
{
    struct objects good = make();
    aclrtEvent stale;
    CHECK_OK(aclrtCreateEvent(&stale));
    CHECK_OK(aclrtDestroyEvent(stale));
    no_event(stale, &good);
}

TEST(stale_binary)
{
    aclrtBinHandle stale;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("probe"), NULL, &stale));
    CHECK_OK(aclrtBinaryUnLoad(stale));
    no_binary(stale);
}

TEST(stale_function)
{
    struct objects good = make();
    aclrtBinHandle binary;
    aclrtFuncHandle stale;
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("add_custom"), NULL, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "add_custom", &stale));
    CHECK_OK(aclrtBinaryUnLoad(binary));
    no_function(stale, &good);
}

TEST(stale_param)
{
    struct objects good = make();
    aclrtParamHandle stale = good.param;
    CHECK_OK(aclrtKernelArgsInit(good.function, &good.args)); /* ends the params of the list before */
    no_param(stale, &good);
}

TEST(stale_context)
{
    aclrtContext stale;
    CHECK_OK(aclrtCreateContext(&stale, 0));
    CHECK_OK(aclrtDestroyContext(stale));
    CHECK_EQ(aclrtSetCurrentContext(stale), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtDestroyContext(stale), ACL_ERROR_RT_CONTEXT_NULL);
}

/* A handle of every other kind in each place. */
TEST(handles_of_another_kind)
{
    struct objects good = make();
    aclrtContext context;
    CHECK_OK(aclrtGetCurrentContext(&context));
    void *handles[] = {good.stream, good.event, good.binary, good.function, good.args, good.param, context};
    for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); ++i) {
        if (handles[i] != good.stream) {
            no_stream(handles[i], &good);
        }
        if (handles[i] != good.event) {
            no_event(handles[i], &good);
        }
        if (handles[i] != good.binary) {
            no_binary(handles[i]);
        }
        if (handles[i] != good.function) {
            no_function(handles[i], &good);
        }
        if (handles[i] != good.args) {
            no_args(handles[i], &good);
        }
        if (handles[i] != good.param) {
            no_param(handles[i], &good);
        }
    }
}

TEST(addresses_that_never_were_handles)
{
    struct objects good = make();
    uint64_t zeros[32] = {0};
    void *device_memory;
    CHECK_OK(aclrtMalloc(&device_memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    void *addresses[] = {zeros, (void *)8, (void *)0xdeadbeef, (void *)UINTPTR_MAX, (void *)((uintptr_t)good.stream + 1), device_memory};
    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); ++i) {
        no_stream(addresses[i], &good);
        no_event(addresses[i], &good);
        no_binary(addresses[i]);
        no_function(addresses[i], &good);
        no_param(addresses[i], &good);
        no_args(addresses[i], &good);
    }
}

/* Handles are not reused at once: the old one does not become another's. */
TEST(an_ended_handle_does_not_come_back_soon)
{
    aclrtStream stale;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stale));
    CHECK_OK(aclrtDestroyStream(stale));
    for (int i = 0; i < 20; ++i) {
        aclrtStream stream;
        CHECK_OK(aclrtCreateStream(&stream));
        CHECK(stream != stale);
        CHECK_OK(aclrtDestroyStream(stream));
    }
    CHECK_EQ(aclrtSynchronizeStream(stale), ACL_ERROR_RT_INVALID_HANDLE);
}
