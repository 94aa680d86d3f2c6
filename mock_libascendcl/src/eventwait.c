/* What streams do with events: recording, resetting, waiting. */
#include "engine.h"
#include "option.h"
#include "event.h"
#include "eventid.h"
#include "trace.h"

/* ---- tasks -------------------------------------------------------------------------------------------- */

struct mark {
    struct event *event;
    uint64_t position;
};

static void run_record(struct task *task, struct stream *stream)
{
    const struct mark *mark = TASK_PAYLOAD(task, struct mark);
    struct event *event = mark->event;
    pthread_mutex_lock(&event->lock);
    ++event->signals;
    if (event->stream == stream && event->position == mark->position) {
        event->time_ns = now_ns();
    }
    pthread_mutex_unlock(&event->lock);
    event_leave(event);
}

/* A record that was dropped is as good as done: whoever waits for it must not wait for ever. */
static const struct task_kind record_kind = {.name = "record event", .run = run_record, .drop = run_record};

static void drop_mark(struct task *task, struct stream *stream)
{
    (void)stream;
    event_leave(TASK_PAYLOAD(task, struct mark)->event);
}

/* A reset shows on the device only: what the host asks about the event stays as it was. */
static const struct task_kind reset_kind = {.name = "reset event", .run = drop_mark, .drop = drop_mark};

struct wait {
    struct event *event;
    struct stream *stream; /* NULL: for the record after the first `signals` */
    uint64_t position;
    uint64_t signals;
    uint64_t limit_ns;  /* 0: none */
    uint64_t expiry_ns; /* set when the wait has come first in its stream */
};

static bool wait_is_over(const struct wait *wait)
{
    if (wait->stream != NULL) {
        return queue_done(&wait->stream->queue) >= wait->position;
    }
    pthread_mutex_lock(&wait->event->lock);
    bool over = wait->event->signals > wait->signals;
    pthread_mutex_unlock(&wait->event->lock);
    return over;
}

static bool wait_ready(struct task *task, struct need *need)
{
    struct wait *wait = TASK_PAYLOAD(task, struct wait);
    if (wait_is_over(wait)) {
        wait->limit_ns = 0;
        return true;
    }
    *need = (struct need){wait->stream, wait->position};
    if (wait->limit_ns == 0) {
        return false;
    }
    if (wait->expiry_ns == 0) {
        wait->expiry_ns = now_ns() + wait->limit_ns;
    }
    return now_ns() >= wait->expiry_ns;
}

static void drop_wait(struct task *task, struct stream *stream)
{
    struct event *event = TASK_PAYLOAD(task, struct wait)->event;
    (void)stream;
    atomic_fetch_sub(&event->waits, 1);
    event_leave(event);
}

static void run_wait(struct task *task, struct stream *stream)
{
    const struct wait *wait = TASK_PAYLOAD(task, struct wait);
    if (trace_on() && wait->stream != NULL) {
        trace_after(wait->position);
    }
    if (wait->limit_ns != 0) {
        struct text text = {0};
        text_add(&text, "a wait for an event ended after %llu s without the event's record",
                 (unsigned long long)(wait->limit_ns / 1000000000u));
        stream_fail(stream, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, text.data); /* our choice of code */
    }
    drop_wait(task, stream);
}

static const struct task_kind wait_kind = {.name = "wait for event", .run = run_wait, .ready = wait_ready, .drop = drop_wait};

static aclError no_room_for_task(void)
{
    return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left to queue a task");
}

/* ---- recording ---------------------------------------------------------------------------------------- */

/* The two parts of what is asked of an event before the stream is looked at. flag: ACL_EVENT_RECORD_EXTERNAL or _WAIT_. */
static aclError check_external(struct event *event)
{
    struct need where;
    if (!event->new_mode || event->flags != ACL_EVENT_SYNC) {
        return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                            "flag 1 (external) needs an event of aclrtCreateEventExWithFlag(ACL_EVENT_SYNC)");
    }
    if (event_recorded(event, &where)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1018", "the event was recorded without flag 1 (external) before");
    }
    return fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "EE1016",
                "flag 1 (external) is for a stream that is being captured, and the mock captures none");
}

/* NULL: no number is left. The stream is locked: position is the one behind the task. */
static void note_record(struct event *event, struct stream *stream, uint64_t position)
{
    pthread_mutex_lock(&event->lock);
    ++event->records;
    event->reset = false;
    event->stream = stream;
    event->position = position;
    pthread_mutex_unlock(&event->lock);
}

static bool take_id(struct event *event)
{
    pthread_mutex_lock(&event->lock);
    if (event->id < 0 && (event->flags & EVENT_WAITABLE)) {
        event->id = eventid_take(event->device);
    }
    bool taken = event->id >= 0 || !(event->flags & EVENT_WAITABLE);
    pthread_mutex_unlock(&event->lock);
    return taken;
}

