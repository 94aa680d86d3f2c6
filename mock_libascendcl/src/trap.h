/* Runs code that may crash: a fatal signal inside it ends the code, not the process. */
#ifndef MOCK_TRAP_H
#define MOCK_TRAP_H

#include <setjmp.h>
#include <signal.h>

#include "base.h"

struct watch;

struct trap {
    sigjmp_buf back;
    int signal; /* which one ended the code; 0: trap_leave did */
    void *address;
    struct trap *outer;
    struct watch *_Atomic watch; /* of watchdog.h, NULL: the code may take as long as it likes */
};

/* From now on, `explain` is called before a bad pointer outside such code ends the process. */
void trap_explain(void (*explain)(const void *address));

/* if (TRAP_ENTER(&trap)) { code; trap_end(&trap); } else { the code did not come to its end } */
#define TRAP_ENTER(trap) (trap_begin(trap), sigsetjmp((trap)->back, 0) == 0)

extern THREAD_LOCAL struct trap *trap_innermost;
extern _Atomic bool trap_installed;

void trap_install(void);

static inline void trap_begin(struct trap *trap)
{
    if (UNLIKELY(!atomic_load_explicit(&trap_installed, memory_order_acquire))) {
        trap_install();
    }
    trap->signal = 0;
    trap->address = NULL;
    atomic_store_explicit(&trap->watch, NULL, memory_order_relaxed);
    trap->outer = trap_innermost;
    trap_innermost = trap;
}

static inline void trap_end(struct trap *trap)
{
    trap_innermost = trap->outer;
}

/* From inside: leaves the code. */
_Noreturn void trap_leave(struct trap *trap);

#endif
