#include "trace.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "aclmock/aclmock.h"

#define RECORDS_AT_MOST ((uint64_t)1 << 24)

_Static_assert(sizeof(((aclmock_record *)NULL)->arguments) == ARGUMENTS_AT_MOST * sizeof(uint64_t), "all arguments fit");

static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;
static aclmock_record *records; /* a ring */
static uint64_t room;
static uint64_t count;   /* records ever made: the newest one's number */
static uint64_t started; /* what that was at the last start */

/* Of this thread: what it is in, outer ones restored when inner ones end. */
static THREAD_LOCAL uint64_t current_call;
static THREAD_LOCAL uint64_t current_task;

/* ---- recording ---------------------------------------------------------------------------------------- */

/* With the lock. NULL when it has been replaced, or the trace was stopped. */
static aclmock_record *record_of(uint64_t number)
{
    bool there = number > started && number <= count && count - number < room;
    return there ? &records[(number - 1) % room] : NULL;
}

/* A new record, with the lock taken. NULL, without the lock, when the trace has just been stopped. */
static aclmock_record *record_new(const char *name, uint64_t *number)
{
    pthread_mutex_lock(&trace_lock);
    if (records == NULL) {
        pthread_mutex_unlock(&trace_lock);
        *number = 0;
        return NULL;
    }
    *number = ++count;
    aclmock_record *record = record_of(*number);
    memset(record, 0, sizeof(*record));
    record->name = name;
    record->thread = (uint64_t)syscall(SYS_gettid);
    record->start_ns = now_ns();
    return record;
}

/* What a string argument says, if it can be read: it may be any address. */
static void copy_string(char *to, size_t size, uint64_t address)
{
    struct iovec target = {to, size - 1};
    struct iovec source = {(void *)(uintptr_t)address, size - 1};
    ssize_t got = address != 0 ? process_vm_readv(getpid(), &target, 1, &source, 1, 0) : 0;
    to[got > 0 ? got : 0] = '\0';
}

void trace_call_begin(const char *names, const char *kinds, const uint64_t *values)
{
    uint64_t number;
    char text[sizeof(((aclmock_record *)NULL)->text)] = "";
    const char *string = strchr(kinds, 's');
    if (string != NULL) {
        copy_string(text, sizeof(text), values[string - kinds]);
    }
    aclmock_record *record = record_new(thread_call.name, &number);
    if (record == NULL) {
        current_call = 0;
        return;
    }
    record->argument_names = names;
    record->argument_kinds = kinds;
    memcpy(record->arguments, values, strlen(kinds) * sizeof(uint64_t));
    memcpy(record->text, text, sizeof(text));
    record->outer = current_call;
    pthread_mutex_unlock(&trace_lock);
    current_call = number;
}

static void end(uint64_t number, aclError result, uint64_t *current)
{
    pthread_mutex_lock(&trace_lock);
    aclmock_record *record = record_of(number);
    *current = 0;
    if (record != NULL) {
        record->end_ns = now_ns();
        record->result = result;
        *current = record->outer;
    }
    pthread_mutex_unlock(&trace_lock);
}

void trace_call_end(void)
{
    if (current_call != 0) {
        end(current_call, thread_call.result, &current_call);
    }
}

uint64_t trace_task_begin(const char *kind, int32_t device, int32_t stream, uint64_t position)
{
    uint64_t number;
    aclmock_record *record = record_new(kind, &number);
    if (record == NULL) {
        return 0;
    }
    record->is_task = 1;
    record->device = device;
    record->stream = stream;
    record->task = position;
    record->outer = current_task;
    pthread_mutex_unlock(&trace_lock);
    current_task = number;
    return number;
}

void trace_task_end(uint64_t number)
{
    end(number, ACL_SUCCESS, &current_task);
}

void trace_queued(uint64_t position)
{
    pthread_mutex_lock(&trace_lock);
    aclmock_record *record = record_of(current_call);
    if (record != NULL) {
        record->task = position;
    }
    pthread_mutex_unlock(&trace_lock);
}

void trace_kernel(const char *name, uint32_t blocks)
{
    pthread_mutex_lock(&trace_lock);
    aclmock_record *record = record_of(current_task);
    if (record != NULL) {
        record->num_blocks = blocks;
        snprintf(record->text, sizeof(record->text), "%s", name);
    }
    pthread_mutex_unlock(&trace_lock);
}

void trace_after(uint64_t position)
{
    pthread_mutex_lock(&trace_lock);
    aclmock_record *record = record_of(current_task);
    if (record != NULL) {
        record->after = position;
    }
    pthread_mutex_unlock(&trace_lock);
}

/* ---- the mock's own face ------------------------------------------------------------------------------ */

static void set_ring(aclmock_record *ring, uint64_t size)
{
    pthread_mutex_lock(&trace_lock);
    host_free(records);
    records = ring;
    room = size;
    started = count;
    pthread_mutex_unlock(&trace_lock);
}

int aclmock_trace_start(uint64_t keep)
{
    aclmock_record *ring = keep > 0 && keep <= RECORDS_AT_MOST ? host_alloc(keep * sizeof(*ring)) : NULL;
    if (ring == NULL) {
        return 0;
    }
    set_ring(ring, keep);
    call_watch(WATCH_TRACE, true);
    return 1;
}

void aclmock_trace_stop(void)
{
    call_watch(WATCH_TRACE, false);
}

uint64_t aclmock_trace_count(void)
{
    pthread_mutex_lock(&trace_lock);
    uint64_t made = count - started;
    pthread_mutex_unlock(&trace_lock);
    return made;
}

int aclmock_get_record(uint64_t index, aclmock_record *record)
{
    pthread_mutex_lock(&trace_lock);
    const aclmock_record *kept = index < count - started ? record_of(started + index + 1) : NULL;
    if (kept != NULL) {
        *record = *kept;
        record->outer -= record->outer > started ? started : record->outer;
    }
    pthread_mutex_unlock(&trace_lock);
    return kept != NULL;
}

void trace_reset(void)
{
    aclmock_trace_stop();
    set_ring(NULL, 0);
}
