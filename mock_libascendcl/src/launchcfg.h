/* A launch's configuration: the attributes of aclrtLaunchKernelCfg, checked. */
#ifndef MOCK_LAUNCHCFG_H
#define MOCK_LAUNCHCFG_H

#include "binary.h"

struct launch_config {
    uint64_t timeout_us; /* 0: none */
    uint64_t dyn_ubuf;   /* bytes of unified buffer */
    bool in_seconds;
    bool in_microseconds;
    uint8_t flags[ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING + 1]; /* the 0 or 1 of attributes that have one, by id */
};

/* cfg may be NULL. Reports what is wrong with it. */
aclError launchcfg_read(const aclrtLaunchKernelCfg *cfg, const struct function *function, struct launch_config *config);

/* Whether a SIMT kernel finds the unified buffer that the configuration promises; only the 950 family looks. */
aclError launchcfg_check_ubuf(const struct launch_config *config, const struct function *function);

#endif
