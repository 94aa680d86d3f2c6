#include "report.h"

#include "engine.h"
#include "hostfunc.h"
#include "job.h"

/* A stream and the thread that calls its callbacks. Over when the stream is, which nobody tells us. */
struct subscription {
    struct subscription *next;
    struct stream *stream;
    uint64_t number; /* the stream's own, while this holds */
    uint64_t thread;
    int32_t device;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted;
    pthread_once_t once;
    struct subscription *subscriptions;
    uint64_t numbers;
    struct job_list jobs; /* of all threads; key says whose */
} report = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

#define LOOK_NS 50000000 /* the stream that a thread listens to may end without a word */

static void report_start(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&report.posted, &attributes);
    pthread_condattr_destroy(&attributes);
    job_list_init(&report.jobs);
}

static bool holds(const struct subscription *subscription)
{
    return handle_alive(HANDLE_STREAM, subscription->stream) &&
           atomic_load(&subscription->stream->subscription) == subscription->number;
}

/* With the lock: the first one of the stream (NULL: any) and the thread (0: any). Forgets those that are over. */
static struct subscription *find(const struct stream *stream, uint64_t thread)
{
    struct subscription *found = NULL;
    for (struct subscription **link = &report.subscriptions; *link != NULL;) {
        struct subscription *at = *link;
        if (!holds(at)) {
            *link = at->next;
            host_free(at);
            continue;
        }
        bool fits = (stream == NULL || at->stream == stream) && (thread == 0 || at->thread == thread);
        found = found == NULL && fits ? at : found;
        link = &at->next;
    }
    return found;
}

/* ---- subscribing -------------------------------------------------------------------------------------- */

static aclError calls_host(const struct stream *stream)
{
    return fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, "EE1016", "stream %d is used with aclrtLaunchHostFunc", stream->id);
}

/* A named stream is of one kind of callback for good; the default stream may mix them. */
static bool is_named_host_caller(const struct stream *stream)
{
    return stream != NULL && atomic_load(&stream->calls_host);
}

static aclError add_subscription(struct stream *stream, uint64_t thread)
{
    struct subscription *made = host_alloc(sizeof(*made));
    if (made == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left for a subscription");
    }
    *made = (struct subscription){report.subscriptions, stream, ++report.numbers, thread,
                                  stream->context->device->user_id};
    report.subscriptions = made;
    atomic_store(&stream->subscription, made->number);
    return ACL_SUCCESS;
}

/* With the lock. */
static aclError subscribe(struct stream *stream, uint64_t thread)
{
    if (find(stream, 0) != NULL || atomic_load(&stream->calls_host)) {
        return fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, "EE9999", "stream %d is subscribed already", stream->id);
    }
    const struct subscription *other = find(NULL, thread);
    if (other != NULL && other->device != stream->context->device->user_id) {
        return fail(ACL_ERROR_RT_THREAD_SUBSCRIBE, "EE9999",
                    "thread %#llx is subscribed to a stream of device %d, stream %d is of device %d",
                    (unsigned long long)thread, other->device, stream->id, stream->context->device->user_id);
    }
    return add_subscription(stream, thread);
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    API(threadId, stream);
    pthread_once(&report.once, report_start);
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (is_named_host_caller(stream)) {
        return calls_host(stream);
    }
    struct stream *found = stream_find(stream);
    if (found == NULL) {
        return thread_call.result;
    }
    pthread_mutex_lock(&report.lock);
    aclError code = subscribe(found, threadId);
    pthread_mutex_unlock(&report.lock);
    return code;
}

/* With the lock. */
static aclError unsubscribe(struct stream *stream, uint64_t thread)
{
    struct subscription *subscription = find(stream, 0);
    if (subscription == NULL && !atomic_load(&stream->calls_host)) {
        return fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, "EE9999", "stream %d is not subscribed", stream->id);
    }
    if (subscription == NULL || subscription->thread != thread) {
        return fail(ACL_ERROR_RT_THREAD_SUBSCRIBE, "EE9999", "thread %#llx is not the one that stream %d was subscribed for",
                    (unsigned long long)thread, stream->id);
    }
    atomic_store(&stream->subscription, 0);
    find(NULL, 0); /* forgets it */
    return ACL_SUCCESS;
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    API(threadId, stream);
    pthread_once(&report.once, report_start);
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (is_named_host_caller(stream)) {
        return calls_host(stream);
    }
    struct stream *found = stream != NULL ? stream : stream_find(NULL);
    if (found == NULL) {
        return thread_call.result;
    }
    pthread_mutex_lock(&report.lock);
    aclError code = unsubscribe(found, threadId);
    pthread_mutex_unlock(&report.lock);
    return code;
}

/* ---- calling back ------------------------------------------------------------------------------------- */

static void post(struct job *job)
{
    pthread_mutex_lock(&report.lock);
    job_list_add(&report.jobs, job);
    pthread_cond_broadcast(&report.posted);
    pthread_mutex_unlock(&report.lock);
}

/* False: no thread calls back for the stream. */
static bool find_listener(const struct stream *stream, uint64_t *thread)
{
    pthread_mutex_lock(&report.lock);
    const struct subscription *subscription = find(stream, 0);
    *thread = subscription != NULL ? subscription->thread : 0;
    pthread_mutex_unlock(&report.lock);
    return subscription != NULL;
}

