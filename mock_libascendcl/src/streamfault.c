/* Tasks of streams that failed, and who is told. */
#include "stream.h"

void stream_fail(struct stream *stream, aclError code, char *text)
{
    brief_take(&stream->lock);
    bool first = stream->fault.code == ACL_SUCCESS;
    if (first) {
        stream->fault = (struct stream_fault){code, text, queue_done(&stream->queue) + 1};
        bool stops = atomic_load(&stream->stop);
        atomic_store(&stream->stopped, stops);
        atomic_fetch_add(&stream->context->device->stopped_streams, stops ? 1 : 0);
        atomic_store(&stream->failed, true);
    }
    brief_give(&stream->lock);
    if (!first) {
        host_free(text);
    }
}

/* Codes that say how work came out, not that a call was wrong: a synchronize returns them without storing them. */
static bool is_outcome(aclError code)
{
    switch (code) {
    case ACL_ERROR_RT_END_OF_SEQUENCE:
    case ACL_ERROR_RT_MODEL_ABORT_NORMAL:
    case ACL_ERROR_RT_AICORE_OVER_FLOW:
    case ACL_ERROR_RT_AIVEC_OVER_FLOW:
    case ACL_ERROR_RT_OVER_FLOW:
    case ACL_ERROR_RT_SOCKET_CLOSE:
        return true;
    default:
        return false;
    }
}

/* With the stream's lock. */
static aclError report_fault(const struct stream *stream)
{
    const char *text = stream->fault.text != NULL ? stream->fault.text : "no memory was left for the details";
    bool stored = !is_outcome(stream->fault.code);
    return (stored ? fail : reject)(stream->fault.code, "EZ9999", "a task of stream %d failed: %s", stream->id, text);
}

aclError stream_look_at_fault(struct stream *stream, uint64_t position, bool clear)
{
    aclError code = ACL_SUCCESS;
    if (LIKELY(!atomic_load_explicit(&stream->failed, memory_order_acquire))) {
        return code;
    }
    brief_take(&stream->lock);
    if (stream->fault.code != ACL_SUCCESS && stream->fault.position <= position) {
        code = report_fault(stream);
        if (clear && !atomic_load(&stream->stopped)) {
            host_free(stream->fault.text);
            stream->fault = (struct stream_fault){0};
            atomic_store(&stream->failed, false);
        }
    }
    brief_give(&stream->lock);
    return code;
}

aclError stream_fault_before(struct stream *stream, uint64_t position)
{
    return handle_alive(HANDLE_STREAM, stream) ? stream_look_at_fault(stream, position, false) : ACL_SUCCESS;
}
