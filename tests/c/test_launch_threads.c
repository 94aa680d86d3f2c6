/* Launches from many threads: none is lost, and nobody waits for a kernel of another stream. */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

enum { THREADS = 8, LAUNCHES = 2000 };

static aclrtContext context;
static aclrtFuncHandle kernel;
static int32_t *numbers[THREADS];

static void set_up(void)
{
    aclrtBinHandle binary;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&context));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("probe"), NULL, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "add_to_each", &kernel));
    for (int i = 0; i < THREADS; ++i) {
        CHECK_OK(aclrtMalloc((void **)&numbers[i], sizeof(int32_t), ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK_OK(aclrtMemset(numbers[i], sizeof(int32_t), 0, sizeof(int32_t)));
    }
}

static int32_t number(int i)
{
    int32_t value;
    CHECK_OK(aclrtMemcpy(&value, sizeof(value), numbers[i], sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST));
    return value;
}

/* (int32_t *x, int32_t n) through host arguments, and every other time through the thread's argument list. */
static void launch(aclrtStream stream, int i, int time)
{
    struct {
        void *x;
        int64_t n;
    } bytes = {numbers[i], 1};
    if (time % 2 == 0) {
        CHECK_OK(aclrtLaunchKernelWithHostArgs(kernel, 1, stream, NULL, &bytes, sizeof(bytes), NULL, 0));
        return;
    }
    aclrtArgsHandle args;
    aclrtParamHandle param;
    CHECK_OK(aclrtKernelArgsInit(kernel, &args));
    CHECK_OK(aclrtKernelArgsAppend(args, &bytes.x, sizeof(bytes.x), &param));
    CHECK_OK(aclrtKernelArgsAppend(args, &bytes.n, sizeof(int32_t), &param));
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_OK(aclrtLaunchKernelWithConfig(kernel, 1, stream, NULL, args, NULL));
}

static void *launch_into_an_own_stream(void *which)
{
    aclrtStream stream;
    CHECK_OK(aclrtSetCurrentContext(context));
    CHECK_OK(aclrtCreateStream(&stream));
    for (int time = 0; time < LAUNCHES; ++time) {
        launch(stream, (int)(intptr_t)which, time);
    }
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyStream(stream));
    return NULL;
}

TEST(eight_threads_into_eight_streams_lose_no_launch)
{
    set_up();
    check_in_threads(THREADS, launch_into_an_own_stream);
    for (int i = 0; i < THREADS; ++i) {
        CHECK_EQ(number(i), LAUNCHES);
    }
}

static aclrtStream shared;

static void *launch_into_the_shared_stream(void *which)
{
    (void)which;
    CHECK_OK(aclrtSetCurrentContext(context));
    for (int time = 0; time < LAUNCHES / 4; ++time) {
        launch(shared, 0, time); /* all add to one number: a stream runs one kernel at a time */
    }
    CHECK_OK(aclrtSynchronizeStream(shared));
    return NULL;
}

TEST(eight_threads_into_one_stream_lose_no_launch)
{
    set_up();
    CHECK_OK(aclrtCreateStream(&shared));
    check_in_threads(THREADS, launch_into_the_shared_stream);
    CHECK_EQ(number(0), THREADS * (LAUNCHES / 4));
    CHECK_OK(aclrtDestroyStream(shared));
}

/* ---- no lock is held while a kernel runs --------------------------------------------------------------- */

static _Atomic int step;

static void wait_for(int wanted)
{
    while (atomic_load(&step) < wanted) {
        sched_yield();
    }
}

static void run_until_told(aclmock_ctx *ctx)
{
    (void)ctx;
    atomic_store(&step, 1);
    wait_for(2);
}

static aclrtFuncHandle long_kernel;

static void *run_a_long_kernel(void *stream)
{
    uint64_t args = 0;
    CHECK_OK(aclrtSetCurrentContext(context));
    CHECK_OK(aclrtLaunchKernelWithHostArgs(long_kernel, 1, stream, NULL, &args, sizeof(args), NULL, 0));
    CHECK_OK(aclrtSynchronizeStream(stream));
    return NULL;
}

TEST(while_a_kernel_runs_everything_else_goes_on)
{
    static const aclmock_kernel kernels[] = {{.name = "until_told", .run = run_until_told}};
    aclrtBinHandle binary;
    aclrtStream busy, other;
    pthread_t thread;
    void *memory;
    set_up();
    CHECK_OK(aclmock_make_binary(kernels, 1, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "until_told", &long_kernel));
    CHECK_OK(aclrtCreateStream(&busy));
    CHECK_EQ(pthread_create(&thread, NULL, run_a_long_kernel, busy), 0);
    wait_for(1);
    CHECK_OK(aclrtCreateStream(&other)); /* anything that waited for the kernel would wait for ever */
    launch(other, 1, 0);
    launch(other, 1, 1);
    launch(busy, 2, 0); /* into the same stream, behind the kernel */
    CHECK_OK(aclrtSynchronizeStream(other));
    CHECK_EQ(number(1), 2);
    CHECK_OK(aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyStream(other));
    CHECK_EQ(number(2), 0);
    atomic_store(&step, 2);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_OK(aclrtSynchronizeStream(busy));
    CHECK_EQ(number(2), 1);
}
