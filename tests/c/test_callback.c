/* Functions that streams call: on a thread of the context's, and on one that the program lends. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

static _Atomic int calls;
static pthread_t caller;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void note(void *data)
{
    caller = pthread_self();
    *(int *)data = atomic_fetch_add(&calls, 1) + 1;
}

static void pass_gate(void *data)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    note(data);
}

static aclrtStream start(void)
{
    aclrtStream stream;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    return stream;
}

TEST(host_functions_run_in_order_on_another_thread)
{
    aclrtStream stream = start();
    int order[3] = {0};
    for (int i = 0; i < 3; ++i) {
        CHECK_OK(aclrtLaunchHostFunc(stream, note, &order[i]));
    }
    CHECK_OK(aclrtSynchronizeStream(stream));
    for (int i = 0; i < 3; ++i) {
        CHECK_EQ(order[i], i + 1);
    }
    CHECK(!pthread_equal(caller, pthread_self()));
}

/* The waiter has what the function needs: only a limit saves it, and must. */
TEST(a_function_that_needs_the_waiter)
{
    aclrtStream stream = start();
    int order = 0;
    pthread_mutex_lock(&gate);
    CHECK_OK(aclrtLaunchHostFunc(stream, pass_gate, &order));
    CHECK_EQ(aclrtSynchronizeStreamWithTimeout(stream, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    aclrtStreamStatus status;
    CHECK_OK(aclrtStreamQuery(stream, &status));
    CHECK_EQ(status, ACL_STREAM_STATUS_NOT_READY);
    pthread_mutex_unlock(&gate);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQ(order, 1);
}

TEST(a_function_nobody_waits_for_runs_too)
{
    aclrtStream stream = start();
    int order = 0;
    CHECK_OK(aclrtLaunchHostFunc(stream, note, &order));
    while (atomic_load(&calls) == 0) {
        usleep(1000);
    }
    CHECK_OK(aclrtDestroyStream(stream));
}

static aclrtStream own_stream;
static aclError own_result;

static void wait_for_itself(void *data)
{
    aclrtContext context;
    (void)data;
    CHECK_EQ(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetDevice(0));
    own_result = aclrtSynchronizeStream(own_stream);
    CHECK_OK(aclrtResetDevice(0));
}

TEST(a_function_cannot_wait_for_its_stream)
{
    own_stream = start();
    CHECK_OK(aclrtLaunchHostFunc(own_stream, wait_for_itself, NULL));
    CHECK_OK(aclrtSynchronizeStream(own_stream));
    CHECK_EQ(own_result, ACL_ERROR_RT_PARAM_INVALID);
}

TEST(an_end_while_a_function_runs)
{
    aclrtStream stream = start();
    int order = 0;
    int never = 0;
    pthread_mutex_lock(&gate);
    CHECK_OK(aclrtLaunchHostFunc(stream, pass_gate, &order));
    CHECK_OK(aclrtLaunchHostFunc(stream, note, &never));
    usleep(5000);
    CHECK_OK(aclrtResetDeviceForce(0)); /* waits for nothing */
    pthread_mutex_unlock(&gate);
    usleep(5000);
    CHECK_EQ(never, 0);
}

struct listener {
    pthread_t thread;
    _Atomic int ready;
    _Atomic int stop;
    _Atomic int processed;
};

static void *listen(void *argument)
{
    struct listener *listener = argument;
    atomic_store(&listener->ready, 1);
    while (!atomic_load(&listener->stop)) {
        if (aclrtProcessReport(5) == ACL_SUCCESS) {
            atomic_fetch_add(&listener->processed, 1);
        }
    }
    return NULL;
}

static void start_listener(struct listener *listener)
{
    CHECK_EQ(pthread_create(&listener->thread, NULL, listen, listener), 0);
    while (!atomic_load(&listener->ready)) {
        usleep(100);
    }
}

TEST(callbacks_run_on_the_thread_that_processes_reports)
{
    aclrtStream stream = start();
    struct listener listener = {0};
    int order[2] = {0};
    start_listener(&listener);
    CHECK_EQ(aclrtLaunchCallback(note, &order[0], ACL_CALLBACK_BLOCK, stream), ACL_ERROR_RT_STREAM_NO_CB_REG);
    CHECK_OK(aclrtSubscribeReport((uint64_t)listener.thread, stream));
    CHECK_OK(aclrtLaunchCallback(note, &order[0], ACL_CALLBACK_BLOCK, stream));
    CHECK_OK(aclrtSynchronizeStream(stream)); /* which waits for the function */
    CHECK_EQ(order[0], 1);
    CHECK(pthread_equal(caller, listener.thread));
    CHECK_OK(aclrtLaunchCallback(note, &order[1], ACL_CALLBACK_NO_BLOCK, stream));
    CHECK_OK(aclrtSynchronizeStream(stream)); /* which does not */
    while (atomic_load(&calls) < 2) {
        usleep(1000);
    }
    CHECK_OK(aclrtUnSubscribeReport((uint64_t)listener.thread, stream));
    atomic_store(&listener.stop, 1);
    pthread_join(listener.thread, NULL);
    CHECK(atomic_load(&listener.processed) > 0);
}

TEST(a_thread_may_listen_to_itself)
{
    aclrtStream stream = start();
    int order = 0;
    CHECK_EQ(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    CHECK_OK(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
    CHECK_EQ(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT);
    CHECK_OK(aclrtLaunchCallback(note, &order, ACL_CALLBACK_BLOCK, stream));
    CHECK_OK(aclrtProcessReport(-1));
    CHECK_EQ(order, 1);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_EQ(aclrtProcessReport(-1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
}
