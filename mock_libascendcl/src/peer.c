#include "peer.h"

#include "error.h"

static _Atomic uint64_t enabled[DEVICES_AT_MOST]; /* of each device: a bit for every peer whose memory it may reach */

bool peer_enabled(const struct device *device, const struct device *peer)
{
    return atomic_load(&enabled[device->user_id]) >> peer->user_id & 1;
}

void peer_reset(void)
{
    for (size_t i = 0; i < DEVICES_AT_MOST; ++i) {
        atomic_store(&enabled[i], 0);
    }
}

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)
{
    API(canAccessPeer, deviceId, peerDeviceId);
    if (deviceId == peerDeviceId) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0009", "deviceId and peerDeviceId are both %d", deviceId);
    }
    if (device_by_id(deviceId) == NULL) {
        return device_unknown("deviceId", deviceId);
    }
    if (device_by_id(peerDeviceId) == NULL) {
        return device_unknown("peerDeviceId", peerDeviceId);
    }
    if (canAccessPeer == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "canAccessPeer is NULL, expected a valid pointer");
    }
    *canAccessPeer = 1;
    return ACL_SUCCESS;
}

/* The current device, and that the peer is another one. */
static aclError check_peer(int32_t peer_id, struct device **device)
{
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    if (context->device->user_id == peer_id) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0009", "peerDeviceId is %d, the current device itself", peer_id);
    }
    *device = context->device;
    return device_by_id(peer_id) != NULL ? ACL_SUCCESS : device_unknown("peerDeviceId", peer_id);
}

/* Where real devices differ, here all reach all. Enabling twice is fine, which is our choice. */
aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
    API(peerDeviceId, flags);
    struct device *device = NULL;
    if (flags != 0) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "flags is %u, expected 0", flags);
    }
    aclError code = check_peer(peerDeviceId, &device);
    if (code == ACL_SUCCESS) {
        atomic_fetch_or(&enabled[device->user_id], UINT64_C(1) << peerDeviceId);
    }
    return code;
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
    API(peerDeviceId);
    struct device *device = NULL;
    aclError code = check_peer(peerDeviceId, &device);
    if (code == ACL_SUCCESS) {
        atomic_fetch_and(&enabled[device->user_id], ~(UINT64_C(1) << peerDeviceId));
    }
    return code;
}
