#include "context.h"

#include "error.h"

THREAD_LOCAL struct thread_context thread_context;
THREAD_LOCAL uint32_t context_tasks;
static _Atomic int32_t default_device = -1;
static _Atomic uint64_t generations;

/* ---- making and ending -------------------------------------------------------------------------------- */

static void context_start(struct context *context, struct device *device, bool primary)
{
    context->device = device;
    context->primary = primary;
    atomic_store(&context->generation, atomic_fetch_add(&generations, 1) + 1);
    atomic_store(&context->overflow, 0);
    atomic_store(&context->options.set, 0);
    atomic_store(&context->default_stream, NULL); /* a reset ended that of the last life */
    handle_publish(HANDLE_CONTEXT, context);
}

static struct context *context_slot(void)
{
    struct context *context = handle_new(HANDLE_CONTEXT);
    if (context != NULL) {
        pthread_mutex_init(&context->lock, NULL);
    }
    return context;
}

static void free_overflow(struct context *context)
{
    struct arena *arena = &context->device->arena;
    uint64_t address = atomic_exchange(&context->overflow, 0);
    struct block *block = address != 0 ? arena_find(arena, address) : NULL;
    if (block != NULL && block->address == address) {
        arena_free(arena, block);
    }
}

/* Pending work is dropped, not waited for. */
static void drop_children(struct context *context)
{
    for (;;) {
        pthread_mutex_lock(&context->lock);
        struct context_child *child = context->children;
        if (child != NULL) {
            context->children = child->next;
            if (child->next != NULL) {
                child->next->link = &context->children;
            }
            child->link = NULL;
        }
        pthread_mutex_unlock(&context->lock);
        if (child == NULL) {
            return;
        }
        child->drop(child);
    }
}

static void context_end(struct context *context)
{
    atomic_store(&context->cell.magic, 0);
    atomic_store(&context->generation, 0);
    drop_children(context);
    struct context_child *caller = atomic_exchange(&context->caller, NULL);
    if (caller != NULL) {
        caller->drop(caller);
    }
    free_overflow(context);
}

void context_add_child(struct context *context, struct context_child *child)
{
    pthread_mutex_lock(&context->lock);
    child->next = context->children;
    child->link = &context->children;
    if (child->next != NULL) {
        child->next->link = &child->next;
    }
    context->children = child;
    pthread_mutex_unlock(&context->lock);
}

bool context_remove_child(struct context *context, struct context_child *child)
{
    pthread_mutex_lock(&context->lock);
    bool listed = child->link != NULL;
    if (listed) {
        *child->link = child->next;
        if (child->next != NULL) {
            child->next->link = child->link;
        }
        child->link = NULL;
    }
    pthread_mutex_unlock(&context->lock);
    return listed;
}

/* ---- the primary context ------------------------------------------------------------------------------ */

static bool primary_start(struct device *device)
{
    if (device->primary_slot == NULL) {
        device->primary_slot = context_slot();
    }
    if (device->primary_slot == NULL || !device_enter(device)) {
        return false;
    }
    context_start(device->primary_slot, device, true);
    atomic_store(&device->primary, device->primary_slot);
    return true;
}

static bool primary_retain(struct device *device)
{
    pthread_mutex_lock(&device->change);
    bool open = device->references > 0 || primary_start(device);
    if (open) {
        ++device->references;
    }
    pthread_mutex_unlock(&device->change);
    return open;
}

static void primary_end(struct device *device)
{
    atomic_store(&device->primary, NULL);
    context_end(device->primary_slot);
    device_leave(device);
    thread_context.primary_of = NULL; /* the real library empties it whichever device it named */
}

/* Returns false when nobody has set the device. */
static bool primary_release(struct device *device, bool all)
{
    pthread_mutex_lock(&device->change);
    bool held = device->references > 0;
    if (held) {
        device->references = all ? 0 : device->references - 1;
        if (device->references == 0) {
            primary_end(device);
        }
    }
    pthread_mutex_unlock(&device->change);
    return held;
}

/* ---- explicit contexts --------------------------------------------------------------------------------- */

/* Of a context that the caller has claimed. */
static void context_free(struct context *context)
{
    context_end(context);
    device_leave(context->device);
    pthread_mutex_destroy(&context->lock);
    handle_free(HANDLE_CONTEXT, context);
}

static void free_explicit(void *object)
{
    struct context *context = object;
    if (!context->primary && handle_claim(HANDLE_CONTEXT, context)) {
        context_free(context);
    }
}

static void free_primary(struct device *device)
{
    primary_release(device, true);
    if (device->primary_slot != NULL) {
        pthread_mutex_destroy(&device->primary_slot->lock);
        handle_free(HANDLE_CONTEXT, device->primary_slot);
        device->primary_slot = NULL;
    }
}

void context_reset(void)
{
    handle_each(HANDLE_CONTEXT, free_explicit);
    for (uint32_t i = 0; i < device_count(); ++i) {
        free_primary(device_by_id((int32_t)i));
    }
    thread_context = (struct thread_context){0};
    atomic_store(&default_device, -1);
}

/* ---- current ------------------------------------------------------------------------------------------ */

static bool named_alive(void)
{
    return handle_alive(HANDLE_CONTEXT, thread_context.named) &&
           (thread_context.named->primary ||
            atomic_load_explicit(&thread_context.named->generation, memory_order_acquire) == thread_context.generation);
}

/* Without the default device: what GetCurrentContext and GetDevice look at. */
static struct context *context_present(void)
{
    if (thread_context.named != NULL) {
        return named_alive() ? thread_context.named : NULL;
    }
    struct device *device = thread_context.primary_of;
    return device != NULL ? atomic_load_explicit(&device->primary, memory_order_acquire) : NULL;
}

