#include "memory.h"

#include <string.h>

#include "aclmock/aclmock.h"
#include "memcheck.h"
#include "hostreg.h"
#include "range.h"

#define STEP ((size_t)32) /* device memory is handed out in these */
#define SMALL_PAGE 4096u
#define HUGE_PAGE (2u << 20)
#define GIANT_PAGE (1u << 30)

static struct arena pinned;
static pthread_once_t pinned_once = PTHREAD_ONCE_INIT;

static void open_pinned(void)
{
    arena_open(&pinned, 0, SIZE_MAX / 2, false);
}

void memory_reset(void)
{
    if (pinned.size != 0) {
        arena_reset(&pinned);
    }
}

/* ---- what is where ------------------------------------------------------------------------------------ */

static struct block *live_block(const struct arena *arena, uint64_t address)
{
    struct block *block = arena_find(arena, address);
    return block != NULL && !block_is(block, BLOCK_FREE) && address - block->address < block->bytes ? block : NULL;
}

struct arena *memory_arena(const void *address)
{
    struct device *device = device_of_address(address);
    return device != NULL ? &device->arena : &pinned;
}

/* device: of the address, NULL for host memory. */
ALWAYS_INLINE void find_place(const void *address, struct device *device, struct place *place)
{
    const struct arena *arena = device != NULL ? &device->arena : &pinned;
    struct block *block = live_block(arena, address_number(address));
    struct registered registered;
    if (block != NULL) {
        *place = (struct place){device != NULL ? PLACE_DEVICE : PLACE_PINNED, device, block,
                                arena_host(arena, address_number(address)), address_number(address) - block->address};
    } else if (LIKELY(!hostreg_find(address, &registered))) {
        *place = (struct place){PLACE_HOST, NULL, NULL, (void *)(uintptr_t)address, 0};
    } else {
        *place = (struct place){PLACE_PINNED, registered.device, registered.block, registered.host, registered.offset};
    }
}

struct place memory_place(const void *address)
{
    struct place place;
    find_place(address, device_of_address(address), &place);
    return place;
}

ALWAYS_INLINE bool holds(const void *address, size_t size, struct place *place)
{
    struct device *device = device_of_address(address);
    find_place(address, device, place);
    if (place->block == NULL) {
        return device == NULL;
    }
    return size <= place->block->bytes - place->offset ||
           (block_is(place->block, BLOCK_MAPPED) && range_mapped(&place->device->arena, address_number(address), size));
}

bool memory_holds(const void *address, size_t size, struct place *place)
{
    return holds(address, size, place);
}

static void explain_block(const struct block *block, uint64_t offset, size_t size, struct text *text)
{
    text_add(text, "%llu bytes into ", (unsigned long long)offset);
    guard_describe(block, text);
    if (!block_is(block, BLOCK_FREE) && offset + size > block->bytes) {
        text_add(text, " (%zu bytes with the driver's padding), and %zu bytes are wanted: %llu too many", block->bytes, size,
                 (unsigned long long)(offset + size - block->bytes));
    }
}

void memory_explain(const void *address, size_t size, struct text *text)
{
    const struct device *device = device_of_address(address);
    const struct block *block = arena_find(memory_arena(address), address_number(address));
    text_add(text, "%p is ", address);
    if (block != NULL && block->maker != NULL) {
        explain_block(block, address_number(address) - block->address, size, text);
    } else if (device != NULL) {
        text_add(text, "where device %d has nothing allocated", device->user_id);
    } else {
        text_add(text, "no address of device memory");
    }
}

aclError memory_reach(const void *address, size_t size, const char *argument, struct place *place)
{
    if (LIKELY(holds(address, size, place))) {
        bool check = check_on() && place->block != NULL;
        return check ? memcheck_reach(argument, place->block, address_number(address), size, false) : ACL_SUCCESS;
    }
    struct text why = {0};
    if (check_on()) {
        memcheck_gone(argument, address, size);
    }
    memory_explain(address, size, &why);
    fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "%s: %s", argument, text_get(&why));
    text_free(&why);
    return ACL_ERROR_RT_PARAM_INVALID;
}

struct block *memory_alloc_system(struct device *device, size_t size)
{
    return arena_alloc(&device->arena, size, round_up(size, STEP), BLOCK_SYSTEM);
}

/* ---- allocation --------------------------------------------------------------------------------------- */

static uint32_t page_size_of(aclrtMemMallocPolicy policy)
{
    switch (policy) {
    case ACL_MEM_MALLOC_NORMAL_ONLY:
    case ACL_MEM_MALLOC_NORMAL_ONLY_P2P:
        return SMALL_PAGE;
    case ACL_MEM_MALLOC_HUGE1G_ONLY:
    case ACL_MEM_MALLOC_HUGE1G_ONLY_P2P:
        return GIANT_PAGE;
    default: /* unknown policies count as the default one */
        return HUGE_PAGE;
    }
}

