/* Device and page-locked memory, copies, and what they refuse. */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void *allocate(size_t size)
{
    void *memory;
    CHECK_OK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

TEST(bytes_come_back)
{
    unsigned char out[256];
    unsigned char in[256];
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < sizeof(out); ++i) {
        out[i] = (unsigned char)(i * 7);
    }
    char *first = (char *)allocate(sizeof(out));
    char *second = (char *)allocate(sizeof(out));
    CHECK_OK(aclrtMemcpy(first, sizeof(out), out, sizeof(out), ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtMemcpy(second, sizeof(out), first, sizeof(out), ACL_MEMCPY_DEVICE_TO_DEVICE));
    CHECK_OK(aclrtMemcpy(in, sizeof(in), second, sizeof(in), ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_BYTES(in, out, sizeof(out));
    CHECK_OK(aclrtMemcpy(in, 10, first + 100, 10, ACL_MEMCPY_DEFAULT));
    CHECK_BYTES(in, out + 100, 10);
    CHECK_OK(aclrtMemset(second, sizeof(out), 0x1ff, 3)); /* the low byte */
    CHECK_OK(aclrtMemcpy(in, sizeof(in), second, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_BYTES(in, "\xff\xff\xff\x15", 4);
    CHECK_OK(aclrtFree(first));
    CHECK_OK(aclrtFree(second));
    CHECK_EQ(aclmock_live(ACLMOCK_BLOCKS), 0);
}

TEST(a_wrong_kind_is_not_diagnosed)
{
    int value = 42;
    int seen = 0;
    CHECK_OK(aclrtSetDevice(0));
    void *memory = allocate(sizeof(value));
    CHECK_OK(aclrtMemcpy(memory, sizeof(value), &value, sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_OK(aclrtMemcpy(&seen, sizeof(seen), memory, sizeof(seen), ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_EQ(seen, 42);
    CHECK_OK(aclrtFree(memory));
}

/* The driver gives floor((n + 32 + 31) / 32) * 32 bytes, so writing up to there is no error and one more is. */
TEST(how_many_bytes_there_are)
{
    static const size_t asked[] = {1, 32, 33, 100, 1000};
    static char zeros[2048];
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); ++i) {
        size_t given = (asked[i] + 63) / 32 * 32;
        void *memory = allocate(asked[i]);
        CHECK_OK(aclrtMemcpy(memory, given, zeros, given, ACL_MEMCPY_HOST_TO_DEVICE));
        CHECK_EQ(aclrtMemcpy(memory, given + 1, zeros, given + 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_SAID("aclrtMemcpy");
        CHECK_OK(aclrtFree(memory));
    }
    void *memory;
    CHECK_OK(aclrtMallocAlign32(&memory, 33, ACL_MEM_MALLOC_HUGE_FIRST)); /* no pad: 64 */
    CHECK_OK(aclrtMemcpy(memory, 64, zeros, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_EQ(aclrtMemcpy(memory, 65, zeros, 65, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFree(memory));
}

TEST(sizes_that_are_refused)
{
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("size is 0");
    CHECK_EQ(aclrtMalloc(NULL, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("devPtr is NULL");
    CHECK_EQ(aclrtMalloc(&memory, SIZE_MAX - 63, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM); /* wraps */
    CHECK_EQ(aclrtMallocHost(&memory, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMalloc(&memory, (size_t)1 << 50, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK_SAID("1125899906842624");
    CHECK_EQ(aclmock_live(ACLMOCK_BLOCKS), 0);
}

TEST(a_full_device_has_room_again_after_a_free)
{
    size_t before;
    size_t now;
    size_t total;
    CHECK_EQ(setenv("ACL_MOCK_MEMORY", "64M", 1), 0);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    CHECK_EQ(total, 64 << 20);
    void *memory = allocate(40 << 20);
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &now, &total));
    CHECK(before - now >= 40 << 20);
    void *second;
    CHECK_EQ(aclrtMalloc(&second, 40 << 20, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtFree(allocate(40 << 20)));
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &now, &total));
    CHECK_EQ(now, before);
}

TEST(copies_of_nothing_pass_before_any_check)
{
    CHECK_OK(aclrtMemcpy(NULL, 0, NULL, 0, (aclrtMemcpyKind)99));
    CHECK_OK(aclrtMemset(NULL, 0, 0, 0));
}

TEST(wrong_sizes_of_a_copy)
{
    char host[64] = {0};
    CHECK_OK(aclrtSetDevice(0));
    void *memory = allocate(64);
    CHECK_EQ(aclrtMemcpy(memory, 8, host, 9, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("destMax");
    CHECK_EQ(aclrtMemcpy(NULL, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemcpy(memory, 8, NULL, 8, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemcpy(memory, 8, host, 8, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemset(NULL, 8, 0, 8), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemset(memory, 8, 0, 9), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemsetAsync(memory, 8, 0, 9, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFree(memory));
}

/* The text says which allocation, and by how much. */
TEST(a_copy_that_leaves_its_allocation)
{
    static char host[4096];
    CHECK_OK(aclrtSetDevice(0));
    char *memory = (char *)allocate(100);
    CHECK_EQ(aclrtMemcpy(memory + 28, 200, host, 200, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("28 bytes into the 100-byte block");
    CHECK_SAID("(160 bytes with the driver's padding)");
    CHECK_SAID("68 too many");
    CHECK_EQ(aclrtMemcpy(host, 4096, memory, 4096, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemset(memory, 4096, 0, 4096), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFree(memory));
}

TEST(freed_memory_is_gone)
{
    char host[8] = {0};
    CHECK_OK(aclrtSetDevice(0));
    void *memory = allocate(64);
    CHECK_OK(aclrtFree(memory));
    CHECK_EQ(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("aclrtFree");
    CHECK_EQ(aclrtMemcpy(host, 8, memory, 8, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtFree(host), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtFree((void *)0x12345), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtFreeHost(NULL), ACL_ERROR_INVALID_PARAM);
}

TEST(free_takes_the_start_of_a_block_only)
{
    CHECK_OK(aclrtSetDevice(0));
    char *memory = (char *)allocate(64);
    CHECK_EQ(aclrtFree(memory + 8), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFree(memory));
}

TEST(page_locked_memory_is_host_memory)
{
    void *host;
    aclrtPtrAttributes attributes;
    int on_the_stack = 0;
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtMallocHost(&host, 100));
    memset(host, 1, 100);
    void *memory = allocate(64);
    CHECK_EQ(aclrtFreeHost(memory), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtPointerGetAttributes(host, &attributes));
    CHECK_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    CHECK_OK(aclrtPointerGetAttributes((char *)memory + 3, &attributes));
    CHECK_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    CHECK_EQ(attributes.location.id, 1);
    CHECK_OK(aclrtPointerGetAttributes(&on_the_stack, &attributes));
    CHECK_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtFreeHost(host));
    CHECK_EQ(aclmock_live(ACLMOCK_BLOCKS), 0);
}

TEST(the_host_cannot_touch_device_memory)
{
    CHECK_OK(aclrtSetDevice(0));
    volatile char *memory = (volatile char *)allocate(64);
    for (int write = 0; write < 2; ++write) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL); /* not a sanitizer's report, which would be taken for this test's */
            if (write) {
                memory[0] = 1;
            } else {
                (void)memory[0];
            }
            _exit(0);
        }
        int status = 0;
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK(WIFSIGNALED(status));
        CHECK_EQ(WTERMSIG(status), SIGSEGV);
    }
}

TEST(an_asynchronous_copy_is_ordered_by_the_stream)
{
    aclrtStream stream;
    int *host;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtMallocHost((void **)&host, sizeof(int)));
    void *memory = allocate(sizeof(int));
    CHECK_OK(aclrtMemsetAsync(memory, 4, 1, 4, stream));
    CHECK_OK(aclrtMemcpyAsync(host, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_OK(aclrtMemsetAsync(memory, 4, 2, 4, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQ(*host, 0x01010101);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtFreeHost(host));
    CHECK_OK(aclrtDestroyStream(stream));
}

/* Without memory of its own the mock says so, and loses nothing. */
TEST(the_hosts_memory_runs_out)
{
    aclrtStream stream;
    CHECK_OK(aclrtSetDevice(0));
    for (int64_t after = 0; after < 4; ++after) {
        size_t streams = aclmock_live(ACLMOCK_STREAMS);
        aclmock_fail_host_alloc(after);
        aclError code = aclrtCreateStream(&stream);
        aclmock_fail_host_alloc(-1);
        if (code == ACL_SUCCESS) {
            CHECK_OK(aclrtDestroyStream(stream));
        }
        CHECK_EQ(aclmock_live(ACLMOCK_STREAMS), streams);
    }
}
