/* Failures and delays on purpose: of the n-th call of a function, of the n-th launch of a kernel. */
#ifndef MOCK_INJECT_H
#define MOCK_INJECT_H

#include "call.h"

/* For the call in progress: waits as long as it should be late, and reports what it should fail with. */
aclError inject_call(void);

/* For a launch that starts: waits likewise. 0, or the code it should fail with, and adds why. */
aclError inject_kernel(const char *kernel, struct text *why);

/* Forgets all rules. */
void inject_reset(void);

#endif
