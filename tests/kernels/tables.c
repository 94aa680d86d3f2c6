/* Kernels that do nothing and whose binaries tell of their parameters. */
#include <aclmock/kernel.h>

/* (GM_ADDR x, int32_t n, int32_t m) as <<<>>> lays it out */
ACLMOCK_KERNEL(dense, ACLMOCK_PARAMS({0, 8}, {8, 4}, {12, 4}))
{
    (void)ctx;
}

/* (GM_ADDR x, int32_t n, int16_t m, int8_t k) in 8-byte slots */
ACLMOCK_KERNEL(slotted, ACLMOCK_PARAMS({0, 8}, {8, 4}, {16, 2}, {24, 1}))
{
    (void)ctx;
}

/* (float f, double d, half h) */
ACLMOCK_KERNEL(reals, ACLMOCK_PARAMS({0, 4}, {8, 8}, {16, 2}))
{
    (void)ctx;
}

/* no layout puts its one parameter there */
ACLMOCK_KERNEL(odd, ACLMOCK_PARAMS({4, 8}))
{
    (void)ctx;
}
