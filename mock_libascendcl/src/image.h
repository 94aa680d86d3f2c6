/* Binaries on devices: who may launch them, and where their code is. */
#ifndef MOCK_IMAGE_H
#define MOCK_IMAGE_H

#include "binary.h"

/* Whether a launch on the device may go ahead; copies the code of a lazily loaded binary. */
bool image_prepare(struct binary *binary, struct device *device);

static inline bool binary_installed(struct binary *binary, struct device *device)
{
    uint32_t ready = atomic_load_explicit(&binary->installed[device->user_id].ready, memory_order_acquire);
    return LIKELY(ready != 0 && ready == atomic_load_explicit(&device->epoch, memory_order_acquire)) ||
           image_prepare(binary, device);
}

/* What a look-up does on the current device. */
aclError image_install(struct binary *binary, struct device *device);
/* Copies the code to the device, unless it is there. */
aclError image_copy(struct binary *binary, struct device *device);
/* The code's address on the device; 0: it is not there. */
uint64_t image_base(struct binary *binary, struct device *device);
/* Frees the code on all devices. */
void image_free(struct binary *binary);

#endif
