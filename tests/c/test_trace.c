/* The trace of calls and tasks. */
#include "check.h"

#include <stdint.h>

static aclmock_record record(uint64_t index)
{
    aclmock_record record;
    CHECK_EQ(aclmock_get_record(index, &record), 1);
    return record;
}

TEST(nothing_is_recorded_unless_asked_for)
{
    aclmock_record record;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclmock_trace_count(), 0);
    CHECK_EQ(aclmock_get_record(0, &record), 0);
    CHECK_EQ(aclmock_trace_start(0), 0);
    CHECK_EQ(aclmock_trace_start(UINT64_MAX), 0);
}

TEST(a_call_with_its_arguments_and_result)
{
    void *memory;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclmock_trace_start(100), 1);
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_ONLY));
    CHECK_EQ(aclrtSetDevice(-7), ACL_ERROR_RT_INVALID_DEVICEID);
    aclmock_trace_stop();
    CHECK_OK(aclrtFree(memory));
    CHECK_EQ(aclmock_trace_count(), 2);
    aclmock_record call = record(0);
    CHECK_EQ(call.is_task, 0);
    CHECK_HAS(call.name, "aclrtMalloc");
    CHECK_HAS(call.argument_names, "devPtr, size, policy");
    CHECK_HAS(call.argument_kinds, "puu");
    CHECK_EQ(call.arguments[0], (uintptr_t)&memory);
    CHECK_EQ(call.arguments[1], 64);
    CHECK_EQ(call.arguments[2], ACL_MEM_MALLOC_HUGE_ONLY);
    CHECK_EQ(call.result, 0);
    CHECK(call.end_ns >= call.start_ns && call.start_ns > 0);
    call = record(1);
    CHECK_HAS(call.argument_kinds, "i");
    CHECK_EQ((int64_t)call.arguments[0], -7);
    CHECK_EQ(call.result, ACL_ERROR_RT_INVALID_DEVICEID);
}

TEST(strings_are_copied_and_bad_ones_are_not_read)
{
    aclrtBinHandle binary;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclmock_trace_start(100), 1);
    CHECK(aclrtBinaryLoadFromFile("/no/such/file", NULL, &binary) != 0);
    CHECK(aclrtBinaryLoadFromFile(NULL, NULL, &binary) != 0);
    CHECK_HAS(record(0).text, "/no/such/file");
    CHECK_EQ(record(1).text[0], '\0');
}

TEST(the_ring_keeps_the_newest)
{
    aclmock_record kept;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclmock_trace_start(10), 1);
    for (int i = 0; i < 25; ++i) {
        CHECK_EQ(aclrtSetDevice(-100 - i), ACL_ERROR_RT_INVALID_DEVICEID);
    }
    CHECK_EQ(aclmock_trace_count(), 25);
    CHECK_EQ(aclmock_get_record(14, &kept), 0);
    CHECK_EQ((int64_t)record(15).arguments[0], -115);
    CHECK_EQ((int64_t)record(24).arguments[0], -124);
    CHECK_EQ(aclmock_trace_start(10), 1);
    CHECK_EQ(aclmock_trace_count(), 0);
}

/* The first task of that kind. */
static aclmock_record task(const char *kind)
{
    for (uint64_t i = 0; i < aclmock_trace_count(); ++i) {
        aclmock_record found = record(i);
        if (found.is_task && strcmp(found.name, kind) == 0) {
            return found;
        }
    }
    CHECK_HAS("a task", kind);
    abort();
}

/* The call of that function. */
static aclmock_record call_of(const char *function)
{
    for (uint64_t i = 0; i < aclmock_trace_count(); ++i) {
        aclmock_record found = record(i);
        if (!found.is_task && strcmp(found.name, function) == 0) {
            return found;
        }
    }
    CHECK_HAS("a call", function);
    abort();
}

TEST(a_task_belongs_to_its_call_and_a_wait_to_its_record)
{
    aclrtStream first;
    aclrtStream second;
    aclrtEvent event;
    void *memory;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&first));
    CHECK_OK(aclrtCreateStream(&second));
    CHECK_OK(aclrtCreateEvent(&event));
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_EQ(aclmock_trace_start(100), 1);
    CHECK_OK(aclrtMemsetAsync(memory, 64, 0, 64, first));
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtStreamWaitEvent(second, event));
    CHECK_OK(aclrtSynchronizeStream(second));
    CHECK_OK(aclrtSynchronizeStream(first));
    aclmock_trace_stop();
    CHECK_EQ(task("memset").task, call_of("aclrtMemsetAsync").task);
    CHECK_EQ(task("record event").task, call_of("aclrtRecordEvent").task);
    CHECK(task("memset").task != task("record event").task);
    CHECK_EQ(task("wait for event").after, task("record event").task);
    CHECK_EQ(task("memset").stream, task("record event").stream);
    CHECK(task("wait for event").stream != task("record event").stream);
    CHECK(task("wait for event").start_ns >= task("record event").end_ns);
}

TEST(a_launch_says_kernel_and_blocks)
{
    char path[1024];
    aclrtBinHandle binary;
    aclrtFuncHandle kernel;
    void *buffers[3] = {NULL};
    snprintf(path, sizeof(path), "%s/add_custom.o", getenv("CHECK_KERNELS"));
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtBinaryLoadFromFile(path, NULL, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "add_simple", &kernel));
    CHECK_EQ(aclmock_trace_start(100), 1);
    CHECK_OK(aclrtLaunchKernelWithHostArgs(kernel, 7, NULL, NULL, buffers, sizeof(buffers), NULL, 0));
    CHECK(aclrtSynchronizeStream(NULL) != ACL_SUCCESS); /* its pointers are NULL */
    aclmock_record launch = task("launch");
    CHECK_HAS(launch.text, "add_simple");
    CHECK_EQ(launch.num_blocks, 7);
    CHECK_EQ(launch.device, 1);
    CHECK(launch.end_ns >= launch.start_ns);
    CHECK_EQ(call_of("aclrtSynchronizeStream").result, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
}
