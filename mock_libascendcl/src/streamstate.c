#include "streamstate.h"

#include <pthread.h>
#include <string.h>

#include "error.h"

struct listener {
    char *name;
    aclrtStreamStateCallback callback;
    void *args;
    struct listener *next;
};

static struct {
    pthread_mutex_t lock;
    struct listener *first;
    _Atomic uint32_t count;
} listeners = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* With the lock. Where the listener of that name hangs, or where a new one should. */
static struct listener **find(const char *name)
{
    struct listener **link = &listeners.first;
    while (*link != NULL && strcmp((*link)->name, name) != 0) {
        link = &(*link)->next;
    }
    return link;
}

static void forget(struct listener **link)
{
    struct listener *gone = *link;
    *link = gone->next;
    host_free(gone->name);
    host_free(gone);
    atomic_fetch_sub(&listeners.count, 1);
}

void streamstate_reset(void)
{
    pthread_mutex_lock(&listeners.lock);
    while (listeners.first != NULL) {
        forget(&listeners.first);
    }
    pthread_mutex_unlock(&listeners.lock);
}

#define CALLED_AT_MOST 32

/* The callbacks run without the lock: they may register others. */
void streamstate_tell(aclrtStream stream, aclrtStreamState state)
{
    struct listener called[CALLED_AT_MOST];
    size_t count = 0;
    if (LIKELY(atomic_load_explicit(&listeners.count, memory_order_acquire) == 0)) {
        return;
    }
    pthread_mutex_lock(&listeners.lock);
    for (const struct listener *at = listeners.first; at != NULL && count < CALLED_AT_MOST; at = at->next) {
        called[count++] = *at;
    }
    pthread_mutex_unlock(&listeners.lock);
    for (size_t i = 0; i < count; ++i) {
        called[i].callback(stream, state, called[i].args);
    }
}

/* With the lock. False without memory. */
static bool add(struct listener **link, const char *name)
{
    struct listener *made = host_alloc(sizeof(*made));
    char *copy = made != NULL ? text_copy(name) : NULL;
    if (copy == NULL) {
        host_free(made);
        return false;
    }
    made->name = copy;
    *link = made;
    return true;
}

aclError aclrtRegStreamStateCallback(const char *regName, aclrtStreamStateCallback callback, void *args)
{
    API(regName, callback, args);
    REQUIRE(regName);
    aclError code = ACL_SUCCESS;
    pthread_mutex_lock(&listeners.lock);
    struct listener **link = find(regName);
    if (callback == NULL) {
        if (*link != NULL) { /* nothing to unregister is fine, which is our choice */
            forget(link);
        }
    } else {
        bool known = *link != NULL;
        size_t others = atomic_load(&listeners.count);
        if (!known && (others == CALLED_AT_MOST || !add(link, regName))) {
            code = ACL_ERROR_RT_MEMORY_ALLOCATION;
        } else {
            (*link)->callback = callback;
            (*link)->args = args;
            atomic_fetch_add(&listeners.count, known ? 0 : 1);
        }
    }
    pthread_mutex_unlock(&listeners.lock);
    if (code != ACL_SUCCESS) {
        fail(code, "EL9999", "no room left for the callback \"%s\": at most %d names", regName, CALLED_AT_MOST);
    }
    return code;
}
