/* aclrtLaunchHostFunc: streams call functions on a thread that their context has for it. */
#ifndef MOCK_HOSTFUNC_H
#define MOCK_HOSTFUNC_H

#include "job.h"

/* Makes the context's thread if it has none. False: reported. */
bool hostfunc_start(struct context *context);
/* Posts to the thread of the context of the job's stream. */
void hostfunc_post(struct job *job);

#endif
