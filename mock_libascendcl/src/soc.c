#include "soc.h"

#include <stdio.h>
#include <string.h>

#include "aclmock/aclmock.h"

#define GIB ((uint64_t)1 << 30)

static const struct soc socs[] = {
    {"Ascend910B1", SOC_A2, 24, 48, 64 * GIB, 50000},
    {"Ascend910B2", SOC_A2, 24, 48, 64 * GIB, 50000},
    {"Ascend910B2C", SOC_A2, 24, 48, 64 * GIB, 50000},
    {"Ascend910B3", SOC_A2, 20, 40, 64 * GIB, 50000},
    {"Ascend910B4", SOC_A2, 20, 40, 32 * GIB, 50000},
    {"Ascend910B4-1", SOC_A2, 20, 40, 64 * GIB, 50000},
    {"Ascend910_9391", SOC_A2, 24, 48, 64 * GIB, 50000},
    {"Ascend910_9392", SOC_A2, 24, 48, 64 * GIB, 50000},
    {"Ascend910_9381", SOC_A2, 24, 48, 64 * GIB, 50000},
    {"Ascend910_9382", SOC_A2, 24, 48, 64 * GIB, 50000},
    {"Ascend910_9372", SOC_A2, 20, 40, 64 * GIB, 50000},
    {"Ascend910_9362", SOC_A2, 20, 40, 64 * GIB, 50000},
    {"Ascend310P1", SOC_310P, 10, 8, 24 * GIB, 1000000},
    {"Ascend310P3", SOC_310P, 8, 7, 24 * GIB, 1000000},
    {"Ascend910A", SOC_910, 32, 0, 32 * GIB, 1000000},
    {"Ascend910ProB", SOC_910, 30, 0, 32 * GIB, 1000000},
    {"Ascend950PR_9599", SOC_950, 32, 64, 112 * GIB, 1000000},
    {"Ascend950DT_9595", SOC_950, 32, 64, 144 * GIB, 1000000},
};

static const struct soc *_Atomic current;

static const struct soc *soc_named(const char *name)
{
    for (size_t i = 0; i < COUNT(socs); ++i) {
        if (strcmp(name, socs[i].name) == 0) {
            return &socs[i];
        }
    }
    return NULL;
}

static const struct soc *choose_soc(void)
{
    const char *wanted = env_text("ACL_MOCK_SOC");
    const struct soc *named = wanted != NULL ? soc_named(wanted) : NULL;
    if (named != NULL) {
        return named;
    }
    if (wanted != NULL) {
        struct text names = {0};
        for (size_t i = 0; i < COUNT(socs); ++i) {
            text_add(&names, " %s", socs[i].name);
        }
        fprintf(stderr, "mock libascendcl: ACL_MOCK_SOC=%s is unknown, using %s; known:%s\n", wanted, socs[0].name,
                text_get(&names));
        text_free(&names);
    }
    return &socs[0];
}

const struct soc *soc_current(void)
{
    const struct soc *soc = atomic_load_explicit(&current, memory_order_acquire);
    if (UNLIKELY(soc == NULL)) {
        soc = choose_soc();
        atomic_store_explicit(&current, soc, memory_order_release);
    }
    return soc;
}

void soc_forget(void)
{
    atomic_store(&current, NULL);
}

bool soc_set(const char *name)
{
    const struct soc *named = soc_named(name);
    if (named != NULL) {
        atomic_store_explicit(&current, named, memory_order_release);
    }
    return named != NULL;
}

int aclmock_set_soc(const char *name)
{
    if (name == NULL) {
        soc_forget();
        return 1;
    }
    return soc_set(name);
}
