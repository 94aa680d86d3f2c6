/* Functions whose behaviour comes later: they exist, refuse, and say so. None may ever report success. */
#include "acl/acl_rt.h"
#include "error.h"

static aclError later(void)
{
    return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "this version of the mock does not have the function yet");
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    API(stream, priority, flag);
    (void)stream;
    (void)priority;
    (void)flag;
    return later();
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    API(stream);
    (void)stream;
    return later();
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    API(stream, event);
    (void)stream;
    (void)event;
    return later();
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag)
{
    API(stream, event, timeout, flag);
    (void)stream;
    (void)event;
    (void)timeout;
    (void)flag;
    return later();
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
    API(stream, event, timeout);
    (void)stream;
    (void)event;
    (void)timeout;
    return later();
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
    API(stream, mode);
    (void)stream;
    (void)mode;
    return later();
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
    API(event);
    (void)event;
    return later();
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    API(event, flag);
    (void)event;
    (void)flag;
    return later();
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    API(event, flag);
    (void)event;
    (void)flag;
    return later();
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    API(event);
    (void)event;
    return later();
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    API(event, stream);
    (void)event;
    (void)stream;
    return later();
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag)
{
    API(event, stream, flag);
    (void)event;
    (void)stream;
    (void)flag;
    return later();
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    API(event, stream);
    (void)event;
    (void)stream;
    return later();
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
    API(event, status);
    (void)event;
    (void)status;
    return later();
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    API(event, status);
    (void)event;
    (void)status;
    return later();
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
    API(event, status);
    (void)event;
    (void)status;
    return later();
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    API(event);
    (void)event;
    return later();
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    API(event, timeout);
    (void)event;
    (void)timeout;
    return later();
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    API(ms, startEvent, endEvent);
    (void)ms;
    (void)startEvent;
    (void)endEvent;
    return later();
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
    API(event, timestamp);
    (void)event;
    (void)timestamp;
    return later();
}

aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen)
{
    API(data, dataLen);
    (void)data;
    (void)dataLen;
    return (later(), NULL);
}

aclError aclrtDestroyBinary(aclrtBinary binary)
{
    API(binary);
    (void)binary;
    return later();
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle)
{
    API(binary, binHandle);
    (void)binary;
    (void)binHandle;
    return later();
}

aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle *funcHandle)
{
    API(binHandle, funcEntry, funcHandle);
    (void)binHandle;
    (void)funcEntry;
    (void)funcHandle;
    return later();
}

aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, void **binAddr, size_t *binSize)
{
    API(binHandle, binAddr, binSize);
    (void)binHandle;
    (void)binAddr;
    (void)binSize;
    return later();
}

aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char *name, void **dptr, size_t *size)
{
    API(binHandle, name, dptr, size);
    (void)binHandle;
    (void)name;
    (void)dptr;
    (void)size;
    return later();
}

aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char *funcName, const char *kernelName, aclrtFuncHandle *funcHandle)
{
    API(handle, funcName, kernelName, funcHandle);
    (void)handle;
    (void)funcName;
    (void)kernelName;
    (void)funcHandle;
    return later();
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr)
{
    API(funcHandle, aicAddr, aivAddr);
    (void)funcHandle;
    (void)aicAddr;
    (void)aivAddr;
    return later();
}

aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t *aicSize, size_t *aivSize)
{
    API(funcHandle, aicSize, aivSize);
    (void)funcHandle;
    (void)aicSize;
    (void)aivSize;
    return later();
}

aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType, int64_t *attrValue)
{
    API(funcHandle, attrType, attrValue);
    (void)funcHandle;
    (void)attrType;
    (void)attrValue;
    return later();
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle)
{
    API(funcHandle, binHandle);
    (void)funcHandle;
    (void)binHandle;
    return later();
}

aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount)
{
    API(func, paramCount);
    (void)func;
    (void)paramCount;
    return later();
}

aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    API(func, paramIndex, paramOffset, paramSize);
    (void)func;
    (void)paramIndex;
    (void)paramOffset;
    (void)paramSize;
    return later();
}

aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags, size_t *dynamicUbufSize)
{
    API(func, flags, dynamicUbufSize);
    (void)func;
    (void)flags;
    (void)dynamicUbufSize;
    return later();
}

aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle)
{
    API(symbol, funcHandle);
    (void)symbol;
    (void)funcHandle;
    return later();
}

aclError aclrtGetHardwareSyncAddr(void **addr)
{
    API(addr);
    (void)addr;
    return later();
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize, aclrtStream stream)
{
    API(funcHandle, numBlocks, argsData, argsSize, stream);
    (void)funcHandle;
    (void)numBlocks;
    (void)argsData;
    (void)argsSize;
    (void)stream;
    return later();
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize, aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
    API(funcHandle, numBlocks, argsData, argsSize, cfg, stream);
    (void)funcHandle;
    (void)numBlocks;
    (void)argsData;
    (void)argsSize;
    (void)cfg;
    (void)stream;
    return later();
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum)
{
    API(funcHandle, numBlocks, stream, cfg, hostArgs, argsSize, placeHolderArray, placeHolderNum);
    (void)funcHandle;
    (void)numBlocks;
    (void)stream;
    (void)cfg;
    (void)hostArgs;
    (void)argsSize;
    (void)placeHolderArray;
    (void)placeHolderNum;
    return later();
}

aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg, void **args)
{
    API(func, numBlocks, stream, cfg, args);
    (void)func;
    (void)numBlocks;
    (void)stream;
    (void)cfg;
    (void)args;
    return later();
}

aclError aclrtLaunchSIMTKernelWithArgsArray(void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize, aclrtStream stream, aclrtLaunchKernelCfg *cfg, void **args)
{
    API(func, gridDim, blockDim, dynUbufSize, stream, cfg, args);
    (void)func;
    (void)gridDim;
    (void)blockDim;
    (void)dynUbufSize;
    (void)stream;
    (void)cfg;
    (void)args;
    return later();
}

aclError aclrtLaunchSIMTKernelWithHostArgs(void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize, aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum)
{
    API(func, gridDim, blockDim, dynUbufSize, stream, cfg, hostArgs, argsSize, placeHolderArray, placeHolderNum);
    (void)func;
    (void)gridDim;
    (void)blockDim;
    (void)dynUbufSize;
    (void)stream;
    (void)cfg;
    (void)hostArgs;
    (void)argsSize;
    (void)placeHolderArray;
    (void)placeHolderNum;
    return later();
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
    API(stream, fn, args);
    (void)stream;
    (void)fn;
    (void)args;
    return later();
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    API(threadId, stream);
    (void)threadId;
    (void)stream;
    return later();
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream)
{
    API(fn, userData, blockType, stream);
    (void)fn;
    (void)userData;
    (void)blockType;
    (void)stream;
    return later();
}

aclError aclrtProcessReport(int32_t timeout)
{
    API(timeout);
    (void)timeout;
    return later();
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    API(threadId, stream);
    (void)threadId;
    (void)stream;
    return later();
}

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
    API(callback);
    (void)callback;
    return later();
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)
{
    API(callback);
    (void)callback;
    return later();
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)
{
    API(callback);
    (void)callback;
    return later();
}

aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle, aclrtOpExceptionCallback callback, void *userData)
{
    API(binHandle, callback, userData);
    (void)binHandle;
    (void)callback;
    (void)userData;
    return later();
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API(info);
    (void)info;
    return (later(), UINT32_MAX);
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API(info);
    (void)info;
    return (later(), UINT32_MAX);
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API(info);
    (void)info;
    return (later(), UINT32_MAX);
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API(info);
    (void)info;
    return (later(), UINT32_MAX);
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
    API(info);
    (void)info;
    return (later(), UINT32_MAX);
}

aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info, void **devArgsPtr, uint32_t *devArgsLen)
{
    API(info, devArgsPtr, devArgsLen);
    (void)info;
    (void)devArgsPtr;
    (void)devArgsLen;
    return later();
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info, aclrtFuncHandle *func)
{
    API(info, func);
    (void)info;
    (void)func;
    return later();
}
