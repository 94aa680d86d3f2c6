#include "stream.h"

#include <stdio.h>
#include <string.h>

#include "aclmock/aclmock.h"
#include "engine.h"
#include "soc.h"
#include "streamstate.h"

#define PRIORITY_LOWEST 7u
#define KNOWN_FLAGS 0x3fu

/* ---- life --------------------------------------------------------------------------------------------- */

static void give_back(struct stream *stream)
{
    queue_free(&stream->queue);
    host_free(stream->fault.text);
    handle_free(HANDLE_STREAM, stream);
}

static void stream_free(struct stream *stream)
{
    engine_remove(stream);
    atomic_fetch_sub(&stream->context->device->stopped_streams, atomic_load(&stream->stopped) ? 1 : 0);
    if (stream->ring.block != NULL) {
        arena_free(&stream->context->device->arena, stream->ring.block);
    }
    give_back(stream);
}

static void drop_with_context(struct context_child *child)
{
    struct stream *stream = CONTAINER(child, struct stream, child);
    atomic_store(&stream->cell.magic, 0);
    stream_free(stream);
}

static _Atomic int32_t ids[DEVICES_AT_MOST]; /* the next one on each device */

void stream_reset(void)
{
    for (size_t i = 0; i < COUNT(ids); ++i) {
        atomic_store(&ids[i], 0);
    }
}

/* What no other thread can have an eye on. */
static void clear(struct stream *stream)
{
    size_t kept = offsetof(struct stream, id);
    memset((char *)stream + kept, 0, sizeof(*stream) - kept);
}

/* NULL without memory, ids or threads. */
static struct stream *stream_new(struct context *context, uint32_t priority, uint32_t flags)
{
    struct stream *stream = handle_new(HANDLE_STREAM);
    if (stream == NULL || !queue_init(&stream->queue)) {
        if (stream != NULL) {
            handle_free(HANDLE_STREAM, stream);
        }
        return NULL;
    }
    clear(stream);
    stream->context = context;
    atomic_store(&stream->subscription, 0);
    stream->id = atomic_fetch_add(&ids[context->device->user_id], 1) & INT32_MAX;
    atomic_store(&stream->attributes[ACL_STREAM_ATTR_PRIORITY], priority);
    stream->flags = flags;
    stream->child.drop = drop_with_context;
    if (!engine_add(stream)) {
        give_back(stream);
        return NULL;
    }
    context_add_child(context, &stream->child);
    handle_publish(HANDLE_STREAM, stream);
    return stream;
}

static aclError no_stream_left(void)
{
    return fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "EL9999", "no stream is left: %zu are in use",
                handle_count(HANDLE_STREAM));
}

/* Stands for a default stream that the program has destroyed: the real library goes on using its memory. */
static char destroyed_default;

static aclError default_stream_destroyed(void)
{
    return fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017",
                "the default stream of this context was destroyed through its handle: name another stream than NULL");
}

static struct stream *default_stream(struct context *context)
{
    void *present = atomic_load_explicit(&context->default_stream, memory_order_acquire);
    if (LIKELY(present != NULL)) {
        return present != &destroyed_default ? present : (default_stream_destroyed(), NULL);
    }
    struct stream *made = stream_new(context, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC);
    if (made == NULL) {
        no_stream_left();
        return NULL;
    }
    if (!atomic_compare_exchange_strong(&context->default_stream, &present, (void *)made)) {
        atomic_store(&made->cell.magic, 0);
        if (context_remove_child(context, &made->child)) {
            stream_free(made);
        }
        return present;
    }
    return made;
}

/* ---- finding ------------------------------------------------------------------------------------------ */

bool stream_missing(aclrtStream handle)
{
    fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017",
         "stream is %p, no live stream handle: it was destroyed, or its context or device was, or it is a handle of "
         "another kind", handle);
    return false;
}

struct stream *stream_find(aclrtStream handle)
{
    struct context *context = context_current();
    if (UNLIKELY(context == NULL)) {
        context_missing();
        return NULL;
    }
    return handle != NULL ? handle : default_stream(context);
}