static aclError queue_mark(struct event *event, struct stream *stream, const struct task_kind *kind)
{
    struct task *task = engine_lock(stream);
    if (task == NULL) {
        return no_room_for_task();
    }
    uint64_t position = queue_pushed(&stream->queue) + 1;
    task->kind = kind;
    *TASK_PAYLOAD(task, struct mark) = (struct mark){event, position};
    atomic_fetch_add(&event->users, 1);
    if (kind == &record_kind) {
        note_record(event, stream, position);
    }
    engine_push(stream);
    return ACL_SUCCESS;
}

static aclError record(aclrtEvent handle, aclrtStream stream, bool external)
{
    struct event *event = event_for_record(handle, "event");
    if (event == NULL) {
        return thread_call.result;
    }
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (external) {
        return check_external(event);
    }
    struct stream *found = stream_find_open(stream);
    if (found == NULL) {
        return thread_call.result;
    }
    if (!take_id(event)) {
        return fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "EL9999", "device %d has no event number left",
                    event->device->user_id);
    }
    return queue_mark(event, found, &record_kind);
}

static aclError check_flag(uint32_t flag)
{
    if (flag > 1) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "flag is %u, expected 0 or 1", flag);
    }
    return ACL_SUCCESS;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    API(event, stream);
    return record(event, stream, false);
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag)
{
    API(event, stream, flag);
    REQUIRE(event);
    aclError code = check_flag(flag);
    return code == ACL_SUCCESS ? record(event, stream, flag == ACL_EVENT_RECORD_EXTERNAL) : code;
}

static aclError not_waitable(void)
{
    return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                        "the event's flags do not let streams wait for it: make it with ACL_EVENT_SYNC (1)");
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    API(event, stream);
    struct event *found = event_of(event, "event");
    if (found == NULL) {
        return thread_call.result;
    }
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (!(found->flags & EVENT_WAITABLE)) {
        return not_waitable();
    }
    struct stream *here = stream_find_open(stream);
    if (here == NULL) {
        return thread_call.result;
    }
    if (found->new_mode) {
        return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "an event of aclrtCreateEventExWithFlag needs no reset");
    }
    pthread_mutex_lock(&found->lock);
    found->reset = true;
    pthread_mutex_unlock(&found->lock);
    return queue_mark(found, here, &reset_kind);
}

/* ---- waiting on a stream ------------------------------------------------------------------------------ */

/* What a wait that is queued now waits for. False: for nothing. */
static bool aim(struct event *event, struct wait *wait)
{
    pthread_mutex_lock(&event->lock);
    bool fresh = event->records == 0 || (event->reset && (event->flags & ACL_EVENT_SYNC));
    *wait = (struct wait){.event = event, .signals = event->records};
    if (!fresh) {
        wait->stream = event->stream;
        wait->position = event->position;
    }
    pthread_mutex_unlock(&event->lock);
    return !event->new_mode || !(fresh || wait_is_over(wait));
}

static aclError queue_wait(struct event *event, struct stream *stream, uint32_t seconds)
{
    struct wait wait;
    if (!aim(event, &wait) || (event->new_mode && wait.stream == stream)) {
        return ACL_SUCCESS;
    }
    if (wait.stream == NULL && !(event->flags & ACL_EVENT_SYNC)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1018",
                    "the event was never recorded: record it first, or make it with ACL_EVENT_SYNC (1)");
    }
    wait.limit_ns = (seconds != 0 ? seconds : option_wait_timeout()) * UINT64_C(1000000000);
    struct task *task = engine_lock(stream);
    if (task == NULL) {
        return no_room_for_task();
    }
    task->kind = &wait_kind;
    *TASK_PAYLOAD(task, struct wait) = wait;
    atomic_fetch_add(&event->users, 1);
    atomic_fetch_add(&event->waits, 1);
    engine_push(stream);
    return ACL_SUCCESS;
}

static aclError wait_on(aclrtStream stream, aclrtEvent handle, uint32_t seconds, bool external)
{
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (handle == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "event is NULL, expected an event");
    }
    struct event *event = event_of(handle, "event");
    if (event == NULL) {
        return thread_call.result;
    }
    if (external) {
        return check_external(event);
    }
    if (!(event->flags & EVENT_WAITABLE)) {
        return not_waitable();
    }
    struct stream *found = stream_find_open(stream);
    return found != NULL ? queue_wait(event, found, seconds) : thread_call.result;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    API(stream, event);
    REQUIRE(event);
    return wait_on(stream, event, 0, false);
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
    API(stream, event, timeout);
    if (timeout < 0) {
        return reject(ACL_ERROR_RT_PARAM_INVALID, "EH0007", "timeout is %d, expected seconds, or 0 for ever", timeout);
    }
    return wait_on(stream, event, (uint32_t)timeout, false);
}

/* Without flag 1 any timeout is taken; we take what is negative as a signed number for "for ever". */
aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag)
{
    API(stream, event, timeout, flag);
    REQUIRE(event);
    aclError code = check_flag(flag);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (flag == ACL_EVENT_WAIT_EXTERNAL && timeout != 0) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "timeout is %u, expected 0 with flag 1 (external)", timeout);
    }
    return wait_on(stream, event, (int32_t)timeout < 0 ? 0 : timeout, flag == ACL_EVENT_WAIT_EXTERNAL);
}
