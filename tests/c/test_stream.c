/* Streams: order, waiting, ends. */
#include "check.h"

TEST(work_waits_for_whoever_waits)
{
    aclrtStream stream;
    int *host;
    void *memory;
    aclrtStreamStatus status;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtMallocHost((void **)&host, sizeof(*host)));
    CHECK_OK(aclrtMalloc(&memory, sizeof(*host), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemsetAsync(memory, 4, 3, 4, stream));
    CHECK_OK(aclrtMemcpyAsync(host, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    do {
        CHECK_OK(aclrtStreamQuery(stream, &status)); /* asking alone gets there */
    } while (status == ACL_STREAM_STATUS_NOT_READY);
    CHECK_EQ(*host, 0x03030303);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtFreeHost(host));
    CHECK_OK(aclrtDestroyStream(stream));
}

TEST(timeouts)
{
    aclrtStream stream;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, -1));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, 10));
    CHECK_EQ(aclrtSynchronizeStreamWithTimeout(stream, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtSynchronizeStreamWithTimeout(stream, -2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("-2");
    CHECK_OK(aclrtDestroyStream(stream));
}

TEST(null)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtDestroyStream(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtStreamQuery(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSynchronizeStream(NULL)); /* the default stream */
}

TEST(only_its_own_context_ends_a_stream)
{
    aclrtStream stream;
    aclrtContext own;
    aclrtContext other;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_OK(aclrtSynchronizeStream(stream)); /* waiting is free for all */
    CHECK_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtSetCurrentContext(own));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtDestroyContext(other));
}
