#include "option.h"

#include "context.h"
#include "error.h"
#include "soc.h"

static struct options process_options;
static _Atomic uint32_t wait_timeout;    /* s, 0: no limit */
static _Atomic uint32_t execute_timeout; /* s, 0: no limit */
static _Atomic uint32_t sat_modes[DEVICES_AT_MOST]; /* mode + 1; 0: never set */

uint32_t option_execute_timeout(void)
{
    return atomic_load_explicit(&execute_timeout, memory_order_relaxed);
}

void option_reset(void)
{
    atomic_store(&process_options.set, 0);
    atomic_store(&wait_timeout, 0);
    atomic_store(&execute_timeout, 0);
    for (size_t i = 0; i < DEVICES_AT_MOST; ++i) {
        atomic_store(&sat_modes[i], 0);
    }
}

/* ---- options of the process and of a context ---------------------------------------------------------- */

static aclError check_option(aclSysParamOpt opt)
{
    if ((uint32_t)opt < OPTIONS) {
        return ACL_SUCCESS;
    }
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "opt is %d, expected 0 to %d", (int)opt, OPTIONS - 1);
}

static aclError set_option(struct options *options, aclSysParamOpt opt, int64_t value)
{
    aclError code = check_option(opt);
    if (code == ACL_SUCCESS) {
        atomic_store(&options->value[opt], value);
        atomic_fetch_or(&options->set, 1u << opt);
    }
    return code;
}

static aclError get_option(struct options *options, aclSysParamOpt opt, int64_t *value)
{
    aclError code = check_option(opt);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if ((atomic_load(&options->set) >> opt & 1) == 0) {
        return fail(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "EE1003", "opt %d has never been set", (int)opt);
    }
    *value = atomic_load(&options->value[opt]);
    return ACL_SUCCESS;
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    API(opt, value);
    return set_option(&process_options, opt, value);
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    API(opt, value);
    REQUIRE(value);
    return get_option(&process_options, opt, value);
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    API(opt, value);
    struct context *context = context_current();
    return context != NULL ? set_option(&context->options, opt, value) : context_missing();
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    API(opt, value);
    REQUIRE(value);
    struct context *context = context_current();
    return context != NULL ? get_option(&context->options, opt, value) : context_missing();
}

/* ---- overflow and time -------------------------------------------------------------------------------- */

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
    API(mode);
    if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "mode is %d, expected 0 (saturation) or 1 (inf and nan)", (int)mode);
    }
    const struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    atomic_store(&sat_modes[context->device->user_id], (uint32_t)mode + 1);
    return ACL_SUCCESS;
}

/* Before it was set: inf and nan on chips that know them, which is our choice. */
aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
    API(mode);
    REQUIRE(mode);
    const struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    uint32_t set = atomic_load(&sat_modes[context->device->user_id]);
    bool standard_inf = soc_is(SOC_A2) || soc_is(SOC_950);
    *mode = set != 0 ? (aclrtFloatOverflowMode)(set - 1) : standard_inf ? ACL_RT_OVERFLOW_MODE_INFNAN
                                                                        : ACL_RT_OVERFLOW_MODE_SATURATION;
    return ACL_SUCCESS;
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
    API(timeout);
    atomic_store(&wait_timeout, timeout);
    return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
    API(timeout);
    atomic_store(&execute_timeout, timeout);
    return ACL_SUCCESS;
}

uint32_t option_wait_timeout(void)
{
    return atomic_load_explicit(&wait_timeout, memory_order_relaxed);
}
