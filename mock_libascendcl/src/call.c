#include "call.h"

#include "error.h"
#include "inject.h"
#include "trace.h"

THREAD_LOCAL struct thread_call thread_call;
_Atomic uint32_t call_watching;

void call_watch(uint32_t watch, bool on)
{
    if (on) {
        atomic_fetch_or(&call_watching, watch);
    } else {
        atomic_fetch_and(&call_watching, ~watch);
    }
}

/* Our choice of code. Threads that held our locks are not in this process, so nothing may wait for one. */
aclError call_refuse_forked(void)
{
    return fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "EE1001",
                "this process was forked from one that used the device, and cannot: fork before the first use, or start "
                "another program (Python: multiprocessing's \"spawn\")");
}

aclError call_enter(const char *names, const char *kinds, ...)
{
    if (call_forked()) {
        return call_refuse_forked();
    }
    if (call_watched(WATCH_TRACE)) {
        uint64_t values[ARGUMENTS_AT_MOST];
        va_list list;
        va_start(list, kinds);
        for (size_t i = 0; kinds[i] != '\0'; ++i) {
            values[i] = va_arg(list, uint64_t);
        }
        va_end(list);
        trace_call_begin(names, kinds, values);
    }
    return call_watched(WATCH_INJECT) ? inject_call() : ACL_SUCCESS;
}

void call_leave(void)
{
    if (!call_forked()) {
        trace_call_end();
    }
}
