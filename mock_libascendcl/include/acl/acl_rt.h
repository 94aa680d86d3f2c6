/* The runtime API: devices, contexts, streams, events, memory, binaries, kernel arguments, launches.
 *
 * Functions return 0 or a code of acl_base.h. A NULL stream is the default stream of the current context.
 * "async" means: queued on the stream, done when the stream has passed it.
 */
#ifndef ACL_RT_H
#define ACL_RT_H

#include "acl_base.h"

/* ---- constants ---------------------------------------------------------------------------------------- */

#define ACL_EVENT_SYNC                    0x00000001U
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U
#define ACL_EVENT_TIME_LINE               0x00000008U
#define ACL_EVENT_DEVICE_USE_ONLY         0x00000010U
#define ACL_EVENT_EXTERNAL                0x00000020U
#define ACL_EVENT_IPC                     0x00000040U

#define ACL_STREAM_FAST_LAUNCH     0x00000001U
#define ACL_STREAM_FAST_SYNC       0x00000002U
#define ACL_STREAM_PERSISTENT      0x00000004U
#define ACL_STREAM_HUGE            0x00000008U
#define ACL_STREAM_CPU_SCHEDULE    0x00000010U
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U

#define ACL_CONTINUE_ON_FAILURE 0x00000000U
#define ACL_STOP_ON_FAILURE     0x00000001U

#define ACL_EVENT_RECORD_DEFAULT  0x0U
#define ACL_EVENT_RECORD_EXTERNAL 0x01U
#define ACL_EVENT_WAIT_DEFAULT    0x0U
#define ACL_EVENT_WAIT_EXTERNAL   0x01U

/* Default kernel type of a binary without metadata; as ASCII, low byte first: "EBUC", "FRAA", "CCIA". */
#define ACL_RT_BINARY_MAGIC_ELF_AICORE      0x43554245U
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE   0x41494343U

typedef enum aclrtRunMode {
    ACL_DEVICE = 0, /* the program runs on the device's own CPU */
    ACL_HOST = 1
} aclrtRunMode;

typedef enum aclrtEventStatus {
    ACL_EVENT_STATUS_COMPLETE = 0,
    ACL_EVENT_STATUS_NOT_READY = 1,
    ACL_EVENT_STATUS_RESERVED = 2
} aclrtEventStatus;

/* Mind the numbering: the reverse of aclrtEventStatus. */
typedef enum aclrtEventRecordedStatus {
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1
} aclrtEventRecordedStatus;

typedef enum aclrtEventWaitStatus {
    ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
    ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
    ACL_EVENT_WAIT_STATUS_RESERVED = 0xffff
} aclrtEventWaitStatus;

typedef enum aclrtStreamStatus {
    ACL_STREAM_STATUS_COMPLETE = 0,
    ACL_STREAM_STATUS_NOT_READY = 1,
    ACL_STREAM_STATUS_RESERVED = 0xffff
} aclrtStreamStatus;

typedef enum aclrtCallbackBlockType {
    ACL_CALLBACK_NO_BLOCK = 0,
    ACL_CALLBACK_BLOCK = 1 /* later tasks of the stream wait until the callback has returned */
} aclrtCallbackBlockType;

typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST = 0,
    ACL_MEMCPY_HOST_TO_DEVICE = 1,
    ACL_MEMCPY_DEVICE_TO_HOST = 2,
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
    ACL_MEMCPY_DEFAULT = 4,
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7
} aclrtMemcpyKind;

typedef enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST = 0,
    ACL_MEM_MALLOC_HUGE_ONLY = 1,
    ACL_MEM_MALLOC_NORMAL_ONLY = 2,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
    ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000
} aclrtMemMallocPolicy;

typedef enum aclrtMallocAttrType {
    ACL_RT_MEM_ATTR_RSV = 0,
    ACL_RT_MEM_ATTR_MODULE_ID = 1,
    ACL_RT_MEM_ATTR_DEVICE_ID = 2,
    ACL_RT_MEM_ATTR_VA_FLAG = 3
} aclrtMallocAttrType;

