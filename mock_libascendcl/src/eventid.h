/* The numbers that events have on a device: the smallest free one, as a driver gives them out. */
#ifndef MOCK_EVENTID_H
#define MOCK_EVENTID_H

#include "device.h"

/* -1: none is left. */
int32_t eventid_take(const struct device *device);
/* Takes -1 for "none". */
void eventid_give(const struct device *device, int32_t id);
uint32_t eventid_left(const struct device *device);

#endif
