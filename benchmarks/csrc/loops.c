/* The measured loops. Each returns nanoseconds a call, or a negative code when a call failed. What one thread does is
 * counted in time of its own, so that others on the machine matter less; what threads do together, by the clock.
 *
 * A table of function pointers stands for a library, so that the floor and the mock are called the same way.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <acl/acl_rt.h>
#include <aclmock/aclmock.h>
#include <aclmock/kernel.h>

#define BATCH 512 /* launches between two synchronizes */
#define DATA_SIZE 64
#define PTR_AT 32
#define DATA_AT 40
#define ARGS_SIZE (DATA_AT + DATA_SIZE)
#define THREADS_MAX 64

/* What both libraries have, and what only the mock has. */
#define BOTH(X)                                                                                                  \
    X(aclrtKernelArgsInit) X(aclrtKernelArgsAppend) X(aclrtKernelArgsAppendPlaceHolder)                          \
    X(aclrtKernelArgsGetPlaceHolderBuffer) X(aclrtKernelArgsFinalize) X(aclrtLaunchKernelWithConfig)             \
    X(aclrtLaunchKernelWithHostArgs) X(aclrtSynchronizeStream)
#define MOCK(X)                                                                                                  \
    X(aclrtSetDevice) X(aclrtResetDevice) X(aclrtCreateStream) X(aclrtDestroyStream) X(aclrtBinaryGetFunction)   \
    X(aclrtMalloc) X(aclrtFree) X(aclrtMemcpy) X(aclmock_make_binary) X(aclmock_host_address)                    \
    X(aclrtGetCurrentContext) X(aclrtSetCurrentContext)

#define MEMBER(name) __typeof__(name) *name;

struct bench {
    BOTH(MEMBER)
    MOCK(MEMBER)
    aclrtFuncHandle empty;
    aclrtFuncHandle range;
    aclrtStream stream;
    aclrtContext context;
};

