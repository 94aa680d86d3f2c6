#include "watchdog.h"

#include <time.h>

#define SIGNAL (SIGRTMAX - 3) /* nothing else is known to use it */
#define AGAIN_NS 10000000     /* should a bite have come at a bad moment */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct watch *watches;
    bool started;
} dog = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A late one, for code that has ended meanwhile, is for nobody. */
static void handle(int signal)
{
    struct trap *trap = trap_innermost;
    struct watch *watch = trap != NULL ? atomic_load(&trap->watch) : NULL;
    (void)signal;
    if (watch != NULL && atomic_load(&watch->overdue) && !atomic_load(&watch->closed)) {
        watch->bitten = true;
        trap_leave(trap);
    }
}

/* With the lock. The earliest deadline that is still to come, 0: none. */
static uint64_t bite(uint64_t now)
{
    uint64_t earliest = 0;
    for (struct watch *watch = dog.watches; watch != NULL; watch = watch->next) {
        if (watch->deadline <= now) {
            atomic_store(&watch->overdue, true);
            pthread_kill(watch->thread, SIGNAL);
            watch->deadline = now + AGAIN_NS;
        }
        earliest = earliest == 0 || watch->deadline < earliest ? watch->deadline : earliest;
    }
    return earliest;
}

static void *watch_all(void *unused)
{
    pthread_mutex_lock(&dog.lock);
    for (;;) {
        uint64_t next = bite(now_ns());
        struct timespec end = {(time_t)(next / 1000000000u), (long)(next % 1000000000u)};
        if (next == 0) {
            pthread_cond_wait(&dog.changed, &dog.lock);
        } else {
            pthread_cond_timedwait(&dog.changed, &dog.lock, &end);
        }
    }
    return unused;
}

/* With the lock. */
static bool start(void)
{
    pthread_t thread;
    pthread_condattr_t attributes;
    if (dog.started) {
        return true;
    }
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&dog.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    sigaction(SIGNAL, &(struct sigaction){.sa_handler = handle, .sa_flags = SA_NODEFER | SA_RESTART}, NULL);
    dog.started = pthread_create(&thread, NULL, watch_all, NULL) == 0;
    if (dog.started) {
        pthread_detach(thread);
    }
    return dog.started;
}

bool watchdog_arm(struct watch *watch, uint64_t deadline)
{
    pthread_mutex_lock(&dog.lock);
    bool started = start();
    *watch = (struct watch){.next = dog.watches, .thread = pthread_self(), .deadline = deadline};
    if (started) {
        dog.watches = watch;
        pthread_cond_signal(&dog.changed);
    }
    pthread_mutex_unlock(&dog.lock);
    return started;
}

void watchdog_enter(struct watch *watch, struct trap *trap)
{
    atomic_store(&trap->watch, watch);
}

void watchdog_disarm(struct watch *watch)
{
    pthread_mutex_lock(&dog.lock);
    struct watch **link = &dog.watches;
    while (*link != watch) {
        link = &(*link)->next;
    }
    *link = watch->next;
    pthread_mutex_unlock(&dog.lock);
}

void watchdog_close(struct watch *watch)
{
    atomic_store(&watch->closed, true);
}

void watchdog_open(struct watch *watch, struct trap *trap)
{
    atomic_store(&watch->closed, false);
    if (UNLIKELY(atomic_load(&watch->overdue))) {
        watch->bitten = true;
        trap_leave(trap);
    }
}
