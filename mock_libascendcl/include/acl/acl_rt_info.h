/* The runtime API's questions and settings: devices, their limits, streams, options. Part of acl_rt.h, which includes it. */
#ifndef ACL_RT_INFO_H
#define ACL_RT_INFO_H

typedef enum aclrtDevAttr {
    ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
    ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
    ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
    ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
    ACL_DEV_ATTR_WARP_SIZE = 202,
    ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
    ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204,
    ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
    ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
    ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
    ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
    ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
    ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
    ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
    ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
    ACL_DEV_ATTR_SMP_ID = 401,
    ACL_DEV_ATTR_PHY_CHIP_ID = 402,
    ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403,
    ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
    ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,
    ACL_DEV_ATTR_SUPER_POD_ID = 405,
    ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,
    ACL_DEV_ATTR_MAINBOARD_ID = 407,
    ACL_DEV_ATTR_HD_CONNECT_TYPE = 408,
    ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409,
    ACL_DEV_ATTR_IS_VIRTUAL = 501,
    ACL_DEV_ATTR_NPU_ARCH = 601
} aclrtDevAttr;

typedef enum aclrtDevResLimitType {
    ACL_RT_DEV_RES_CUBE_CORE = 0,
    ACL_RT_DEV_RES_VECTOR_CORE = 1
} aclrtDevResLimitType;

typedef enum aclrtFloatOverflowMode {
    ACL_RT_OVERFLOW_MODE_SATURATION = 0,
    ACL_RT_OVERFLOW_MODE_INFNAN = 1,
    ACL_RT_OVERFLOW_MODE_UNDEF = 2
} aclrtFloatOverflowMode;

typedef enum aclSysParamOpt {
    ACL_OPT_DETERMINISTIC = 0,
    ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
    ACL_OPT_STRONG_CONSISTENCY = 2,
    ACL_OPT_ENABLE_KERNEL_EARLY_START = 3
} aclSysParamOpt;

typedef enum aclrtStreamState {
    ACL_RT_STREAM_STATE_CREATE_POST = 1,
    ACL_RT_STREAM_STATE_DESTROY_PRE = 2
} aclrtStreamState;

typedef void (*aclrtStreamStateCallback)(aclrtStream stm, aclrtStreamState state, void *args);

typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

/* percent, -1: unknown */
typedef struct aclrtUtilizationInfo {
    int32_t cubeUtilization;
    int32_t vectorUtilization;
    int32_t aicpuUtilization;
    int32_t memoryUtilization;
    aclrtUtilizationExtendInfo *utilizationExtend;
} aclrtUtilizationInfo;

#ifdef __cplusplus
extern "C" {
#endif

/* ---- devinfo ------------------------------------------------------------------------------------------ */

ACL_SINCE_8_5 aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, ACL_OUT int64_t *value);
ACL_SINCE_8_5 aclError aclrtQueryDeviceStatus(int32_t deviceId, ACL_OUT aclrtDeviceStatus *deviceStatus);
ACL_SINCE_8_5 aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, ACL_OUT aclrtUtilizationInfo *utilizationInfo);
/* The process's id outside its container. */
ACL_SINCE_8_5 aclError aclrtDeviceGetBareTgid(ACL_OUT int32_t *pid);
ACL_SINCE_8_5 aclError aclrtGetLogicDevIdByUserDevId(int32_t userDevid, ACL_OUT int32_t *logicDevId);
ACL_SINCE_8_5 aclError aclrtGetPhyDevIdByLogicDevId(int32_t logicDevId, ACL_OUT int32_t *phyDevId);

/* ---- reslimit ----------------------------------------------------------------------------------------- */

/* Cores that a stream, a device or the calling thread may use. */
ACL_SINCE_8_5 aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, ACL_OUT uint32_t *value);
ACL_SINCE_8_5 aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, ACL_OUT uint32_t *value);
ACL_SINCE_8_5 aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value);
ACL_SINCE_8_5 aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, ACL_OUT uint32_t *value);

/* ---- option ------------------------------------------------------------------------------------------- */

ACL_SINCE_8_5 aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);
ACL_SINCE_8_5 aclError aclrtGetDeviceSatMode(ACL_OUT aclrtFloatOverflowMode *mode);
/* Of the current context, and of the process. */
ACL_SINCE_8_5 aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);
ACL_SINCE_8_5 aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, ACL_OUT int64_t *value);
ACL_SINCE_8_5 aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);
ACL_SINCE_8_5 aclError aclrtGetSysParamOpt(aclSysParamOpt opt, ACL_OUT int64_t *value);
/* How long, in s, an event may be waited for on the device, and a kernel may run. 0: no limit. */
ACL_SINCE_8_5 aclError aclrtSetOpWaitTimeout(uint32_t timeout);
ACL_SINCE_8_5 aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/* ---- streamattr --------------------------------------------------------------------------------------- */

ACL_SINCE_8_5 aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value);
ACL_SINCE_8_5 aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, ACL_OUT aclrtStreamAttrValue *value);
/* How many more streams can be created. */
ACL_SINCE_8_5 aclError aclrtGetStreamAvailableNum(ACL_OUT uint32_t *streamCount);
/* Number of the last task that the calling thread queued; 0xFFFFFFFF before any. */
ACL_SINCE_8_5 aclError aclrtGetThreadLastTaskId(ACL_OUT uint32_t *taskId);
/* Called when a stream was created and before it is destroyed. callback NULL unregisters the name. */
ACL_SINCE_8_5 aclError aclrtRegStreamStateCallback(const char *regName, aclrtStreamStateCallback callback, void *args);

#ifdef __cplusplus
}
#endif

#endif
