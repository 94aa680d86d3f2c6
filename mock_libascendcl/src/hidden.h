/* What the hidden slots of an argument list point to. */
#ifndef MOCK_HIDDEN_H
#define MOCK_HIDDEN_H

#include "context.h"

/* The block that takes overflow flags, one a context; 0 when the device has no memory for it. */
uint64_t hidden_overflow(struct context *context);
/* The device's inter-core sync control; 0 when the device has no memory for it. */
uint64_t hidden_sync(struct device *device);

#endif
