/* Copies of rows, copies in batches, and the cache calls. */
#include "check.h"

#include <stdint.h>

static unsigned char source[64 * 16], target[64 * 16];
static void *memory;
static aclrtStream stream;

static void set_up(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtMalloc(&memory, sizeof(source), ACL_MEM_MALLOC_HUGE_FIRST));
    for (size_t i = 0; i < sizeof(source); ++i) {
        source[i] = (unsigned char)(i * 7 + 1);
    }
}

static void check_rows(size_t width, size_t height)
{
    for (size_t row = 0; row < 16; ++row) {
        for (size_t at = 0; at < 64; ++at) {
            int copied = row < height && at < width;
            CHECK_EQ(target[row * 64 + at], copied ? source[row * 64 + at] : 0);
        }
    }
}

TEST(rows_keep_their_pitches)
{
    set_up();
    CHECK_OK(aclrtMemcpy2d(memory, 24, source, 64, 20, 10, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtMemcpy2d(target, 64, memory, 24, 20, 10, ACL_MEMCPY_DEVICE_TO_HOST));
    check_rows(20, 10);
}

TEST(rows_through_a_stream)
{
    void *other, *host;
    set_up();
    CHECK_OK(aclrtMalloc(&other, sizeof(source), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMallocHost(&host, sizeof(source)));
    CHECK_OK(aclrtMemcpy2dAsync(memory, 64, source, 64, 64, 16, ACL_MEMCPY_HOST_TO_DEVICE, stream)); /* pageable: at once */
    memset(source, 0, 64);
    aclmock_hold(stream, 1);
    CHECK_OK(aclrtMemcpy2dAsync(other, 32, memory, 64, 8, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK_OK(aclrtMemcpy2dAsync(host, 64, other, 32, 8, 4, ACL_MEMCPY_DEFAULT, stream));
    aclmock_hold(stream, 0);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQ(((unsigned char *)host)[0], 1);
    CHECK_BYTES((char *)host + 192, source + 192, 8);
}

TEST(rows_are_checked_in_order)
{
    CHECK_OK(aclrtMemcpy2d(NULL, 0, NULL, 0, 0, 1, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtMemcpy2dAsync(NULL, 0, NULL, 0, 1, 0, ACL_MEMCPY_HOST_TO_DEVICE, (aclrtStream)8));
    CHECK_EQ(aclrtMemcpy2d(NULL, 1, source, 1, 1, 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemcpy2d(target, 1, NULL, 1, 1, 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemcpy2d(target, 1, source, 1, 1, 1, ACL_MEMCPY_HOST_TO_HOST), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemcpy2d(target, 1, source, 2, 2, 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("dpitch");
    CHECK_EQ(aclrtMemcpy2d(target, 2, source, 1, 2, 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("spitch");
    CHECK_EQ(aclrtMemcpy2d(target, 2, source, 2, 2, SIZE_MAX, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemcpy2d(target, 2, source, 2, 2, 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtMemcpy2dAsync(target, 2, source, 2, 2, 1, ACL_MEMCPY_HOST_TO_DEVICE, (aclrtStream)8), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtMemcpy2dAsync(target, 2, source, 2, 2, 1, ACL_MEMCPY_HOST_TO_DEVICE, NULL), ACL_ERROR_RT_CONTEXT_NULL);
    set_up();
    CHECK_EQ(aclrtMemcpy2d(memory, 64, source, 64, 64, 17, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("too many");
}

TEST(memory_that_goes_before_the_rows_do_is_a_fault)
{
    void *other;
    set_up();
    CHECK_OK(aclrtMalloc(&other, sizeof(source), ACL_MEM_MALLOC_HUGE_FIRST));
    aclmock_hold(stream, 1);
    CHECK_OK(aclrtMemcpy2dAsync(other, 64, memory, 64, 64, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK_OK(aclrtFree(other));
    aclmock_hold(stream, 0);
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_SYS_DMA);
    CHECK_SAID("2D copy");
}

/* ---- batches ------------------------------------------------------------------------------------------ */

static const aclrtMemcpyBatchAttr to_device = {{0, ACL_MEM_LOCATION_TYPE_DEVICE}, {0, ACL_MEM_LOCATION_TYPE_HOST}, {0}};
static const aclrtMemcpyBatchAttr to_host = {{0, ACL_MEM_LOCATION_TYPE_HOST}, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, {0}};

TEST(a_batch_copies_both_ways)
{
    set_up();
    void *dsts[] = {memory, (char *)memory + 64, target, target + 128};
    void *srcs[] = {source, source + 64, memory, (char *)memory + 64};
    size_t sizes[] = {64, 32, 64, 32}, rooms[] = {64, 64, 64, 32}, starts[] = {0, 2}, failed = 7;
    aclrtMemcpyBatchAttr attrs[] = {to_device, to_host};
    CHECK_OK(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 4, attrs, starts, 2, &failed));
    CHECK_EQ(failed, SIZE_MAX);
    CHECK_BYTES(target, source, 64);
    CHECK_BYTES(target + 128, source + 64, 32);
    memset(target, 0, sizeof(target));
    CHECK_OK(aclrtMemcpyBatchAsync(dsts, rooms, srcs, sizes, 4, attrs, starts, 2, &failed, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_BYTES(target + 128, source + 64, 32);
}

TEST(a_batch_stops_at_the_first_bad_entry)
{
    set_up();
    void *dsts[] = {memory, (char *)memory + 64, NULL, (char *)memory + 128};
    void *srcs[] = {source, source, source, source};
    size_t sizes[] = {64, 65, 1, 1}, rooms[] = {64, 64, 64, 64}, starts[] = {0}, failed;
    aclrtMemcpyBatchAttr attrs[] = {to_device};
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 4, attrs, starts, 1, &failed), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(failed, 1);
    CHECK_OK(aclrtMemcpy(target, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_BYTES(target, source, 64); /* those before it are copied */
    sizes[1] = 64;
    CHECK_EQ(aclrtMemcpyBatchAsync(dsts, rooms, srcs, sizes, 4, attrs, starts, 1, &failed, stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(failed, 2);
    dsts[2] = target; /* no device memory */
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 4, attrs, starts, 1, &failed), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("should be device memory");
    attrs[0].dstLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 4, attrs, starts, 1, &failed), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(failed, 0);
}

TEST(batches_are_checked)
{
    void *dsts[] = {target}, *srcs[] = {source};
    size_t sizes[] = {1}, rooms[] = {1}, starts[] = {0, 0}, failed;
    aclrtMemcpyBatchAttr attrs[] = {to_device, to_device};
    CHECK_EQ(aclrtMemcpyBatch(NULL, rooms, srcs, sizes, 1, attrs, starts, 1, &failed), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("dsts is NULL");
    CHECK_EQ(aclrtMemcpyBatch(dsts, NULL, srcs, sizes, 1, attrs, starts, 1, &failed), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, NULL, sizes, 1, attrs, starts, 1, &failed), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, NULL, 1, attrs, starts, 1, &failed), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 1, NULL, starts, 1, &failed), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 1, attrs, NULL, 1, &failed), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 1, attrs, starts, 1, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 0, attrs, starts, 1, &failed), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("numBatches is 0");
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 1, attrs, starts, 2, &failed), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 2, attrs, starts, 2, &failed), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("ascend");
    starts[0] = 1;
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 2, attrs, starts, 1, &failed), ACL_ERROR_RT_PARAM_INVALID);
    starts[0] = 0;
    CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 1, attrs, starts, 1, &failed), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtMemcpyBatchAsync(dsts, rooms, srcs, sizes, 1, attrs, starts, 1, &failed, (aclrtStream)8), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtMemcpyBatchAsync(dsts, rooms, srcs, sizes, 1, attrs, starts, 1, &failed, NULL), ACL_ERROR_RT_CONTEXT_NULL);
}

TEST(the_cache_calls_check_their_arguments)
{
    set_up();
    CHECK_EQ(aclrtMemFlush(NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemFlush(memory, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemInvalidate(NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemInvalidate(memory, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtMemFlush(memory, 64));
    CHECK_OK(aclrtMemInvalidate(memory, 64));
}
