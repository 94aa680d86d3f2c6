#include "trap.h"

#include <pthread.h>
#include <string.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static struct sigaction before[COUNT(signals)];
_Atomic bool trap_installed;
THREAD_LOCAL struct trap *trap_innermost;

/* What the process would have done without us. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
    for (size_t i = 0; i < COUNT(signals); ++i) {
        if (signals[i] != signal) {
            continue;
        }
        if (before[i].sa_flags & SA_SIGINFO) {
            before[i].sa_sigaction(signal, info, context);
        } else if (before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN) {
            before[i].sa_handler(signal);
        } else {
            sigaction(signal, &before[i], NULL); /* and the instruction that failed fails again */
            if (signal == SIGABRT || info->si_code <= 0) {
                raise(signal);
            }
        }
    }
}

static void (*_Atomic explain_address)(const void *address);

static void handle(int signal, siginfo_t *info, void *context)
{
    struct trap *trap = trap_innermost;
    if (trap == NULL) {
        void (*explain)(const void *) = atomic_load(&explain_address);
        if (explain != NULL && signal == SIGSEGV && info->si_code > 0) {
            explain(info->si_addr);
        }
        pass_on(signal, info, context);
        return;
    }
    trap->signal = signal;
    trap->address = info->si_addr;
    trap_innermost = trap->outer;
    siglongjmp(trap->back, 1);
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    for (size_t i = 0; i < COUNT(signals); ++i) {
        sigaction(signals[i], &action, &before[i]);
    }
    atomic_store(&trap_installed, true);
}

void trap_install(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}

void trap_explain(void (*explain)(const void *address))
{
    atomic_store(&explain_address, explain);
    trap_install();
}

_Noreturn void trap_leave(struct trap *trap)
{
    trap_innermost = trap->outer;
    siglongjmp(trap->back, 1);
}
