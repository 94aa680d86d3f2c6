/* Which code is running, so that unloading or unbinding does not pull it away from under a kernel. */
#ifndef MOCK_USE_H
#define MOCK_USE_H

#include "binary.h"

/* One a thread that runs kernels. Never freed: another thread takes it over. */
struct use {
    struct binary *_Atomic binary;
    const struct implementation *_Atomic implementation; /* when it is not the binary's own */
    struct use *next;
    struct thread_exit exit;
    _Atomic bool taken;
};

extern THREAD_LOCAL struct use *use_own;

/* Gives the thread its own. False without memory. */
COLD bool use_join(void);

static inline void use_leave(void)
{
    if (use_own != NULL) {
        atomic_store_explicit(&use_own->implementation, NULL, memory_order_release);
        atomic_store_explicit(&use_own->binary, NULL, memory_order_release);
    }
}

/* Before a kernel runs on this thread; false when its binary has been unloaded. It stays announced until use_leave, so
 * that the next kernel of the binary need not do it again: announcing waits for the memory. */
static inline bool use_enter(struct function *function)
{
    if (UNLIKELY(use_own == NULL) && !use_join()) {
        return false;
    }
    /* Announce first, then look: whoever unloads does it the other way round. */
    if (atomic_load_explicit(&use_own->binary, memory_order_relaxed) != function->binary) {
        atomic_store(&use_own->binary, function->binary);
    }
    if (LIKELY(handle_alive(HANDLE_FUNCTION, function))) {
        return true;
    }
    use_leave();
    return false;
}

/* Waits until no other thread runs the binary's code. False when the calling thread itself does. */
bool use_wait(const struct binary *binary);
/* The same for an implementation that is no binary's own. */
bool use_wait_implementation(const struct implementation *implementation);

#endif
