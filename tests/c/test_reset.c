#include "check.h"

#include <stdint.h>

static const aclmock_kind kinds[] = {ACLMOCK_CONTEXTS, ACLMOCK_STREAMS, ACLMOCK_EVENTS, ACLMOCK_BINARIES, ACLMOCK_FUNCTIONS, ACLMOCK_BLOCKS};

/* Makes one of everything, leaves work queued, and lets it lie. */
static void leave_a_mess(void)
{
    aclrtContext context;
    aclrtStream stream;
    void *device;
    void *host;
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtCreateContext(&context, 0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtMalloc(&device, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMallocHost(&host, 1000));
    CHECK_OK(aclrtMemsetAsync(device, 1000, 1, 1000, stream));
    CHECK(aclmock_fail_call("aclrtMalloc", 5, 1, 207001, NULL) > 0);
    CHECK_EQ(aclmock_trace_start(16), 1);
    CHECK_EQ(aclrtMalloc(&device, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtCreateContext(&context, 99), ACL_ERROR_RT_INVALID_DEVICEID);
}

TEST(a_reset_ends_everything)
{
    leave_a_mess();
    aclmock_reset();
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
        CHECK_EQ(aclmock_live(kinds[i]), 0);
    }
    CHECK_EQ(aclmock_faults_left(), 0);
    CHECK_EQ(aclmock_trace_count(), 0);
    CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0);
    CHECK_EQ(aclmock_message_pending(), 0);
    int32_t device;
    CHECK_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclInit(NULL)); /* and not 100002 */
}

TEST(old_handles_are_stale_after_a_reset)
{
    aclrtStream stream;
    void *memory;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    aclmock_reset();
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(addresses_start_again_after_a_reset)
{
    void *first;
    void *again;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMalloc(&first, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    aclmock_reset();
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMalloc(&again, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_EQ((uintptr_t)again, (uintptr_t)first);
}

TEST(a_reset_reads_the_environment_again)
{
    uint32_t count;
    size_t left;
    size_t total;
    setenv("ACL_MOCK_DEVICE_COUNT", "5", 1);
    setenv("ACL_MOCK_SOC", "Ascend310P3", 1);
    setenv("ACL_MOCK_MEMORY", "64M", 1);
    aclmock_reset();
    CHECK_OK(aclrtGetDeviceCount(&count));
    CHECK_EQ(count, 5);
    CHECK_HAS(aclrtGetSocName(), "Ascend310P3");
    CHECK_OK(aclrtSetDevice(4));
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
    CHECK_EQ(total, 64 << 20);
}

TEST(resets_leak_nothing)
{
    const char *rounds = getenv("RESET_ROUNDS");
    leave_a_mess();
    aclmock_reset();
    leave_a_mess();
    aclmock_reset();
    size_t before = aclmock_host_allocs();
    for (int i = rounds != NULL ? atoi(rounds) : 300; i > 0; --i) {
        leave_a_mess();
        aclmock_reset();
    }
    CHECK_EQ(aclmock_host_allocs(), before);
}
