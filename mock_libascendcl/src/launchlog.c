#include "launchlog.h"

#include <string.h>

#include "aclmock/aclmock.h"

#define KEPT 64

struct entry {
    aclmock_launch launch;
    uint8_t *bytes;
};

_Atomic uint32_t launchlog_on;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry entries[KEPT];
static uint64_t count; /* since recording began */

static void forget_all(void)
{
    for (size_t i = 0; i < KEPT; ++i) {
        host_free(entries[i].bytes);
        entries[i] = (struct entry){0};
    }
    count = 0;
}

void launchlog_store(const struct stream *stream, const struct function *function, uint32_t blocks, uint64_t args,
                     const void *bytes, size_t size)
{
    uint8_t *copy = bytes != NULL ? host_alloc(size) : NULL;
    if (copy != NULL) {
        memcpy(copy, bytes, size);
    }
    pthread_mutex_lock(&log_lock);
    struct entry *entry = &entries[count++ % KEPT];
    host_free(entry->bytes);
    *entry = (struct entry){{.num_blocks = blocks, .stream_id = stream->id, .args = args, .args_size = size}, copy};
    size_t length = size_min(strlen(function->name), sizeof(entry->launch.kernel) - 1);
    memcpy(entry->launch.kernel, function->name, length);
    pthread_mutex_unlock(&log_lock);
}

void aclmock_record_launches(int on)
{
    pthread_mutex_lock(&log_lock);
    forget_all();
    atomic_store(&launchlog_on, on != 0);
    pthread_mutex_unlock(&log_lock);
}

uint64_t aclmock_recorded_launches(void)
{
    pthread_mutex_lock(&log_lock);
    uint64_t recorded = count;
    pthread_mutex_unlock(&log_lock);
    return recorded;
}

int aclmock_get_launch(uint32_t back, aclmock_launch *launch, void *bytes, size_t room)
{
    pthread_mutex_lock(&log_lock);
    bool there = back < KEPT && back < count;
    if (there) {
        const struct entry *entry = &entries[(count - 1 - back) % KEPT];
        *launch = entry->launch;
        if (entry->bytes != NULL && bytes != NULL) {
            memcpy(bytes, entry->bytes, size_min(room, entry->launch.args_size));
        }
    }
    pthread_mutex_unlock(&log_lock);
    return there;
}
