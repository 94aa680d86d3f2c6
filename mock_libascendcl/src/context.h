/* Contexts, and which one a thread is in. */
#ifndef MOCK_CONTEXT_H
#define MOCK_CONTEXT_H

#include "device.h"
#include "handle.h"

/* Something that dies with its context. */
struct context_child {
    void (*drop)(struct context_child *child); /* called without locks; the child is already off the list */
    struct context_child *next;
    struct context_child **link; /* what points at this one; NULL once it is off the list */
};

#define OPTIONS 4

/* By aclSysParamOpt. */
struct options {
    _Atomic uint32_t set; /* a bit for each that was */
    _Atomic int64_t value[OPTIONS];
};

struct context {
    struct cell cell;
    struct device *device;
    bool primary;
    _Atomic uint64_t generation; /* a thread that still points here after a reset sees another one */
    struct context_child *children;
    _Atomic uint64_t overflow; /* address of its overflow block, 0 until somebody asks (args.h) */
    void *_Atomic default_stream;
    struct options options;
    struct context_child *_Atomic caller; /* the thread of hostfunc.c, which ends after the streams */
    pthread_mutex_t lock; /* of the children */
};

/* What a thread is in: a context it named, or the primary context of a device, whichever came last. */
struct thread_context {
    struct context *named;
    uint64_t generation; /* of the named context */
    struct device *primary_of;
};

extern THREAD_LOCAL struct thread_context thread_context;

struct context *context_find(void);

/* The calling thread's context, or NULL. Retains the default device of aclInit's file where that applies. */
static inline struct context *context_current(void)
{
    if (LIKELY(thread_context.named == NULL && thread_context.primary_of != NULL)) {
        struct context *primary = atomic_load_explicit(&thread_context.primary_of->primary, memory_order_acquire);
        if (LIKELY(primary != NULL)) {
            return primary;
        }
    }
    return context_find();
}

/* Reports the missing context as the real library does: 107002, said and stored. */
aclError context_missing(void);

/* How many tasks of streams, one inside the other, the calling thread is running. It must not end contexts meanwhile. */
extern THREAD_LOCAL uint32_t context_tasks;

/* For a thread of the mock's own that runs a user's code: no context, whatever it was. Returns nothing to restore. */
void context_leave_thread(void);

void context_add_child(struct context *context, struct context_child *child);
/* False when somebody else is dropping it already. */
bool context_remove_child(struct context *context, struct context_child *child);

/* Ends all contexts, and takes the calling thread and the default device out of theirs. */
void context_reset(void);

/* deviceId: a default device for threads that never set one, -1 for none. False when there is no such device. */
bool context_set_default_device(int32_t device_id);

#endif
