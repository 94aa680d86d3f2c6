/* Who runs tasks, and when: what holds under every ACL_MOCK_SCHEDULE. Each test runs under all of them. */
#include <pthread.h>
#include <unistd.h>

#include "check.h"

#define STREAMS 4
#define ROUNDS 40

static const char *const schedules[] = {"deferred", "inline", "worker", "random:1", "random:99"};

/* With a device, under each schedule in turn. */
static void under_each(void (*test)(const char *schedule))
{
    for (size_t i = 0; i < sizeof(schedules) / sizeof(schedules[0]); ++i) {
        setenv("ACL_MOCK_SCHEDULE", schedules[i], 1);
        aclmock_reset();
        CHECK_OK(aclrtSetDevice(0));
        test(schedules[i]);
        CHECK_OK(aclrtResetDevice(0));
    }
    unsetenv("ACL_MOCK_SCHEDULE");
}

/* A number goes round all streams, each adding one behind the event of the one before. */
static void go_round(const char *schedule)
{
    (void)schedule;
    aclrtStream streams[STREAMS];
    aclrtEvent events[STREAMS];
    aclrtBinHandle binary;
    aclrtFuncHandle increment;
    int32_t *memory;
    int32_t value = 0;
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("faults"), NULL, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "increment", &increment));
    CHECK_OK(aclrtMalloc((void **)&memory, 4, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(memory, 4, 0, 4));
    for (int i = 0; i < STREAMS; ++i) {
        CHECK_OK(aclrtCreateStream(&streams[i]));
        CHECK_OK(aclrtCreateEventExWithFlag(&events[i], ACL_EVENT_SYNC));
    }
    for (int i = 0; i < ROUNDS * STREAMS; ++i) {
        struct {
            void *p;
            uint64_t hidden;
        } args = {memory, 0};
        aclrtStream stream = streams[i % STREAMS];
        CHECK_OK(aclrtStreamWaitEvent(stream, events[(i + STREAMS - 1) % STREAMS]));
        CHECK_OK(aclrtLaunchKernelWithHostArgs(increment, 1, stream, NULL, &args, sizeof(args), NULL, 0));
        CHECK_OK(aclrtRecordEvent(events[i % STREAMS], stream));
    }
    CHECK_OK(aclrtSynchronizeEvent(events[STREAMS - 1]));
    CHECK_OK(aclrtMemcpy(&value, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQ(value, ROUNDS * STREAMS);
    for (int i = 0; i < STREAMS; ++i) {
        CHECK_OK(aclrtDestroyEvent(events[i]));
        CHECK_OK(aclrtDestroyStream(streams[i]));
    }
    CHECK_OK(aclrtBinaryUnLoad(binary));
}

TEST(events_order_streams)
{
    under_each(go_round);
}

/* Two streams that wait for each other's events in turn. */
static void cross(const char *schedule)
{
    (void)schedule;
    aclrtStream streams[2];
    aclrtEvent there;
    aclrtEvent back;
    CHECK_OK(aclrtCreateStream(&streams[0]));
    CHECK_OK(aclrtCreateStream(&streams[1]));
    CHECK_OK(aclrtCreateEventWithFlag(&there, ACL_EVENT_SYNC));
    CHECK_OK(aclrtCreateEventWithFlag(&back, ACL_EVENT_SYNC));
    CHECK_OK(aclrtStreamWaitEvent(streams[0], there)); /* before it is recorded */
    CHECK_OK(aclrtRecordEvent(back, streams[0]));
    CHECK_OK(aclrtRecordEvent(there, streams[1]));
    CHECK_OK(aclrtStreamWaitEvent(streams[1], back));
    CHECK_OK(aclrtSynchronizeStream(streams[1]));
    CHECK_OK(aclrtSynchronizeStream(streams[0]));
}

TEST(streams_that_wait_for_each_other)
{
    under_each(cross);
}

static void keep_old(const char *schedule)
{
    if (strcmp(schedule, "inline") == 0) {
        return; /* there nothing is ever pending */
    }
    aclrtStream stream;
    void *memory;
    int32_t value = -1;
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtMalloc(&memory, 4, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(memory, 4, 0, 4));
    aclmock_hold(stream, 1);
    CHECK_OK(aclrtMemsetAsync(memory, 4, 1, 4, stream));
    CHECK_OK(aclrtMemcpy(&value, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST)); /* waits for no stream */
    CHECK_EQ(value, 0);
    aclmock_hold(stream, 0);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtMemcpy(&value, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQ(value, 0x01010101);
}

TEST(a_blocking_copy_sees_what_was_before_pending_work)
{
    under_each(keep_old);
}

/* Streams end while work is pending, held back or waiting for what never comes. */
static void end_early(const char *schedule)
{
    (void)schedule;
    aclrtStream streams[3];
    aclrtEvent event;
    void *memory;
    CHECK_OK(aclrtMalloc(&memory, 4, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    for (int i = 0; i < 3; ++i) {
        CHECK_OK(aclrtCreateStream(&streams[i]));
    }
    aclmock_hold(streams[1], 1);
    CHECK_OK(aclrtStreamWaitEvent(streams[0], event));
    for (int i = 0; i < 3; ++i) {
        CHECK_OK(aclrtMemsetAsync(memory, 4, 1, 4, streams[i]));
    }
    CHECK_OK(aclrtDestroyStreamForce(streams[0]));
    CHECK_OK(aclrtDestroyStreamForce(streams[1]));
    CHECK_OK(aclrtStreamAbort(streams[2]));
    CHECK_OK(aclrtSynchronizeStream(streams[2]));
    CHECK_OK(aclrtDestroyStream(streams[2]));
    CHECK_OK(aclrtDestroyEvent(event));
}

TEST(ends_while_work_is_pending)
{
    under_each(end_early);
}

#define THREADS 4

struct worker {
    pthread_t thread;
    int32_t *memory;
    aclrtFuncHandle increment;
};

static void *launch_many(void *argument)
{
    struct worker *worker = argument;
    struct {
        void *p;
        uint64_t hidden;
    } args = {worker->memory, 0};
    aclrtStream stream;
    aclrtEvent event;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtCreateEvent(&event));
    for (int i = 0; i < ROUNDS; ++i) {
        CHECK_OK(aclrtLaunchKernelWithHostArgs(worker->increment, 1, stream, NULL, &args, sizeof(args), NULL, 0));
        CHECK_OK(aclrtRecordEvent(event, stream));
        if (i % 8 == 0) {
            CHECK_OK(aclrtSynchronizeEvent(event));
        }
    }
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    return NULL;
}

/* Each thread has a stream and a word; nothing is lost. */
static void use_threads(const char *schedule)
{
    (void)schedule;
    struct worker workers[THREADS];
    aclrtBinHandle binary;
    aclrtFuncHandle increment;
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("faults"), NULL, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "increment", &increment));
    for (int i = 0; i < THREADS; ++i) {
        workers[i].increment = increment;
        CHECK_OK(aclrtMalloc((void **)&workers[i].memory, 4, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK_OK(aclrtMemset(workers[i].memory, 4, 0, 4));
    }
    for (int i = 0; i < THREADS; ++i) {
        CHECK_EQ(pthread_create(&workers[i].thread, NULL, launch_many, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        int32_t value;
        pthread_join(workers[i].thread, NULL);
        CHECK_OK(aclrtMemcpy(&value, 4, workers[i].memory, 4, ACL_MEMCPY_DEVICE_TO_HOST));
        CHECK_EQ(value, ROUNDS);
    }
    CHECK_OK(aclrtBinaryUnLoad(binary));
}

TEST(threads_with_a_stream_each)
{
    under_each(use_threads);
}

#define NOTED 60

/* Three streams whose kernels write down who they are, slowly enough for a background tick to meddle. */
static void note_order(const char *schedule, int32_t log[1 + NOTED])
{
    aclrtStream streams[3];
    aclrtBinHandle binary;
    aclrtFuncHandle note;
    int32_t *memory;
    setenv("ACL_MOCK_SCHEDULE", schedule, 1);
    aclmock_reset();
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("order"), NULL, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "note", &note));
    CHECK_OK(aclrtMalloc((void **)&memory, 1024, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(memory, 1024, 0, 1024));
    for (int i = 0; i < 3; ++i) {
        CHECK_OK(aclrtCreateStream(&streams[i]));
    }
    for (int i = 0; i < NOTED; ++i) {
        struct {
            void *log;
            int32_t id;
        } args = {memory, i};
        CHECK_OK(aclrtLaunchKernelWithHostArgs(note, 1, streams[i % 3], NULL, &args, sizeof(args), NULL, 0));
        usleep(i % 20 == 19 ? 5000 : 0);
    }
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_OK(aclrtMemcpy(log, sizeof(int32_t) * (1 + NOTED), memory, sizeof(int32_t) * (1 + NOTED), ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQ(log[0], NOTED);
    CHECK_OK(aclrtResetDeviceForce(0));
}

TEST(a_seed_repeats_its_order)
{
    int32_t first[1 + NOTED], again[1 + NOTED], other[1 + NOTED];
    note_order("random:5", first);
    for (int i = 0; i < 5; ++i) {
        note_order("random:5", again);
        CHECK_BYTES(again, first, sizeof(first));
    }
    note_order("random:6", other);
    CHECK(memcmp(other, first, sizeof(first)) != 0);
}
