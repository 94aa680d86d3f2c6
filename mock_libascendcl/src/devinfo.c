/* What a program can ask about a device. */
#include <unistd.h>

#include "acl/acl.h"
#include "context.h"
#include "error.h"
#include "soc.h"

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

/* Of a chip family. Sizes and counts that spec and data sheets leave open are our choice, of the right magnitude. */
struct family_facts {
    int64_t l2_size;
    int64_t vector_buffer; /* bytes of local memory of a vector core */
    int64_t aicpu_cores;
    int64_t npu_arch;
};

static const struct family_facts family_facts[] = {
    [SOC_910] = {32 * MIB, 256 * KIB, 14, 1001},
    [SOC_310P] = {16 * MIB, 256 * KIB, 7, 2002},
    [SOC_A2] = {192 * MIB, 192 * KIB, 6, 2201},
    [SOC_950] = {128 * MIB, 248 * KIB, 6, 3510},
};

/* Only chips with SIMT kernels have these. */
static const struct {
    aclrtDevAttr attr;
    int64_t value;
} simt_facts[] = {
    {ACL_DEV_ATTR_WARP_SIZE, 32},          {ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE, 2048},
    {ACL_DEV_ATTR_MAX_GRID_DIM_X, 65535},  {ACL_DEV_ATTR_MAX_GRID_DIM_Y, 65535},
    {ACL_DEV_ATTR_MAX_GRID_DIM_Z, 65535},  {ACL_DEV_ATTR_MAX_BLOCK_PER_GRID, 65535},
    {ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK, 2048}, {ACL_DEV_ATTR_MAX_BLOCK_DIM_X, 2048},
    {ACL_DEV_ATTR_MAX_BLOCK_DIM_Y, 2048},  {ACL_DEV_ATTR_MAX_BLOCK_DIM_Z, 2048},
};

static aclError simt_attribute(aclrtDevAttr attr, int64_t *value)
{
    for (size_t i = 0; i < COUNT(simt_facts); ++i) {
        if (simt_facts[i].attr != attr) {
            continue;
        }
        if (!soc_is(SOC_950)) {
            return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "attr is %d, which %s without SIMT kernels does not have",
                                (int)attr, soc_current()->name);
        }
        *value = simt_facts[i].value;
        return ACL_SUCCESS;
    }
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "attr is %d, which is no attribute of a device", (int)attr);
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
    API(deviceId, attr, value);
    REQUIRE(value);
    const struct soc *soc = soc_current();
    const struct family_facts *facts = &family_facts[soc->family];
    struct device *device = deviceId <= INT32_MAX ? device_by_id((int32_t)deviceId) : NULL;
    if (device == NULL) {
        return device_unknown("deviceId", deviceId);
    }
    switch (attr) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM: *value = facts->aicpu_cores; break;
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM: *value = soc->cube_cores; break;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM: *value = soc->vector_cores; break;
    case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE: *value = facts->vector_buffer; break;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE: *value = (int64_t)device_memory(device); break;
    case ACL_DEV_ATTR_L2_CACHE_SIZE: *value = facts->l2_size; break;
    case ACL_DEV_ATTR_SMP_ID:
    case ACL_DEV_ATTR_PHY_CHIP_ID:
    case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID: *value = device->physical_id; break;
    case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
    case ACL_DEV_ATTR_SUPER_POD_ID:
    case ACL_DEV_ATTR_CUST_OP_PRIVILEGE:
    case ACL_DEV_ATTR_MAINBOARD_ID:
    case ACL_DEV_ATTR_HD_CONNECT_TYPE:
    case ACL_DEV_ATTR_DEVICE_FORM_FACTOR:
    case ACL_DEV_ATTR_IS_VIRTUAL: *value = 0; break; /* one server with plain cards on PCIe */
    case ACL_DEV_ATTR_NPU_ARCH: *value = facts->npu_arch; break;
    default: return simt_attribute(attr, value);
    }
    return ACL_SUCCESS;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value)
{
    API(deviceId, deviceInfo, value);
    REQUIRE(value);
    if (deviceId > INT32_MAX || device_by_id((int32_t)deviceId) == NULL) {
        return device_unknown("deviceId", deviceId);
    }
    switch (deviceInfo) {
    case ACL_DEVICE_INFO_AI_CORE_NUM: *value = soc_current()->cube_cores; break;
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM: *value = soc_current()->vector_cores; break;
    case ACL_DEVICE_INFO_L2_SIZE: *value = family_facts[soc_current()->family].l2_size; break;
    default:
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "deviceInfo is %d, expected 0 to 2", (int)deviceInfo);
    }
    return ACL_SUCCESS;
}

/* Abnormal while a stream in stop mode stands still after a fault: nothing else is left unrecovered here. */
aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    API(deviceId, deviceStatus);
    REQUIRE(deviceStatus);
    struct device *device = device_by_id(deviceId);
    if (device == NULL) {
        return device_unknown("deviceId", deviceId);
    }
    bool stopped = atomic_load(&device->stopped_streams) != 0;
    *deviceStatus = stopped ? ACL_RT_DEVICE_STATUS_ABNORMAL : ACL_RT_DEVICE_STATUS_NORMAL;
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)
{
    API(deviceId, utilizationInfo);
    REQUIRE(utilizationInfo);
    struct device *device = device_by_id(deviceId);
    if (device == NULL) {
        return device_unknown("deviceId", deviceId);
    }
    *utilizationInfo = (aclrtUtilizationInfo){-1, -1, -1, device_memory_percent(device), NULL};
    return ACL_SUCCESS;
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
    API(pid);
    REQUIRE(pid);
    *pid = getpid(); /* containers are not looked through */
    return ACL_SUCCESS;
}

aclError aclrtGetLogicDevIdByUserDevId(int32_t userDevid, int32_t *logicDevId)
{
    API(userDevid, logicDevId);
    REQUIRE(logicDevId);
    const struct device *device = device_by_id(userDevid);
    if (device == NULL) {
        return device_unknown("userDevid", userDevid);
    }
    *logicDevId = device->physical_id;
    return ACL_SUCCESS;
}

aclError aclrtGetPhyDevIdByLogicDevId(int32_t logicDevId, int32_t *phyDevId)
{
    API(logicDevId, phyDevId);
    REQUIRE(phyDevId);
    uint32_t present = device_present();
    if (logicDevId < 0 || (uint32_t)logicDevId >= present) {
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "EE1003", "logicDevId is %d, there are %u devices in the machine",
                    logicDevId, present);
    }
    *phyDevId = logicDevId;
    return ACL_SUCCESS;
}