typedef enum aclrtMemAttr {
    ACL_DDR_MEM = 0,
    ACL_HBM_MEM = 1,
    ACL_DDR_MEM_HUGE = 2,
    ACL_DDR_MEM_NORMAL = 3,
    ACL_HBM_MEM_HUGE = 4,
    ACL_HBM_MEM_NORMAL = 5,
    ACL_DDR_MEM_P2P_HUGE = 6,
    ACL_DDR_MEM_P2P_NORMAL = 7,
    ACL_HBM_MEM_P2P_HUGE = 8,
    ACL_HBM_MEM_P2P_NORMAL = 9,
    ACL_HBM_MEM_HUGE1G = 10,
    ACL_HBM_MEM_P2P_HUGE1G = 11,
    ACL_MEM_NORMAL = 12,
    ACL_MEM_HUGE = 13,
    ACL_MEM_HUGE1G = 14,
    ACL_MEM_P2P_NORMAL = 15,
    ACL_MEM_P2P_HUGE = 16,
    ACL_MEM_P2P_HUGE1G = 17
} aclrtMemAttr;

typedef enum aclrtMemLocationType {
    ACL_MEM_LOCATION_TYPE_HOST = 0,
    ACL_MEM_LOCATION_TYPE_DEVICE = 1,
    ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
    ACL_MEM_LOCATION_TYPE_MANAGED = 3,
    ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4
} aclrtMemLocationType;

typedef enum aclrtDeviceStatus {
    ACL_RT_DEVICE_STATUS_NORMAL = 0,
    ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
    ACL_RT_DEVICE_STATUS_END = 0xffff
} aclrtDeviceStatus;

typedef enum aclrtLastErrLevel {
    ACL_RT_THREAD_LEVEL = 0
} aclrtLastErrLevel;

typedef enum aclrtBinaryLoadOptionType {
    ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
    ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,
    ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
    ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3
} aclrtBinaryLoadOptionType;

typedef enum aclrtEngineType {
    ACL_RT_ENGINE_TYPE_AIC = 0,
    ACL_RT_ENGINE_TYPE_AIV = 1
} aclrtEngineType;

typedef enum aclrtLaunchKernelAttrId {
    ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
    ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2,
    ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
    ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
    ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
    ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9
} aclrtLaunchKernelAttrId;

typedef enum aclrtStreamAttr {
    ACL_STREAM_ATTR_FAILURE_MODE = 1,
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
    ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
    ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
    ACL_STREAM_ATTR_PRIORITY = 5
} aclrtStreamAttr;

typedef enum aclrtFuncAttribute {
    ACL_FUNC_ATTR_KERNEL_TYPE = 1,
    ACL_FUNC_ATTR_KERNEL_RATIO = 2,
    ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3
} aclrtFuncAttribute;

typedef enum aclrtKernelType {
    ACL_KERNEL_TYPE_AICORE = 0,
    ACL_KERNEL_TYPE_CUBE = 1,
    ACL_KERNEL_TYPE_VECTOR = 2,
    ACL_KERNEL_TYPE_MIX = 3,
    ACL_KERNEL_TYPE_AICPU = 100
} aclrtKernelType;

/* ---- structures --------------------------------------------------------------------------------------- */

