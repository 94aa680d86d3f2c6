/* Start and end of a process's use of ACL, and its error text. Includes the runtime API (acl_rt.h). */
#ifndef ACL_H
#define ACL_H

#include "acl_base.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- runtime ------------------------------------------------------------------------------------------ */

/* configPath: a JSON file, or NULL for none. A second call counts one more user and returns 100002. */
ACL_SINCE_8_5 aclError aclInit(const char *configPath);

/* Ends ACL whatever the count. Frees no device, stream or memory: destroy those first. */
ACL_SINCE_8_5 aclError aclFinalize(void);

/* Takes one user off the count and ends ACL with the last. refCount (may be NULL) gets what is left. */
ACL_SINCE_8_5 aclError aclFinalizeReference(ACL_OUT uint64_t *refCount);

/* What went wrong in this thread since the last call, or NULL. Valid until the thread's next call. */
ACL_SINCE_8_5 const char *aclGetRecentErrMsg(void);

#ifdef __cplusplus
}
#endif

#endif
