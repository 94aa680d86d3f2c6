/* Telling the program of tasks that failed on the device: aclrtSetExceptionInfoCallback and its kin. */
#ifndef MOCK_EXCEPTION_H
#define MOCK_EXCEPTION_H

#include "binary.h"
#include "stream.h"

/* What a callback is given; valid while it runs. */
struct rtExceptionInfo {
    uint32_t task_id; /* the task's place in its stream, from 0 */
    uint32_t stream_id;
    uint32_t thread_id; /* who queued it, as gettid() */
    uint32_t device_id;
    aclError code;
    struct function *function; /* NULL: no kernel */
    uint64_t args;             /* device address of its arguments */
    uint32_t args_size;
};

/* Runner, inside the task. The stream's next synchronize reports the code and the text (of host_alloc, may be NULL).
 * info: what the caller knows: thread, function, arguments. The callbacks have returned when this returns. */
void exception_raise(struct stream *stream, aclError code, char *text, struct rtExceptionInfo info);

/* Forgets all callbacks. */
void exception_reset(void);

#endif
