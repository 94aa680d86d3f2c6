/* Events: both families, waiting across streams, queries, time. */
#include <pthread.h>
#include <unistd.h>

#include "check.h"

struct setup {
    aclrtStream first;
    aclrtStream second;
    int *host;
    void *memory;
};

static struct setup start(void)
{
    struct setup setup;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&setup.first));
    CHECK_OK(aclrtCreateStream(&setup.second));
    CHECK_OK(aclrtMallocHost((void **)&setup.host, sizeof(*setup.host)));
    CHECK_OK(aclrtMalloc(&setup.memory, sizeof(*setup.host), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(setup.memory, 4, 0, 4));
    return setup;
}

/* The second stream reads what the first writes, an event between them. */
static void pass_on(const struct setup *setup, aclrtEvent event)
{
    CHECK_OK(aclrtMemsetAsync(setup->memory, 4, 7, 4, setup->first));
    CHECK_OK(aclrtRecordEvent(event, setup->first));
    CHECK_OK(aclrtStreamWaitEvent(setup->second, event));
    CHECK_OK(aclrtMemcpyAsync(setup->host, 4, setup->memory, 4, ACL_MEMCPY_DEVICE_TO_HOST, setup->second));
    CHECK_OK(aclrtSynchronizeStream(setup->second));
    CHECK_EQ(*setup->host, 0x07070707);
}

TEST(a_wait_brings_the_other_stream_along)
{
    struct setup setup = start();
    aclrtEvent event;
    CHECK_OK(aclrtCreateEvent(&event));
    pass_on(&setup, event);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtMemset(setup.memory, 4, 0, 4));
    CHECK_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    pass_on(&setup, event);
    CHECK_OK(aclrtDestroyEvent(event));
}