typedef union aclrtBinaryLoadOptionValue {
    uint32_t isLazyLoad;
    uint32_t magic;
    int32_t cpuKernelMode; /* 0: json only, 1: json and .so from files, 2: .so from memory */
    uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

typedef struct aclrtBinaryLoadOption {
    aclrtBinaryLoadOptionType type;
    aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

typedef struct aclrtBinaryLoadOptions {
    aclrtBinaryLoadOption *options;
    size_t numOpt;
} aclrtBinaryLoadOptions;

typedef struct aclrtTimeoutUs {
    uint32_t timeoutLow;
    uint32_t timeoutHigh;
} aclrtTimeoutUs;

typedef union aclrtLaunchKernelAttrValue {
    uint8_t schemMode; /* 0 normal, 1 batch: all blocks start together */
    uint32_t localMemorySize;
    uint32_t dynUBufSize;
    aclrtEngineType engineType;
    uint32_t blockDimOffset;
    uint8_t isBlockTaskPrefetch;
    uint8_t isDataDump;
    uint16_t timeout; /* seconds, 0 = never */
    aclrtTimeoutUs timeoutUs;
    uint8_t enableProfiling;
    uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;

typedef struct aclrtLaunchKernelAttr {
    aclrtLaunchKernelAttrId id;
    aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;

typedef struct aclrtLaunchKernelCfg {
    aclrtLaunchKernelAttr *attrs;
    size_t numAttrs;
} aclrtLaunchKernelCfg;

/* At launch the 8 bytes at addrOffset become the device address of dataOffset; both count from the arguments' start. */
typedef struct aclrtPlaceHolderInfo {
    uint32_t addrOffset;
    uint32_t dataOffset;
} aclrtPlaceHolderInfo;

#ifdef __cplusplus
typedef struct dim3 {
    uint32_t x;
    uint32_t y;
    uint32_t z;
    dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
} dim3;
#else
typedef struct dim3 {
    uint32_t x;
    uint32_t y;
    uint32_t z;
} dim3;
#endif

typedef struct aclrtMemLocation {
    uint32_t id;
    aclrtMemLocationType type;
} aclrtMemLocation;

typedef struct aclrtPtrAttributes {
    aclrtMemLocation location;
    uint32_t pageSize;
    uint32_t rsv[4];
} aclrtPtrAttributes;

typedef union aclrtMallocAttrValue {
    uint16_t moduleId;
    uint32_t deviceId;
    uint32_t vaFlag;
    uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct aclrtMallocAttribute {
    aclrtMallocAttrType attr;
    aclrtMallocAttrValue value;
} aclrtMallocAttribute;

typedef struct aclrtMallocConfig {
    aclrtMallocAttribute *attrs;
    size_t numAttrs;
} aclrtMallocConfig;

typedef union aclrtStreamAttrValue {
    uint64_t failureMode;
    uint32_t overflowSwitch;
    uint32_t userCustomTag;
    uint32_t cacheOpInfoSwitch;
    uint32_t streamPriority;
    uint32_t reserve[4];
} aclrtStreamAttrValue;

/* Opaque; valid only inside an exception callback. */
typedef struct rtExceptionInfo aclrtExceptionInfo;

typedef void (*aclrtCallback)(void *userData);
typedef void (*aclrtHostFunc)(void *args);
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo *exceptionInfo);
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo *exceptionInfo, void *userData);

#ifdef __cplusplus
extern "C" {
#endif

/* ---- runtime ------------------------------------------------------------------------------------------ */

ACL_SINCE_8_5 aclError aclrtGetVersion(ACL_OUT int32_t *majorVersion, ACL_OUT int32_t *minorVersion, ACL_OUT int32_t *patchVersion);
/* A static string such as "Ascend910B1", or NULL. */
ACL_SINCE_8_5 const char *aclrtGetSocName(void);
/* The code itself is returned (0 when there is none). Get clears it, Peek does not. */
ACL_SINCE_8_5 aclError aclrtPeekAtLastError(aclrtLastErrLevel level);
ACL_SINCE_8_5 aclError aclrtGetLastError(aclrtLastErrLevel level);

/* ---- device ------------------------------------------------------------------------------------------- */

/* Makes deviceId this thread's device. Counted: n calls need n resets. */
ACL_SINCE_8_5 aclError aclrtSetDevice(int32_t deviceId);
ACL_SINCE_8_5 aclError aclrtResetDevice(int32_t deviceId);
ACL_SINCE_8_5 aclError aclrtResetDeviceForce(int32_t deviceId);
ACL_SINCE_8_5 aclError aclrtGetDevice(ACL_OUT int32_t *deviceId);
ACL_SINCE_8_5 aclError aclrtGetDeviceCount(ACL_OUT uint32_t *count);
ACL_SINCE_8_5 aclError aclrtGetRunMode(ACL_OUT aclrtRunMode *runMode);
/* Waits for the streams of the current context. */
ACL_SINCE_8_5 aclError aclrtSynchronizeDevice(void);
ACL_SINCE_8_5 aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/* ---- context ------------------------------------------------------------------------------------------ */

/* The new context becomes the thread's current one. It needs no aclrtSetDevice. */
ACL_SINCE_8_5 aclError aclrtCreateContext(ACL_OUT aclrtContext *context, int32_t deviceId);
ACL_SINCE_8_5 aclError aclrtDestroyContext(aclrtContext context);
ACL_SINCE_8_5 aclError aclrtSetCurrentContext(aclrtContext context);
ACL_SINCE_8_5 aclError aclrtGetCurrentContext(ACL_OUT aclrtContext *context);

/* ---- stream ------------------------------------------------------------------------------------------- */

ACL_SINCE_8_5 aclError aclrtCreateStream(ACL_OUT aclrtStream *stream);
ACL_SINCE_8_5 aclError aclrtCreateStreamWithConfig(ACL_OUT aclrtStream *stream, uint32_t priority, uint32_t flag);
/* Waits for what is queued, then frees. Force drops what is queued. */
ACL_SINCE_8_5 aclError aclrtDestroyStream(aclrtStream stream);
ACL_SINCE_8_5 aclError aclrtDestroyStreamForce(aclrtStream stream);
ACL_SINCE_8_5 aclError aclrtSynchronizeStream(aclrtStream stream);
/* timeout in ms, -1 waits for ever, 0 is refused. 507046 when it expires; the work goes on. */
ACL_SINCE_8_5 aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);
ACL_SINCE_8_5 aclError aclrtStreamQuery(aclrtStream stream, ACL_OUT aclrtStreamStatus *status);
ACL_SINCE_8_5 aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
ACL_SINCE_9_2 aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag);
/* timeout in s, 0 waits for ever. */
ACL_SINCE_8_5 aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout);
/* mode 1: nothing more runs on the stream after a task that failed. */
ACL_SINCE_8_5 aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);
/* Drops what is queued; the stream stays usable. */
ACL_SINCE_8_5 aclError aclrtStreamAbort(aclrtStream stream);
ACL_SINCE_8_5 aclError aclrtStreamGetId(aclrtStream stream, ACL_OUT int32_t *streamId);
ACL_SINCE_8_5 aclError aclrtStreamGetPriority(aclrtStream stream, ACL_OUT uint32_t *priority);
ACL_SINCE_8_5 aclError aclrtStreamGetFlags(aclrtStream stream, ACL_OUT uint32_t *flags);
ACL_SINCE_8_5 aclError aclrtCtxGetCurrentDefaultStream(ACL_OUT aclrtStream *stream);

