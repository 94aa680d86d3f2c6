/* AI CPU programs: kernels listed in a JSON file, or registered one by one. */
#ifndef MOCK_CPUBIN_H
#define MOCK_CPUBIN_H

#include "binary.h"

/* mode 0: the .json beside the path; 1: the .so beside it as well. NULL: `why` says why. */
struct binary *cpubin_load_file(const char *path, int32_t mode, struct text *why);
/* mode 2: a shared library of `size` bytes that nobody looks into here. */
struct binary *cpubin_load_data(size_t size, struct text *why);

/* A kernel's function, made now if the name is new; with the binary's lock held. NULL: `why` says why. */
struct function *cpubin_register(struct binary *binary, const char *name, struct text *why);

#endif
