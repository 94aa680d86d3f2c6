/* How many cores kernels may use. */
#ifndef MOCK_RESLIMIT_H
#define MOCK_RESLIMIT_H

void reslimit_reset(void);

#endif