TEST(a_destroyed_event_still_holds_what_was_queued)
{
    struct setup setup = start();
    aclrtEvent event;
    CHECK_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    aclmock_hold(setup.first, 1);
    CHECK_OK(aclrtMemsetAsync(setup.memory, 4, 5, 4, setup.first));
    CHECK_OK(aclrtRecordEvent(event, setup.first));
    CHECK_OK(aclrtStreamWaitEvent(setup.second, event));
    CHECK_OK(aclrtMemcpyAsync(setup.host, 4, setup.memory, 4, ACL_MEMCPY_DEVICE_TO_HOST, setup.second));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_EQ(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtSynchronizeStreamWithTimeout(setup.second, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    aclmock_hold(setup.first, 0);
    CHECK_OK(aclrtSynchronizeStream(setup.second));
    CHECK_EQ(*setup.host, 0x05050505);
}

static void *record_later(void *argument)
{
    void **arguments = argument;
    CHECK_OK(aclrtSetDevice(0));
    usleep(5000);
    CHECK_OK(aclrtRecordEvent(arguments[0], arguments[1]));
    CHECK_OK(aclrtResetDevice(0));
    return NULL;
}

TEST(a_wait_may_come_before_the_record)
{
    struct setup setup = start();
    aclrtEvent event;
    pthread_t thread;
    CHECK_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    CHECK_OK(aclrtStreamWaitEvent(setup.second, event));
    aclrtEventWaitStatus waits;
    CHECK_OK(aclrtQueryEventWaitStatus(event, &waits));
    CHECK_EQ(waits, ACL_EVENT_WAIT_STATUS_NOT_READY);
    CHECK_EQ(pthread_create(&thread, NULL, record_later, (void *[]){event, setup.first}), 0);
    CHECK_OK(aclrtSynchronizeStream(setup.second));
    pthread_join(thread, NULL);
    CHECK_OK(aclrtQueryEventWaitStatus(event, &waits));
    CHECK_EQ(waits, ACL_EVENT_WAIT_STATUS_COMPLETE);
    /* Once reset, it takes another record. */
    CHECK_OK(aclrtResetEvent(event, setup.second));
    CHECK_OK(aclrtStreamWaitEvent(setup.second, event));
    CHECK_EQ(aclrtSynchronizeStreamWithTimeout(setup.second, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtRecordEvent(event, setup.first));
    CHECK_OK(aclrtSynchronizeStream(setup.second));
    CHECK_OK(aclrtDestroyEvent(event));
}

TEST(an_event_without_sync_must_be_recorded_first)
{
    struct setup setup = start();
    aclrtEvent event;
    CHECK_OK(aclrtCreateEvent(&event));
    CHECK_EQ(aclrtStreamWaitEvent(setup.second, event), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("never recorded");
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_TIME_LINE));
    CHECK_EQ(aclrtStreamWaitEvent(setup.second, event), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_SAID("ACL_EVENT_SYNC");
    CHECK_OK(aclrtDestroyEvent(event));
}

TEST(the_two_queries_count_the_other_way_round)
{
    struct setup setup = start();
    aclrtEvent event;
    aclrtEventStatus status;
    aclrtEventRecordedStatus recorded;
    CHECK_OK(aclrtCreateEvent(&event));
    CHECK_OK(aclrtQueryEvent(event, &status));
    CHECK_EQ(status, ACL_EVENT_STATUS_COMPLETE);
    CHECK_OK(aclrtQueryEventStatus(event, &recorded));
    CHECK_EQ(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    aclmock_hold(NULL, 1);
    CHECK_OK(aclrtRecordEvent(event, setup.first));
    CHECK_OK(aclrtQueryEvent(event, &status));
    CHECK_EQ(status, ACL_EVENT_STATUS_NOT_READY);
    CHECK_EQ(aclrtSynchronizeEventWithTimeout(event, 5), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    aclmock_hold(NULL, 0);
    CHECK_OK(aclrtSynchronizeEvent(event));
    CHECK_OK(aclrtQueryEventStatus(event, &recorded));
    CHECK_EQ(recorded, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    CHECK_OK(aclrtDestroyEvent(event));
}

TEST(a_second_record_replaces_the_first_but_not_for_those_who_wait)
{
    struct setup setup = start();
    aclrtEvent event;
    aclrtEventRecordedStatus recorded;
    CHECK_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    CHECK_OK(aclrtRecordEvent(event, setup.first));
    CHECK_OK(aclrtStreamWaitEvent(NULL, event));
    aclmock_hold(setup.second, 1);
    CHECK_OK(aclrtRecordEvent(event, setup.second));
    CHECK_OK(aclrtSynchronizeStream(NULL)); /* waits for the first record */
    CHECK_OK(aclrtQueryEventStatus(event, &recorded));
    CHECK_EQ(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    CHECK_OK(aclrtDestroyStreamForce(setup.second)); /* whoever waits for what is dropped goes on */
    CHECK_OK(aclrtSynchronizeEvent(event));
    CHECK_OK(aclrtDestroyEvent(event));
}

TEST(time_between_events)
{
    struct setup setup = start();
    aclrtEvent events[3];
    float ms = -1;
    uint64_t stamps[2];
    for (int i = 0; i < 3; ++i) {
        CHECK_OK(aclrtCreateEventExWithFlag(&events[i], i < 2 ? ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE : ACL_EVENT_SYNC));
    }
    CHECK_EQ(aclrtEventElapsedTime(&ms, events[0], events[1]), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_SAID("startEvent was never recorded");
    CHECK_OK(aclrtRecordEvent(events[0], setup.first));
    CHECK_OK(aclrtSynchronizeEvent(events[0]));
    usleep(2000);
    aclmock_hold(setup.first, 1);
    CHECK_OK(aclrtRecordEvent(events[1], setup.first));
    CHECK_EQ(aclrtEventElapsedTime(&ms, events[0], events[1]), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    CHECK_EQ(aclrtEventGetTimestamp(events[1], &stamps[1]), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    aclmock_hold(setup.first, 0);
    CHECK_OK(aclrtRecordEvent(events[2], setup.first));
    CHECK_OK(aclrtSynchronizeStream(setup.first));
    CHECK_OK(aclrtEventElapsedTime(&ms, events[0], events[1]));
    CHECK(ms >= 2);
    float back;
    CHECK_OK(aclrtEventElapsedTime(&back, events[1], events[0]));
    CHECK(back == -ms);
    CHECK_OK(aclrtEventGetTimestamp(events[0], &stamps[0]));
    CHECK_OK(aclrtEventGetTimestamp(events[1], &stamps[1]));
    CHECK((float)(stamps[1] - stamps[0]) / 1000 > ms - 0.01f && (float)(stamps[1] - stamps[0]) / 1000 < ms + 0.01f);
    CHECK_OK(aclrtEventElapsedTime(&ms, events[0], events[2])); /* without ACL_EVENT_TIME_LINE: 0 */
    CHECK(ms == 0);
}

TEST(a_wait_with_a_limit_ends)
{
    struct setup setup = start();
    aclrtEvent event;
    CHECK_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    aclmock_hold(setup.first, 1);
    CHECK_OK(aclrtRecordEvent(event, setup.first));
    CHECK_OK(aclrtStreamWaitEventWithTimeout(setup.second, event, 1));
    CHECK_EQ(aclrtSynchronizeStream(setup.second), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    CHECK_SAID("1 s");
    CHECK_OK(aclrtSynchronizeStream(setup.second));
}

TEST(a_device_reset_ends_events)
{
    struct setup setup = start();
    aclrtEvent event;
    CHECK_OK(aclrtCreateEvent(&event));
    CHECK_OK(aclrtRecordEvent(event, setup.first));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQ(aclrtSynchronizeEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_SAID("reset");
    CHECK_EQ(aclmock_live(ACLMOCK_EVENTS), 0);
}
