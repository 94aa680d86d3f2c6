#include "job.h"

#include "engine.h"

struct job_task {
    struct job *job;
};

static bool job_ready(struct task *task, struct need *need)
{
    struct job *job = TASK_PAYLOAD(task, struct job_task)->job;
    uint32_t state = JOB_QUEUED;
    *need = (struct need){NULL, 0};
    if (!job->blocks) {
        return true;
    }
    if (atomic_compare_exchange_strong(&job->state, &state, JOB_POSTED)) {
        atomic_fetch_add(&job->users, 1);
        job->post(job);
        return false;
    }
    return state == JOB_DONE;
}

static void run_job(struct task *task, struct stream *stream)
{
    struct job *job = TASK_PAYLOAD(task, struct job_task)->job;
    (void)stream;
    if (!job->blocks) {
        atomic_store(&job->state, JOB_POSTED);
        atomic_fetch_add(&job->users, 1);
        job->post(job);
    }
    job_leave(job);
}

static void drop_job(struct task *task, struct stream *stream)
{
    struct job *job = TASK_PAYLOAD(task, struct job_task)->job;
    uint32_t state = JOB_POSTED;
    (void)stream;
    atomic_compare_exchange_strong(&job->state, &state, JOB_CANCELLED);
    job_leave(job);
}

static const struct task_kind job_kind = {.name = "callback", .run = run_job, .ready = job_ready, .drop = drop_job};

struct job *job_new(void (*function)(void *data), void *data, bool blocks, void (*post)(struct job *job))
{
    struct job *job = host_alloc(sizeof(*job));
    if (job != NULL) {
        job->function = function;
        job->data = data;
        job->blocks = blocks;
        job->post = post;
        atomic_store(&job->users, 1);
    }
    return job;
}

void job_leave(struct job *job)
{
    if (atomic_fetch_sub(&job->users, 1) == 1) {
        host_free(job);
    }
}

aclError job_queue(struct job *job, struct stream *stream)
{
    struct task *task = engine_lock(stream);
    if (task == NULL) {
        job_leave(job);
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left to queue a callback");
    }
    job->stream = stream;
    task->kind = &job_kind;
    TASK_PAYLOAD(task, struct job_task)->job = job;
    engine_push(stream);
    return ACL_SUCCESS;
}

void job_call(struct job *job)
{
    uint32_t state = JOB_POSTED;
    if (atomic_compare_exchange_strong(&job->state, &state, JOB_RUNNING)) {
        struct stream *outer = engine_enter_callback(job->blocks ? job->stream : NULL);
        const struct thread_call call = call_suspend();
        job->function(job->data);
        call_resume(&call);
        engine_enter_callback(outer);
        atomic_store(&job->state, JOB_DONE);
        engine_notify();
    }
    job_leave(job);
}

/* ---- lists -------------------------------------------------------------------------------------------- */

void job_list_init(struct job_list *list)
{
    *list = (struct job_list){NULL, &list->first};
}

void job_list_add(struct job_list *list, struct job *job)
{
    job->next = NULL;
    *list->end = job;
    list->end = &job->next;
}

struct job *job_list_take(struct job_list *list)
{
    struct job *job = list->first;
    if (job != NULL) {
        list->first = job->next;
        if (list->first == NULL) {
            list->end = &list->first;
        }
    }
    return job;
}
