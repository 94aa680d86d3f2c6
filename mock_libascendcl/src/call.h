/* The call in progress: every function of the ABI starts with API(its arguments). */
#ifndef MOCK_CALL_H
#define MOCK_CALL_H

#include "acl/acl_base.h"
#include "base.h"

struct thread_call {
    const char *name;  /* the function of the ABI that this thread is in, for messages */
    aclError result;   /* what it has failed with, 0 while it has not */
};

extern THREAD_LOCAL struct thread_call thread_call;

/* What API() remembers until the function returns. */
struct call {
    struct thread_call outer; /* a callback or kernel may call the ABI while another call is in progress */
};

static inline struct call call_begin(const char *name)
{
    struct call call = {thread_call};
    thread_call = (struct thread_call){name, ACL_SUCCESS};
    return call;
}

static inline void call_end(struct call *call)
{
    thread_call = call->outer;
}

#define API(...) struct call call_ __attribute__((cleanup(call_end))) = call_begin(__func__)

#endif
