/* For tests of memory that kernels reach by more ways than one: runs probe.c's add_to_each on an address. */
#ifndef REACHABLE_H
#define REACHABLE_H

#include "check.h"

#include <stdint.h>

static aclrtFuncHandle reach_kernel;

static inline void reach_start(void)
{
    aclrtBinHandle binary;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("probe"), NULL, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "add_to_each", &reach_kernel));
}

/* A kernel of the current device adds n to the `blocks` ints at the address. The code of its synchronize. */
static inline aclError reach_add(void *address, int32_t n, uint32_t blocks)
{
    struct {
        void *x;
        int32_t n;
    } args = {address, n};
    CHECK_OK(aclrtLaunchKernelWithHostArgs(reach_kernel, blocks, NULL, NULL, &args, sizeof(args), NULL, 0));
    return aclrtSynchronizeDevice();
}

#endif
