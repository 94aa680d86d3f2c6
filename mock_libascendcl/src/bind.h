/* Which host implementation runs a kernel: one bound by a program, the kernel's own, or one of ACL_MOCK_KERNEL_PATH. */
#ifndef MOCK_BIND_H
#define MOCK_BIND_H

#include "use.h"

extern _Atomic uint64_t bind_generation; /* grows with every change of what is bound */

/* Looks again. NULL: the kernel has none. */
COLD const struct implementation *bind_resolve(struct function *function);

/* What runs the kernel as things are now; NULL: nothing does. */
static inline const struct implementation *bind_of(struct function *function)
{
    uint64_t now = atomic_load_explicit(&bind_generation, memory_order_acquire);
    return LIKELY(atomic_load_explicit(&function->bound_at, memory_order_acquire) == now)
               ? atomic_load_explicit(&function->bound, memory_order_acquire)
               : bind_resolve(function);
}

/* For bind_enter: one that is not the kernel's own. */
COLD const struct implementation *bind_enter_other(struct function *function);

/* The same, kept from being unbound until use_leave. After use_enter. */
static inline const struct implementation *bind_enter(struct function *function)
{
    const struct implementation *found = bind_of(function);
    /* Its own is as lasting as the binary, which is announced. */
    return LIKELY(found == &function->own) ? found : bind_enter_other(function);
}

/* What to do for a kernel that has none. */
void bind_explain(const struct function *function, struct text *text);

/* Forgets what was bound to the binary alone, which is about to end. */
void bind_forget(const struct binary *binary);
void bind_reset(void);

#endif
