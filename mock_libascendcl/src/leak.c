#include "leak.h"

#include "aclmock/aclmock.h"
#include "event.h"
#include "memory.h"
#include "stream.h"

#define TOLD_AT_MOST 64

/* Of one report. Reports are made one after the other, since they are about the whole process. */
static struct {
    pthread_mutex_t lock;
    uint64_t since;
    uint64_t found;
} report = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void tell(const char *kind, const void *object, const struct made *made, const char *end_with)
{
    struct text text = {0};
    if (made->function == NULL || made->serial <= report.since || ++report.found > TOLD_AT_MOST) {
        return;
    }
    text_add(&text, "%s %p", kind, object);
    check_add_made(&text, made);
    text_add(&text, " is still there; end it with %s", end_with);
    diagnose("leak", ACL_SUCCESS, "%s", text_get(&text));
    text_free(&text);
}

static void tell_handle(enum handle_kind kind, const char *name, const void *object, const char *end_with)
{
    struct made made = handle_made(kind, object);
    tell(name, object, &made, end_with);
}

static void visit_stream(void *object)
{
    const struct stream *stream = object;
    if (atomic_load(&stream->context->default_stream) != object) { /* which ends with its context */
        tell_handle(HANDLE_STREAM, "stream", object, "aclrtDestroyStream");
    }
}

static void visit_event(void *object)
{
    const struct event *event = object;
    if (atomic_load(&event->epoch) != atomic_load(&event->device->epoch)) {
        return; /* a reset of its device has ended it: to destroy it now would be the mistake */
    }
    tell_handle(HANDLE_EVENT, "event", object, "aclrtDestroyEvent");
}

static void visit_context(void *object)
{
    const struct context *context = object;
    if (!context->primary) {
        tell_handle(HANDLE_CONTEXT, "context", object, "aclrtDestroyContext");
    }
}

static void visit_binary(void *object)
{
    tell_handle(HANDLE_BINARY, "binary", object, "aclrtBinaryUnLoad");
}

static void visit_block(struct block *block)
{
    if (guard_has(block)) {
        struct text name = {0};
        text_add(&name, "memory of %zu bytes,", block->size);
        tell(text_get(&name), (const void *)(uintptr_t)block->address, &block->notes->made, "aclrtFree or aclrtFreeHost");
        text_free(&name);
    }
}

uint64_t leak_report(uint64_t since)
{
    pthread_mutex_lock(&report.lock);
    report.since = since;
    report.found = 0;
    handle_each(HANDLE_EVENT, visit_event);
    handle_each(HANDLE_STREAM, visit_stream);
    handle_each(HANDLE_BINARY, visit_binary);
    memory_each(visit_block);
    handle_each(HANDLE_CONTEXT, visit_context);
    uint64_t found = report.found;
    pthread_mutex_unlock(&report.lock);
    return found;
}

uint64_t aclmock_report_leaks(uint64_t since)
{
    return leak_report(since);
}