static aclError launch_callback(aclrtCallback fn, void *data, bool blocks, struct stream *stream)
{
    uint64_t thread;
    bool listened = find_listener(stream, &thread);
    if (!listened && !atomic_load(&stream->calls_host)) {
        return fail(ACL_ERROR_RT_STREAM_NO_CB_REG, "EE1018",
                    "stream %d has no thread for its callbacks: call aclrtSubscribeReport first", stream->id);
    }
    struct job *job = job_new(fn, data, blocks, listened ? post : hostfunc_post);
    if (job == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left to queue a callback");
    }
    job->key = thread;
    return job_queue(job, stream);
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream)
{
    API(fn, userData, blockType, stream);
    pthread_once(&report.once, report_start);
    if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "blockType is %d, expected 0 or 1", (int)blockType);
    }
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (fn == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "fn is NULL, expected a function");
    }
    if (is_named_host_caller(stream)) {
        return calls_host(stream);
    }
    struct stream *found = stream_find_open(stream);
    if (found == NULL) {
        return thread_call.result;
    }
    return launch_callback(fn, userData, blockType == ACL_CALLBACK_BLOCK, found);
}

void report_reset(void)
{
    pthread_once(&report.once, report_start);
    pthread_mutex_lock(&report.lock);
    find(NULL, 0); /* no stream is left: forgets all subscriptions */
    for (struct job *job; (job = job_list_take(&report.jobs)) != NULL;) {
        job_leave(job);
    }
    pthread_mutex_unlock(&report.lock);
}

/* ---- processing --------------------------------------------------------------------------------------- */

/* With the lock: moves the thread's jobs to `own`. */
static void take_jobs(uint64_t thread, struct job_list *own)
{
    struct job_list others;
    job_list_init(&others);
    for (struct job *job; (job = job_list_take(&report.jobs)) != NULL;) {
        job_list_add(job->key == thread ? own : &others, job);
    }
    job_list_init(&report.jobs);
    for (struct job *job; (job = job_list_take(&others)) != NULL;) {
        job_list_add(&report.jobs, job);
    }
}

/* Without the lock: lets the stream that the thread listens to run, since nobody else may be doing so. */
static void help_streams(uint64_t thread)
{
    pthread_mutex_lock(&report.lock);
    const struct subscription *subscription = find(NULL, thread);
    struct stream *stream = subscription != NULL ? subscription->stream : NULL;
    pthread_mutex_unlock(&report.lock);
    if (stream != NULL) {
        engine_poll(stream, queue_pushed(&stream->queue));
    }
}

/* Until there are jobs for the thread in `own`, or the deadline (0: none). False: it has no subscription any more. */
static bool await_jobs(uint64_t thread, uint64_t deadline, struct job_list *own)
{
    bool subscribed = true;
    pthread_mutex_lock(&report.lock);
    for (take_jobs(thread, own); own->first == NULL; take_jobs(thread, own)) {
        uint64_t now = now_ns();
        uint64_t look = now + LOOK_NS;
        subscribed = find(NULL, thread) != NULL;
        if (!subscribed || (deadline != 0 && now >= deadline)) {
            break;
        }
        uint64_t until = deadline != 0 && deadline < look ? deadline : look;
        struct timespec end = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
        pthread_cond_timedwait(&report.posted, &report.lock, &end);
    }
    pthread_mutex_unlock(&report.lock);
    return subscribed;
}

static aclError not_subscribed(void)
{
    return fail_unsaid(ACL_ERROR_RT_THREAD_SUBSCRIBE,
                       "this thread is subscribed to no stream: call aclrtSubscribeReport with its pthread_self()");
}

static aclError check_listener(uint64_t thread)
{
    pthread_mutex_lock(&report.lock);
    const struct subscription *subscription = find(NULL, thread);
    struct device *device = subscription != NULL ? subscription->stream->context->device : NULL;
    pthread_mutex_unlock(&report.lock);
    if (device == NULL) {
        return not_subscribed();
    }
    if (context_current() == NULL && atomic_load(&device->primary) == NULL) {
        return context_missing();
    }
    return ACL_SUCCESS;
}

aclError aclrtProcessReport(int32_t timeout)
{
    API(timeout);
    pthread_once(&report.once, report_start);
    if (timeout == 0 || timeout < -1) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0009", "timeout is %d, expected -1 (for ever) or more than 0", timeout);
    }
    uint64_t thread = (uint64_t)pthread_self();
    aclError code = check_listener(thread);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct job_list own;
    job_list_init(&own);
    uint64_t deadline = timeout < 0 ? 0 : now_ns() + (uint64_t)timeout * 1000000u;
    help_streams(thread);
    if (!await_jobs(thread, deadline, &own)) {
        return not_subscribed();
    }
    if (own.first == NULL) {
        return fail_unsaid(ACL_ERROR_RT_REPORT_TIMEOUT, "no callback came within %d ms", timeout);
    }
    for (struct job *job; (job = job_list_take(&own)) != NULL;) {
        job_call(job);
    }
    return ACL_SUCCESS;
}
