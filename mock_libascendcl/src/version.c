/* Versions of the packages that a CANN installation is made of. */
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "error.h"

/* What the mock plays: the release whose headers it follows. */
#define MAJOR 9
#define MINOR 2
#define PATCH 0
#define RELEASE "beta.2"

static const char *const packages[] = {
    [ACL_PKG_NAME_CANN] = "CANN",         [ACL_PKG_NAME_RUNTIME] = "runtime", [ACL_PKG_NAME_COMPILER] = "compiler",
    [ACL_PKG_NAME_HCCL] = "hccl",         [ACL_PKG_NAME_TOOLKIT] = "toolkit", [ACL_PKG_NAME_OPP] = "opp",
    [ACL_PKG_NAME_OPP_KERNEL] = "opp_kernel", [ACL_PKG_NAME_DRIVER] = "driver",
};

aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum)
{
    API(pkgName, versionNum);
    REQUIRE(pkgName);
    REQUIRE(versionNum);
    for (size_t i = 0; i < COUNT(packages); ++i) {
        if (strcmp(pkgName, packages[i]) == 0) {
            *versionNum = MAJOR * 10000000 + MINOR * 100000 + PATCH * 1000;
            return ACL_SUCCESS;
        }
    }
    struct text names = {0};
    for (size_t i = 0; i < COUNT(packages); ++i) {
        text_add(&names, " %s", packages[i]);
    }
    /* 100000 is our choice for a name that is unknown. */
    reject(ACL_ERROR_INVALID_PARAM, "EH0009", "pkgName is \"%s\", known are%s", pkgName, text_get(&names));
    text_free(&names);
    return ACL_ERROR_INVALID_PARAM;
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
{
    API(name, version);
    REQUIRE(version);
    if ((uint32_t)name >= COUNT(packages)) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "name is %d, expected 0 to %zu", (int)name, COUNT(packages) - 1);
    }
    memset(version, 0, sizeof(*version));
    snprintf(version->version, sizeof(version->version), "%d.%d.%d-%s", MAJOR, MINOR, PATCH, RELEASE);
    snprintf(version->majorVersion, sizeof(version->majorVersion), "%d", MAJOR);
    snprintf(version->minorVersion, sizeof(version->minorVersion), "%d", MINOR);
    snprintf(version->patchVersion, sizeof(version->patchVersion), "%d", PATCH);
    snprintf(version->releaseVersion, sizeof(version->releaseVersion), "%s", RELEASE);
    return ACL_SUCCESS;
}
