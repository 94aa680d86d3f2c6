/* A launch's configuration: the attributes of aclrtLaunchKernelCfg, checked. */
#ifndef MOCK_LAUNCHCFG_H
#define MOCK_LAUNCHCFG_H

#include "binary.h"

struct launch_config {
    uint64_t timeout_us; /* 0: none */
    bool in_seconds;
    bool in_microseconds;
    uint8_t flags[ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING + 1]; /* the 0 or 1 of attributes that have one, by id */
};

/* cfg may be NULL. Reports what is wrong with it. */
aclError launchcfg_read(const aclrtLaunchKernelCfg *cfg, const struct function *function, struct launch_config *config);

#endif
