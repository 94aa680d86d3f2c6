#include "hostfunc.h"

/* The thread of a context that calls functions. It has no context of its own, as in the real library. */
struct caller {
    struct context_child child; /* ends with the context */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job_list jobs;
    bool calling;
    bool ending;
    bool alone; /* nobody joins it: it frees itself */
};

static void caller_free(struct caller *caller)
{
    for (struct job *job; (job = job_list_take(&caller->jobs)) != NULL;) {
        job_leave(job);
    }
    pthread_cond_destroy(&caller->changed);
    pthread_mutex_destroy(&caller->lock);
    host_free(caller);
}

/* With the lock. */
static void call_next(struct caller *caller)
{
    struct job *job = job_list_take(&caller->jobs);
    caller->calling = true;
    pthread_mutex_unlock(&caller->lock);
    job_call(job);
    if (call_forked()) {
        pthread_exit(NULL); /* the function forked, and this is the child's only thread */
    }
    pthread_mutex_lock(&caller->lock);
    caller->calling = false;
}

static void *call_jobs(void *argument)
{
    struct caller *caller = argument;
    pthread_mutex_lock(&caller->lock);
    while (!caller->ending) {
        if (caller->jobs.first != NULL) {
            call_next(caller);
        } else {
            pthread_cond_wait(&caller->changed, &caller->lock);
        }
    }
    bool alone = caller->alone;
    pthread_mutex_unlock(&caller->lock);
    if (alone) {
        caller_free(caller);
    }
    return NULL;
}

/* A function that is running may never return, or be what ends the context: then nobody waits for it. */
static void caller_end(struct context_child *child)
{
    struct caller *caller = CONTAINER(child, struct caller, child);
    pthread_t thread = caller->thread;
    pthread_mutex_lock(&caller->lock);
    bool alone = caller->calling;
    caller->alone = alone;
    caller->ending = true;
    pthread_cond_signal(&caller->changed);
    pthread_mutex_unlock(&caller->lock);
    if (alone) {
        pthread_detach(thread);
    } else {
        pthread_join(thread, NULL);
        caller_free(caller);
    }
}

static struct caller *caller_new(void)
{
    struct caller *caller = host_alloc(sizeof(*caller));
    if (caller == NULL) {
        return NULL;
    }
    caller->child.drop = caller_end;
    pthread_mutex_init(&caller->lock, NULL);
    pthread_cond_init(&caller->changed, NULL);
    job_list_init(&caller->jobs);
    if (pthread_create(&caller->thread, NULL, call_jobs, caller) != 0) {
        caller_free(caller);
        return NULL;
    }
    return caller;
}

bool hostfunc_start(struct context *context)
{
    struct context_child *present = atomic_load_explicit(&context->caller, memory_order_acquire);
    if (LIKELY(present != NULL)) {
        return true;
    }
    struct caller *made = caller_new();
    if (made == NULL) {
        fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "the thread for host functions could not be started");
        return false;
    }
    if (!atomic_compare_exchange_strong(&context->caller, &present, &made->child)) { /* another thread was faster */
        caller_end(&made->child);
    }
    return true;
}

void hostfunc_post(struct job *job)
{
    struct context_child *child = atomic_load(&job->stream->context->caller);
    struct caller *caller = CONTAINER(child, struct caller, child);
    pthread_mutex_lock(&caller->lock);
    job_list_add(&caller->jobs, job);
    pthread_cond_signal(&caller->changed);
    pthread_mutex_unlock(&caller->lock);
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
    API(stream, fn, args);
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (fn == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "fn is NULL, expected a function");
    }
    struct stream *named = stream;
    if (named != NULL && atomic_load(&named->subscription) != 0) {
        return fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, "EE1016",
                    "stream %d was subscribed with aclrtSubscribeReport: use aclrtLaunchCallback on it", named->id);
    }
    struct stream *found = stream_find_open(stream);
    if (found == NULL || !hostfunc_start(found->context)) {
        return thread_call.result;
    }
    struct job *job = job_new(fn, args, true, hostfunc_post);
    if (job == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left to queue a callback");
    }
    atomic_store(&found->calls_host, true);
    return job_queue(job, found);
}
