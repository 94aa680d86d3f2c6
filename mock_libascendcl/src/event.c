#include "event.h"

#include "engine.h"
#include "eventid.h"

#define OLD_FLAGS 0x3fu
#define NEW_FLAGS (ACL_EVENT_IPC | 0xfu)
#define DEFAULT_FLAGS (EVENT_DEFAULT | ACL_EVENT_TIME_LINE | ACL_EVENT_CAPTURE_STREAM_PROGRESS)
#define ALONE_OLD (ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL)
#define ALONE_NEW (ALONE_OLD | ACL_EVENT_IPC)

/* ---- handles ------------------------------------------------------------------------------------------ */

static bool outlived_device(const struct event *event)
{
    return atomic_load_explicit(&event->device->epoch, memory_order_acquire) != atomic_load(&event->epoch);
}

bool event_end(struct event *event)
{
    if (!handle_claim(HANDLE_EVENT, event)) {
        return false;
    }
    event_leave(event);
    return true;
}

void event_leave(struct event *event)
{
    if (atomic_fetch_sub(&event->users, 1) == 1) {
        eventid_give(event->device, event->id);
        pthread_mutex_destroy(&event->lock);
        handle_free(HANDLE_EVENT, event);
    }
}

static void end_one(void *object)
{
    event_end(object);
}

void event_reset(void)
{
    handle_each(HANDLE_EVENT, end_one);
}

static struct event *find(aclrtEvent handle, const char *argument)
{
    if (handle == NULL) {
        reject_null(argument);
        return NULL;
    }
    if (!handle_alive(HANDLE_EVENT, handle)) {
        fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017",
             "%s is %p, no live event handle: it was destroyed, or it is a handle of another kind", argument, handle);
        return NULL;
    }
    return handle;
}

struct event *event_of(aclrtEvent handle, const char *argument)
{
    struct event *event = find(handle, argument);
    if (UNLIKELY(event != NULL && outlived_device(event))) { /* the real library would use freed memory */
        fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017",
             "%s is %p, made before device %d was reset, which ended it: destroy events before that", argument, handle,
             event->device->user_id);
        event_end(event);
        return NULL;
    }
    return event;
}

/* In the real library a record on the device as it was opened again happens to work. */
struct event *event_for_record(aclrtEvent handle, const char *argument)
{
    struct event *event = find(handle, argument);
    if (LIKELY(event == NULL || !outlived_device(event)) || !device_is_open(event->device)) {
        return event_of(handle, argument);
    }
    pthread_mutex_lock(&event->lock);
    atomic_store(&event->epoch, atomic_load(&event->device->epoch));
    event->records = 0;
    pthread_mutex_unlock(&event->lock);
    return event;
}

bool event_recorded(struct event *event, struct need *where)
{
    pthread_mutex_lock(&event->lock);
    bool recorded = event->records > 0;
    *where = (struct need){event->stream, event->position};
    pthread_mutex_unlock(&event->lock);
    return recorded;
}

bool event_done(struct event *event)
{
    struct need where;
    return !event_recorded(event, &where) || queue_done(&where.stream->queue) >= where.position;
}

/* ---- creation ----------------------------------------------------------------------------------------- */

static aclError no_event_left(const struct device *device)
{
    return fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "EL9999", "device %d has no event left: %zu are in use", device->user_id,
                handle_count(HANDLE_EVENT));
}

static aclError create(aclrtEvent *handle, uint32_t flags, bool new_mode, bool id_at_once)
{
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    struct device *device = context->device;
    int32_t id = id_at_once ? eventid_take(device) : -1;
    struct event *event = id_at_once && id < 0 ? NULL : handle_new(HANDLE_EVENT);
    if (event == NULL) {
        eventid_give(device, id);
        return no_event_left(device);
    }
    event->device = device;
    atomic_store(&event->epoch, atomic_load(&device->epoch));
    event->flags = flags;
    event->new_mode = new_mode;
    event->id = id;
    atomic_store(&event->users, 1);
    pthread_mutex_init(&event->lock, NULL);
    handle_publish(HANDLE_EVENT, event);
    *handle = event;
    return ACL_SUCCESS;
}

static aclError bad_flag(uint32_t flag, const char *expected)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "flag is %#x, expected %s", flag, expected);
}

static aclError flag_not_alone(uint32_t flag, uint32_t alone)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1006", "flag is %#x: %#x excludes all others", flag, flag & alone);
}

static bool combines(uint32_t flag, uint32_t alone)
{
    return (flag & alone) != 0 && ((flag & (flag - 1)) != 0);
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
    API(event);
    REQUIRE(event);
    return create(event, DEFAULT_FLAGS, false, false);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    API(event, flag);
    REQUIRE(event);
    if (flag == 0 || flag > OLD_FLAGS) {
        return bad_flag(flag, "a combination of 1, 2 and 8, or 0x20");
    }
    if (combines(flag, ALONE_OLD)) {
        return flag_not_alone(flag, ALONE_OLD);
    }
    if (flag == ACL_EVENT_DEVICE_USE_ONLY && context_current() != NULL) {
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1001", "flag is 0x10: this chip has no events for the device alone");
    }
    return create(event, flag, false, (flag & EVENT_WAITABLE) && flag != DEFAULT_FLAGS);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    API(event, flag);
    REQUIRE(event);
    if (combines(flag, ALONE_NEW)) {
        return flag_not_alone(flag, ALONE_NEW);
    }
    if ((flag & NEW_FLAGS) == 0 || flag > NEW_FLAGS) {
        return bad_flag(flag, "a combination of 1, 2 and 8");
    }
    if (flag == ACL_EVENT_IPC && context_current() != NULL) { /* our choice: nobody else could open it */
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EL9999", "flag is 0x40: the mock has no events between processes");
    }
    return create(event, flag, true, false);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    API(event);
    struct event *found = event_of(event, "event");
    if (found == NULL) {
        return thread_call.result;
    }
    return event_end(found) ? ACL_SUCCESS : (event_of(event, "event"), ACL_ERROR_RT_INVALID_HANDLE);
}

/* ---- numbers ------------------------------------------------------------------------------------------ */

/* An event of the new mode has a number only while a record is pending; one that nobody can wait for never. */
aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId)
{
    API(event, eventId);
    REQUIRE(event);
    REQUIRE(eventId);
    struct event *found = event_of(event, "event");
    if (found == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    bool idle = found->new_mode && event_done(found);
    pthread_mutex_lock(&found->lock);
    int32_t id = idle ? -1 : found->id;
    pthread_mutex_unlock(&found->lock);
    if (id < 0) {
        return fail(ACL_ERROR_RT_INTERNAL_ERROR, "EE9999",
                    "the event has no number now: it gets one when it is recorded, if its flags let streams wait for it");
    }
    *eventId = (uint32_t)id;
    return ACL_SUCCESS;
}

aclError aclrtGetEventAvailNum(uint32_t *eventCount)
{
    API(eventCount);
    REQUIRE(eventCount);
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    *eventCount = eventid_left(context->device);
    return ACL_SUCCESS;
}