/* ---- event -------------------------------------------------------------------------------------------- */

ACL_SINCE_8_5 aclError aclrtCreateEvent(ACL_OUT aclrtEvent *event);
ACL_SINCE_8_5 aclError aclrtCreateEventWithFlag(ACL_OUT aclrtEvent *event, uint32_t flag);
/* "New mode": a wait on a record that is done or was never made costs nothing; no reset. */
ACL_SINCE_8_5 aclError aclrtCreateEventExWithFlag(ACL_OUT aclrtEvent *event, uint32_t flag);
ACL_SINCE_8_5 aclError aclrtDestroyEvent(aclrtEvent event);
ACL_SINCE_8_5 aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
ACL_SINCE_9_2 aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag);
ACL_SINCE_8_5 aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);
ACL_SINCE_8_5 aclError aclrtQueryEvent(aclrtEvent event, ACL_OUT aclrtEventStatus *status);
ACL_SINCE_8_5 aclError aclrtQueryEventStatus(aclrtEvent event, ACL_OUT aclrtEventRecordedStatus *status);
ACL_SINCE_8_5 aclError aclrtQueryEventWaitStatus(aclrtEvent event, ACL_OUT aclrtEventWaitStatus *status);
ACL_SINCE_8_5 aclError aclrtSynchronizeEvent(aclrtEvent event);
ACL_SINCE_8_5 aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);
ACL_SINCE_8_5 aclError aclrtEventElapsedTime(ACL_OUT float *ms, aclrtEvent startEvent, aclrtEvent endEvent);
ACL_SINCE_8_5 aclError aclrtGetEventId(aclrtEvent event, ACL_OUT uint32_t *eventId);
/* How many more events the device has numbers for. */
ACL_SINCE_8_5 aclError aclrtGetEventAvailNum(ACL_OUT uint32_t *eventCount);
/* microseconds of the device's clock */
ACL_SINCE_8_5 aclError aclrtEventGetTimestamp(aclrtEvent event, ACL_OUT uint64_t *timestamp);

