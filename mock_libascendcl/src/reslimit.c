#include "reslimit.h"

#include "error.h"
#include "soc.h"
#include "stream.h"

/* What aclrtSetDeviceResLimit allowed, 0: all there are. */
static _Atomic uint32_t limits[DEVICES_AT_MOST][2];

static uint32_t cores_of_chip(aclrtDevResLimitType type)
{
    return type == ACL_RT_DEV_RES_CUBE_CORE ? soc_current()->cube_cores : soc_current()->vector_cores;
}

static uint32_t limit_of(const struct device *device, aclrtDevResLimitType type)
{
    uint32_t limit = atomic_load(&limits[device->user_id][type]);
    return limit != 0 ? limit : cores_of_chip(type);
}

static aclError check_type(aclrtDevResLimitType type)
{
    if (type == ACL_RT_DEV_RES_CUBE_CORE || type == ACL_RT_DEV_RES_VECTOR_CORE) {
        return ACL_SUCCESS;
    }
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "type is %d, expected 0 (cube cores) or 1 (vector cores)", (int)type);
}

void reslimit_reset(void)
{
    for (size_t i = 0; i < DEVICES_AT_MOST; ++i) {
        atomic_store(&limits[i][0], 0);
        atomic_store(&limits[i][1], 0);
    }
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value)
{
    API(deviceId, type, value);
    REQUIRE(value);
    const struct device *device = device_by_id(deviceId);
    if (device == NULL) {
        return device_unknown("deviceId", deviceId);
    }
    aclError code = check_type(type);
    if (code == ACL_SUCCESS) {
        *value = limit_of(device, type);
    }
    return code;
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value)
{
    API(deviceId, type, value);
    const struct device *device = device_by_id(deviceId);
    if (device == NULL) {
        return device_unknown("deviceId", deviceId);
    }
    aclError code = check_type(type);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (value == 0 || value > cores_of_chip(type)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "value is %u, expected 1 to %u: %s has no more of these cores",
                    value, cores_of_chip(type), soc_current()->name);
    }
    atomic_store(&limits[device->user_id][type], value);
    return ACL_SUCCESS;
}

/* Streams have no limit of their own here: their device's. */
aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value)
{
    API(stream, type, value);
    REQUIRE(value);
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    aclError code = check_type(type);
    const struct stream *found = code == ACL_SUCCESS ? stream_find(stream) : NULL;
    if (found == NULL) {
        return thread_call.result;
    }
    *value = limit_of(found->context->device, type);
    return ACL_SUCCESS;
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value)
{
    API(type, value);
    REQUIRE(value);
    aclError code = check_type(type);
    if (code != ACL_SUCCESS) {
        return code;
    }
    const struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    *value = limit_of(context->device, type);
    return ACL_SUCCESS;
}