static double ns_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double now_ns(void)
{
    return ns_of(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- kernels ------------------------------------------------------------------------------------------ */

static void run_empty(aclmock_ctx *ctx)
{
    (void)ctx;
}

struct range_job {
    const uint64_t *addresses;
    long count;
    long lookups;
    double ns;
};

static struct range_job range_job;

static void run_range(aclmock_ctx *ctx)
{
    double start = now_ns();
    long at = 0;
    for (long i = 0; i < range_job.lookups; ++i) {
        *(volatile char *)aclmock_gm(ctx, range_job.addresses[at], 256);
        at = at + 1 == range_job.count ? 0 : at + 1;
    }
    range_job.ns = (now_ns() - start) / (double)range_job.lookups;
}

/* ---- opening ------------------------------------------------------------------------------------------ */

static int open_mock(struct bench *bench)
{
    static const aclmock_kernel kernels[] = {{.name = "empty", .run = run_empty}, {.name = "range", .run = run_range}};
    aclrtBinHandle binary;
    return bench->aclrtSetDevice(0) || bench->aclrtCreateStream(&bench->stream) ||
           bench->aclrtGetCurrentContext(&bench->context) || bench->aclmock_make_binary(kernels, 2, &binary) ||
           bench->aclrtBinaryGetFunction(binary, "empty", &bench->empty) ||
           bench->aclrtBinaryGetFunction(binary, "range", &bench->range);
}

/* NULL: dlerror() says why, or the mock's own message. */
struct bench *bench_open(const char *path, int mock);
struct bench *bench_open(const char *path, int mock)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    struct bench *bench = calloc(1, sizeof(*bench));
    if (library == NULL || bench == NULL) {
        return NULL;
    }
#define FIND(name)                                                  \
    if ((*(void **)&bench->name = dlsym(library, #name)) == NULL) { \
        return NULL;                                                \
    }
    BOTH(FIND)
    if (mock) {
        MOCK(FIND)
        return open_mock(bench) == 0 ? bench : NULL;
    }
    bench->empty = bench;
    return bench;
}

/* ---- launches: three device pointers, an int32 and 64 bytes behind a placeholder ------------------------ */

struct payload {
    uint64_t pointers[3];
    int32_t number;
    uint8_t data[DATA_SIZE];
};

static int launch_host_args(const struct bench *bench, aclrtStream stream, const struct payload *payload)
{
    _Alignas(8) uint8_t args[ARGS_SIZE];
    aclrtPlaceHolderInfo holder = {PTR_AT, DATA_AT};
    memcpy(args, payload->pointers, sizeof(payload->pointers));
    memcpy(args + 24, &payload->number, sizeof(payload->number));
    memcpy(args + DATA_AT, payload->data, DATA_SIZE);
    return bench->aclrtLaunchKernelWithHostArgs(bench->empty, 1, stream, NULL, args, ARGS_SIZE, &holder, 1);
}

static int launch_handle(const struct bench *bench, aclrtStream stream, struct payload *payload)
{
    aclrtArgsHandle list;
    aclrtParamHandle param;
    void *data;
    int bad = bench->aclrtKernelArgsInit(bench->empty, &list);
    for (int i = 0; i < 3; ++i) {
        bad |= bench->aclrtKernelArgsAppend(list, &payload->pointers[i], sizeof(uint64_t), &param);
    }
    bad |= bench->aclrtKernelArgsAppend(list, &payload->number, sizeof(payload->number), &param);
    bad |= bench->aclrtKernelArgsAppendPlaceHolder(list, &param);
    bad |= bench->aclrtKernelArgsGetPlaceHolderBuffer(list, param, DATA_SIZE, &data);
    memcpy(data, payload->data, DATA_SIZE);
    bad |= bench->aclrtKernelArgsFinalize(list);
    bad |= bench->aclrtLaunchKernelWithConfig(bench->empty, 1, stream, NULL, list, NULL);
    return bad;
}

/* The time includes running the kernels. */
static int launch_many(const struct bench *bench, aclrtStream stream, long count, int handle)
{
    struct payload payload = {{0x12c000000000, 0x12c000001000, 0x12c000002000}, 42, {7}};
    int bad = 0;
    for (long i = 0; i < count && bad == 0; ++i) {
        bad = handle ? launch_handle(bench, stream, &payload) : launch_host_args(bench, stream, &payload);
        if (i % BATCH == BATCH - 1) {
            bad |= bench->aclrtSynchronizeStream(stream);
        }
    }
    return bad | bench->aclrtSynchronizeStream(stream);
}

double bench_launch(const struct bench *bench, long count, int handle);
double bench_launch(const struct bench *bench, long count, int handle)
{
    double start = now_ns();
    int bad = launch_many(bench, bench->stream, count, handle);
    return bad != 0 ? -bad : (now_ns() - start) / (double)count;
}

/* ---- threads ------------------------------------------------------------------------------------------ */

struct worker {
    pthread_t thread;
    const struct bench *bench;
    pthread_barrier_t *start;
    aclrtStream stream;
    long count;
    int bad;
    double began;
    double ended;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    const struct bench *bench = worker->bench;
    worker->bad = bench->aclrtSetCurrentContext(bench->context);
    pthread_barrier_wait(worker->start);
    worker->began = ns_of(CLOCK_MONOTONIC);
    worker->bad |= launch_many(bench, worker->stream, worker->count, 0);
    worker->ended = ns_of(CLOCK_MONOTONIC);
    return NULL;
}

/* Nanoseconds a launch, over all threads together: half of it with twice the threads is perfect. */
double bench_threads(const struct bench *bench, int threads, long count);
double bench_threads(const struct bench *bench, int threads, long count)
{
    struct worker workers[THREADS_MAX];
    pthread_barrier_t start;
    pthread_attr_t attributes;
    cpu_set_t all;
    int bad = 0;
    CPU_ZERO(&all);
    for (int i = 0; i < CPU_SETSIZE; ++i) {
        CPU_SET(i, &all); /* the main thread is pinned, its children would be too */
    }
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof(all), &all);
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int i = 0; i < threads; ++i) {
        workers[i] = (struct worker){.bench = bench, .start = &start, .count = count};
        bad |= bench->aclrtCreateStream(&workers[i].stream);
        if (pthread_create(&workers[i].thread, &attributes, work, &workers[i]) != 0) {
            abort(); /* the others would wait for ever */
        }
    }
    double began = 0;
    double ended = 0;
    for (int i = 0; i < threads; ++i) {
        pthread_join(workers[i].thread, NULL);
        bad |= workers[i].bad | bench->aclrtDestroyStream(workers[i].stream);
        began = i == 0 || workers[i].began < began ? workers[i].began : began;
        ended = workers[i].ended > ended ? workers[i].ended : ended;
    }
    pthread_barrier_destroy(&start);
    pthread_attr_destroy(&attributes);
    return bad != 0 ? -1 : (ended - began) / (double)(threads * count);
}

/* ---- memory ------------------------------------------------------------------------------------------- */

static int run_lookups(const struct bench *bench, const uint64_t *addresses, long allocations, long lookups)
{
    uint64_t unused = 0;
    range_job = (struct range_job){addresses, allocations, lookups, 0};
    return bench->aclrtLaunchKernelWithHostArgs(bench->range, 1, bench->stream, NULL, &unused, sizeof(unused), NULL, 0) |
           bench->aclrtSynchronizeStream(bench->stream);
}

/* A kernel's range check of a device pointer, with so many live allocations that it asks about in turn. */
double bench_range(const struct bench *bench, long allocations, long lookups);
double bench_range(const struct bench *bench, long allocations, long lookups)
{
    uint64_t *addresses = calloc((size_t)allocations, sizeof(*addresses));
    int bad = addresses == NULL;
    for (long i = 0; i < allocations && bad == 0; ++i) {
        void *memory = NULL;
        bad = bench->aclrtMalloc(&memory, 512, ACL_MEM_MALLOC_HUGE_FIRST);
        addresses[i] = (uint64_t)(uintptr_t)memory;
    }
    bad = bad == 0 ? run_lookups(bench, addresses, allocations, lookups) : bad;
    for (long i = 0; addresses != NULL && i < allocations; ++i) {
        bad |= bench->aclrtFree((void *)(uintptr_t)addresses[i]);
    }
    free(addresses);
    return bad != 0 ? -1 : range_job.ns;
}

/* Copies to the same device memory: through aclrtMemcpy, or memcpy to where the mock keeps it. */
double bench_memcpy(const struct bench *bench, size_t size, long count, int plain);
double bench_memcpy(const struct bench *bench, size_t size, long count, int plain)
{
    void *memory = NULL;
    char *host = malloc(size);
    int bad = host == NULL || bench->aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST);
    if (bad) {
        free(host);
        return -1;
    }
    void *target = bench->aclmock_host_address(memory);
    memset(host, 1, size);
    memset(target, 2, size);
    double start = now_ns();
    for (long i = 0; i < count; ++i) {
        if (plain) {
            memcpy(target, host, size);
            __asm__ volatile("" ::"r"(target) : "memory"); /* or all but one copy would be left out */
        } else {
            bad |= bench->aclrtMemcpy(memory, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE);
        }
    }
    double ns = (now_ns() - start) / (double)count;
    bad |= bench->aclrtFree(memory);
    free(host);
    return bad != 0 ? -1 : ns;
}