/* ---- memory ------------------------------------------------------------------------------------------- */

ACL_SINCE_8_5 aclError aclrtMalloc(ACL_OUT void **devPtr, size_t size, aclrtMemMallocPolicy policy);
ACL_SINCE_8_5 aclError aclrtMallocAlign32(ACL_OUT void **devPtr, size_t size, aclrtMemMallocPolicy policy);
ACL_SINCE_8_5 aclError aclrtMallocCached(ACL_OUT void **devPtr, size_t size, aclrtMemMallocPolicy policy);
ACL_SINCE_8_5 aclError aclrtMallocWithCfg(ACL_OUT void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);
ACL_SINCE_8_5 aclError aclrtPointerGetAttributes(const void *ptr, ACL_OUT aclrtPtrAttributes *attributes);
/* Never waits: memory that queued work still uses is the caller's to keep. */
ACL_SINCE_8_5 aclError aclrtFree(void *devPtr);
ACL_SINCE_8_5 aclError aclrtMallocHost(ACL_OUT void **hostPtr, size_t size);
ACL_SINCE_8_5 aclError aclrtFreeHost(void *hostPtr);
ACL_SINCE_8_5 aclError aclrtFreeWithDevSync(void *devPtr);
ACL_SINCE_8_5 aclError aclrtFreeHostWithDevSync(void *hostPtr);
/* Copies now; waits for no stream. */
ACL_SINCE_8_5 aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind);
ACL_SINCE_8_5 aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);
ACL_SINCE_8_5 aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream);
ACL_SINCE_8_5 aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream);
ACL_SINCE_8_5 aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream);
ACL_SINCE_8_5 aclError aclrtGetMemInfo(aclrtMemAttr attr, ACL_OUT size_t *free, ACL_OUT size_t *total);

/* ---- binary ------------------------------------------------------------------------------------------- */

/* Parses only: the code reaches a device with the first look-up made under that device's context. */
ACL_SINCE_8_5 aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options, ACL_OUT aclrtBinHandle *binHandle);
ACL_SINCE_8_5 aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *options, ACL_OUT aclrtBinHandle *binHandle);
ACL_SINCE_8_5 aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen);
ACL_SINCE_8_5 aclError aclrtDestroyBinary(aclrtBinary binary);
ACL_SINCE_8_5 aclError aclrtBinaryLoad(const aclrtBinary binary, ACL_OUT aclrtBinHandle *binHandle);
ACL_SINCE_8_5 aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);
ACL_SINCE_8_5 aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName, ACL_OUT aclrtFuncHandle *funcHandle);
ACL_SINCE_8_5 aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry, ACL_OUT aclrtFuncHandle *funcHandle);
ACL_SINCE_8_5 aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, ACL_OUT void **binAddr, ACL_OUT size_t *binSize);
ACL_SINCE_9_1 aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char *name, ACL_OUT void **dptr, ACL_OUT size_t *size);
/* funcName: the function in the AI CPU library; kernelName: the name it gets here. */
ACL_SINCE_8_5 aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char *funcName, const char *kernelName, ACL_OUT aclrtFuncHandle *funcHandle);

/* ---- function ----------------------------------------------------------------------------------------- */

