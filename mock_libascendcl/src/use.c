#include "use.h"

#include <time.h>

THREAD_LOCAL struct use *use_own;
static struct use *_Atomic uses;

static void leave_thread(struct thread_exit *node)
{
    use_own = NULL;
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

bool use_join(void)
{
    use_own = find_use();
    if (use_own != NULL) {
        use_own->exit.leave = leave_thread;
        thread_at_exit(&use_own->exit);
    }
    return use_own != NULL;
}

static bool uses_code(struct use *use, const void *code)
{
    return atomic_load(&use->binary) == code || atomic_load(&use->implementation) == code;
}

static bool used_elsewhere(const void *code)
{
    for (struct use *use = atomic_load(&uses); use != NULL; use = use->next) {
        if (use != use_own && uses_code(use, code)) {
            return true;
        }
    }
    return false;
}

static bool wait_for(const void *code)
{
    struct timespec moment = {0, 50000};
    while (used_elsewhere(code)) {
        nanosleep(&moment, NULL);
    }
    return use_own == NULL || !uses_code(use_own, code);
}

bool use_wait(const struct binary *binary)
{
    return wait_for(binary);
}

bool use_wait_implementation(const struct implementation *implementation)
{
    return wait_for(implementation);
}
