/* Virtual memory: reserving addresses, making memory, and putting one behind the other. */
#include "context.h"
#include "error.h"
#include "range.h"

#define UNIT_NORMAL ((size_t)4096)
#define UNIT_HUGE ((size_t)2 << 20)
#define UNIT_GIANT ((size_t)1 << 30)

static uint64_t number_of(const void *address)
{
    return (uint64_t)(uintptr_t)address;
}

static aclError reject_nonzero(const char *argument, uint64_t value)
{
    return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "%s is %llu, expected 0", argument, (unsigned long long)value);
}

static aclError not_open(const char *argument, const void *address)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "%s is %p, no reserved address of an open device", argument, address);
}

/* ---- addresses ---------------------------------------------------------------------------------------- */

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags)
{
    API(virPtr, size, alignment, expectPtr, flags);
    REQUIRE(virPtr);
    REQUIRE_SIZE(size);
    if (alignment != 0) {
        return reject_nonzero("alignment", alignment);
    }
    if (flags > 1) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "flags is %llu, expected 0 or 1", (unsigned long long)flags);
    }
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    uint64_t start = range_reserve(&context->device->arena, size, number_of(expectPtr));
    if (start == 0) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "size is %zu, device %d has no addresses left for that", size,
                    context->device->user_id);
    }
    *virPtr = (void *)(uintptr_t)start;
    return ACL_SUCCESS;
}

aclError aclrtReleaseMemAddress(void *virPtr)
{
    API(virPtr);
    REQUIRE(virPtr);
    struct device *device = device_of_address(virPtr);
    if (device == NULL) {
        return not_open("virPtr", virPtr);
    }
    switch (range_release(&device->arena, number_of(virPtr))) {
    case RANGE_OK: return ACL_SUCCESS;
    case RANGE_BUSY:
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "virPtr is %p, in whose range memory is mapped: aclrtUnmapMem first", virPtr);
    default:
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "virPtr is %p, not the start of what aclrtReserveMemAddress gave", virPtr);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------- */

/* 0: the attribute does not exist. What leaves the page size open gets huge pages, which is our choice. */
static size_t unit_of(aclrtMemAttr attr)
{
    switch (attr) {
    case ACL_DDR_MEM_NORMAL:
    case ACL_HBM_MEM_NORMAL:
    case ACL_DDR_MEM_P2P_NORMAL:
    case ACL_HBM_MEM_P2P_NORMAL:
    case ACL_MEM_NORMAL:
    case ACL_MEM_P2P_NORMAL: return UNIT_NORMAL;
    case ACL_HBM_MEM_HUGE1G:
    case ACL_HBM_MEM_P2P_HUGE1G:
    case ACL_MEM_HUGE1G:
    case ACL_MEM_P2P_HUGE1G: return UNIT_GIANT;
    default: return (int)attr >= ACL_DDR_MEM && attr <= ACL_MEM_P2P_HUGE1G ? UNIT_HUGE : 0;
    }
}

static aclError check_property(const aclrtPhysicalMemProp *prop, size_t *unit)
{
    *unit = unit_of(prop->memAttr);
    if (prop->handleType != ACL_MEM_HANDLE_TYPE_NONE && prop->handleType != ACL_MEM_HANDLE_TYPE_POSIX) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "prop.handleType is %d, expected 0 or 2", (int)prop->handleType);
    }
    if (prop->allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "prop.allocationType is %d, expected 0", (int)prop->allocationType);
    }
    if (*unit == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "prop.memAttr is %d, expected 0 to 17", (int)prop->memAttr);
    }
    return ACL_SUCCESS;
}

