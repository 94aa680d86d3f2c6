/* What the program has made and not ended, told at aclFinalize or when a test asks. */
#ifndef MOCK_LEAK_H
#define MOCK_LEAK_H

#include "check.h"

/* One diagnosis, "leak", an object that was made after the serial, in the order of kinds; all are counted, the first 64
 * are told. Objects made while checks were off are not known. Returns how many there are. */
uint64_t leak_report(uint64_t since);

#endif
