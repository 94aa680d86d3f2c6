/* The device's cache, which the mock does not have: the checks are all there is to see of these calls. */
#include "acl/acl_rt.h"
#include "error.h"

aclError aclrtMemFlush(void *devPtr, size_t size)
{
    API(devPtr, size);
    REQUIRE(devPtr);
    REQUIRE_SIZE(size);
    return ACL_SUCCESS;
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
    API(devPtr, size);
    REQUIRE(devPtr);
    REQUIRE_SIZE(size);
    return ACL_SUCCESS;
}
