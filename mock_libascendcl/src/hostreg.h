/* Host memory that kernels of a device may reach, at addresses of the device's. */
#ifndef MOCK_HOSTREG_H
#define MOCK_HOSTREG_H

#include "context.h"

struct registered {
    struct device *device;
    struct block *block; /* the whole registration: address is the device's */
    uint64_t offset;     /* of the byte asked for */
    void *host;          /* where it is */
};

/* By the host's or by the device's address of a byte. False: it is not registered. */
bool hostreg_find(const void *address, struct registered *found);

/* Forgets all of them. */
void hostreg_reset(void);

#endif
