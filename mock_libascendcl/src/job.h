/* A function of the program's that a stream calls: what hostfunc.c and report.c queue, and hand to another thread. */
#ifndef MOCK_JOB_H
#define MOCK_JOB_H

#include "stream.h"

enum job_state { JOB_QUEUED, JOB_POSTED, JOB_RUNNING, JOB_DONE, JOB_CANCELLED };

struct job {
    struct job *next; /* in the list of whoever will call it */
    void (*function)(void *data);
    void *data;
    struct stream *stream;
    bool blocks; /* the stream waits until it has returned */
    _Atomic uint32_t state;
    _Atomic uint32_t users; /* the task, and whoever will call it */
    /* Hands it to the thread that will call it; by the runner, without locks. owner: of whom, as post knows. */
    void (*post)(struct job *job);
    void *owner;
    uint64_t key;
};

/* For one user, the task. NULL: no memory. */
struct job *job_new(void (*function)(void *data), void *data, bool blocks, void (*post)(struct job *job));
void job_leave(struct job *job);

/* Queues it; takes the task's part of it. */
aclError job_queue(struct job *job, struct stream *stream);

/* Calls a job that was posted, unless its stream has ended, and leaves it. */
void job_call(struct job *job);

/* A list of posted jobs, in order. Not locked. */
struct job_list {
    struct job *first;
    struct job **end;
};

void job_list_init(struct job_list *list);
void job_list_add(struct job_list *list, struct job *job);
/* NULL: it is empty. */
struct job *job_list_take(struct job_list *list);

#endif
