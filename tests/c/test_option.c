/* Options of the process, of a context and of a device; limits of time. */
#include "check.h"

#include <stdint.h>
#include <unistd.h>

TEST(options_of_the_process)
{
    int64_t value = 5;
    CHECK_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    CHECK_OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
    CHECK_OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    CHECK_EQ(value, 0);
    CHECK_EQ(aclrtGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    CHECK_EQ(aclrtSetSysParamOpt((aclSysParamOpt)4, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtGetSysParamOpt((aclSysParamOpt)-1, &value), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(options_of_a_context_are_its_own)
{
    int64_t value;
    aclrtContext other;
    CHECK_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCtxSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, -1));
    CHECK_OK(aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value));
    CHECK_EQ(value, -1);
    CHECK_EQ(aclrtGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    CHECK_EQ(aclrtCtxSetSysParamOpt((aclSysParamOpt)4, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtSetDevice(0)); /* a new context behind the same handle */
    CHECK_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
}

TEST(overflow_modes)
{
    aclrtFloatOverflowMode mode;
    CHECK_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtGetDeviceSatMode(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtGetDeviceSatMode(&mode), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetDeviceSatMode(&mode));
    CHECK_EQ(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
    CHECK_OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
    CHECK_OK(aclrtGetDeviceSatMode(&mode));
    CHECK_EQ(mode, ACL_RT_OVERFLOW_MODE_SATURATION);
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtGetDeviceSatMode(&mode));
    CHECK_EQ(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
}

static void sleep_long(aclmock_ctx *ctx)
{
    (void)ctx;
    usleep(1300000);
}

TEST(a_kernel_over_the_processs_limit_is_a_fault)
{
    aclrtBinHandle binary;
    aclrtFuncHandle kernel;
    uint64_t nothing = 0, rule;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("probe"), NULL, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "do_nothing", &kernel));
    CHECK_OK(aclrtSetOpExecuteTimeOut(1));
    CHECK_OK(aclrtLaunchKernelWithHostArgs(kernel, 1, NULL, NULL, &nothing, sizeof(nothing), NULL, 0));
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_OK(aclmock_bind("do_nothing", NULL, binary, sleep_long, NULL, 0, &rule));
    CHECK_OK(aclrtLaunchKernelWithHostArgs(kernel, 1, NULL, NULL, &nothing, sizeof(nothing), NULL, 0));
    CHECK_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
    CHECK_OK(aclrtSetOpExecuteTimeOut(0));
}

TEST(a_wait_over_the_processs_limit_is_a_fault)
{
    aclrtStream first, second;
    aclrtEvent event;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&first));
    CHECK_OK(aclrtCreateStream(&second));
    CHECK_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    CHECK_OK(aclrtSetOpWaitTimeout(1));
    aclmock_hold(first, 1);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtStreamWaitEvent(second, event));
    CHECK(aclrtSynchronizeStream(second) != ACL_SUCCESS);
    CHECK_SAID("after 1 s");
    aclmock_hold(first, 0);
}
