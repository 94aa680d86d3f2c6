/* Attributes and numbers of streams, and who is told when they come and go. */
#include "check.h"

#include <stdint.h>

static aclrtStream make(void)
{
    aclrtStream stream;
    CHECK_OK(aclrtCreateStream(&stream));
    return stream;
}

TEST(attributes_come_back)
{
    aclrtStreamAttrValue value = {.userCustomTag = 77};
    uint32_t priority;
    aclrtStream stream;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStreamWithConfig(&stream, 3, 0));
    CHECK_OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
    value.overflowSwitch = 1;
    CHECK_OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value));
    memset(&value, 0xff, sizeof(value));
    CHECK_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
    CHECK_EQ(value.userCustomTag, 77);
    CHECK_EQ(value.reserve[3], 0);
    CHECK_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value));
    CHECK_EQ(value.overflowSwitch, 1);
    CHECK_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &value));
    CHECK_EQ(value.cacheOpInfoSwitch, 0);
    CHECK_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value));
    CHECK_EQ(value.streamPriority, 3);
    value.streamPriority = 5;
    CHECK_OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value));
    CHECK_OK(aclrtStreamGetPriority(stream, &priority));
    CHECK_EQ(priority, 5);
    CHECK_OK(aclrtGetStreamAttribute(NULL, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value)); /* the default stream */
    CHECK_EQ(value.userCustomTag, 0);
}

TEST(the_failure_mode_is_an_attribute)
{
    aclrtStreamAttrValue value = {.failureMode = ACL_STOP_ON_FAILURE};
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = make();
    CHECK_OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value));
    value.failureMode = 9;
    CHECK_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value));
    CHECK_EQ(value.failureMode, ACL_STOP_ON_FAILURE);
    value.failureMode = ACL_CONTINUE_ON_FAILURE;
    CHECK_EQ(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

TEST(attributes_are_checked)
{
    aclrtStreamAttrValue value = {0};
    uint32_t number;
    CHECK_EQ(aclrtSetStreamAttribute(NULL, ACL_STREAM_ATTR_PRIORITY, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtGetStreamAttribute(NULL, ACL_STREAM_ATTR_PRIORITY, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtSetStreamAttribute((aclrtStream)8, ACL_STREAM_ATTR_PRIORITY, &value), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtGetStreamAttribute((aclrtStream)8, ACL_STREAM_ATTR_PRIORITY, &value), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtGetStreamAvailableNum(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtGetStreamAvailableNum(&number), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtGetThreadLastTaskId(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclrtSetStreamAttribute(NULL, (aclrtStreamAttr)0, &value), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtGetStreamAttribute(NULL, (aclrtStreamAttr)6, &value), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("expected 1 to 5");
}

TEST(streams_that_are_left_are_counted)
{
    uint32_t before, after;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetStreamAvailableNum(&before));
    aclrtStream stream = make();
    CHECK_OK(aclrtGetStreamAvailableNum(&after));
    CHECK_EQ(after, before - 1);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtGetStreamAvailableNum(&after));
    CHECK_EQ(after, before);
}

TEST(the_last_task_has_a_number)
{
    uint32_t first, second;
    void *memory;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtGetThreadLastTaskId(&first));
    CHECK_EQ(first, 0xFFFFFFFF);
    CHECK_OK(aclrtMemsetAsync(memory, 64, 0, 64, NULL));
    CHECK_OK(aclrtGetThreadLastTaskId(&first));
    CHECK_OK(aclrtMemsetAsync(memory, 64, 0, 64, NULL));
    CHECK_OK(aclrtGetThreadLastTaskId(&second));
    CHECK_EQ(second, first + 1);
}

/* ---- callbacks ---------------------------------------------------------------------------------------- */

struct told {
    int calls;
    aclrtStream stream;
    aclrtStreamState state;
};

static void tell(aclrtStream stream, aclrtStreamState state, void *args)
{
    struct told *told = args;
    ++told->calls;
    told->stream = stream;
    told->state = state;
}

static void use_it(aclrtStream stream, aclrtStreamState state, void *args)
{
    int32_t *id = args;
    (void)state;
    CHECK_OK(aclrtStreamGetId(stream, id)); /* it is alive both times */
}

TEST(callbacks_hear_of_streams)
{
    struct told one = {0, NULL, 0}, two = {0, NULL, 0};
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtRegStreamStateCallback("one", tell, &one));
    aclrtStream stream = make();
    CHECK_EQ(one.calls, 1);
    CHECK_EQ(one.stream, stream);
    CHECK_EQ(one.state, ACL_RT_STREAM_STATE_CREATE_POST);
    CHECK_OK(aclrtRegStreamStateCallback("one", tell, &two)); /* the same name replaces */
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_EQ(one.calls, 1);
    CHECK_EQ(two.calls, 1);
    CHECK_EQ(two.stream, stream);
    CHECK_EQ(two.state, ACL_RT_STREAM_STATE_DESTROY_PRE);
    CHECK_OK(aclrtRegStreamStateCallback("two", tell, &one));
    CHECK_OK(aclrtDestroyStreamForce(make()));
    CHECK_EQ(one.calls, 3);
    CHECK_EQ(two.calls, 3);
    CHECK_OK(aclrtRegStreamStateCallback("one", NULL, NULL));
    CHECK_OK(aclrtRegStreamStateCallback("never", NULL, NULL));
    CHECK_OK(aclrtDestroyStream(make()));
    CHECK_EQ(two.calls, 3);
    CHECK_EQ(one.calls, 5);
    CHECK_EQ(aclrtRegStreamStateCallback(NULL, tell, NULL), ACL_ERROR_INVALID_PARAM);
}

TEST(a_callback_may_use_the_stream)
{
    int32_t id = -1;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtRegStreamStateCallback("use", use_it, &id));
    aclrtStream stream = make();
    CHECK(id >= 0);
    id = -1;
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK(id >= 0);
}

TEST(there_is_room_for_so_many)
{
    char name[16];
    struct told told = {0, NULL, 0};
    int count = 0;
    CHECK_OK(aclrtSetDevice(0));
    do {
        snprintf(name, sizeof(name), "name %d", count++);
    } while (aclrtRegStreamStateCallback(name, tell, &told) == ACL_SUCCESS);
    CHECK_SAID("at most 32 names");
    make();
    CHECK_EQ(told.calls, 32);
    CHECK_OK(aclrtRegStreamStateCallback("name 0", NULL, NULL));
    aclmock_fail_host_alloc(0);
    CHECK_EQ(aclrtRegStreamStateCallback("more", tell, &told), ACL_ERROR_RT_MEMORY_ALLOCATION);
    aclmock_fail_host_alloc(1);
    CHECK_EQ(aclrtRegStreamStateCallback("more", tell, &told), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK_OK(aclrtRegStreamStateCallback("more", tell, &told));
}
