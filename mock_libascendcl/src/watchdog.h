/* Ends code that runs too long: a signal leaves the trap (trap.h) that it runs in.
 *
 *     watchdog_arm(&watch, deadline);
 *     if (TRAP_ENTER(&trap)) { watchdog_enter(&watch, &trap); code; trap_end(&trap); }
 *     watchdog_disarm(&watch);
 *
 * watch.bitten tells whether it was that which ended the code.
 */
#ifndef MOCK_WATCHDOG_H
#define MOCK_WATCHDOG_H

#include <pthread.h>

#include "trap.h"

struct watch {
    struct watch *next;
    pthread_t thread;
    uint64_t deadline;      /* of now_ns */
    _Atomic bool overdue;
    _Atomic bool closed;    /* not now: the code is in a call to the mock, where it may hold a lock */
    bool bitten;
};

/* False: no thread for that, nothing is armed. */
bool watchdog_arm(struct watch *watch, uint64_t deadline);
void watchdog_enter(struct watch *watch, struct trap *trap);
/* On return nothing will be interrupted any more. The trap has ended. */
void watchdog_disarm(struct watch *watch);

/* Around a call from inside to the mock. open: leaves the trap when the time was up meanwhile. */
void watchdog_close(struct watch *watch);
void watchdog_open(struct watch *watch, struct trap *trap);

#endif
