/* What a kernel can reach beyond the plain memory of its own device. */
#include "memory.h"
#include "peer.h"

/* What a kernel of the device can use: its own memory, a peer's that was opened to it, registered host memory at the
 * address that registering gave. */
static const char *unreachable(const struct device *device, uint64_t address, const struct place *place)
{
    if (place->block == NULL || block_is(place->block, BLOCK_SYSTEM)) {
        return "";
    }
    if (place->kind == PLACE_PINNED) {
        bool by_device = place->device == device && address - place->block->address < place->block->bytes;
        return by_device ? NULL : "; kernels reach host memory at the address that aclrtHostRegister gives, on that device";
    }
    bool open = place->device == device || peer_enabled(device, place->device);
    return open ? NULL : "; another device's memory needs aclrtDeviceEnablePeerAccess";
}

void *memory_reach_from(const struct device *device, uint64_t address, size_t size, struct text *why)
{
    const void *pointer = (void *)(uintptr_t)address;
    struct place place;
    bool held = memory_holds(pointer, size, &place);
    const char *hint = unreachable(device, address, &place);
    if (held && hint == NULL) {
        return place.host;
    }
    memory_explain(pointer, size, why);
    text_add(why, "%s", held && hint != NULL ? hint : "");
    return NULL;
}
