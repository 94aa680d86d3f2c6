/* Genuine operator binaries: ELF files that the Ascend compiler made. */
#ifndef MOCK_OPBIN_H
#define MOCK_OPBIN_H

#include "binary.h"

/* What a binary's surroundings say: a companion JSON file, or the options of the load. */
struct opbin_hints {
    aclrtKernelType type; /* of kernels that do not say themselves */
    bool sync;            /* all kernels take the inter-core sync address */
};

/* The hints where nobody says anything. */
struct opbin_hints opbin_no_hints(void);

/* Fills in the binary's functions, globals and image. False: `why` says which rule the file breaks, and where. */
bool opbin_read(struct binary *binary, struct elf *elf, const struct opbin_hints *hints, struct text *why);

#endif
