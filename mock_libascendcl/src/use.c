#include "use.h"

#include <time.h>

/* One a thread that runs kernels. Never freed: another thread takes it over. */
struct use {
    struct binary *_Atomic binary;
    struct use *next;
    struct thread_exit exit;
    _Atomic bool taken;
};

static THREAD_LOCAL struct use *own;
static struct use *_Atomic uses;

static void leave_thread(struct thread_exit *node)
{
    own = NULL;
    atomic_store(&CONTAINER(node, struct use, exit)->taken, false);
}

static struct use *find_use(void)
{
    for (struct use *use = atomic_load(&uses); use != NULL; use = use->next) {
        bool taken = false;
        if (atomic_compare_exchange_strong(&use->taken, &taken, true)) {
            return use;
        }
    }
    struct use *use = host_alloc(sizeof(*use));
    if (use != NULL) {
        atomic_store(&use->taken, true);
        use->next = atomic_load(&uses);
        while (!atomic_compare_exchange_weak(&uses, &use->next, use)) {
        }
    }
    return use;
}

static bool join(void)
{
    own = find_use();
    if (own != NULL) {
        own->exit.leave = leave_thread;
        thread_at_exit(&own->exit);
    }
    return own != NULL;
}

bool use_enter(struct function *function)
{
    if (UNLIKELY(own == NULL) && !join()) {
        return false;
    }
    /* Announce first, then look: whoever unloads does it the other way round. */
    atomic_store(&own->binary, function->binary);
    if (LIKELY(handle_alive(HANDLE_FUNCTION, function))) {
        return true;
    }
    use_leave();
    return false;
}

void use_leave(void)
{
    atomic_store_explicit(&own->binary, NULL, memory_order_release);
}

static bool used_elsewhere(const struct binary *binary)
{
    for (struct use *use = atomic_load(&uses); use != NULL; use = use->next) {
        if (use != own && atomic_load(&use->binary) == binary) {
            return true;
        }
    }
    return false;
}

bool use_wait(const struct binary *binary)
{
    struct timespec moment = {0, 50000};
    while (used_elsewhere(binary)) {
        nanosleep(&moment, NULL);
    }
    return own == NULL || atomic_load(&own->binary) != binary;
}
