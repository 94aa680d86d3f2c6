/* ACL_MOCK_CHECK: each mistake is told once, with what, where and what to do. */
#include <aclmock/kernel.h>

#include "check.h"

#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

static aclmock_diagnosis last(void)
{
    aclmock_diagnosis diagnosis;
    CHECK(aclmock_diagnoses() > 0);
    CHECK_EQ(aclmock_get_diagnosis(aclmock_diagnoses() - 1, &diagnosis), 1);
    return diagnosis;
}

#define CHECK_DIAGNOSED(number, wanted_kind, part)          \
    do {                                                    \
        CHECK_EQ(aclmock_diagnoses(), number);              \
        aclmock_diagnosis diagnosis = last();               \
        CHECK_HAS(diagnosis.kind, wanted_kind);             \
        CHECK_HAS(diagnosis.text, part);                    \
    } while (0)

static void start(aclmock_check mode)
{
    aclmock_set_check(mode);
    CHECK_OK(aclrtSetDevice(0));
}

static char *allocate(size_t size)
{
    void *memory;
    CHECK_OK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

static void place(char *site, size_t room)
{
    snprintf(site, room, "here.c:42");
}

TEST(checks_are_off_unless_asked_for)
{
    char host[64];
    CHECK_EQ(aclmock_get_check(), ACLMOCK_CHECK_OFF);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMemcpy(host, 64, allocate(64), 64, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQ(aclmock_diagnoses(), 0);
}

TEST(the_environment_chooses_the_mode)
{
    setenv("ACL_MOCK_CHECK", "error", 1);
    aclmock_reset();
    CHECK_EQ(aclmock_get_check(), ACLMOCK_CHECK_ERROR);
    setenv("ACL_MOCK_CHECK", "loud", 1);
    aclmock_reset();
    CHECK_EQ(aclmock_get_check(), ACLMOCK_CHECK_OFF);
}

TEST(memory_that_nobody_wrote)
{
    char host[100];
    start(ACLMOCK_CHECK_WARN);
    char *memory = allocate(100);
    CHECK_OK(aclrtMemset(memory, 100, 0, 40));
    CHECK_OK(aclrtMemcpy(host, 100, memory, 40, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQ(aclmock_diagnoses(), 0);
    CHECK_OK(aclrtMemcpy(host, 100, memory, 100, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_DIAGNOSED(1, "unwritten-read", "bytes 40 to 99 of the 100-byte block");
    CHECK_HAS(last().text, "aclrtMalloc made");
    CHECK_HAS(last().function, "aclrtMemcpy");
    memset(host, 0xA5, sizeof(host)); /* a program's own bytes are no alarm, even if they look like the pattern */
    CHECK_OK(aclrtMemcpy(memory, 100, host, 100, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtMemcpy(host, 100, memory, 100, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQ(aclmock_diagnoses(), 1);
}

TEST(under_error_the_call_fails)
{
    char host[64];
    start(ACLMOCK_CHECK_ERROR);
    CHECK_EQ(aclrtMemcpy(host, 64, allocate(64), 64, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("unwritten-read");
    CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(memory_freed_twice)
{
    start(ACLMOCK_CHECK_WARN);
    aclmock_set_site_callback(place);
    char *memory = allocate(64);
    CHECK_OK(aclrtFree(memory));
    CHECK_EQ(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_DIAGNOSED(1, "double-free", "aclrtMalloc made at here.c:42 and aclrtFree freed at here.c:42");
    CHECK_HAS(last().site, "here.c:42");
}

TEST(memory_that_cannot_be_freed)
{
    char host[64];
    void *pinned;
    start(ACLMOCK_CHECK_WARN);
    char *memory = allocate(64);
    CHECK_OK(aclrtMallocHost(&pinned, 64));
    CHECK_EQ(aclrtFree(host), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_DIAGNOSED(1, "bad-free", "no memory of aclrtMalloc");
    CHECK_EQ(aclrtFree(memory + 8), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_DIAGNOSED(2, "bad-free", "inside the 64-byte block");
    CHECK_EQ(aclrtFree(pinned), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_DIAGNOSED(3, "bad-free", "aclrtMallocHost made");
    CHECK_EQ(aclrtFreeHost(memory), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_DIAGNOSED(4, "bad-free", "aclrtFreeHost takes what aclrtMallocHost returned");
}

TEST(a_copy_one_byte_too_long)
{
    char host[128] = {0};
    start(ACLMOCK_CHECK_WARN);
    char *memory = allocate(100);
    CHECK_OK(aclrtMemcpy(memory, 101, host, 101, ACL_MEMCPY_HOST_TO_DEVICE)); /* into the driver's padding */
    CHECK_DIAGNOSED(1, "overrun", "1 too many");
    CHECK_OK(aclrtFree(memory));
    CHECK_EQ(aclmock_diagnoses(), 1); /* not said again */
}

TEST(a_write_behind_page_locked_memory)
{
    void *pinned;
    start(ACLMOCK_CHECK_WARN);
    CHECK_OK(aclrtMallocHost(&pinned, 100));
    ((char *)pinned)[100] = 1;
    CHECK_OK(aclrtFreeHost(pinned));
    CHECK_DIAGNOSED(1, "overrun", "wrote up to 1 bytes behind the 100-byte block");
}

TEST(a_write_to_freed_memory_is_found_when_its_block_is_used_again)
{
    void *pinned;
    start(ACLMOCK_CHECK_WARN);
    CHECK_OK(aclrtMallocHost(&pinned, 100));
    CHECK_OK(aclrtFreeHost(pinned));
    ((char *)pinned)[7] = 1;
    for (int i = 0; i < 5000; ++i) {
        void *other;
        CHECK_OK(aclrtMallocHost(&other, 100));
        CHECK(other != pinned || aclmock_diagnoses() == 1);
        CHECK_OK(aclrtFreeHost(other));
    }
    CHECK_DIAGNOSED(1, "write-after-free", "byte 7 of the 100-byte block");
}

TEST(memory_freed_while_queued_work_needs_it)
{
    aclrtStream stream;
    start(ACLMOCK_CHECK_WARN);
    CHECK_OK(aclrtCreateStream(&stream));
    aclmock_hold(stream, 1);
    char *memory = allocate(64);
    CHECK_OK(aclrtMemsetAsync(memory, 64, 1, 64, stream));
    CHECK_OK(aclrtFree(memory));
    CHECK_DIAGNOSED(1, "free-in-use", "a memset on stream");
    aclmock_hold(stream, 0);
    CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
    CHECK_DIAGNOSED(2, "use-after-free", "aclrtFree freed");
}

static void free_what_it_uses(aclmock_ctx *ctx)
{
    uint64_t address = *(const uint64_t *)(const void *)ctx->args;
    *(char *)aclmock_gm(ctx, address, 64) = 1;
    aclrtFree((void *)(uintptr_t)address);
}

TEST(memory_freed_under_a_kernel)
{
    static const aclmock_kernel kernels[] = {{.name = "free_what_it_uses", .run = free_what_it_uses}};
    aclrtBinHandle binary;
    aclrtFuncHandle function;
    start(ACLMOCK_CHECK_WARN);
    char *memory = allocate(64);
    CHECK_OK(aclmock_make_binary(kernels, 1, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "free_what_it_uses", &function));
    CHECK_OK(aclrtLaunchKernelWithHostArgs(function, 1, NULL, NULL, &memory, sizeof(memory), NULL, 0));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_DIAGNOSED(1, "free-in-use", "still needs it"); /* and no word of an overrun */
}

TEST(memory_freed_after_the_work_is_fine)
{
    aclrtStream stream;
    start(ACLMOCK_CHECK_ERROR);
    CHECK_OK(aclrtCreateStream(&stream));
    for (int i = 0; i < 100; ++i) {
        char *memory = allocate(64);
        CHECK_OK(aclrtMemsetAsync(memory, 64, 1, 64, stream));
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK_OK(aclrtFree(memory));
    }
    CHECK_EQ(aclmock_diagnoses(), 0);
}

TEST(what_is_left_at_the_end)
{
    aclrtStream stream;
    aclrtContext context;
    aclrtEvent event;
    CHECK_OK(aclInit(NULL));
    start(ACLMOCK_CHECK_WARN);
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtCreateEvent(&event));
    allocate(64);
    CHECK_OK(aclrtSynchronizeStream(NULL)); /* makes the default stream, which nobody has to destroy */
    CHECK_OK(aclrtCreateContext(&context, 1));
    CHECK_OK(aclFinalize());
    CHECK_EQ(aclmock_diagnoses(), 4);
    CHECK_HAS(last().kind, "leak");
    CHECK_HAS(last().text, "that aclrtCreateContext made is still there; end it with aclrtDestroyContext");
}

TEST(leaks_since_a_moment)
{
    start(ACLMOCK_CHECK_WARN);
    allocate(64);
    uint64_t mark = aclmock_mark();
    CHECK_EQ(aclmock_report_leaks(mark), 0);
    char *second = allocate(32);
    CHECK_EQ(aclmock_report_leaks(mark), 1);
    CHECK_HAS(last().text, "memory of 32 bytes");
    CHECK_OK(aclrtFree(second));
    CHECK_EQ(aclmock_report_leaks(mark), 0);
    CHECK_EQ(aclmock_report_leaks(0), 1);
}

TEST(only_the_last_diagnoses_are_kept)
{
    aclmock_diagnosis diagnosis;
    start(ACLMOCK_CHECK_WARN);
    for (int i = 0; i < 300; ++i) {
        aclrtFree(&diagnosis);
    }
    CHECK_EQ(aclmock_diagnoses(), 300);
    CHECK_EQ(aclmock_get_diagnosis(43, &diagnosis), 0);
    CHECK_EQ(aclmock_get_diagnosis(44, &diagnosis), 1);
    CHECK_EQ(aclmock_get_diagnosis(300, &diagnosis), 0);
    aclmock_clear_diagnoses();
    CHECK_EQ(aclmock_diagnoses(), 0);
}

/* A host program that dereferences a device pointer dies as on hardware, but the last line on stderr says why. */
TEST(host_code_that_touches_device_memory)
{
    int said[2];
    char text[2048] = "";
    CHECK_EQ(pipe(said), 0);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer's own handler would not die of it */
        dup2(said[1], 2);
        aclmock_set_check(ACLMOCK_CHECK_WARN);
        aclrtSetDevice(0);
        void *memory = NULL;
        aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST);
        ((volatile char *)memory)[5] = 1;
        _exit(0);
    }
    int status;
    close(said[1]);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(read(said[0], text, sizeof(text) - 1) > 0);
    CHECK(WIFSIGNALED(status));
    CHECK_EQ(WTERMSIG(status), SIGSEGV);
    CHECK_HAS(text, "host-dereference: host code touches ");
    CHECK_HAS(text, "5 bytes into the 100-byte block");
}
