#include "device.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aclmock/aclmock.h"
#include "error.h"
#include "soc.h"

#define FIRST_ADDRESS 0x12c000000000u /* where real device addresses start */
#define ADDRESSES_PER_DEVICE ((uint64_t)1 << 40)

static struct device devices[DEVICES_AT_MOST];
static uint32_t present; /* in the machine */
static uint32_t visible;
static char *visible_text; /* what ASCEND_RT_VISIBLE_DEVICES was when it was read; NULL: unset */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- which devices there are -------------------------------------------------------------------------- */

/* Numbers in ascending order; reading stops at the first token that is not one, a blank included. */
static uint32_t parse_visible(const char *list, int32_t *ids)
{
    uint32_t count = 0;
    const char *at = list;
    while (isdigit((unsigned char)*at)) {
        char *end = NULL;
        unsigned long id = strtoul(at, &end, 10);
        bool ends = *end == ',' || *end == '\0';
        if (!ends || id >= present || (count > 0 && (int32_t)id <= ids[count - 1])) {
            break;
        }
        ids[count++] = (int32_t)id;
        if (*end == '\0') {
            break;
        }
        at = end + 1;
    }
    return count;
}

static void read_visible(void)
{
    present = (uint32_t)env_number("ACL_MOCK_DEVICE_COUNT", 2, 0, DEVICES_AT_MOST);
    const char *list = env_text("ASCEND_RT_VISIBLE_DEVICES");
    int32_t ids[DEVICES_AT_MOST];
    visible = present;
    for (uint32_t i = 0; i < present; ++i) {
        ids[i] = (int32_t)i;
    }
    if (list != NULL) {
        visible = parse_visible(list, ids);
        visible_text = text_copy(list);
    }
    for (uint32_t i = 0; i < visible; ++i) {
        devices[i].user_id = (int32_t)i;
        devices[i].physical_id = ids[i];
    }
}

static void start(void)
{
    for (uint32_t i = 0; i < DEVICES_AT_MOST; ++i) {
        pthread_mutex_init(&devices[i].change, NULL);
        pthread_mutex_init(&devices[i].lock, NULL);
    }
    read_visible();
}

uint32_t device_count(void)
{
    pthread_once(&once, start);
    return visible;
}

struct device *device_by_id(int32_t user_id)
{
    return user_id >= 0 && (uint32_t)user_id < device_count() ? &devices[user_id] : NULL;
}

uint32_t device_present(void)
{
    pthread_once(&once, start);
    return present;
}

aclError device_unknown(const char *argument, int64_t id)
{
    struct text expected = {0};
    device_describe(&expected);
    fail(ACL_ERROR_RT_INVALID_DEVICEID, "EE1003", "%s is %lld, %s", argument, (long long)id, text_get(&expected));
    text_free(&expected);
    return ACL_ERROR_RT_INVALID_DEVICEID;
}

void device_describe(struct text *text)
{
    uint32_t count = device_count();
    if (count == 0) {
        text_add(text, "there is no device");
    } else {
        text_add(text, "expected 0 to %u", count - 1);
    }
    if (visible_text != NULL) {
        text_add(text, " (ASCEND_RT_VISIBLE_DEVICES=%s leaves %u, renumbered from 0)", visible_text, count);
    }
}

/* ---- open and closed ---------------------------------------------------------------------------------- */

struct device *device_of_address(const void *address)
{
    for (uint32_t i = 0; i < visible; ++i) {
        if (device_is_open(&devices[i]) && arena_holds(&devices[i].arena, (uint64_t)(uintptr_t)address)) {
            return &devices[i];
        }
    }
    return NULL;
}

bool device_reserves(const void *address)
{
    for (uint32_t i = 0; i < visible; ++i) {
        if (devices[i].arena.size != 0 && arena_holds(&devices[i].arena, (uint64_t)(uintptr_t)address)) {
            return true;
        }
    }
    return false;
}

/* The chip's, but a program that fills its card must get 207001, not take the laptop down. */
static uint64_t standard_memory(void)
{
    uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);
    return size_min(soc_current()->memory, half);
}

static size_t choose_memory(struct device *device)
{
    if (device->memory == 0) {
        device->memory = env_number("ACL_MOCK_MEMORY", standard_memory(), 1u << 20, (uint64_t)1 << 40);
    }
    return device->memory;
}

uint64_t device_memory(struct device *device)
{
    pthread_mutex_lock(&device->lock);
    uint64_t memory = choose_memory(device);
    pthread_mutex_unlock(&device->lock);
    return memory;
}

int32_t device_memory_percent(struct device *device)
{
    int32_t percent = 0;
    pthread_mutex_lock(&device->lock);
    if (device->arena.size != 0) {
        pthread_mutex_lock(&device->arena.lock);
        percent = (int32_t)((unsigned __int128)device->arena.used * 100 / device->arena.limit);
        pthread_mutex_unlock(&device->arena.lock);
    }
    pthread_mutex_unlock(&device->lock);
    return percent;
}

static bool open_memory(struct device *device)
{
    uint64_t hint = FIRST_ADDRESS + (uint64_t)device->physical_id * ADDRESSES_PER_DEVICE;
    choose_memory(device);
    bool open = device->arena.size != 0 || arena_open(&device->arena, hint, device->memory, true);
    device->arena.limit = device->memory;
    return open;
}

bool device_enter(struct device *device)
{
    pthread_mutex_lock(&device->lock);
    bool open = open_memory(device);
    if (open && device->contexts++ == 0) {
        atomic_fetch_add(&device->epoch, 1);
    }
    pthread_mutex_unlock(&device->lock);
    return open;
}

void device_leave(struct device *device)
{
    pthread_mutex_lock(&device->lock);
    if (--device->contexts == 0) {
        atomic_fetch_add(&device->epoch, 1);
        atomic_store(&device->sync_address, 0);
        arena_free_all(&device->arena);
    }
    pthread_mutex_unlock(&device->lock);
}

/* ---- the ABI ------------------------------------------------------------------------------------------ */

aclError aclrtGetDeviceCount(uint32_t *count)
{
    API(count);
    REQUIRE(count);
    if (device_count() == 0) {
        struct text reason = {0};
        device_describe(&reason);
        fail(ACL_ERROR_RT_NO_DEVICE, "EE9999", "%s", text_get(&reason));
        text_free(&reason);
        return ACL_ERROR_RT_NO_DEVICE;
    }
    *count = device_count();
    return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    API(runMode);
    REQUIRE(runMode);
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

/* ---- the mock's own face ------------------------------------------------------------------------------ */

int aclmock_set_memory(int32_t deviceId, uint64_t bytes)
{
    struct device *device = device_by_id(deviceId);
    if (device == NULL || bytes == 0) {
        return 0;
    }
    pthread_mutex_lock(&device->lock);
    device->memory = bytes;
    if (device->arena.size != 0) {
        pthread_mutex_lock(&device->arena.lock);
        device->arena.limit = bytes;
        pthread_mutex_unlock(&device->arena.lock);
    }
    pthread_mutex_unlock(&device->lock);
    return 1;
}

void device_reset(void)
{
    pthread_once(&once, start);
    for (uint32_t i = 0; i < DEVICES_AT_MOST; ++i) {
        devices[i].memory = 0;
        if (devices[i].arena.size != 0) {
            arena_reset(&devices[i].arena);
        }
    }
    host_free(visible_text);
    visible_text = NULL;
    read_visible();
}
