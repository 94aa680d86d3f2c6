/* The call in progress: every function of the ABI starts with API(its arguments), or API_OR(failure, its arguments)
 * when it returns something else than a code and `failure` is what it returns when it is made to fail. */
#ifndef MOCK_CALL_H
#define MOCK_CALL_H

#include "acl/acl_base.h"
#include "base.h"

struct thread_call {
    const char *name;   /* the function of the ABI that this thread is in, for messages; NULL: in none */
    const char *around; /* the one that goes on when this one ends: it runs a kernel or callback that has called this one */
    aclError result;    /* what it has failed with, 0 while it has not */
};

extern THREAD_LOCAL struct thread_call thread_call;

/* ---- watched calls: made to fail or to be late (inject.h), recorded (trace.h), refused in a forked child --- */

enum { WATCH_INJECT = 1, WATCH_TRACE = 2, WATCH_FORKED = 4, WATCH_ANY = 7 };

extern _Atomic uint32_t call_watching; /* 0 nearly always: then all of it costs this one load */

static inline bool call_watched(uint32_t watch)
{
    return UNLIKELY(atomic_load_explicit(&call_watching, memory_order_relaxed) & watch);
}

void call_watch(uint32_t watch, bool on);

/* Whether this is a child process of one that used the device; it has none of the threads, and nothing runs in it. */
static inline bool call_forked(void)
{
    return call_watched(WATCH_FORKED);
}

/* What every call fails with then. */
aclError call_refuse_forked(void);

#define ARGUMENTS_AT_MOST 16

/* Delays the call, records its start, and returns what it must fail with. The arguments follow as uint64_t: no array of
 * the caller's, and no address of its locals, so that a compiler with stack protectors leaves callers alone. */
COLD aclError call_enter(const char *names, const char *kinds, ...);
COLD void call_leave(void);

/* ---- API ----------------------------------------------------------------------------------------------- */

static inline char call_begin(const char *name)
{
    thread_call.name = name;
    thread_call.result = ACL_SUCCESS;
    return 0;
}

static inline void call_end(const char *unused)
{
    (void)unused;
    if (call_watched(WATCH_ANY)) {
        call_leave();
    }
    thread_call.name = thread_call.around;
}

/* Around code of the user's, a kernel or a callback, which may call the ABI while another call is in progress. So calls
 * need not keep the one around them, which would be a good part of the short ones. */
static inline struct thread_call call_suspend(void)
{
    struct thread_call call = thread_call;
    thread_call.around = call.name;
    return call;
}

static inline void call_resume(const struct thread_call *call)
{
    thread_call = *call;
}

/* EACH(macro, a, b, c): macro(a) macro(b) macro(c), for up to 27 */
#define EXPAND(...) EXPAND_3(EXPAND_3(EXPAND_3(__VA_ARGS__)))
#define EXPAND_3(...) EXPAND_2(EXPAND_2(EXPAND_2(__VA_ARGS__)))
#define EXPAND_2(...) EXPAND_1(EXPAND_1(EXPAND_1(__VA_ARGS__)))
#define EXPAND_1(...) __VA_ARGS__
#define EACH(macro, ...) __VA_OPT__(EXPAND(EACH_NEXT(macro, __VA_ARGS__)))
#define EACH_NEXT(macro, first, ...) macro(first) __VA_OPT__(EACH_AGAIN NOTHING (macro, __VA_ARGS__))
#define EACH_AGAIN() EACH_NEXT
#define NOTHING ()

#define ARGUMENT_VALUE(argument) , (uint64_t)(uintptr_t)(argument)
#define ARGUMENT_KIND(argument)                                                                                \
    _Generic((argument), char *: 's', const char *: 's', bool: 'u', uint8_t: 'u', uint16_t: 'u', uint32_t: 'u', \
             uint64_t: 'u', int8_t: 'i', int16_t: 'i', int32_t: 'i', int64_t: 'i', default: 'p'),

#define API_OR_AS(name, failure, ...)                                                                       \
    __attribute__((cleanup(call_end), unused)) const char call_ = call_begin(name);                         \
    if (call_watched(WATCH_ANY)) {                                                                          \
        static const char kinds_[] = {EACH(ARGUMENT_KIND, __VA_ARGS__) '\0'};                               \
        _Static_assert(sizeof(kinds_) <= ARGUMENTS_AT_MOST + 1, "the trace has no room for the arguments"); \
        aclError entered_ = call_enter(#__VA_ARGS__, kinds_ EACH(ARGUMENT_VALUE, __VA_ARGS__));             \
        if (entered_ != ACL_SUCCESS) {                                                                      \
            return failure;                                                                                 \
        }                                                                                                   \
    }

#define API_OR(failure, ...) API_OR_AS(__func__, failure, __VA_ARGS__)
#define API(...) API_OR(entered_, __VA_ARGS__)
#define API_AS(name, ...) API_OR_AS(name, entered_, __VA_ARGS__) /* in a part of the function called so */

#endif
