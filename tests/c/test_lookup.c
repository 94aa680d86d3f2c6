/* Threads that load, look up, register and unload at once. */
#include "check.h"

#include <pthread.h>
#include <stdint.h>

enum { THREADS = 4, ROUNDS = 60 };

static aclrtBinHandle shared;
static aclrtFuncHandle found[THREADS];

static aclrtBinHandle load(uint32_t lazy)
{
    aclrtBinHandle binary;
    aclrtBinaryLoadOption option = {.type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, .value = {.isLazyLoad = lazy}};
    aclrtBinaryLoadOptions options = {&option, 1};
    char path[4096];
    snprintf(path, sizeof(path), "%s/idle.o", check_folder("CHECK_KERNELS"));
    CHECK_OK(aclrtBinaryLoadFromFile(path, &options, &binary));
    return binary;
}

static void look_up(aclrtBinHandle binary, aclrtFuncHandle *function)
{
    void *aic;
    void *aiv;
    void *base;
    size_t size;
    CHECK_OK(aclrtBinaryGetFunction(binary, "idle", function));
    CHECK_OK(aclrtGetFunctionAddr(*function, &aic, &aiv));
    CHECK_OK(aclrtBinaryGetDevAddress(binary, &base, &size));
    CHECK(base != NULL && (char *)aic > (char *)base);
}

static void *look_up_on_a_device(void *argument)
{
    intptr_t i = (intptr_t)argument;
    aclrtStream stream;
    uint64_t args[5] = {0};
    CHECK_OK(aclrtSetDevice((int32_t)(i % 2)));
    look_up(shared, &found[i]);
    CHECK_OK(aclrtCreateStream(&stream));
    for (int round = 0; round < ROUNDS; ++round) {
        CHECK_OK(aclrtLaunchKernelWithHostArgs(found[i], 1, stream, NULL, args, sizeof(args), NULL, 0));
    }
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyStream(stream));
    return NULL;
}

static void look_up_at_once(uint32_t lazy)
{
    shared = load(lazy);
    check_in_threads(THREADS, look_up_on_a_device);
    for (int i = 1; i < THREADS; ++i) {
        CHECK_EQ(found[i], found[0]);
    }
    CHECK_OK(aclrtBinaryUnLoad(shared));
}

TEST(a_binary_is_looked_up_on_two_devices_at_once)
{
    look_up_at_once(0);
}

TEST(a_lazily_loaded_binary_is_looked_up_at_once)
{
    look_up_at_once(1);
}

static void *load_and_unload(void *argument)
{
    (void)argument;
    CHECK_OK(aclrtSetDevice(0));
    for (int round = 0; round < ROUNDS / 4; ++round) {
        aclrtFuncHandle function;
        aclrtBinHandle binary = load(round % 2);
        look_up(binary, &function);
        CHECK_OK(aclrtBinaryUnLoad(binary));
    }
    return NULL;
}

TEST(threads_load_and_unload)
{
    check_in_threads(THREADS, load_and_unload);
    CHECK_EQ(aclmock_live(ACLMOCK_BINARIES), 0);
    CHECK_EQ(aclmock_live(ACLMOCK_FUNCTIONS), 0);
}

static void *register_functions(void *argument)
{
    (void)argument;
    CHECK_OK(aclrtSetDevice(0));
    for (int round = 0; round < ROUNDS; ++round) {
        char name[32];
        aclrtFuncHandle registered;
        aclrtFuncHandle again;
        snprintf(name, sizeof(name), "Op%d", round);
        CHECK_OK(aclrtRegisterCpuFunc(shared, "Run", name, &registered));
        CHECK_OK(aclrtBinaryGetFunction(shared, name, &again));
        CHECK_EQ(registered, again);
        CHECK_EQ(aclrtBinaryGetFunction(shared, "nope", &again), ACL_ERROR_RT_PARAM_INVALID);
    }
    return NULL;
}

TEST(threads_register_ai_cpu_functions)
{
    aclrtBinaryLoadOption option = {.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, .value = {.cpuKernelMode = 2}};
    aclrtBinaryLoadOptions options = {&option, 1};
    CHECK_OK(aclrtBinaryLoadFromData("library", 7, &options, &shared));
    check_in_threads(THREADS, register_functions);
    CHECK_EQ(aclmock_live(ACLMOCK_FUNCTIONS), ROUNDS);
    CHECK_OK(aclrtBinaryUnLoad(shared));
}
