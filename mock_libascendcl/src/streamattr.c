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

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
    API(stream, flags);
    REQUIRE(flags);
    const struct stream *found = find(stream);
    if (found == NULL) {
        return thread_call.result;
    }
    *flags = found->flags;
    return ACL_SUCCESS;
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
    API(stream, priority);
    REQUIRE(priority);
    const struct stream *found = find(stream);
    if (found == NULL) {
        return thread_call.result;
    }
    *priority = found->priority;
    return ACL_SUCCESS;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    API(stream, streamId);
    REQUIRE(streamId);
    const struct stream *found = find(stream);
    if (found == NULL) {
        return thread_call.result;
    }
    *streamId = found->id;
    return ACL_SUCCESS;
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
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
    API(stream, mode);
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