struct stream *stream_find_here(aclrtStream handle)
{
    struct context *context = context_current();
    if (UNLIKELY(context == NULL)) {
        context_missing();
        return NULL;
    }
    struct stream *stream = handle != NULL ? handle : default_stream(context);
    if (UNLIKELY(stream == NULL)) {
        return NULL;
    }
    if (LIKELY(stream->context == context)) {
        return stream;
    }
    fail(ACL_ERROR_RT_STREAM_CONTEXT, "EE1010",
         "stream %d belongs to a context of device %d, this thread is in another context of device %d; "
         "call aclrtSetCurrentContext or aclrtSetDevice first",
         stream->id, stream->context->device->user_id, context->device->user_id);
    return NULL;
}

struct stream *stream_find_unusual(aclrtStream handle)
{
    struct stream *stream = stream_find_here(handle);
    if (UNLIKELY(stream != NULL && atomic_load_explicit(&stream->stopped, memory_order_acquire))) {
        return stream_look_at_fault(stream, UINT64_MAX, false) == ACL_SUCCESS ? stream : NULL;
    }
    return stream;
}

struct block_use stream_next_use(const struct stream *stream, const char *what)
{
    struct block_use use = {&stream->queue.done, queue_pushed(&stream->queue) + 1, stream->id, "", ""};
    snprintf(use.what, sizeof(use.what), "%s", what);
    return use;
}

/* ---- waiting ------------------------------------------------------------------------------------------ */

aclError stream_wait_impossible(void)
{
    if (call_forked()) { /* by the kernel or callback that just ran */
        return call_refuse_forked();
    }
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001",
                "called from a kernel or callback that the stream is waiting for: it would wait for itself");
}

aclError stream_drop(struct stream *stream)
{
    if (engine_inside()) {
        return stream_wait_impossible();
    }
    engine_drop(stream);
    return ACL_SUCCESS;
}

aclError stream_wait(struct stream *stream, int64_t timeout_ms)
{
    int32_t id = stream->id;
    switch (engine_wait(stream, queue_pushed(&stream->queue), timeout_ms)) {
    case WAIT_EXPIRED:
        return fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "EE9999",
                    "stream %d did not finish within %lld ms; its work goes on", id, (long long)timeout_ms);
    case WAIT_IMPOSSIBLE:
        return stream_wait_impossible();
    default:
        return stream_look_at_fault(stream, UINT64_MAX, true);
    }
}

static bool is_stream(const struct context_child *child)
{
    return child->drop == drop_with_context;
}

/* The context's streams, for host_free; *count of them. NULL without memory. */
static struct stream **streams_of(struct context *context, size_t *count)
{
    *count = 0;
    pthread_mutex_lock(&context->lock);
    for (struct context_child *child = context->children; child != NULL; child = child->next) {
        *count += is_stream(child);
    }
    struct stream **streams = host_alloc(*count * sizeof(struct stream *));
    size_t at = *count; /* the list is newest first */
    for (struct context_child *child = context->children; child != NULL && streams != NULL; child = child->next) {
        if (is_stream(child)) {
            streams[--at] = CONTAINER(child, struct stream, child);
        }
    }
    pthread_mutex_unlock(&context->lock);
    return streams;
}

aclError stream_wait_all(struct context *context, int64_t timeout_ms)
{
    size_t count;
    struct stream **streams = streams_of(context, &count);
    if (streams == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left for the list of %zu streams", count);
    }
    uint64_t start = now_ns();
    aclError first = ACL_SUCCESS;
    for (size_t i = 0; i < count; ++i) {
        int64_t spent = (int64_t)((now_ns() - start) / 1000000u);
        int64_t left = timeout_ms < 0 ? WAIT_FOR_EVER : timeout_ms > spent ? timeout_ms - spent : 0;
        aclError code = handle_alive(HANDLE_STREAM, streams[i]) ? stream_wait(streams[i], left) : ACL_SUCCESS;
        first = first != ACL_SUCCESS ? first : code;
        if (code != ACL_SUCCESS && handle_alive(HANDLE_STREAM, streams[i]) && atomic_load(&streams[i]->stopped)) {
            break; /* stop mode: the first error ends the wait */
        }
    }
    host_free(streams);
    return first;
}

static aclError reject_timeout(int32_t timeout)
{
    return reject(ACL_ERROR_RT_PARAM_INVALID, "EH0007", "timeout is %d, expected -1 (for ever) or more than 0", timeout);
}

static aclError fail_timeout_zero(void)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "timeout is 0, expected -1 (for ever) or more than 0");
}

