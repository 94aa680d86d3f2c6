/* Start and end of a process's use of ACL, and its error text. Includes the runtime API (acl_rt.h). */
#ifndef ACL_H
#define ACL_H

#include "acl_base.h"
#include "acl_rt.h"

typedef enum aclCANNPackageName {
    ACL_PKG_NAME_CANN = 0,
    ACL_PKG_NAME_RUNTIME = 1,
    ACL_PKG_NAME_COMPILER = 2,
    ACL_PKG_NAME_HCCL = 3,
    ACL_PKG_NAME_TOOLKIT = 4,
    ACL_PKG_NAME_OPP = 5,
    ACL_PKG_NAME_OPP_KERNEL = 6,
    ACL_PKG_NAME_DRIVER = 7
} aclCANNPackageName;

typedef struct aclCANNPackageVersion {
    char version[128];
    char majorVersion[64];
    char minorVersion[64];
    char releaseVersion[64];
    char patchVersion[64];
    char reserved[128];
} aclCANNPackageVersion;

typedef enum aclDeviceInfo {
    ACL_DEVICE_INFO_UNDEFINED = -1,
    ACL_DEVICE_INFO_AI_CORE_NUM = 0,
    ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
    ACL_DEVICE_INFO_L2_SIZE = 2
} aclDeviceInfo;

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

/* ---- version ------------------------------------------------------------------------------------------ */

/* pkgName: "runtime", "driver", ... versionNum: major * 10^7 + minor * 10^5 + patch * 10^3 */
ACL_SINCE_8_5 aclError aclsysGetVersionNum(char *pkgName, ACL_OUT int32_t *versionNum);
ACL_SINCE_8_5 aclError aclsysGetCANNVersion(aclCANNPackageName name, ACL_OUT aclCANNPackageVersion *version);

/* ---- devinfo ------------------------------------------------------------------------------------------ */

ACL_SINCE_8_5 aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, ACL_OUT int64_t *value);

#ifdef __cplusplus
}
#endif

#endif
