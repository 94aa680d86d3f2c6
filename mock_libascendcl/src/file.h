/* Whole files, with the reason in words when one cannot be read. */
#ifndef MOCK_FILE_H
#define MOCK_FILE_H

#include "base.h"

#define FILE_AT_MOST ((size_t)2 << 30)

/* The absolute path with links resolved, for host_free; NULL: `why` says why. */
char *file_real_path(const char *path, struct text *why);
bool file_is_directory(const char *path);
/* The path up to its last dot, which may be in a folder's name, with another extension, for host_free. Without a dot
 * only the extension is left, as in the real library. NULL without memory. */
char *file_replace_extension(const char *path, const char *extension);
/* The bytes of a regular, non-empty file, for host_free, with a 0 behind them; NULL: `why` says why. */
uint8_t *file_read(const char *path, size_t *size, struct text *why);

#endif
