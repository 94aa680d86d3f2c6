/* Which binaries' code is running, so that unloading one does not pull it away from under a kernel. */
#ifndef MOCK_USE_H
#define MOCK_USE_H

#include "binary.h"

/* Before and after a kernel runs on this thread. enter: false when its binary has been unloaded. */
bool use_enter(struct function *function);
void use_leave(void);

/* Waits until no other thread runs the binary's code. False when the calling thread itself does. */
bool use_wait(const struct binary *binary);

#endif
