/* The last launches with the arguments their kernels get, for tests and demos. Costs one load while off. */
#ifndef MOCK_LAUNCHLOG_H
#define MOCK_LAUNCHLOG_H

#include "binary.h"
#include "stream.h"

extern _Atomic uint32_t launchlog_on;

COLD void launchlog_store(const struct stream *stream, const struct function *function, uint32_t blocks, uint64_t args,
                     const void *bytes, size_t size);

/* bytes: NULL when the arguments are in device memory of the program's. */
static inline void launchlog_add(const struct stream *stream, const struct function *function, uint32_t blocks,
                                 uint64_t args, const void *bytes, size_t size)
{
    if (UNLIKELY(atomic_load_explicit(&launchlog_on, memory_order_relaxed))) {
        launchlog_store(stream, function, blocks, args, bytes, size);
    }
}

#endif
