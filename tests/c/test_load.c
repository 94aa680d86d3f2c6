/* Much of everything. CHECK_LONG=1 runs the full numbers; without it a short form, for every day. */
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static int is_long(void)
{
    return getenv("CHECK_LONG") != NULL;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long resident_kib(void)
{
    long total = 0;
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL);
    CHECK_EQ(fscanf(file, "%ld %ld", &total, &pages), 2);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static aclrtBinHandle binary;
static aclrtFuncHandle increment;

struct args {
    void *p;
    uint64_t hidden;
};

static void start(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("faults"), NULL, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "increment", &increment));
}

static aclError launch(aclrtStream stream, int32_t *memory)
{
    struct args args = {memory, 0};
    return aclrtLaunchKernelWithHostArgs(increment, 1, stream, NULL, &args, sizeof(args), NULL, 0);
}

static int32_t *new_word(void)
{
    int32_t *memory;
    CHECK_OK(aclrtMalloc((void **)&memory, 4, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(memory, 4, 0, 4));
    return memory;
}

static int32_t word(const int32_t *memory)
{
    int32_t value;
    CHECK_OK(aclrtMemcpy(&value, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    return value;
}

/* ---- launches ----------------------------------------------------------------------------------------- */

#define STREAMS 64
#define THREADS 8

struct crowd {
    pthread_t thread;
    aclrtStream *streams;  /* all threads' */
    int32_t **memory;      /* a word a stream */
    unsigned first;
    int launches;
};

/* Each thread feeds its own eight streams in turn; between them events, so that the next waits for the one before. */
static void *feed(void *argument)
{
    struct crowd *crowd = argument;
    aclrtEvent event;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    for (int i = 0; i < crowd->launches; ++i) {
        unsigned own = crowd->first + (unsigned)i % (STREAMS / THREADS);
        CHECK_OK(launch(crowd->streams[own], crowd->memory[own]));
        if (i % 16 == 0) {
            CHECK_OK(aclrtRecordEvent(event, crowd->streams[own]));
            CHECK_OK(aclrtStreamWaitEvent(crowd->streams[(own + STREAMS / THREADS) % STREAMS], event));
        }
    }
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtResetDevice(0));
    return NULL;
}

TEST(many_launches_from_many_threads)
{
    static aclrtStream streams[STREAMS];
    static int32_t *memory[STREAMS];
    struct crowd crowds[THREADS];
    int launches = is_long() ? 20000 * STREAMS / THREADS : 2000;
    start();
    for (int i = 0; i < STREAMS; ++i) {
        CHECK_OK(aclrtCreateStream(&streams[i]));
        memory[i] = new_word();
    }
    for (unsigned i = 0; i < THREADS; ++i) {
        crowds[i] = (struct crowd){.streams = streams, .memory = memory, .first = i * (STREAMS / THREADS), .launches = launches};
        CHECK_EQ(pthread_create(&crowds[i].thread, NULL, feed, &crowds[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(crowds[i].thread, NULL);
    }
    CHECK_OK(aclrtSynchronizeDevice());
    for (int i = 0; i < STREAMS; ++i) {
        CHECK_EQ(word(memory[i]), launches / (STREAMS / THREADS));
        CHECK_OK(aclrtDestroyStream(streams[i]));
        CHECK_OK(aclrtFree(memory[i]));
    }
}

TEST(launches_leave_nothing_behind)
{
    int launches = is_long() ? 2000000 : 100000;
    aclrtStream stream;
    start();
    CHECK_OK(aclrtCreateStream(&stream));
    int32_t *memory = new_word();
    long before = 0;
    for (int i = 0; i < launches; ++i) {
        CHECK_OK(launch(stream, memory));
        if (i == launches / 10) {
            CHECK_OK(aclrtSynchronizeStream(stream));
            before = resident_kib();
        }
    }
    CHECK_OK(aclrtSynchronizeStream(stream));
    long grown = resident_kib() - before;
    printf("%d launches: %ld KiB more\n", launches, grown);
    CHECK(grown < 8 * 1024);
    CHECK_EQ(word(memory), launches);
}

/* ---- memory ------------------------------------------------------------------------------------------- */

static void **blocks;

static void allocate_to(size_t from, size_t to)
{
    for (size_t i = from; i < to; ++i) {
        CHECK_OK(aclrtMallocAlign32(&blocks[i], 32, ACL_MEM_MALLOC_NORMAL_ONLY));
    }
}

#define LOOK_UPS 100000

/* Seconds for looking up addresses of the first `count` blocks, in no order. */
static double look_up(size_t count)
{
    static char *addresses[LOOK_UPS];
    uint64_t random = 88172645463325252u;
    aclrtPtrAttributes attributes;
    for (size_t i = 0; i < LOOK_UPS; ++i) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        addresses[i] = (char *)blocks[random % count] + 5;
    }
    double start_time = seconds();
    for (size_t i = 0; i < LOOK_UPS; ++i) {
        CHECK_OK(aclrtPointerGetAttributes(addresses[i], &attributes));
        CHECK_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    }
    return seconds() - start_time;
}

TEST(many_blocks)
{
    size_t many = is_long() ? 1000000 : 50000;
    blocks = calloc(many, sizeof(*blocks));
    CHECK_OK(aclrtSetDevice(0));
    allocate_to(0, 1000);
    double few = look_up(1000);
    allocate_to(1000, many);
    double all = look_up(many);
    printf("a look-up among 1,000 blocks: %.0f ns, among %zu: %.0f ns, %.1f times that\n", few * 1e4, many, all * 1e4, all / few);
    for (size_t step = 7919, i = 0, at = 0; i < many; ++i, at = (at + step) % many) { /* in another order; many is no multiple */
        CHECK_OK(aclrtFree(blocks[at]));
        blocks[at] = NULL;
    }
    CHECK_EQ(aclmock_live(ACLMOCK_BLOCKS), 0);
    free(blocks);
}

/* ---- ends --------------------------------------------------------------------------------------------- */

static void *own_args(void *unused)
{
    aclrtArgsHandle args;
    aclrtParamHandle param;
    int64_t value = 3;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtKernelArgsInit(increment, &args));
    CHECK_OK(aclrtKernelArgsAppend(args, &value, 8, &param));
    CHECK_OK(aclrtResetDevice(0));
    pthread_exit(unused); /* in the middle */
}

TEST(a_thread_that_owns_an_argument_list_ends)
{
    start();
    for (int i = 0; i < 200; ++i) {
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, own_args, NULL), 0);
        pthread_join(thread, NULL);
        CHECK_EQ(aclmock_live(ACLMOCK_ARGS), 0);
    }
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) /* their allocators stay locked in a forked child */
enum { CHILD_MAY_ALLOCATE = 0 };
#else
enum { CHILD_MAY_ALLOCATE = 1 };
#endif

/* The child of a process with a thread at work, perhaps with a lock: it is told, and ends. */
static void use_in_a_child(aclrtStream stream)
{
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_DEV_SETUP_ERROR);
    CHECK_HAS(aclGetRecentErrMsg(), "aclrtSynchronizeStream: this process was forked");
    CHECK_EQ(aclrtResetDeviceForce(0), ACL_ERROR_RT_DEV_SETUP_ERROR);
    CHECK_EQ(aclrtSetDevice(0), ACL_ERROR_RT_DEV_SETUP_ERROR);
    CHECK_EQ(aclFinalize(), ACL_ERROR_RT_DEV_SETUP_ERROR);
    aclmock_reset();
    _exit(7);
}