ACL_SINCE_8_5 aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, ACL_OUT void **aicAddr, ACL_OUT void **aivAddr);
ACL_SINCE_9_1 aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, ACL_OUT size_t *aicSize, ACL_OUT size_t *aivSize);
ACL_SINCE_8_5 aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name);
ACL_SINCE_8_5 aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType, ACL_OUT int64_t *attrValue);
ACL_SINCE_9_1 aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, ACL_OUT aclrtBinHandle *binHandle);
ACL_SINCE_9_1 aclError aclrtFunctionGetParamCount(const void *func, ACL_OUT size_t *paramCount);
ACL_SINCE_9_1 aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex, ACL_OUT size_t *paramOffset, ACL_OUT size_t *paramSize);
ACL_SINCE_9_1 aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags, ACL_OUT size_t *dynamicUbufSize);
ACL_SINCE_9_1 aclError aclrtGetFuncBySymbol(const void *symbol, ACL_OUT aclrtFuncHandle *funcHandle);
ACL_SINCE_8_5 aclError aclrtGetHardwareSyncAddr(ACL_OUT void **addr);

/* ---- args --------------------------------------------------------------------------------------------- */

/* One handle a thread: a second Init on the thread starts it afresh. */
ACL_SINCE_8_5 aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, ACL_OUT aclrtArgsHandle *argsHandle);
/* argsHandle: GetHandleMemSize bytes, userHostMem: GetMemSize bytes; both stay the caller's. */
ACL_SINCE_8_5 aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void *userHostMem, size_t actualArgsSize);
ACL_SINCE_8_5 aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize, ACL_OUT size_t *actualArgsSize);
ACL_SINCE_8_5 aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, ACL_OUT size_t *memSize);
ACL_SINCE_8_5 aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize, ACL_OUT aclrtParamHandle *paramHandle);
/* A pointer parameter whose data travels with the arguments: GetPlaceHolderBuffer gives the room for it. */
ACL_SINCE_8_5 aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, ACL_OUT aclrtParamHandle *paramHandle);
ACL_SINCE_8_5 aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize, ACL_OUT void **bufferAddr);
ACL_SINCE_8_5 aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param, size_t paramSize);
ACL_SINCE_8_5 aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

/* ---- launch ------------------------------------------------------------------------------------------- */

/* argsData: a device address. */
ACL_SINCE_8_5 aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize, aclrtStream stream);
ACL_SINCE_8_5 aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize, aclrtLaunchKernelCfg *cfg, aclrtStream stream);
ACL_SINCE_8_5 aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve);
/* hostArgs is copied before the call returns; the placeholders' pointers are written into it in place. */
ACL_SINCE_8_5 aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum);
/* args[i] points to the value of parameter i; offsets and sizes come from the binary's parameter table. */
ACL_SINCE_9_1 aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg, void **args);
ACL_SINCE_9_2 aclError aclrtLaunchSIMTKernelWithArgsArray(void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize, aclrtStream stream, aclrtLaunchKernelCfg *cfg, void **args);
ACL_SINCE_9_2 aclError aclrtLaunchSIMTKernelWithHostArgs(void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize, aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum);

/* ---- callback ----------------------------------------------------------------------------------------- */

/* fn runs on a thread of the runtime; the stream waits for it. */
ACL_SINCE_8_5 aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args);
/* The thread threadId will run the stream's callbacks, inside aclrtProcessReport. */
ACL_SINCE_8_5 aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);
ACL_SINCE_8_5 aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream);
/* timeout in ms, -1 waits for ever. 507012 when nothing came. */
ACL_SINCE_8_5 aclError aclrtProcessReport(int32_t timeout);
ACL_SINCE_8_5 aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/* ---- exception ---------------------------------------------------------------------------------------- */

ACL_SINCE_8_5 aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);
ACL_SINCE_9_2 aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);
ACL_SINCE_9_2 aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);
ACL_SINCE_9_0 aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle, aclrtOpExceptionCallback callback, void *userData);
ACL_SINCE_8_5 uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_SINCE_8_5 uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_SINCE_8_5 uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_SINCE_8_5 uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_SINCE_8_5 uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_SINCE_9_0 aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info, ACL_OUT void **devArgsPtr, ACL_OUT uint32_t *devArgsLen);
ACL_SINCE_9_0 aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info, ACL_OUT aclrtFuncHandle *func);

#ifdef __cplusplus
}
#endif

#include "acl_rt_info.h"
#include "acl_rt_memory.h"

#endif
