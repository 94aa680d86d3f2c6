/* Devices, contexts, and which of them a thread has. */
#include "check.h"

#include <pthread.h>

static void on_a_new_thread(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, run, argument), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

TEST(two_devices)
{
    uint32_t count = 0;
    int32_t device = -1;
    CHECK_OK(aclrtGetDeviceCount(&count)); /* needs neither init nor a device */
    CHECK_EQ(count, 2);
    CHECK_EQ(aclrtGetDeviceCount(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0); /* said quietly */
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtGetDevice(&device));
    CHECK_EQ(device, 1);
}

TEST(ids_that_are_no_device)
{
    static const int32_t wrong[] = {-1, 2, 64, INT32_MAX, INT32_MIN};
    aclrtContext context;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        CHECK_EQ(aclrtSetDevice(wrong[i]), ACL_ERROR_RT_INVALID_DEVICEID);
        CHECK_SAID("deviceId");
        CHECK_EQ(aclrtResetDevice(wrong[i]), ACL_ERROR_RT_INVALID_DEVICEID);
        CHECK_EQ(aclrtResetDeviceForce(wrong[i]), ACL_ERROR_RT_INVALID_DEVICEID);
        CHECK_EQ(aclrtCreateContext(&context, wrong[i]), ACL_ERROR_RT_INVALID_DEVICEID);
    }
}

TEST(as_many_resets_as_sets)
{
    void *memory;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    CHECK_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
}

TEST(force_takes_the_whole_count)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDeviceForce(0));
    CHECK_EQ(aclrtResetDeviceForce(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
}

TEST(a_reset_ends_the_streams)
{
    aclrtStream stream;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQ(aclmock_live(ACLMOCK_STREAMS), 0);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

/* Every call that needs a device, from a thread without one. */
static void *without_a_device(void *unused)
{
    void *pointer;
    size_t size;
    CHECK_EQ(aclrtMalloc(&pointer, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_SAID("aclrtMalloc");
    CHECK_SAID("aclrtSetDevice"); /* what to do */
    CHECK_EQ(aclrtMallocHost(&pointer, 64), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtCreateStream(&pointer), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &size, &size), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtGetCurrentContext(&pointer), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_CONTEXT_NULL);
    return unused;
}

TEST(a_new_thread_has_no_device)
{
    CHECK_OK(aclrtSetDevice(0));
    on_a_new_thread(without_a_device, NULL);
    CHECK_EQ(aclmock_live(ACLMOCK_BLOCKS), 0);
    CHECK_EQ(aclmock_live(ACLMOCK_STREAMS), 0);
}

/* ---- contexts ----------------------------------------------------------------------------------------- */

TEST(set_device_gives_the_primary_context)
{
    aclrtContext first;
    aclrtContext again;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&first));
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtGetCurrentContext(&again));
    CHECK(first != again);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&again));
    CHECK_EQ(first, again);
    CHECK_EQ(aclrtDestroyContext(first), ACL_ERROR_RT_CONTEXT_NULL); /* a primary one is not the caller's to destroy */
}

TEST(a_context_of_ones_own)
{
    aclrtContext context;
    aclrtContext current;
    int32_t device = -1;
    CHECK_OK(aclrtCreateContext(&context, 1)); /* needs no aclrtSetDevice */
    CHECK_OK(aclrtGetCurrentContext(&current));
    CHECK_EQ(current, context);
    CHECK_OK(aclrtGetDevice(&device));
    CHECK_EQ(device, 1);
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_EQ(aclrtGetCurrentContext(&current), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtDestroyContext(context), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtSetCurrentContext(context), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclmock_live(ACLMOCK_CONTEXTS), 0);
}

TEST(the_primary_context_is_not_found_again_after_an_explicit_one)
{
    aclrtContext context;
    void *memory;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateContext(&context, 0));
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtFree(memory));
}

static void *use_context(void *context)
{
    int32_t device = -1;
    CHECK_OK(aclrtSetCurrentContext(context));
    CHECK_OK(aclrtGetDevice(&device));
    CHECK_EQ(device, 1);
    return NULL;
}

TEST(a_context_may_be_used_by_several_threads)
{
    aclrtContext context;
    CHECK_OK(aclrtCreateContext(&context, 1));
    on_a_new_thread(use_context, context);
    CHECK_OK(aclrtDestroyContext(context));
}

static void *destroy_context(void *context)
{
    CHECK_OK(aclrtDestroyContext(context));
    return NULL;
}

TEST(a_context_destroyed_by_another_thread_leaves_none)
{
    aclrtContext context;
    void *memory;
    CHECK_OK(aclrtCreateContext(&context, 0));
    on_a_new_thread(destroy_context, context);
    CHECK_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
}

TEST(pointers_that_are_no_context)
{
    int on_the_stack = 0;
    CHECK_EQ(aclrtSetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtSetCurrentContext(&on_the_stack), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtDestroyContext(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtDestroyContext(&on_the_stack), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtDestroyContext((void *)8), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtCreateContext(NULL, 0), ACL_ERROR_INVALID_PARAM);
}

TEST(synchronize_device_takes_a_time)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_OK(aclrtSynchronizeDeviceWithTimeout(-1));
    CHECK_OK(aclrtSynchronizeDeviceWithTimeout(100));
    CHECK_EQ(aclrtSynchronizeDeviceWithTimeout(0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtSynchronizeDeviceWithTimeout(-2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 0); /* found by the acl layer */
}
