#include "base.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aclmock/aclmock.h"

/* ---- memory ------------------------------------------------------------------------------------------- */

static _Atomic int64_t allocations_left = -1; /* -1: no limit */

static bool allocation_fails(void)
{
    if (LIKELY(atomic_load_explicit(&allocations_left, memory_order_relaxed) < 0)) {
        return false;
    }
    return atomic_fetch_sub(&allocations_left, 1) == 0;
}

static _Atomic size_t allocations;

/* Counts an allocation that is new. */
static void *counted(void *memory)
{
    if (memory != NULL) {
        atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    }
    return memory;
}

void *host_alloc(size_t size)
{
    return allocation_fails() ? NULL : counted(calloc(1, size ? size : 1));
}

void *host_resize(void *memory, size_t size)
{
    if (memory == NULL) {
        return host_alloc(size);
    }
    return allocation_fails() ? NULL : realloc(memory, size ? size : 1);
}

void host_free(void *memory)
{
    if (memory != NULL) {
        atomic_fetch_sub_explicit(&allocations, 1, memory_order_relaxed);
        free(memory);
    }
}

size_t aclmock_host_allocs(void)
{
    return atomic_load(&allocations);
}

void aclmock_fail_host_alloc(int64_t after)
{
    atomic_store(&allocations_left, after);
}

/* ---- locks -------------------------------------------------------------------------------------------- */

#define LOOKS 128 /* before the core goes to whoever holds the lock */

void brief_wait(struct brief_lock *lock)
{
    do {
        for (unsigned look = 0; atomic_load_explicit(&lock->taken, memory_order_relaxed) != 0; ++look) {
            if (look % LOOKS == LOOKS - 1) {
                sched_yield();
            }
        }
    } while (atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire) != 0);
}

int64_t aclmock_host_allocs_left(void)
{
    return atomic_load(&allocations_left);
}

/* ---- text --------------------------------------------------------------------------------------------- */

static bool text_reserve(struct text *text, size_t extra)
{
    size_t need = text->length + extra + 1;
    if (need <= text->room) {
        return true;
    }
    size_t room = text->room ? text->room * 2 : 128;
    while (room < need) {
        room *= 2;
    }
    char *data = host_resize(text->data, room);
    if (data == NULL) {
        text_free(text);
        text->failed = true;
        return false;
    }
    text->data = data;
    text->room = room;
    return true;
}

void text_vadd(struct text *text, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    if (length >= 0 && text_reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_add(struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text_vadd(text, format, list);
    va_end(list);
}

const char *text_get(const struct text *text)
{
    return text->data != NULL ? text->data : "";
}

void text_free(struct text *text)
{
    host_free(text->data);
    *text = (struct text){0};
}

char *text_copy(const char *string)
{
    size_t size = strlen(string) + 1;
    char *copy = host_alloc(size);
    return copy == NULL ? NULL : memcpy(copy, string, size);
}

/* ---- time and environment ----------------------------------------------------------------------------- */

uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

THREAD_LOCAL uint32_t thread_number_known;

uint32_t thread_number_ask(void)
{
    return thread_number_known = (uint32_t)gettid();
}

const char *env_text(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* "64", "0x40", "4K", "4M", "4G" */
static bool parse_number(const char *string, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    *number = strtoull(string, &end, 0);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    end += shift != 0;
    bool fits = *number <= UINT64_MAX >> shift;
    *number <<= shift;
    return errno == 0 && string[0] != '-' && end != string && *end == '\0' && fits;
}

uint64_t env_number(const char *name, uint64_t standard, uint64_t low, uint64_t high)
{
    const char *string = env_text(name);
    uint64_t number = 0;
    if (string == NULL) {
        return standard;
    }
    if (parse_number(string, &number) && number >= low && number <= high) {
        return number;
    }
    fprintf(stderr, "mock libascendcl: %s=%s is not a number from %llu to %llu, using %llu\n", name, string,
            (unsigned long long)low, (unsigned long long)high, (unsigned long long)standard);
    return standard;
}

/* ---- thread exit -------------------------------------------------------------------------------------- */

static pthread_key_t exit_key;
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;

static void leave_thread(void *list)
{
    for (struct thread_exit *node = list; node != NULL;) {
        struct thread_exit *next = node->next;
        node->leave(node);
        node = next;
    }
}

static void make_exit_key(void)
{
    pthread_key_create(&exit_key, leave_thread);
}

void thread_at_exit(struct thread_exit *node)
{
    pthread_once(&exit_once, make_exit_key);
    node->next = pthread_getspecific(exit_key);
    pthread_setspecific(exit_key, node);
}