/* ---- the ABI: life ------------------------------------------------------------------------------------ */

static aclError create(aclrtStream *stream, uint32_t priority, uint32_t flags)
{
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    if (flags == ACL_STREAM_DEVICE_USE_ONLY) {
        return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s has no streams for the device alone (flag 0x20)",
                            soc_current()->name);
    }
    struct stream *made = stream_new(context, priority, flags);
    if (made == NULL) {
        return no_stream_left();
    }
    *stream = made;
    streamstate_tell(made, ACL_RT_STREAM_STATE_CREATE_POST);
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
    API(stream);
    REQUIRE(stream);
    return create(stream, 0, 0);
}

/* Larger numbers mean less urgent; the real library takes 0xFFFFFFFF for 0. */
static uint32_t clamp_priority(uint32_t priority)
{
    return priority == UINT32_MAX ? 0 : priority > PRIORITY_LOWEST ? PRIORITY_LOWEST : priority;
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    API(stream, priority, flag);
    REQUIRE(stream);
    uint32_t flags = flag & KNOWN_FLAGS; /* unknown bits are dropped without a word */
    if ((flags & ACL_STREAM_DEVICE_USE_ONLY) && flags != ACL_STREAM_DEVICE_USE_ONLY) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1006", "flag is %#x: 0x20 (DEVICE_USE_ONLY) excludes all others",
                    flag);
    }
    return create(stream, clamp_priority(priority), flags);
}

static aclError destroy(aclrtStream handle, bool wait)
{
    if (!stream_check(handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    struct stream *stream = stream_find_here(handle);
    if (stream == NULL) {
        return thread_call.result;
    }
    struct context *context = stream->context;
    if (engine_inside()) {
        return stream_wait_impossible();
    }
    if (wait && engine_wait(stream, queue_pushed(&stream->queue), WAIT_FOR_EVER) == WAIT_IMPOSSIBLE) {
        return stream_wait_impossible();
    }
    streamstate_tell(stream, ACL_RT_STREAM_STATE_DESTROY_PRE);
    if (!handle_claim(HANDLE_STREAM, stream)) {
        stream_check(handle);
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    void *named = stream;
    atomic_compare_exchange_strong(&context->default_stream, &named, (void *)&destroyed_default);
    if (context_remove_child(context, &stream->child)) { /* else its context is ending it */
        stream_free(stream);
    }
    return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    API(stream);
    REQUIRE(stream);
    return destroy(stream, true);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    API(stream);
    REQUIRE(stream);
    return destroy(stream, false);
}

/* ---- the ABI: waiting --------------------------------------------------------------------------------- */

/* A persistent stream's work need not end: nobody waits for it, and it always counts as complete. */
static bool is_persistent(const struct stream *stream)
{
    return stream->flags & ACL_STREAM_PERSISTENT;
}

static aclError wait_unless_persistent(aclrtStream handle, int64_t timeout_ms)
{
    struct stream *stream = stream_find(handle);
    if (stream == NULL) {
        return thread_call.result;
    }
    return is_persistent(stream) ? ACL_SUCCESS : stream_wait(stream, timeout_ms);
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    API(stream);
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    return wait_unless_persistent(stream, WAIT_FOR_EVER);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    API(stream, timeout);
    if (timeout < -1) {
        return reject_timeout(timeout);
    }
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (timeout == 0) {
        return fail_timeout_zero();
    }
    return wait_unless_persistent(stream, timeout);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    API(stream, status);
    REQUIRE(status);
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    struct stream *found = stream_find(stream);
    if (found == NULL) {
        return thread_call.result;
    }
    if (atomic_load(&found->stopped)) {
        return stream_look_at_fault(found, UINT64_MAX, false);
    }
    uint64_t position = queue_pushed(&found->queue);
    engine_poll(found, position);
    bool complete = is_persistent(found) || queue_done(&found->queue) >= position;
    *status = complete ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice(void)
{
    API();
    struct context *context = context_current();
    return context != NULL ? stream_wait_all(context, WAIT_FOR_EVER) : context_missing();
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    API(timeout);
    if (timeout < -1) {
        return reject_timeout(timeout);
    }
    if (timeout == 0) {
        return fail_timeout_zero();
    }
    struct context *context = context_current();
    return context != NULL ? stream_wait_all(context, timeout) : context_missing();
}
