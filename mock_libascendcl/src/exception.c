#include "exception.h"

struct listener {
    struct listener *next;
    aclrtExceptionInfoCallback callback;
};

static struct {
    pthread_mutex_t lock;
    aclrtExceptionInfoCallback callback; /* of aclrtSetExceptionInfoCallback */
    struct listener *listeners;          /* those registered, latest first */
} exceptions = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- telling ------------------------------------------------------------------------------------------ */

/* The next listener to call after `after`, by its place: a callback may change the list. */
static aclrtExceptionInfoCallback listener_at(size_t place)
{
    pthread_mutex_lock(&exceptions.lock);
    const struct listener *at = exceptions.listeners;
    while (at != NULL && place-- > 0) {
        at = at->next;
    }
    aclrtExceptionInfoCallback callback = at != NULL ? at->callback : NULL;
    pthread_mutex_unlock(&exceptions.lock);
    return callback;
}

static void tell_all(struct rtExceptionInfo *info)
{
    pthread_mutex_lock(&exceptions.lock);
    aclrtExceptionInfoCallback callback = exceptions.callback;
    pthread_mutex_unlock(&exceptions.lock);
    if (callback != NULL) {
        callback(info);
    }
    for (size_t place = 0; (callback = listener_at(place)) != NULL; ++place) {
        callback(info);
    }
}

/* That of the kernel's binary; gone with it. */
static void tell_owner(struct rtExceptionInfo *info)
{
    if (info->function == NULL || !handle_alive(HANDLE_FUNCTION, info->function)) {
        return;
    }
    struct binary *binary = info->function->binary;
    aclrtOpExceptionCallback callback = atomic_load_explicit(&binary->on_exception, memory_order_acquire);
    if (callback != NULL) {
        callback(info, atomic_load(&binary->on_exception_data));
    }
}

void exception_raise(struct stream *stream, aclError code, char *text, struct rtExceptionInfo info)
{
    info.task_id = (uint32_t)queue_done(&stream->queue); /* a queue starts at a multiple of 2^32 */
    info.stream_id = (uint32_t)stream->id;
    info.device_id = (uint32_t)stream->context->device->user_id;
    info.code = code;
    const struct thread_call call = call_suspend();
    tell_all(&info);
    tell_owner(&info);
    call_resume(&call);
    stream_fail(stream, code, text);
}

void exception_reset(void)
{
    pthread_mutex_lock(&exceptions.lock);
    exceptions.callback = NULL;
    while (exceptions.listeners != NULL) {
        struct listener *first = exceptions.listeners;
        exceptions.listeners = first->next;
        host_free(first);
    }
    pthread_mutex_unlock(&exceptions.lock);
}

/* ---- the ABI: who is told ----------------------------------------------------------------------------- */

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
    API(callback);
    pthread_mutex_lock(&exceptions.lock);
    exceptions.callback = callback;
    pthread_mutex_unlock(&exceptions.lock);
    return ACL_SUCCESS;
}

static aclError no_callback(void)
{
    return reject(ACL_ERROR_RT_PARAM_INVALID, "EH0008", "callback is NULL, expected a function");
}

/* With the lock: what points to the callback's entry, or to the end of the list. */
static struct listener **find(aclrtExceptionInfoCallback callback)
{
    struct listener **link = &exceptions.listeners;
    while (*link != NULL && (*link)->callback != callback) {
        link = &(*link)->next;
    }
    return link;
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)
{
    API(callback);
    if (callback == NULL) {
        return no_callback();
    }
    struct listener *made = host_alloc(sizeof(*made));
    if (made == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left for a callback");
    }
    pthread_mutex_lock(&exceptions.lock);
    if (*find(callback) == NULL) {
        *made = (struct listener){exceptions.listeners, callback};
        exceptions.listeners = made;
        made = NULL;
    }
    pthread_mutex_unlock(&exceptions.lock);
    host_free(made);
    return ACL_SUCCESS;
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)
{
    API(callback);
    if (callback == NULL) {
        return no_callback();
    }
    pthread_mutex_lock(&exceptions.lock);
    struct listener **link = find(callback);
    struct listener *gone = *link;
    if (gone != NULL) {
        *link = gone->next;
    }
    pthread_mutex_unlock(&exceptions.lock);
    host_free(gone);
    return ACL_SUCCESS;
}

/* The last one wins; there is no taking it back. */
aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle, aclrtOpExceptionCallback callback, void *userData)
{
    API(binHandle, callback, userData);
    REQUIRE(binHandle);
    REQUIRE(callback);
    struct binary *binary = binary_of(binHandle);
    if (binary == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    atomic_store(&binary->on_exception_data, userData);
    atomic_store(&binary->on_exception, callback);
    return ACL_SUCCESS;
}

/* ---- the ABI: what they are told ---------------------------------------------------------------------- */

#define NO_FIELD UINT32_MAX

static bool given(const aclrtExceptionInfo *info)
{
    if (info == NULL) {
        reject((aclError)NO_FIELD, "EH0008", "info is NULL, expected what the exception callback was given");
    }
    return info != NULL;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API_OR(NO_FIELD, info);
    return given(info) ? info->task_id : NO_FIELD;
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API_OR(NO_FIELD, info);
    return given(info) ? info->stream_id : NO_FIELD;
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API_OR(NO_FIELD, info);
    return given(info) ? info->thread_id : NO_FIELD;
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API_OR(NO_FIELD, info);
    return given(info) ? info->device_id : NO_FIELD;
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API_OR(NO_FIELD, info);
    return given(info) ? (uint32_t)info->code : NO_FIELD;
}

aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info, void **devArgsPtr, uint32_t *devArgsLen)
{
    API(info, devArgsPtr, devArgsLen);
    if (!given(info)) {
        return (aclError)NO_FIELD;
    }
    REQUIRE(devArgsPtr);
    REQUIRE(devArgsLen);
    if (info->function == NULL) {
        return reject((aclError)NO_FIELD, "EH0009", "info is of a task that is no kernel launch");
    }
    *devArgsPtr = (void *)(uintptr_t)info->args;
    *devArgsLen = info->args_size;
    return ACL_SUCCESS;
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info, aclrtFuncHandle *func)
{
    API(info, func);
    if (!given(info)) {
        return (aclError)NO_FIELD;
    }
    REQUIRE(func);
    if (info->function == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "info is of a task that is no kernel launch");
    }
    struct function *function = function_of(info->function, "the failed kernel");
    if (function == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (context_current() == NULL) {
        return context_missing();
    }
    *func = function;
    return ACL_SUCCESS;
}
