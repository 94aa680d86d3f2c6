/* Functions whose behaviour comes later: they exist, refuse, and say so. None may ever report success. */
#include "acl/acl_rt.h"
#include "error.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static aclError later(void)
{
    return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "this version of the mock does not have the function yet");
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
    API(stream, fn, args);
    return later();
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    API(threadId, stream);
    return later();
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream)
{
    API(fn, userData, blockType, stream);
    return later();
}

aclError aclrtProcessReport(int32_t timeout)
{
    API(timeout);
    return later();
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    API(threadId, stream);
    return later();
}

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
    API(callback);
    return later();
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)
{
    API(callback);
    return later();
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)
{
    API(callback);
    return later();
}

aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle, aclrtOpExceptionCallback callback, void *userData)
{
    API(binHandle, callback, userData);
    return later();
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API_OR(UINT32_MAX, info);
    return (later(), UINT32_MAX);
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API_OR(UINT32_MAX, info);
    return (later(), UINT32_MAX);
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API_OR(UINT32_MAX, info);
    return (later(), UINT32_MAX);
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API_OR(UINT32_MAX, info);
    return (later(), UINT32_MAX);
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API_OR(UINT32_MAX, info);
    return (later(), UINT32_MAX);
}

aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info, void **devArgsPtr, uint32_t *devArgsLen)
{
    API(info, devArgsPtr, devArgsLen);
    return later();
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info, aclrtFuncHandle *func)
{
    API(info, func);
    return later();
}