TEST(a_fork_while_work_is_pending)
{
    aclrtStream stream;
    start();
    CHECK_OK(aclrtCreateStream(&stream));
    int32_t *memory = new_word();
    for (int i = 0; i < 20; ++i) {
        for (int j = 0; j < 50; ++j) {
            CHECK_OK(launch(stream, memory));
        }
        pid_t child = fork();
        if (child == 0 && (i % 2 == 0 || !CHILD_MAY_ALLOCATE)) {
            _exit(7); /* a child that leaves the device alone */
        }
        if (child == 0) {
            use_in_a_child(stream);
        }
        int status;
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK_EQ(WEXITSTATUS(status), 7);
    }
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQ(word(memory), 1000);
}

static void fork_here(void *data)
{
    pid_t child = fork();
    if (child == 0 && !CHILD_MAY_ALLOCATE) {
        _exit(0);
    }
    *(pid_t *)data = child;
}

TEST(a_fork_in_a_callback)
{
    aclrtStream stream;
    pid_t child = -1;
    start();
    CHECK_OK(aclrtCreateStream(&stream));
    int32_t *memory = new_word();
    CHECK_OK(aclrtLaunchHostFunc(stream, fork_here, &child));
    CHECK_OK(launch(stream, memory));
    CHECK_OK(aclrtSynchronizeStream(stream));
    int status;
    CHECK_EQ(waitpid(child, &status, 0), child); /* its only thread is the one that called, and ends */
    CHECK_EQ(status, 0);
    CHECK_EQ(word(memory), 1);
}