/* Host memory behind device addresses is a thing of newer chips. */
static aclError find_place(const aclrtPhysicalMemProp *prop, struct device **device)
{
    if (prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE) {
        return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "prop.location.type is %d, the mock has memory of devices (1) only",
                            (int)prop->location.type);
    }
    *device = prop->location.id <= INT32_MAX ? device_by_id((int32_t)prop->location.id) : NULL;
    if (*device == NULL) {
        return device_unknown("prop.location.id", prop->location.id);
    }
    return device_is_open(*device) ? ACL_SUCCESS : context_missing();
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option, size_t *granularity)
{
    API(prop, option, granularity);
    REQUIRE(prop);
    REQUIRE(granularity);
    if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM && option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "option is %d, expected 0 or 1", (int)option);
    }
    size_t unit;
    aclError code = check_property(prop, &unit);
    if (code == ACL_SUCCESS) {
        *granularity = unit;
    }
    return code;
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags)
{
    API(handle, size, prop, flags);
    REQUIRE(handle);
    REQUIRE_SIZE(size);
    REQUIRE(prop);
    if (flags != 0) {
        return reject_nonzero("flags", flags);
    }
    size_t unit;
    struct device *device = NULL;
    aclError code = check_property(prop, &unit);
    code = code == ACL_SUCCESS ? find_place(prop, &device) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (size % unit != 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "size is %zu, no multiple of the granularity %zu", size, unit);
    }
    struct physical *made = physical_new(&device->arena, size, unit);
    if (made == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "size is %zu, device %d has %zu of %zu bytes left", size,
                    device->user_id, device->arena.limit - device->arena.used, device->arena.limit);
    }
    *handle = made;
    return ACL_SUCCESS;
}

static aclError no_memory_handle(const void *handle)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003",
                "handle is %p, no live memory of aclrtMallocPhysical: it was freed, or its device was reset", handle);
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
    API(handle);
    REQUIRE(handle);
    if (!handle_claim(HANDLE_PHYSICAL, handle)) {
        return no_memory_handle(handle);
    }
    physical_free(handle);
    return ACL_SUCCESS;
}

/* ---- mapping ------------------------------------------------------------------------------------------ */

static aclError check_mapping(const void *virPtr, size_t size, const struct physical *physical)
{
    if (size > physical->size || size % physical->unit != 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "size is %zu, expected a multiple of %zu up to the memory's %zu", size,
                    physical->unit, physical->size);
    }
    size_t alignment = physical->unit < UNIT_HUGE ? physical->unit : UNIT_HUGE;
    if (number_of(virPtr) % alignment != 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "virPtr is %p, no multiple of %zu", virPtr, alignment);
    }
    const struct device *device = device_of_address(virPtr);
    if (device == NULL) {
        return not_open("virPtr", virPtr);
    }
    if (&device->arena != physical->arena) { /* our choice: a device's addresses lead to its own memory */
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "virPtr is %p, of device %d, the memory is another device's", virPtr,
                    device->user_id);
    }
    return ACL_SUCCESS;
}

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags)
{
    API(virPtr, size, offset, handle, flags);
    REQUIRE(virPtr);
    REQUIRE_SIZE(size);
    REQUIRE(handle);
    if (offset != 0 || flags != 0) {
        return reject_nonzero(offset != 0 ? "offset" : "flags", offset != 0 ? offset : flags);
    }
    if (!handle_alive(HANDLE_PHYSICAL, handle)) {
        return no_memory_handle(handle);
    }
    struct physical *physical = handle;
    aclError code = check_mapping(virPtr, size, physical);
    if (code != ACL_SUCCESS) {
        return code;
    }
    switch (range_map(physical->arena, number_of(virPtr), size, physical)) {
    case RANGE_OK: return ACL_SUCCESS;
    case RANGE_UNKNOWN:
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "the %zu bytes at virPtr %p are not within one reserved range", size, virPtr);
    case RANGE_BUSY:
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "of the %zu bytes at virPtr %p some are mapped already", size, virPtr);
    default:
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "the system has no room for another mapping");
    }
}

aclError aclrtUnmapMem(void *virPtr)
{
    API(virPtr);
    REQUIRE(virPtr);
    struct device *device = device_of_address(virPtr);
    if (device == NULL || range_unmap(&device->arena, number_of(virPtr)) != RANGE_OK) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "virPtr is %p, where aclrtMapMem has mapped nothing", virPtr);
    }
    return ACL_SUCCESS;
}
