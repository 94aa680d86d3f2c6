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

/* Kernels run in the call that launches them. */
static aclrtStream start(void)
{
    aclrtStream stream;
    setenv("ACL_MOCK_SCHEDULE", "inline", 1);
    aclmock_reset();
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    return stream;
}

static void launch(aclrtStream stream, void (*run)(aclmock_ctx *ctx), void *argument)
{
    static aclmock_kernel kernel = {.name = "kernel"};
    aclrtBinHandle binary;
    aclrtFuncHandle function;
    kernel.run = run;
    CHECK_OK(aclmock_make_binary(&kernel, 1, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "kernel", &function));
    CHECK_OK(aclrtLaunchKernelWithHostArgs(function, 1, stream, NULL, &argument, sizeof(argument), NULL, 0));
}

TEST(a_kernel_that_calls_the_abi_and_fails)
{
    aclrtStream stream = start();
    launch(stream, call_and_fault, NULL);
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_HAS(aclmock_last_message(), "aclrtSynchronizeStream: ");
}

static void hear(aclrtExceptionInfo *info)
{
    (void)info;
    fail_inside();
}

TEST(an_exception_callback_that_calls_the_abi)
{
    aclrtStream stream = start();
    CHECK_OK(aclrtSetExceptionInfoCallback(hear));
    launch(stream, call_and_fault, NULL);
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_HAS(aclmock_last_message(), "aclrtSynchronizeStream: ");
}

/* What is noticed behind the kernel's own calls is still of the call that ran it. */
static void reach_behind_a_call(aclmock_ctx *ctx)
{
    uint64_t address = *(const uint64_t *)(const void *)ctx->args;
    fail_inside();
    aclmock_gm(ctx, address, 8);
}

TEST(a_diagnosis_behind_a_kernels_call)
{
    aclrtStream stream = start();
    void *memory;
    aclmock_diagnosis diagnosis;
    aclmock_set_check(ACLMOCK_CHECK_WARN);
    CHECK_OK(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtFree(memory));
    launch(stream, reach_behind_a_call, memory);
    CHECK(aclmock_diagnoses() > 0);
    CHECK(aclmock_get_diagnosis(aclmock_diagnoses() - 1, &diagnosis));
    CHECK_HAS(diagnosis.kind, "use-after-free");
    CHECK_HAS(diagnosis.function, "aclrtLaunchKernelWithHostArgs");
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
    aclmock_record inner = {0}, outer;
    CHECK(aclmock_trace_start(100));
    launch(stream, call_and_fault, NULL);
    aclmock_trace_stop();
    for (uint64_t i = 0; i < aclmock_trace_count(); ++i) {
        CHECK(aclmock_get_record(i, &outer));
        inner = strcmp(outer.name, "aclrtMalloc") == 0 ? outer : inner;
    }
    CHECK_EQ(inner.result, ACL_ERROR_INVALID_PARAM);
    CHECK(inner.outer > 0);
    CHECK(aclmock_get_record(inner.outer - 1, &outer));
    CHECK_HAS(outer.name, "aclrtLaunchKernelWithHostArgs");
    CHECK_EQ(outer.result, ACL_SUCCESS);
    CHECK(outer.end_ns >= inner.end_ns);
}
