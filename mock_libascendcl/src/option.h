/* Options of the process and of a device; those of a context are in context.h. */
#ifndef MOCK_OPTION_H
#define MOCK_OPTION_H

#include "base.h"

/* Limits in s that hold where a call or launch names none, 0: none. */
uint32_t option_wait_timeout(void);
uint32_t option_execute_timeout(void);

void option_reset(void);

#endif
