/* What a stream can be asked, and told apart from tasks. */
#include "acl/acl_rt.h"
#include "aclmock/aclmock.h"
#include "engine.h"
#include "stream.h"

/* Of any context, as long as there is a current one. NULL: reported. */
static struct stream *find(aclrtStream handle)
{
    return stream_check(handle) ? stream_find(handle) : NULL;
}

static uint32_t flags_of(const struct stream *stream)
{
    return stream->flags;
}

static uint32_t priority_of(const struct stream *stream)
{
    return atomic_load(&stream->attributes[ACL_STREAM_ATTR_PRIORITY]);
}

static uint32_t id_of(const struct stream *stream)
{
    return (uint32_t)stream->id;
}

static aclError ask(aclrtStream handle, uint32_t (*question)(const struct stream *stream), uint32_t *answer)
{
    const struct stream *stream = find(handle);
    if (stream == NULL) {
        return thread_call.result;
    }
    *answer = question(stream);
    return ACL_SUCCESS;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
    API(stream, flags);
    REQUIRE(flags);
    return ask(stream, flags_of, flags);
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
    API(stream, priority);
    REQUIRE(priority);
    return ask(stream, priority_of, priority);
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    API(stream, streamId);
    REQUIRE(streamId);
    return ask(stream, id_of, (uint32_t *)streamId);
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
    API(stream);
    REQUIRE(stream);
    struct stream *found = stream_find(NULL);
    if (found == NULL) {
        return thread_call.result;
    }
    *stream = found;
    return ACL_SUCCESS;
}

/* Without a context the real library takes a NULL stream for a bad argument here. */
static aclError no_default_stream(void)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004",
                "stream is NULL, and this thread has no context whose default stream that could mean");
}

/* Stop mode is for good. A change of mode alone needs a stream of the current context. */
static aclError set_failure_mode(aclrtStream stream, uint64_t mode)
{
    bool stop = mode & 1; /* the real library looks at this bit only */
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (stream == NULL && context_current() == NULL) {
        return no_default_stream();
    }
    struct stream *found = stream != NULL ? stream : stream_find(NULL);
    if (found == NULL) {
        return thread_call.result;
    }
    if (atomic_load(&found->stop) == stop) {
        return ACL_SUCCESS;
    }
    if (!stop) {
        return reject(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1016", "stream %d is in stop mode, which it cannot leave",
                      found->id);
    }
    if (stream_find_here(found) == NULL) {
        return thread_call.result;
    }
    atomic_store(&found->stop, true);
    return ACL_SUCCESS;
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
    API(stream, mode);
    return set_failure_mode(stream, mode);
}

static bool is_attribute(aclrtStreamAttr attr)
{
    return attr >= ACL_STREAM_ATTR_FAILURE_MODE && attr <= ACL_STREAM_ATTR_PRIORITY;
}

/* A stream, to ask for or give an attribute that there is. NULL: reported. */
static struct stream *find_with(aclrtStream stream, aclrtStreamAttr attr)
{
    struct stream *found = find(stream);
    if (found != NULL && !is_attribute(attr)) {
        fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "stmAttrType is %d, expected 1 to 5", (int)attr);
        return NULL;
    }
    return found;
}

/* Overflow check, tag and cache information are kept and come back; nothing in the mock acts on them. */
aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
    API(stream, stmAttrType, value);
    REQUIRE(value);
    struct stream *found = find_with(stream, stmAttrType);
    if (found == NULL) {
        return thread_call.result;
    }
    if (stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE) {
        return set_failure_mode(stream, value->failureMode);
    }
    atomic_store(&found->attributes[stmAttrType], value->reserve[0]);
    return ACL_SUCCESS;
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
    API(stream, stmAttrType, value);
    REQUIRE(value);
    struct stream *found = find_with(stream, stmAttrType);
    if (found == NULL) {
        return thread_call.result;
    }
    *value = (aclrtStreamAttrValue){.reserve = {0}};
    if (stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE) {
        value->failureMode = atomic_load(&found->stop);
    } else {
        value->reserve[0] = atomic_load(&found->attributes[stmAttrType]);
    }
    return ACL_SUCCESS;
}

aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)
{
    API(streamCount);
    REQUIRE(streamCount);
    if (context_current() == NULL) {
        return context_missing();
    }
    *streamCount = (uint32_t)(slabs[HANDLE_STREAM].room - handle_count(HANDLE_STREAM));
    return ACL_SUCCESS;
}

/* Numbers of tasks count per stream. */
aclError aclrtGetThreadLastTaskId(uint32_t *taskId)
{
    API(taskId);
    REQUIRE(taskId);
    *taskId = engine_last_task();
    return ACL_SUCCESS;
}

aclError aclrtStreamAbort(aclrtStream stream)
{
    API(stream);
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (stream == NULL && context_current() == NULL) {
        return no_default_stream();
    }
    struct stream *found = stream_find_here(stream);
    if (found == NULL) {
        return thread_call.result;
    }
    if (found == atomic_load(&found->context->default_stream)) {
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1001", "stream is the default stream, which cannot be aborted");
    }
    return stream_drop(found);
}

void aclmock_hold(aclrtStream stream, int on)
{
    if (stream == NULL) {
        engine_hold_all(on != 0);
    } else if (handle_alive(HANDLE_STREAM, stream)) {
        engine_hold(stream, on != 0);
    }
}
