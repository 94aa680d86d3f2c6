/* Copies that go through a stream. */
#ifndef MOCK_TRANSFER_H
#define MOCK_TRANSFER_H

#include "stream.h"

/* Behind the check for a count of 0: what aclrtMemcpyAsync does. */
aclError transfer_copy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream handle);

/* Reports that a task of the stream wanted memory that is not there. */
void transfer_fail(struct stream *stream, uint32_t thread, const char *what, const void *address, size_t count);

#endif
