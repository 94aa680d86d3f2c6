#include "hostreg.h"

#include "error.h"
#include "range.h"

struct registration {
    char *host;
    size_t size;
    struct device *device;
    uint32_t epoch; /* of the device: a reset ends it */
    struct block block;
    struct registration *next;
};

/* Entries stay until a reset, dead or alive: whoever looks one up may still hold its block. */
static struct {
    pthread_rwlock_t lock;
    struct registration *first;
    _Atomic uint32_t count;
} table = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static bool is_alive(const struct registration *entry)
{
    return block_is(&entry->block, BLOCK_LIVE) && entry->epoch == atomic_load(&entry->device->epoch);
}

/* With the lock. By host address; size 1 finds who has the byte, more whom the bytes would touch. */
static struct registration *find_host(const void *address, size_t size)
{
    const char *start = address;
    for (struct registration *at = table.first; at != NULL; at = at->next) {
        if (is_alive(at) && start < at->host + at->size && at->host < start + size) {
            return at;
        }
    }
    return NULL;
}

static struct registration *find_device(uint64_t address)
{
    for (struct registration *at = table.first; at != NULL; at = at->next) {
        if (is_alive(at) && address - at->block.address < at->size) {
            return at;
        }
    }
    return NULL;
}

bool hostreg_find(const void *address, struct registered *found)
{
    uint64_t number = (uint64_t)(uintptr_t)address;
    if (LIKELY(atomic_load_explicit(&table.count, memory_order_acquire) == 0)) {
        return false;
    }
    pthread_rwlock_rdlock(&table.lock);
    struct registration *entry = find_device(number);
    uint64_t offset = entry != NULL ? number - entry->block.address : 0;
    if (entry == NULL && (entry = find_host(address, 1)) != NULL) {
        offset = number - (uint64_t)(uintptr_t)entry->host;
    }
    if (entry != NULL) {
        *found = (struct registered){entry->device, &entry->block, offset, entry->host + offset};
    }
    pthread_rwlock_unlock(&table.lock);
    return entry != NULL;
}

void hostreg_reset(void)
{
    pthread_rwlock_wrlock(&table.lock);
    while (table.first != NULL) {
        struct registration *entry = table.first;
        table.first = entry->next;
        host_free(entry);
    }
    atomic_store(&table.count, 0);
    pthread_rwlock_unlock(&table.lock);
}

/* ---- the ABI ------------------------------------------------------------------------------------------ */

static bool is_type(aclrtHostRegisterType type)
{
    return type == ACL_HOST_REGISTER_MAPPED || type == ACL_HOST_REGISTER_IOMEMORY || type == ACL_HOST_REGISTER_READONLY;
}

static aclError not_registered(const char *argument, const void *pointer)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "%s is %p, which aclrtHostRegister has not registered", argument, pointer);
}

/* With the lock. */
static aclError add(struct registration *entry)
{
    if (find_host(entry->host, entry->size) != NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "of the %zu bytes at %p some are registered already", entry->size,
                    (void *)entry->host);
    }
    size_t in_page = (uintptr_t)entry->host % RANGE_PAGE; /* the device's address lies as the host's does */
    uint64_t start = range_reserve(&entry->device->arena, entry->size + in_page, 0);
    if (start == 0) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "device %d has no addresses left for %zu bytes",
                    entry->device->user_id, entry->size);
    }
    entry->block.address = start + in_page;
    entry->block.size = entry->block.bytes = entry->size;
    entry->block.page_size = RANGE_PAGE;
    entry->block.maker = thread_call.name;
    atomic_store(&entry->block.state, BLOCK_LIVE);
    entry->next = table.first;
    table.first = entry;
    atomic_fetch_add(&table.count, 1);
    return ACL_SUCCESS;
}

/* That it needs a context, whose device's kernels get the address, is our choice. */
aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)
{
    API(ptr, size, type, devPtr);
    REQUIRE(ptr);
    REQUIRE_SIZE(size);
    REQUIRE(devPtr);
    if (!is_type(type)) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "type is %d, expected 0, 4 or 8", (int)type);
    }
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    struct registration *entry = host_alloc(sizeof(*entry));
    if (entry == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left to register host memory");
    }
    entry->host = ptr;
    entry->size = size;
    entry->device = context->device;
    entry->epoch = atomic_load(&context->device->epoch);
    pthread_rwlock_wrlock(&table.lock);
    aclError code = add(entry);
    pthread_rwlock_unlock(&table.lock);
    if (code != ACL_SUCCESS) {
        host_free(entry);
        return code;
    }
    *devPtr = (void *)(uintptr_t)entry->block.address;
    return ACL_SUCCESS;
}

aclError aclrtHostUnregister(void *ptr)
{
    API(ptr);
    REQUIRE(ptr);
    pthread_rwlock_wrlock(&table.lock);
    struct registration *entry = find_host(ptr, 1);
    bool found = entry != NULL && entry->host == (char *)ptr;
    if (found) {
        entry->block.freer = thread_call.name;
        atomic_store(&entry->block.state, BLOCK_FREE);
        range_release(&entry->device->arena, entry->block.address / ARENA_CHUNK * ARENA_CHUNK);
    }
    pthread_rwlock_unlock(&table.lock);
    return found ? ACL_SUCCESS : not_registered("ptr", ptr);
}

aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag)
{
    API(pHost, pDevice, flag);
    REQUIRE(pHost);
    REQUIRE(pDevice);
    if (flag != 0) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "flag is %u, expected 0", flag);
    }
    pthread_rwlock_rdlock(&table.lock);
    const struct registration *entry = find_host(pHost, 1);
    if (entry != NULL) {
        *pDevice = (void *)(uintptr_t)(entry->block.address + (uint64_t)((char *)pHost - entry->host));
    }
    pthread_rwlock_unlock(&table.lock);
    return entry != NULL ? ACL_SUCCESS : not_registered("pHost", pHost);
}
