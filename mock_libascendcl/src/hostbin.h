/* Host-kernel binaries: shared objects made with aclmock/kernel.h, which carry their own implementations. */
#ifndef MOCK_HOSTBIN_H
#define MOCK_HOSTBIN_H

#include "binary.h"
#include "elf.h"

bool hostbin_recognise(const struct elf *elf);
/* Loads the code and fills in the binary's functions. False: `why` says what is wrong. */
bool hostbin_load(struct binary *binary, struct elf *elf, struct text *why);
/* A library of host kernels that no handle leads to. NULL: `why` says why. */
struct binary *hostbin_open(const char *path, struct text *why);
/* One more function, from a host kernel's entry. */
bool hostbin_add(struct binary *binary, const aclmock_kernel *kernel, struct text *why);
void hostbin_unload(struct binary *binary);

#endif