/* What the driver is asked for: 32 bytes more than rounded up, so that a kernel's last 32-byte access fits. */
static size_t driver_bytes(size_t size, size_t pad)
{
    return (size + STEP + pad - 1) / STEP * STEP;
}

static aclError allocate(void **pointer, size_t size, size_t bytes, uint32_t page_size)
{
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    struct arena *arena = &context->device->arena;
    struct block *block = arena_alloc(arena, size, bytes, BLOCK_LIVE);
    if (check_on()) {
        memcheck_watch_host();
    }
    if (block == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999",
                    "size is %zu, device %d has %zu of %zu bytes left in %zu blocks (ACL_MOCK_MEMORY sets how many)",
                    size, context->device->user_id, arena->limit - arena->used, arena->limit, arena->live);
    }
    block->page_size = page_size;
    *pointer = (void *)(uintptr_t)block->address;
    return ACL_SUCCESS;
}

static aclError allocate_padded(void **devPtr, size_t size, aclrtMemMallocPolicy policy, size_t pad)
{
    REQUIRE(devPtr);
    REQUIRE_SIZE(size);
    if (size > SIZE_MAX - STEP - pad) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH9999", "size is %zu, too large to round up", size);
    }
    return allocate(devPtr, size, driver_bytes(size, pad), page_size_of(policy));
}

static bool is_giant(aclrtMemMallocPolicy policy)
{
    return policy == ACL_MEM_MALLOC_HUGE1G_ONLY || policy == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    API(devPtr, size, policy);
    return allocate_padded(devPtr, size, policy, is_giant(policy) ? 0 : STEP);
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    API(devPtr, size, policy);
    return allocate_padded(devPtr, size, policy, 0);
}

aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    API(devPtr, size, policy);
    return allocate_padded(devPtr, size, policy, is_giant(policy) ? 0 : STEP);
}

static aclError check_malloc_attribute(const aclrtMallocAttribute *attribute, const struct context *context)
{
    switch (attribute->attr) {
    case ACL_RT_MEM_ATTR_RSV:
    case ACL_RT_MEM_ATTR_MODULE_ID:
        return ACL_SUCCESS;
    case ACL_RT_MEM_ATTR_DEVICE_ID:
        if (attribute->value.deviceId == (uint32_t)context->device->user_id) {
            return ACL_SUCCESS;
        }
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "deviceId of cfg is %u, expected the current device %d",
                    attribute->value.deviceId, context->device->user_id);
    default:
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "attribute of cfg is %d, expected 0, 1 or 2",
                    (int)attribute->attr);
    }
}

static aclError check_malloc_config(const aclrtMallocConfig *cfg)
{
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    if (cfg->attrs == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "cfg has no attrs; pass NULL for no configuration");
    }
    for (size_t i = 0; i < cfg->numAttrs; ++i) {
        aclError code = check_malloc_attribute(&cfg->attrs[i], context);
        if (code != ACL_SUCCESS) {
            return code;
        }
    }
    return ACL_SUCCESS;
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)
{
    API(devPtr, size, policy, cfg);
    REQUIRE(devPtr);
    if (cfg != NULL && cfg->numAttrs != 0 && cfg->attrs == NULL) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0009", "cfg has %zu attributes but attrs is NULL", cfg->numAttrs);
    }
    REQUIRE_SIZE(size);
    aclError code = cfg != NULL ? check_malloc_config(cfg) : ACL_SUCCESS;
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (size > SIZE_MAX - STEP) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "size is %zu, too large to round up", size);
    }
    return allocate(devPtr, size, round_up(size, STEP), page_size_of(policy));
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    API(hostPtr, size);
    REQUIRE(hostPtr);
    REQUIRE_SIZE(size);
    if (context_current() == NULL) {
        return context_missing();
    }
    pthread_once(&pinned_once, open_pinned);
    /* The last 31 sizes wrap: the real library asks the driver for 0 bytes, and gets them. */
    size_t wanted = size > SIZE_MAX - (STEP - 1) ? 0 : size;
    struct block *block = arena_alloc(&pinned, wanted, round_up(wanted != 0 ? wanted : 1, STEP), BLOCK_LIVE);
    if (block == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "size is %zu, more than there is page-locked memory",
                    size);
    }
    block->page_size = SMALL_PAGE;
    *hostPtr = (void *)(uintptr_t)block->address;
    return ACL_SUCCESS;
}

/* ---- freeing ------------------------------------------------------------------------------------------ */

