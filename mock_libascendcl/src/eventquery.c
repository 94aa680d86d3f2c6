/* What threads do with events: asking, waiting, measuring. */
#include "engine.h"
#include "event.h"
#include "soc.h"

/* ---- asking ------------------------------------------------------------------------------------------- */

static void help_along(struct event *event)
{
    struct need where;
    if (event_recorded(event, &where)) {
        engine_poll(where.stream, where.position);
    }
}

static aclError only_old_mode(const struct event *event)
{
    if (event->new_mode || (event->flags & ACL_EVENT_EXTERNAL)) {
        return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                            "the event is of aclrtCreateEventExWithFlag, or external: use aclrtQueryEventStatus");
    }
    return ACL_SUCCESS;
}

static aclError not_external(const struct event *event)
{
    if (event->flags & ACL_EVENT_EXTERNAL) {
        return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the event is external: the host cannot look at it");
    }
    return ACL_SUCCESS;
}

/* An event that the question fits. NULL: reported. */
static struct event *find(aclrtEvent handle, aclError (*check)(const struct event *event))
{
    struct event *event = event_of(handle, "event");
    return event != NULL && check(event) == ACL_SUCCESS ? event : NULL;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
    API(event, status);
    REQUIRE(event);
    REQUIRE(status);
    struct event *found = find(event, only_old_mode);
    if (found == NULL) {
        return thread_call.result;
    }
    help_along(found);
    *status = event_done(found) ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    API(event, status);
    REQUIRE(event);
    REQUIRE(status);
    struct need where;
    struct event *found = find(event, not_external);
    if (found == NULL) {
        return thread_call.result;
    }
    help_along(found);
    bool complete = event_recorded(found, &where) ? event_done(found) : found->new_mode;
    *status = complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
    API(event, status);
    REQUIRE(event);
    REQUIRE(status);
    struct event *found = find(event, only_old_mode);
    if (found == NULL) {
        return thread_call.result;
    }
    *status = atomic_load(&found->waits) == 0 ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

/* ---- waiting in a thread ------------------------------------------------------------------------------ */

static aclError synchronize(struct event *event, int64_t timeout_ms)
{
    struct need where;
    aclError code = not_external(event);
    if (code != ACL_SUCCESS || !event_recorded(event, &where)) {
        return code;
    }
    switch (engine_wait(where.stream, where.position, timeout_ms)) {
    case WAIT_EXPIRED:
        return fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "EE9999", "the event was not reached within %lld ms",
                    (long long)timeout_ms);
    case WAIT_IMPOSSIBLE:
        return stream_wait_impossible();
    default:
        return stream_fault_before(where.stream, where.position);
    }
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    API(event);
    struct event *found = event_of(event, "event");
    return found != NULL ? synchronize(found, WAIT_FOR_EVER) : thread_call.result;
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    API(event, timeout);
    if (timeout < -1) {
        return reject(ACL_ERROR_RT_PARAM_INVALID, "EH0007", "timeout is %d, expected -1 (for ever) or more than 0",
                      timeout);
    }
    struct event *found = event_of(event, "event");
    if (found == NULL) {
        return thread_call.result;
    }
    if (timeout == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "timeout is 0, expected -1 (for ever) or more than 0");
    }
    return synchronize(found, timeout);
}

/* ---- measuring ---------------------------------------------------------------------------------------- */

static aclError never_recorded(const char *argument)
{
    return fail(ACL_ERROR_RT_INTERNAL_ERROR, "EE9999", "%s was never recorded", argument);
}

/* Does not run what is pending: that is what a program forgets. */
static aclError check_time(struct event *event, const char *argument)
{
    if (!event_done(event)) {
        return fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "EE9999",
                    "%s has not been reached yet: synchronize its stream or the event first", argument);
    }
    return ACL_SUCCESS;
}

/* Device ticks of the latest record; 0 for an event that takes no time. */
static uint64_t ticks_of(struct event *event)
{
    pthread_mutex_lock(&event->lock);
    uint64_t ns = event->flags & ACL_EVENT_TIME_LINE ? event->time_ns : 0;
    pthread_mutex_unlock(&event->lock);
    return ns / (1000000u / soc_current()->ticks_per_ms);
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    API(ms, startEvent, endEvent);
    REQUIRE(ms);
    REQUIRE(startEvent);
    REQUIRE(endEvent);
    struct need where;
    struct event *start = event_of(startEvent, "startEvent");
    struct event *end = start != NULL ? event_of(endEvent, "endEvent") : NULL;
    if (end == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    aclError code = not_external(start) != ACL_SUCCESS ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : not_external(end);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (!event_recorded(start, &where) || !event_recorded(end, &where)) {
        return never_recorded(event_recorded(start, &where) ? "endEvent" : "startEvent");
    }
    code = check_time(start, "startEvent");
    code = code == ACL_SUCCESS ? check_time(end, "endEvent") : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    bool timed = start->flags & end->flags & ACL_EVENT_TIME_LINE;
    int64_t ticks = timed ? (int64_t)(ticks_of(end) - ticks_of(start)) : 0; /* negative the other way round */
    *ms = (float)((double)ticks / soc_current()->ticks_per_ms);
    return ACL_SUCCESS;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
    API(event, timestamp);
    REQUIRE(timestamp);
    REQUIRE(event);
    struct need where;
    struct event *found = find(event, not_external);
    if (found == NULL) {
        return thread_call.result;
    }
    aclError code = event_recorded(found, &where) ? check_time(found, "event") : never_recorded("event");
    if (code == ACL_SUCCESS) {
        *timestamp = ticks_of(found) * 1000 / soc_current()->ticks_per_ms;
    }
    return code;
}
