#include "image.h"

#include <string.h>

#include "hidden.h"
#include "memory.h"
#include "meta.h"

#define IMAGE_ALIGNMENT ((size_t)4096)
#define PRINT_FIFO_SIZE ((size_t)2457600)
#define SIMT_PRINT_FIFO_SIZE ((size_t)2097152)

static struct installed *place_of(struct binary *binary, const struct device *device)
{
    return &binary->installed[device->user_id];
}

static uint32_t epoch_of(struct device *device)
{
    return atomic_load_explicit(&device->epoch, memory_order_acquire);
}

/* ---- words that the runtime fills in ------------------------------------------------------------------- */

static const struct {
    uint32_t wanted; /* by one of these bits */
    size_t room;     /* bytes that the word points to, behind the image */
} implicit_words[IMPLICIT_WORDS] = {
    [IMPLICIT_SYNC_ADDRESS] = {META_SYNC_ADDRESS, 0},
    [IMPLICIT_PRINT_FIFO] = {META_PRINT_FIFO | META_ASSERT_FIFO, PRINT_FIFO_SIZE},
    [IMPLICIT_SIMT_PRINT_FIFO] = {META_SIMT_PRINT_FIFO, SIMT_PRINT_FIFO_SIZE},
};

static bool fills_in(const struct binary *binary, enum implicit_word word)
{
    uint64_t at = binary->implicit_at[word];
    return (binary->implicit & implicit_words[word].wanted) != 0 && binary->implicit_there[word] &&
           binary->image.size >= sizeof(uint64_t) && at <= binary->image.size - sizeof(uint64_t);
}

static size_t room_behind(const struct binary *binary)
{
    size_t room = 0;
    for (enum implicit_word word = 0; word < IMPLICIT_WORDS; ++word) {
        room += fills_in(binary, word) ? implicit_words[word].room : 0;
    }
    return room;
}

static void fill_in(const struct binary *binary, struct device *device, uint64_t base)
{
    uint64_t behind = base + round_up(binary->image.size, IMAGE_ALIGNMENT);
    for (enum implicit_word word = 0; word < IMPLICIT_WORDS; ++word) {
        if (fills_in(binary, word)) {
            uint64_t address = word == IMPLICIT_SYNC_ADDRESS ? hidden_sync(device) : behind;
            memcpy(arena_host(&device->arena, base + binary->implicit_at[word]), &address, sizeof(address));
            behind += implicit_words[word].room;
        }
    }
}

/* ---- copying ------------------------------------------------------------------------------------------ */

static aclError copy_code(struct binary *binary, struct device *device, struct installed *place, uint32_t epoch)
{
    size_t size = round_up(binary->image.size, IMAGE_ALIGNMENT) + room_behind(binary);
    struct block *block = memory_alloc_system(device, size + IMAGE_ALIGNMENT);
    if (block == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "device %d has no memory left for the %u bytes of code of %s",
                    device->user_id, binary->image.size, binary->path);
    }
    uint64_t base = round_up(block->address, IMAGE_ALIGNMENT);
    memcpy(arena_host(&device->arena, base), binary->data + binary->image.offset, binary->image.size);
    fill_in(binary, device, base);
    place->block = block;
    atomic_store(&place->base, base);
    atomic_store_explicit(&place->copied, epoch, memory_order_release);
    return ACL_SUCCESS;
}

static bool is_there(struct installed *place, uint32_t epoch)
{
    return atomic_load_explicit(&place->copied, memory_order_acquire) == epoch;
}

/* With the binary's lock held. */
static aclError copy_once(struct binary *binary, struct device *device, uint32_t epoch)
{
    struct installed *place = place_of(binary, device);
    if (binary->data == NULL || is_there(place, epoch)) {
        return ACL_SUCCESS;
    }
    if (binary->image.size == 0) {
        return fail(ACL_ERROR_RT_INTERNAL_ERROR, "EE9999", "%s has no code to load: no section with SHF_ALLOC and a size",
                    binary->path);
    }
    return copy_code(binary, device, place, epoch);
}

aclError image_copy(struct binary *binary, struct device *device)
{
    pthread_mutex_lock(&binary->lock);
    aclError code = copy_once(binary, device, epoch_of(device));
    pthread_mutex_unlock(&binary->lock);
    return code;
}

/* ---- installing --------------------------------------------------------------------------------------- */

aclError image_install(struct binary *binary, struct device *device)
{
    struct installed *place = place_of(binary, device);
    uint32_t epoch = epoch_of(device);
    if (LIKELY(atomic_load_explicit(&place->valid, memory_order_acquire) == epoch)) {
        return ACL_SUCCESS;
    }
    if (binary->everywhere) {
        return ACL_SUCCESS; /* where it was loaded it is, and elsewhere a look-up changes nothing */
    }
    aclError code = binary->lazy ? ACL_SUCCESS : image_copy(binary, device);
    if (code == ACL_SUCCESS) {
        atomic_store_explicit(&place->valid, epoch, memory_order_release);
    }
    return code;
}

bool image_prepare(struct binary *binary, struct device *device)
{
    struct installed *place = place_of(binary, device);
    uint32_t epoch = epoch_of(device);
    if (binary->everywhere) {
        return true;
    }
    if (atomic_load_explicit(&place->valid, memory_order_acquire) != epoch ||
        image_copy(binary, device) != ACL_SUCCESS) {
        return false;
    }
    atomic_store_explicit(&place->ready, epoch, memory_order_release);
    return true;
}

/* A reset makes a device forget a binary's code, save that of aclrtBinaryLoad, whose address stays as it was. */
uint64_t image_base(struct binary *binary, struct device *device)
{
    struct installed *place = place_of(binary, device);
    return is_there(place, epoch_of(device)) || binary->everywhere ? atomic_load(&place->base) : 0;
}

void image_free(struct binary *binary)
{
    for (uint32_t i = 0; i < device_count(); ++i) {
        struct device *device = device_by_id((int32_t)i);
        struct installed *place = place_of(binary, device);
        if (place->block != NULL && is_there(place, epoch_of(device))) {
            arena_free(&device->arena, place->block);
        }
    }
}
