/* Copies and fills that go through a stream, and frees that wait for one. */
#include "transfer.h"

#include <string.h>

#include "engine.h"
#include "exception.h"
#include "memcheck.h"
#include "memory.h"
#include "stream.h"

/* ---- tasks -------------------------------------------------------------------------------------------- */

struct copy {
    void *dst;
    const void *src;
    size_t count;
    uint32_t thread; /* who queued it, for exception callbacks */
};

struct fill {
    void *dst;
    size_t count;
    int32_t value;
    uint32_t thread;
};

/* Memory that was there when the task was queued and is not any more. */
void transfer_fail(struct stream *stream, uint32_t thread, const char *what, const void *address, size_t count)
{
    struct text why = {0};
    if (check_on()) {
        memcheck_gone(what, address, count);
    }
    text_add(&why, "%s of %zu bytes: ", what, count);
    memory_explain(address, count, &why);
    exception_raise(stream, ACL_ERROR_RT_SYS_DMA, why.data, (struct rtExceptionInfo){.thread_id = thread});
}

static void run_copy(struct task *task, struct stream *stream)
{
    const struct copy *copy = TASK_PAYLOAD(task, struct copy);
    struct place to;
    struct place from;
    if (!memory_holds(copy->dst, copy->count, &to)) {
        transfer_fail(stream, copy->thread, "copy", copy->dst, copy->count);
    } else if (!memory_holds(copy->src, copy->count, &from)) {
        transfer_fail(stream, copy->thread, "copy", copy->src, copy->count);
    } else {
        if (check_on() && to.kind != PLACE_DEVICE) {
            memcheck_read(&from, copy->src, copy->count);
        }
        memmove(to.host, from.host, copy->count);
    }
}

static void run_fill(struct task *task, struct stream *stream)
{
    const struct fill *fill = TASK_PAYLOAD(task, struct fill);
    struct place to;
    if (memory_holds(fill->dst, fill->count, &to)) {
        memset(to.host, fill->value, fill->count);
    } else {
        transfer_fail(stream, fill->thread, "memset", fill->dst, fill->count);
    }
}

static const struct task_kind copy_kind = {.name = "memcpy", .run = run_copy};
static const struct task_kind fill_kind = {.name = "memset", .run = run_fill};

static aclError no_room_for_task(void)
{
    return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left to queue a task");
}

/* engine_lock, and checks learn which memory the task uses; src may be NULL. */
static struct task *lock_for(struct stream *stream, const char *what, const void *dst, const void *src)
{
    if (!check_on()) {
        return engine_lock(stream);
    }
    memcheck_queueing();
    struct task *task = engine_lock(stream);
    if (task != NULL) {
        struct block_use use = stream_next_use(stream, what);
        memcheck_queued(&use, dst);
        memcheck_queued(&use, src);
    }
    return task;
}

static aclError queue_copy(struct stream *stream, void *dst, const void *src, size_t count)
{
    struct task *task = lock_for(stream, "a copy", dst, src);
    if (task == NULL) {
        return no_room_for_task();
    }
    task->kind = &copy_kind;
    *TASK_PAYLOAD(task, struct copy) = (struct copy){dst, src, count, thread_number()};
    engine_push(stream);
    return ACL_SUCCESS;
}

static aclError queue_fill(struct stream *stream, void *dst, size_t count, int32_t value)
{
    struct task *task = lock_for(stream, "a memset", dst, NULL);
    if (task == NULL) {
        return no_room_for_task();
    }
    task->kind = &fill_kind;
    *TASK_PAYLOAD(task, struct fill) = (struct fill){dst, count, value, thread_number()};
    engine_push(stream);
    return ACL_SUCCESS;
}

/* ---- which copy it really is -------------------------------------------------------------------------- */

static const char *const place_names[] = {"pageable host memory", "page-locked host memory", "device memory"};

static aclrtMemcpyKind true_kind(enum place_kind to, enum place_kind from)
{
    if (to == PLACE_DEVICE) {
        return from == PLACE_DEVICE ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_HOST_TO_DEVICE;
    }
    return from == PLACE_DEVICE ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_HOST;
}

