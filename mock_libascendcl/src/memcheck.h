/* Mistakes with memory that the real library takes without a word, found while checks are on (check.h, guard.h).
 *
 * All are to be called when check_on() and with no lock held, unless they say so. Those that return a code return what
 * the call must fail with, ACL_SUCCESS when it may go on.
 */
#ifndef MOCK_MEMCHECK_H
#define MOCK_MEMCHECK_H

#include "guard.h"
#include "memory.h"

/* From now on host code that touches device memory is told which, before the signal does what it does: one line on
 * stderr. Also without check_on(). */
void memcheck_watch_host(void);

/* A copy or a kernel (`who`, for the text) wants `size` bytes at an address of a live block: beyond what was asked for
 * it is "overrun", even if the driver gave more. */
aclError memcheck_reach(const char *who, const struct block *block, uint64_t address, size_t size, bool in_kernel);
/* A copy to the host is about to read device memory: "unwritten-read" where nobody wrote. */
aclError memcheck_read(const struct place *from, const void *address, size_t size);
/* Queued work, `who`, finds that memory is not there any more: "use-after-free". Never fails: that it does by itself. */
void memcheck_gone(const char *who, const void *address, size_t size);
/* The block is about to be freed: "free-in-use" while queued work uses it, "overrun" when its guard bytes are gone. */
aclError memcheck_free(struct block *block);
/* What is no live block is freed: "double-free" or "bad-free". Never fails: that it does by itself. */
void memcheck_bad_free(const void *address, const char *argument, bool host);
/* A kernel has run that reached the block. */
void memcheck_after_kernel(const char *kernel, struct block *block);

/* A launch is about to be queued on the device: addresses in its argument block are looked at. "wrong-device" for memory
 * of another one, "use-after-free" for freed memory. Remembers where the program is, for memcheck_queued_args. */
aclError memcheck_args(const struct device *device, const char *kernel, const void *args, size_t size);
/* The launch is queued, with these arguments. May be called with the stream's lock. */
void memcheck_queued_args(const struct block_use *task, const void *args, size_t size);
/* Another task is being queued that uses the address. With its stream's lock. */
void memcheck_queued(const struct block_use *task, const void *address);
/* Remembers where the program is, for memcheck_queued. */
void memcheck_queueing(void);

#endif
