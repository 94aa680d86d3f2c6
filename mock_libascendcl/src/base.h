/* The bottom layer: memory that can be made to fail, growing text, time, environment, thread exit. */
#ifndef MOCK_BASE_H
#define MOCK_BASE_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* For what every launch goes through: a launch takes as long as the calls and copies that it consists of. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))
/* For what fails or is rare: launches shall not keep registers free for it. */
#define COLD __attribute__((cold, noinline))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
/* In integers: the pointer may be one that a caller made up. */
#define CONTAINER(pointer, type, member) ((type *)((uintptr_t)(pointer) - offsetof(type, member)))
#define PRINTF(string, first) __attribute__((format(printf, string, first)))

/* The static model: a thread variable costs one load. The library stays loadable with dlopen as long as it is small. */
#define THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

static inline size_t round_up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

static inline size_t size_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A lock for a few instructions: one atomic operation takes it, a plain store gives it back. All zero: free. */
struct brief_lock {
    _Atomic uint32_t taken;
};

COLD void brief_wait(struct brief_lock *lock);

static inline void brief_take(struct brief_lock *lock)
{
    if (UNLIKELY(atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire) != 0)) {
        brief_wait(lock);
    }
}

static inline void brief_give(struct brief_lock *lock)
{
    atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

/* Every allocation of the mock goes through these, so that a test can make the n-th one fail. */
void *host_alloc(size_t size); /* zeroed */
void *host_resize(void *memory, size_t size);
void host_free(void *memory);

/* A string that grows. A failed allocation empties it and sets `failed`; adding to it stays legal. */
struct text {
    char *data;
    size_t length;
    size_t room;
    bool failed;
};

void text_add(struct text *text, const char *format, ...) PRINTF(2, 3);
void text_vadd(struct text *text, const char *format, va_list list) PRINTF(2, 0);
const char *text_get(const struct text *text); /* never NULL */
void text_free(struct text *text);
char *text_copy(const char *string); /* for host_free; NULL when memory ran out */

uint64_t now_ns(void); /* monotonic */

extern THREAD_LOCAL uint32_t thread_number_known;
uint32_t thread_number_ask(void);

/* As gettid(). */
static inline uint32_t thread_number(void)
{
    return LIKELY(thread_number_known != 0) ? thread_number_known : thread_number_ask();
}

/* An environment variable, or NULL when it is unset or empty. */
const char *env_text(const char *name);
/* A number of the environment between low and high; anything else is reported once on stderr and ignored. */
uint64_t env_number(const char *name, uint64_t standard, uint64_t low, uint64_t high);

/* Runs `leave` when the calling thread ends. The node must live until then. */
struct thread_exit {
    void (*leave)(struct thread_exit *node);
    struct thread_exit *next;
};

void thread_at_exit(struct thread_exit *node);

#endif
