/* The floor library with as much of the rest as acl_bind's objects need: it says yes to everything and does nothing. */
#include "floor.c"

static _Thread_local aclrtContext current;
static uint8_t context, anything;
static uint64_t next_address = 0x12c000000000;

static aclError give(void **place)
{
    *place = &anything;
    return ACL_SUCCESS;
}

/* ---- device, context, stream -------------------------------------------------------------------------- */

aclError aclInit(const char *configPath)
{
    (void)configPath;
    return ACL_SUCCESS;
}

aclError aclFinalizeReference(uint64_t *refCount)
{
    (void)refCount;
    return ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t deviceId)
{
    (void)deviceId;
    current = &context;
    return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId)
{
    (void)deviceId;
    return ACL_SUCCESS;
}

aclError aclrtGetDevice(int32_t *deviceId)
{
    *deviceId = 0;
    return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext *place)
{
    *place = current;
    return current != NULL ? ACL_SUCCESS : ACL_ERROR_RT_CONTEXT_NULL;
}

aclError aclrtSetCurrentContext(aclrtContext wanted)
{
    current = wanted;
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
    return give(stream);
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    (void)stream;
    return ACL_SUCCESS;
}

/* ---- events, which tell a stream's progress ----------------------------------------------------------- */

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    (void)flag;
    return give(event);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    (void)event, (void)stream;
    return ACL_SUCCESS;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    (void)event;
    *status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    return ACL_SUCCESS;
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    (void)event;
    return ACL_SUCCESS;
}

/* ---- memory ------------------------------------------------------------------------------------------- */

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    (void)policy;
    *devPtr = (void *)(uintptr_t)next_address;
    next_address += size + PLACE_SIZE;
    return ACL_SUCCESS;
}

aclError aclrtFree(void *devPtr)
{
    (void)devPtr;
    return ACL_SUCCESS;
}

/* ---- binaries, argument lists in the user's memory ------------------------------------------------------ */

aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)
{
    (void)data, (void)length, (void)options;
    return give(binHandle);
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
    (void)binHandle;
    return ACL_SUCCESS;
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName, aclrtFuncHandle *funcHandle)
{
    (void)binHandle, (void)kernelName;
    return give(funcHandle);
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t *memSize)
{
    (void)funcHandle;
    *memSize = SLOT;
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize, size_t *actualArgsSize)
{
    (void)funcHandle;
    *actualArgsSize = userArgsSize + PLACE_SIZE;
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void *userHostMem, size_t actualArgsSize)
{
    (void)funcHandle, (void)argsHandle, (void)userHostMem, (void)actualArgsSize;
    list.size = 0;
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param, size_t paramSize)
{
    (void)argsHandle;
    memcpy(paramHandle, param, paramSize);
    return ACL_SUCCESS;
}
