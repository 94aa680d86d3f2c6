/* Every host allocation of the mock fails once: the call says so, nothing is lost, and the next try works. */
#include <pthread.h>

#include "check.h"

static void nothing(void *data)
{
    (void)data;
}

static void told(aclrtExceptionInfo *info)
{
    (void)info;
}

/* Scenarios stop at the first call that fails, undo what they did, and return its code. */
#define TRY(call)                 \
    do {                          \
        if (code == ACL_SUCCESS) { \
            code = (call);        \
        }                         \
    } while (0)

static aclError streams(void)
{
    aclError code = ACL_SUCCESS;
    aclrtStream stream = NULL;
    TRY(aclrtCreateStream(&stream));
    TRY(aclrtSynchronizeStream(stream));
    TRY(aclrtSynchronizeStream(NULL));
    TRY(aclrtSynchronizeDevice());
    if (stream != NULL) {
        CHECK_OK(aclrtDestroyStream(stream));
    }
    return code;
}

static aclError contexts(void)
{
    aclError code = ACL_SUCCESS;
    aclrtContext before;
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    CHECK_OK(aclrtGetCurrentContext(&before));
    TRY(aclrtCreateContext(&context, 1));
    TRY(aclrtCreateStream(&stream));
    TRY(aclrtSynchronizeStream(NULL));
    if (context != NULL) {
        CHECK_OK(aclrtDestroyContext(context));
    }
    CHECK_OK(aclrtSetCurrentContext(before));
    return code;
}