static aclError not_freeable(const void *pointer, const char *argument, const struct arena *arena, const char *made_by)
{
    const struct block *block = arena_find(arena, address_number(pointer));
    if (check_on()) {
        memcheck_bad_free(pointer, argument, strcmp(argument, "hostPtr") == 0);
    }
    uint64_t offset = block != NULL ? address_number(pointer) - block->address : 0;
    if (block != NULL && block_is(block, BLOCK_LIVE)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EL9999", "%s is %p, %llu bytes into block %#llx; free the block's start",
                    argument, pointer, (unsigned long long)offset, (unsigned long long)block->address);
    }
    if (block != NULL && offset == 0 && block->freer != NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EL9999", "%s is %p, which %s freed already", argument, pointer,
                    block->freer);
    }
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EL9999", "%s is %p, which is no memory of %s", argument, pointer, made_by);
}

/* The live block that starts there, or NULL. */
static struct block *block_to_free(struct arena *arena, const void *pointer)
{
    struct block *block = arena_find(arena, address_number(pointer));
    bool live = block != NULL && block->address == address_number(pointer) && block_is(block, BLOCK_LIVE);
    return live ? block : NULL;
}

/* False: another thread was quicker. */
static bool free_block(struct arena *arena, struct block *block, aclError *code)
{
    *code = check_on() ? memcheck_free(block) : ACL_SUCCESS;
    return *code != ACL_SUCCESS || arena_free(arena, block);
}

aclError memory_free_device(void *devPtr)
{
    aclError code;
    struct device *device = device_of_address(devPtr);
    struct arena *arena = memory_arena(devPtr);
    struct block *block = block_to_free(arena, devPtr);
    if (device != NULL && block != NULL && free_block(arena, block, &code)) {
        return code;
    }
    if (device == NULL && live_block(&pinned, address_number(devPtr)) != NULL) {
        if (check_on()) {
            memcheck_bad_free(devPtr, "devPtr", false);
        }
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EL9999", "devPtr is %p, page-locked host memory: use aclrtFreeHost",
                    devPtr);
    }
    return not_freeable(devPtr, "devPtr", arena, "aclrtMalloc on an open device");
}

aclError memory_free_host(void *hostPtr)
{
    aclError code;
    struct place place = memory_place(hostPtr);
    if (place.kind == PLACE_DEVICE) {
        if (check_on()) {
            memcheck_bad_free(hostPtr, "hostPtr", true);
        }
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1011", "hostPtr is %p, memory of device %d: use aclrtFree", hostPtr,
                    place.device->user_id);
    }
    struct block *block = block_to_free(&pinned, hostPtr);
    if (block != NULL && free_block(&pinned, block, &code)) {
        return code;
    }
    return not_freeable(hostPtr, "hostPtr", &pinned, "aclrtMallocHost");
}

aclError aclrtFree(void *devPtr)
{
    API(devPtr);
    REQUIRE(devPtr);
    return memory_free_device(devPtr);
}

aclError aclrtFreeHost(void *hostPtr)
{
    API(hostPtr);
    REQUIRE(hostPtr);
    return memory_free_host(hostPtr);
}

/* ---- questions ---------------------------------------------------------------------------------------- */

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
    API(attr, free, total);
    REQUIRE(free);
    REQUIRE(total);
    if ((int)attr < ACL_DDR_MEM || attr > ACL_MEM_P2P_HUGE1G) {
        return fail(ACL_ERROR_RT_INVALID_MEMORY_TYPE, "EE1003", "attr is %d, expected 0 to 17", (int)attr);
    }
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    const struct arena *arena = &context->device->arena;
    *free = arena->limit - arena->used;
    *total = arena->limit;
    return ACL_SUCCESS;
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
    API(ptr, attributes);
    REQUIRE(ptr);
    REQUIRE(attributes);
    struct place place = memory_place(ptr);
    *attributes = (aclrtPtrAttributes){.location = {0, ACL_MEM_LOCATION_TYPE_UNREGISTERED}};
    if (place.kind == PLACE_DEVICE) {
        attributes->location = (aclrtMemLocation){(uint32_t)place.device->user_id, ACL_MEM_LOCATION_TYPE_DEVICE};
    } else if (place.kind == PLACE_PINNED) {
        attributes->location.type = ACL_MEM_LOCATION_TYPE_HOST;
    }
    attributes->pageSize = place.block != NULL ? place.block->page_size : 0;
    return ACL_SUCCESS;
}

/* ---- the mock's own face ------------------------------------------------------------------------------ */

size_t memory_live(void)
{
    size_t live = pinned.live;
    for (uint32_t i = 0; i < device_count(); ++i) {
        live += device_by_id((int32_t)i)->arena.live;
    }
    return live;
}

void memory_each(void (*visit)(struct block *block))
{
    for (uint32_t i = 0; i < device_count(); ++i) {
        arena_each(&device_by_id((int32_t)i)->arena, visit);
    }
    arena_each(&pinned, visit);
}

void *aclmock_host_address(const void *devPtr)
{
    struct place place = memory_place(devPtr);
    return place.block != NULL ? place.host : NULL;
}
