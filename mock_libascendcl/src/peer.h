/* Which devices' memory the kernels of another device may reach. */
#ifndef MOCK_PEER_H
#define MOCK_PEER_H

#include "context.h"

bool peer_enabled(const struct device *device, const struct device *peer);
void peer_reset(void);

#endif