struct context *context_find(void)
{
    struct context *context = context_present();
    int32_t fallback = atomic_load_explicit(&default_device, memory_order_relaxed);
    if (UNLIKELY(context == NULL && fallback >= 0 && thread_context.named == NULL)) {
        struct device *device = device_by_id(fallback);
        if (device != NULL && primary_retain(device)) {
            thread_context.primary_of = device;
            context = atomic_load(&device->primary);
        }
    }
    return context;
}

aclError context_missing(void)
{
    return fail(ACL_ERROR_RT_CONTEXT_NULL, "EE1018",
                "this thread has no current context; call aclrtSetDevice or aclrtSetCurrentContext in it first%s",
                thread_context.named != NULL ? " (the context it had was destroyed)" : "");
}

void context_leave_thread(void)
{
    thread_context = (struct thread_context){0};
}

static void context_enter(struct context *context)
{
    thread_context = (struct thread_context){context, atomic_load(&context->generation), NULL};
}

bool context_set_default_device(int32_t device_id)
{
    if (device_id >= 0 && device_by_id(device_id) == NULL) {
        return false;
    }
    atomic_store(&default_device, device_id);
    return true;
}

/* ---- the ABI: the thread's device --------------------------------------------------------------------- */

/* As device_unknown, but not stored. */
static aclError reject_device(int32_t device_id)
{
    struct text expected = {0};
    device_describe(&expected);
    reject(ACL_ERROR_RT_INVALID_DEVICEID, "EE1003", "deviceId is %d, %s", device_id, text_get(&expected));
    text_free(&expected);
    return ACL_ERROR_RT_INVALID_DEVICEID;
}

static aclError inside_task(void)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001",
                "called from a kernel or exception callback: the stream it belongs to would wait for itself");
}

static aclError device_would_not_open(int32_t device_id)
{
    return fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "EE9999",
                "device %d could not be opened: no address space for its memory (is `ulimit -v` set?)", device_id);
}

aclError aclrtSetDevice(int32_t deviceId)
{
    API(deviceId);
    struct device *device = device_by_id(deviceId);
    if (device == NULL) {
        return device_unknown("deviceId", deviceId);
    }
    if (!primary_retain(device)) {
        return device_would_not_open(deviceId);
    }
    thread_context = (struct thread_context){NULL, 0, device};
    return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId)
{
    API(deviceId);
    struct device *device = device_by_id(deviceId);
    if (device == NULL) {
        return device_unknown("deviceId", deviceId);
    }
    if (context_tasks > 0) {
        return inside_task();
    }
    if (!primary_release(device, false)) {
        return fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "EE1018",
                    "device %d is not set: aclrtResetDevice was called more often than aclrtSetDevice", deviceId);
    }
    return ACL_SUCCESS;
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
    API(deviceId);
    struct device *device = device_by_id(deviceId);
    if (device == NULL) {
        return reject_device(deviceId);
    }
    if (context_tasks > 0) {
        return inside_task();
    }
    if (!primary_release(device, true)) {
        return reject(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "EE9999", "device %d is not set", deviceId);
    }
    return ACL_SUCCESS;
}

aclError aclrtGetDevice(int32_t *deviceId)
{
    API(deviceId);
    REQUIRE(deviceId);
    struct context *context = context_present();
    int32_t fallback = atomic_load(&default_device);
    if (context == NULL && (fallback < 0 || thread_context.named != NULL)) {
        return fail_quietly(ACL_ERROR_RT_CONTEXT_NULL, "this thread has no device; call aclrtSetDevice in it first");
    }
    *deviceId = context != NULL ? context->device->user_id : fallback;
    return ACL_SUCCESS;
}

/* ---- the ABI: contexts -------------------------------------------------------------------------------- */

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    API(context, deviceId);
    REQUIRE(context);
    struct device *device = device_by_id(deviceId);
    if (device == NULL) {
        return device_unknown("deviceId", deviceId);
    }
    struct context *made = context_slot();
    if (made == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left for a context");
    }
    if (!device_enter(device)) {
        handle_free(HANDLE_CONTEXT, made);
        return device_would_not_open(deviceId);
    }
    context_start(made, device, false);
    context_enter(made);
    *context = made;
    return ACL_SUCCESS;
}

static aclError not_a_context(aclError code, const char *id, const void *context)
{
    return fail(code, id, "context %p is not a live context: it was destroyed, or never created", context);
}

aclError aclrtDestroyContext(aclrtContext context)
{
    API(context);
    REQUIRE(context);
    struct context *ended = context;
    bool alive = handle_alive(HANDLE_CONTEXT, ended);
    if (alive && ended->primary) {
        return fail(ACL_ERROR_RT_CONTEXT_NULL, "EE1017",
                    "context %p is the primary context of device %d, which ends with aclrtResetDevice", context,
                    ended->device->user_id);
    }
    if (context_tasks > 0) {
        return inside_task();
    }
    if (!alive || !handle_claim(HANDLE_CONTEXT, ended)) {
        return not_a_context(ACL_ERROR_RT_CONTEXT_NULL, "EE1017", context);
    }
    context_free(ended);
    return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
    API(context);
    REQUIRE(context);
    if (!handle_alive(HANDLE_CONTEXT, context)) {
        return not_a_context(ACL_ERROR_RT_PARAM_INVALID, "EE1018", context);
    }
    context_enter(context);
    return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
    API(context);
    REQUIRE(context);
    struct context *present = context_present();
    if (present == NULL) {
        return fail_quietly(ACL_ERROR_RT_CONTEXT_NULL, "this thread has no current context");
    }
    *context = present;
    return ACL_SUCCESS;
}
