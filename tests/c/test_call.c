/* Calls inside calls: what a message, the trace and the check name is the call that it is about. */
#include <aclmock/kernel.h>

#include "check.h"

static void fail_inside(void)
{
    CHECK_EQ(aclrtMalloc(NULL, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_HAS(aclmock_last_message(), "aclrtMalloc: ");
}

static void call_and_fault(aclmock_ctx *ctx)
{
    fail_inside();
    aclmock_fail(ctx, "on purpose");
}

static aclrtStream start(void)
{
    aclrtStream stream;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    return stream;
}

static void launch_faulting(aclrtStream stream)
{
    static const aclmock_kernel kernels[] = {{.name = "call_and_fault", .run = call_and_fault}};
    uint64_t unused = 0;
    aclrtBinHandle binary;
    aclrtFuncHandle function;
    CHECK_OK(aclmock_make_binary(kernels, 1, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "call_and_fault", &function));
    CHECK_OK(aclrtLaunchKernelWithHostArgs(function, 1, stream, NULL, &unused, sizeof(unused), NULL, 0));
}

TEST(a_kernel_that_calls_the_abi_and_fails)
{
    aclrtStream stream = start();
    launch_faulting(stream);
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_HAS(aclmock_last_message(), "aclrtSynchronizeStream: ");
}

static void site(char *text, size_t size)
{
    fail_inside();
    snprintf(text, size, "here");
}

/* It is asked in the middle of a call. */
TEST(a_site_callback_that_calls_the_abi)
{
    aclrtStream stream = start();
    void *memory;
    aclmock_set_check(ACLMOCK_CHECK_WARN);
    aclmock_set_site_callback(site);
    CHECK_OK(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtFree(memory));
    CHECK_EQ(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_HAS(aclmock_last_message(), "aclrtFree: ");
    aclmock_set_site_callback(NULL);
    CHECK_OK(aclrtDestroyStream(stream));
}

TEST(the_trace_tells_calls_inside_calls)
{
    aclrtStream stream = start();
    launch_faulting(stream);
    CHECK(aclmock_trace_start(100));
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    aclmock_trace_stop();
    aclmock_record outer, inner;
    CHECK(aclmock_get_record(0, &outer));
    CHECK_HAS(outer.name, "aclrtSynchronizeStream");
    CHECK_EQ(outer.result, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    uint64_t last = aclmock_trace_count() - 1;
    CHECK(aclmock_get_record(last, &inner));
    CHECK_HAS(inner.name, "aclrtMalloc");
    CHECK_EQ(inner.result, ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(inner.outer, 1);
}
