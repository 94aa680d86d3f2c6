/* A kernel that does nothing, whatever its arguments. */
#include <aclmock/kernel.h>

ACLMOCK_KERNEL(idle, .type = ACLMOCK_AICORE)
{
    (void)ctx;
}
