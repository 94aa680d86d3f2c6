/* Facts about the chip that the mock plays. Programs branch on the name, and the rules differ by family. */
#ifndef MOCK_SOC_H
#define MOCK_SOC_H

#include "base.h"

enum soc_family { SOC_910, SOC_310P, SOC_A2, SOC_950 }; /* A3 follows the rules of A2 */

struct soc {
    const char *name;
    enum soc_family family;
    uint32_t cube_cores;
    uint32_t vector_cores;
    uint64_t memory;      /* bytes */
    uint32_t ticks_per_ms; /* of the clock behind event times */
};

/* The chip named by ACL_MOCK_SOC, else an A2. */
const struct soc *soc_current(void);
/* Reads the environment again. */
void soc_forget(void);
/* From now on. False: there is no such chip. */
bool soc_set(const char *name);

static inline bool soc_is(enum soc_family family)
{
    return soc_current()->family == family;
}

/* Whether cube and vector cores are apart, and kernels may have a half for each. */
static inline bool soc_has_mix(void)
{
    return soc_is(SOC_A2) || soc_is(SOC_950);
}

#endif
