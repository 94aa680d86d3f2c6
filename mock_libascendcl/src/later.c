/* Functions whose behaviour comes later: they exist, refuse, and say so. None may ever report success. */
#include "acl/acl_rt.h"
#include "error.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static aclError later(void)
{
    return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "this version of the mock does not have the function yet");
}

aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen)
{
    API_OR(NULL, data, dataLen);
    return (later(), NULL);
}

aclError aclrtDestroyBinary(aclrtBinary binary)
{
    API(binary);
    return later();
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle)
{
    API(binary, binHandle);
    return later();
}

aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle *funcHandle)
{
    API(binHandle, funcEntry, funcHandle);
    return later();
}

aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, void **binAddr, size_t *binSize)
{
    API(binHandle, binAddr, binSize);
    return later();
}

aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char *name, void **dptr, size_t *size)
{
    API(binHandle, name, dptr, size);
    return later();
}

aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char *funcName, const char *kernelName, aclrtFuncHandle *funcHandle)
{
    API(handle, funcName, kernelName, funcHandle);
    return later();
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr)
{
    API(funcHandle, aicAddr, aivAddr);
    return later();
}

aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t *aicSize, size_t *aivSize)
{
    API(funcHandle, aicSize, aivSize);
    return later();
}

aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType, int64_t *attrValue)
{
    API(funcHandle, attrType, attrValue);
    return later();
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle)
{
    API(funcHandle, binHandle);
    return later();
}

aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount)
{
    API(func, paramCount);
    return later();
}

aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    API(func, paramIndex, paramOffset, paramSize);
    return later();
}

aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags, size_t *dynamicUbufSize)
{
    API(func, flags, dynamicUbufSize);
    return later();
}

aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle)
{
    API(symbol, funcHandle);
    return later();
}

aclError aclrtGetHardwareSyncAddr(void **addr)
{
    API(addr);
    return later();
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
