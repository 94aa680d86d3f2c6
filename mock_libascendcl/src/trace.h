/* The trace: the last calls of the ABI and the last tasks of streams, with when, where and what. */
#ifndef MOCK_TRACE_H
#define MOCK_TRACE_H

#include "call.h"

static inline bool trace_on(void)
{
    return call_watched(WATCH_TRACE);
}

/* kinds: one letter an argument, i signed, u unsigned, s string, p other pointer.
 * A task has a record's number, 0 when there is none. Ending one that newer ones have replaced is harmless. */
void trace_call_begin(const char *names, const char *kinds, const uint64_t *values);
void trace_call_end(void); /* of this thread's innermost call, if it is recorded */
uint64_t trace_task_begin(const char *kind, int32_t device, int32_t stream, uint64_t position);
void trace_task_end(uint64_t record);

/* The call in progress on this thread has queued the task with this position. */
void trace_queued(uint64_t position);
/* The task that this thread runs is a launch. */
void trace_kernel(const char *name, uint32_t blocks);
/* The task that this thread runs had to wait for the task with this position. */
void trace_after(uint64_t position);

/* Stops and forgets. */
void trace_reset(void);

#endif