/* Which kinds a caller may name where one side is pageable; elsewhere the kind is simply replaced by the true one. */
static bool kind_fits(aclrtMemcpyKind kind, enum place_kind to, enum place_kind from)
{
    if (kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
        return to == PLACE_DEVICE && from != PLACE_DEVICE;
    }
    if ((to != PLACE_HOST && from != PLACE_HOST) || (to == PLACE_HOST && from == PLACE_HOST)) {
        return true;
    }
    if (to == PLACE_DEVICE || from == PLACE_DEVICE) {
        return kind == true_kind(to, from) || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    }
    return kind == ACL_MEMCPY_HOST_TO_HOST ||
           kind == (to == PLACE_HOST ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST);
}

/* Turns the caller's kind into the one that is carried out. */
static aclError settle_kind(aclrtMemcpyKind *kind, enum place_kind to, enum place_kind from)
{
    if (*kind == ACL_MEMCPY_DEFAULT) {
        *kind = true_kind(to, from);
    }
    if (!kind_fits(*kind, to, from)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1011", "kind is %d, but dst is %s and src is %s", (int)*kind,
                    place_names[to], place_names[from]);
    }
    bool both_known = to != PLACE_HOST && from != PLACE_HOST;
    if (both_known && *kind != ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
        *kind = true_kind(to, from);
    }
    if (*kind == ACL_MEMCPY_HOST_TO_HOST) {
        return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                            "a copy from host to host cannot go through a stream: use memcpy, or aclrtMemcpy");
    }
    return ACL_SUCCESS;
}

/* Pageable memory cannot be read later: wait for the stream, then copy now. */
static aclError copy_now(aclrtStream handle, void *dst, const void *src, size_t count)
{
    struct stream *stream = stream_find(handle); /* of another context is fine here */
    if (stream == NULL) {
        return thread_call.result;
    }
    aclError code = stream_wait(stream, WAIT_FOR_EVER);
    return code == ACL_SUCCESS ? memory_copy(dst, src, count) : code;
}

aclError transfer_copy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                           aclrtStream handle)
{
    struct place to;
    struct place from;
    REQUIRE(dst);
    REQUIRE(src);
    aclError code = memory_check_kind(kind);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (!stream_check(handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    code = memory_check_room(count, destMax, "destMax");
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (context_current() == NULL) {
        return context_missing();
    }
    code = memory_reach(dst, count, "dst", &to);
    code = code == ACL_SUCCESS ? memory_reach(src, count, "src", &from) : code;
    code = code == ACL_SUCCESS ? settle_kind(&kind, to.kind, from.kind) : code;
    if (code != ACL_SUCCESS || dst == src) {
        return code;
    }
    bool pageable = to.kind == PLACE_HOST || from.kind == PLACE_HOST;
    if (pageable && (kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_HOST)) {
        return copy_now(handle, dst, src, count);
    }
    struct stream *stream = stream_find_open(handle);
    return stream != NULL ? queue_copy(stream, dst, src, count) : thread_call.result;
}

/* ---- the ABI ------------------------------------------------------------------------------------------ */

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream)
{
    API(dst, destMax, src, count, kind, stream);
    return count == 0 ? ACL_SUCCESS : transfer_copy(dst, destMax, src, count, kind, stream);
}

/* The condition would be page-locked host memory; the real library takes pageable memory all the same. */
aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                                       aclrtStream stream)
{
    API(dst, destMax, src, count, kind, stream);
    return count == 0 ? ACL_SUCCESS : transfer_copy(dst, destMax, src, count, kind, stream);
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)
{
    API(devPtr, maxCount, value, count, stream);
    struct place to;
    if (count == 0) {
        return ACL_SUCCESS;
    }
    REQUIRE(devPtr);
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    aclError code = memory_check_room(count, maxCount, "maxCount");
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct stream *found = stream_find_open(stream);
    if (found == NULL) {
        return thread_call.result;
    }
    code = memory_reach(devPtr, count, "devPtr", &to);
    return code == ACL_SUCCESS ? queue_fill(found, devPtr, count, value) : code;
}

static aclError wait_for_device(void)
{
    struct context *context = context_current();
    return context != NULL ? stream_wait_all(context, WAIT_FOR_EVER) : context_missing();
}

aclError aclrtFreeWithDevSync(void *devPtr)
{
    API(devPtr);
    REQUIRE(devPtr);
    aclError code = wait_for_device();
    return code == ACL_SUCCESS ? memory_free_device(devPtr) : code;
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
    API(hostPtr);
    REQUIRE(hostPtr);
    aclError code = wait_for_device();
    return code == ACL_SUCCESS ? memory_free_host(hostPtr) : code;
}