static aclError events(void)
{
    aclError code = ACL_SUCCESS;
    aclrtEvent event = NULL;
    aclrtStream stream = NULL;
    TRY(aclrtCreateStream(&stream));
    TRY(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    for (int i = 0; i < 200; ++i) { /* more than one chunk of a queue */
        TRY(aclrtRecordEvent(event, stream));
        TRY(aclrtStreamWaitEvent(NULL, event));
    }
    TRY(aclrtSynchronizeEvent(event));
    if (event != NULL) {
        CHECK_OK(aclrtDestroyEvent(event));
    }
    if (stream != NULL) {
        CHECK_OK(aclrtDestroyStream(stream));
    }
    CHECK_OK(aclrtSynchronizeStream(NULL));
    return code;
}

static aclError memory(void)
{
    aclError code = ACL_SUCCESS;
    void *device = NULL;
    void *host = NULL;
    TRY(aclrtMalloc(&device, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    TRY(aclrtMallocHost(&host, 100));
    TRY(aclrtMemcpy(host, 100, device, 100, ACL_MEMCPY_DEVICE_TO_HOST));
    TRY(aclrtMemcpyAsync(device, 100, host, 100, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
    TRY(aclrtMemsetAsync(device, 100, 1, 100, NULL));
    TRY(aclrtSynchronizeStream(NULL));
    if (device != NULL) {
        CHECK_OK(aclrtFree(device));
    }
    if (host != NULL) {
        CHECK_OK(aclrtFreeHost(host));
    }
    return code;
}

static aclError binaries(void)
{
    aclError code = ACL_SUCCESS;
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle function = NULL;
    TRY(aclrtBinaryLoadFromFile(check_kernel("idle"), NULL, &binary));
    TRY(aclrtBinaryGetFunction(binary, "idle", &function));
    if (binary != NULL) {
        CHECK_OK(aclrtBinaryUnLoad(binary));
    }
    return code;
}

static aclrtBinHandle loaded;

static aclError launch_handle(void)
{
    aclError code = ACL_SUCCESS;
    aclrtFuncHandle function = NULL;
    aclrtArgsHandle args = NULL;
    aclrtParamHandle param = NULL;
    int64_t value = 1;
    TRY(aclrtBinaryGetFunction(loaded, "idle", &function));
    TRY(aclrtKernelArgsInit(function, &args));
    TRY(aclrtKernelArgsAppend(args, &value, 8, &param));
    TRY(aclrtKernelArgsFinalize(args));
    TRY(aclrtLaunchKernelWithConfig(function, 1, NULL, NULL, args, NULL));
    TRY(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    return code;
}

static aclError launch_many(void)
{
    aclError code = ACL_SUCCESS;
    aclrtFuncHandle function = NULL;
    int64_t args[64] = {0};
    TRY(aclrtBinaryGetFunction(loaded, "idle", &function));
    for (int i = 0; i < 100; ++i) {
        TRY(aclrtLaunchKernelWithHostArgs(function, 1, NULL, NULL, args, sizeof(args), NULL, 0));
    }
    TRY(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    return code;
}

static aclError host_functions(void)
{
    aclError code = ACL_SUCCESS;
    aclrtStream stream = NULL;
    TRY(aclrtCreateStream(&stream));
    TRY(aclrtLaunchHostFunc(stream, nothing, NULL));
    TRY(aclrtLaunchHostFunc(stream, nothing, NULL));
    TRY(aclrtSynchronizeStream(stream));
    if (stream != NULL) {
        CHECK_OK(aclrtDestroyStream(stream));
    }
    return code;
}

static aclError reports(void)
{
    aclError code = ACL_SUCCESS;
    aclrtStream stream = NULL;
    TRY(aclrtCreateStream(&stream));
    TRY(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
    TRY(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, stream));
    TRY(aclrtProcessReport(-1));
    if (stream != NULL) {
        CHECK_OK(aclrtDestroyStreamForce(stream));
    }
    return code;
}

static aclError exceptions(void)
{
    aclError code = ACL_SUCCESS;
    TRY(aclrtExceptionInfoCallbackRegister(told));
    TRY(aclrtExceptionInfoCallbackUnregister(told));
    return code;
}

/* Messages too need memory; without it the code alone must do. */
static aclError refusals(void)
{
    void *nowhere;
    CHECK_EQ(aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtMalloc(&nowhere, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtDestroyStream((aclrtStream)&nowhere), ACL_ERROR_RT_INVALID_HANDLE);
    (void)aclGetRecentErrMsg();
    return ACL_SUCCESS;
}

#define AT_MOST 2000

static void sweep(aclError (*scenario)(void))
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("idle"), NULL, &loaded));
    CHECK_OK(scenario()); /* what is made once and stays, such as the default stream, is there from now on */
    size_t kinds[] = {ACLMOCK_CONTEXTS, ACLMOCK_STREAMS, ACLMOCK_EVENTS, ACLMOCK_BINARIES, ACLMOCK_BLOCKS};
    size_t before[5];
    for (int i = 0; i < 5; ++i) {
        before[i] = aclmock_live((aclmock_kind)kinds[i]);
    }
    int failed = 0;
    for (int64_t after = 0;; ++after) {
        CHECK(after < AT_MOST);
        size_t allocations = aclmock_host_allocs();
        aclmock_fail_host_alloc(after);
        aclError code = scenario();
        aclmock_fail_host_alloc(-1);
        for (int i = 0; i < 5; ++i) {
            CHECK_EQ(aclmock_live((aclmock_kind)kinds[i]), before[i]);
        }
        if (code != ACL_SUCCESS) {
            ++failed;
            CHECK(code == ACL_ERROR_RT_MEMORY_ALLOCATION || code == ACL_ERROR_RT_NO_STREAM_RESOURCE ||
                  code == ACL_ERROR_RT_NO_EVENT_RESOURCE || code == ACL_ERROR_BAD_ALLOC || code == ACL_ERROR_RT_PARAM_INVALID);
        }
        CHECK_OK(scenario());
        if (after > 60 && code == ACL_SUCCESS && aclmock_host_allocs() == allocations) {
            break; /* beyond the scenario's last one */
        }
    }
    printf("%d of the failures reached a caller\n", failed);
}

TEST(no_memory_for_streams)
{
    sweep(streams);
}

TEST(no_memory_for_contexts)
{
    sweep(contexts);
}

TEST(no_memory_for_events)
{
    sweep(events);
}

TEST(no_memory_for_memory)
{
    sweep(memory);
}

TEST(no_memory_for_binaries)
{
    sweep(binaries);
}

TEST(no_memory_for_a_launch)
{
    sweep(launch_handle);
}

TEST(no_memory_for_many_launches)
{
    sweep(launch_many);
}

TEST(no_memory_for_host_functions)
{
    sweep(host_functions);
}

TEST(no_memory_for_reports)
{
    sweep(reports);
}

TEST(no_memory_for_exceptions)
{
    sweep(exceptions);
}

TEST(no_memory_for_messages)
{
    sweep(refusals);
}
