#include "launchcfg.h"

#include "soc.h"

#define UBUF_SIZE UINT64_C(229376) /* 256 KiB less the 32 KiB of the cache */

/* Later attributes win over earlier ones, as the real loops overwrite. */
static bool read_attribute(const aclrtLaunchKernelAttr *attribute, struct launch_config *config)
{
    const aclrtLaunchKernelAttrValue *value = &attribute->value;
    switch (attribute->id) {
    case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
    case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
        config->flags[attribute->id] = value->schemMode; /* all are the union's first byte */
        return true;
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
        config->in_seconds = true;
        config->timeout_us = value->timeout * UINT64_C(1000000);
        return true;
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
        config->in_microseconds = true;
        config->timeout_us = (uint64_t)value->timeoutUs.timeoutHigh << 32 | value->timeoutUs.timeoutLow;
        return true;
    case ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE:
        config->dyn_ubuf = value->dynUBufSize;
        return true;
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE:
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET:
        return true; /* nothing for the host to do */
    default:
        return false;
    }
}

static aclError check_flags(const struct launch_config *config)
{
    for (int id = 0; id < (int)COUNT(config->flags); ++id) {
        if (config->flags[id] > 1) {
            return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "attribute %d of cfg is %u, expected 0 or 1", id,
                        config->flags[id]);
        }
    }
    if (config->in_seconds && config->in_microseconds) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003",
                    "cfg has both TIMEOUT (7) and TIMEOUT_US (8), expected one of them");
    }
    return ACL_SUCCESS;
}

aclError launchcfg_read(const aclrtLaunchKernelCfg *cfg, const struct function *function, struct launch_config *config)
{
    *config = (struct launch_config){0};
    if (LIKELY(cfg == NULL)) {
        if (UNLIKELY(function->type == ACL_KERNEL_TYPE_MIX && soc_is(SOC_310P))) {
            return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "cfg is NULL, mix kernels need one on this chip");
        }
        return ACL_SUCCESS;
    }
    if (cfg->attrs == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "cfg has no attrs; pass NULL for no configuration");
    }
    const aclrtLaunchKernelAttr *unknown = NULL;
    for (size_t i = 0; i < cfg->numAttrs; ++i) {
        if (!read_attribute(&cfg->attrs[i], config)) {
            unknown = &cfg->attrs[i];
        }
    }
    aclError code = check_flags(config);
    if (code == ACL_SUCCESS && unknown != NULL) { /* the real library finds these last */
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "cfg has attribute %d, expected 1 to 9",
                    (int)unknown->id);
    }
    return code;
}

aclError launchcfg_check_ubuf(const struct launch_config *config, const struct function *function)
{
    uint64_t room = function->ubuf_used < UBUF_SIZE ? UBUF_SIZE - function->ubuf_used : 0;
    if (UNLIKELY(config->dyn_ubuf > room) && function->simt && soc_is(SOC_950)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003",
                    "the launch asks for %llu bytes of unified buffer, %s leaves %llu",
                    (unsigned long long)config->dyn_ubuf, function->name, (unsigned long long)room);
    }
    return ACL_SUCCESS;
}
