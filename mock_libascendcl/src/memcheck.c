#include "memcheck.h"

#include <string.h>
#include <unistd.h>

#include "trap.h"

static THREAD_LOCAL const char *queueing_site; /* where the task in the making is queued */

static const struct arena *arena_of(const struct block *block)
{
    return memory_arena((const void *)(uintptr_t)block->address);
}

static struct block *block_at(uint64_t address)
{
    return arena_find(memory_arena((const void *)(uintptr_t)address), address);
}

/* Gives the text away to the diagnosis. */
static aclError say(const char *kind, aclError code, struct text *text)
{
    aclError result = diagnose(kind, code, "%s", text_get(text));
    text_free(text);
    return result;
}

/* Where the work was queued that runs now on the block, so far as it is remembered. */
static void add_queued(struct text *text, const struct block *block)
{
    struct block_use use;
    if (guard_pending(block, &use)) {
        text_add(text, "; %s on stream %d was queued", use.what, use.stream);
        check_add_site(text, use.site);
    }
}

/* ---- host code ---------------------------------------------------------------------------------------- */

/* In a signal handler: allocates nothing, locks nothing. */
static void explain_touch(const void *address)
{
    static char line[1024];
    struct text text = {.data = line, .room = sizeof(line)};
    const struct device *device = device_of_address(address);
    const struct block *block = device != NULL ? block_at(address_number(address)) : NULL;
    if (device == NULL) {
        return;
    }
    text_add(&text, "mock libascendcl: host-dereference: host code touches %p, memory of device %d", address, device->user_id);
    if (block != NULL && block->maker != NULL) {
        text_add(&text, ", %llu bytes into ", (unsigned long long)(address_number(address) - block->address));
        guard_describe(block, &text);
    }
    text_add(&text, "; copy it to the host with aclrtMemcpy\n");
    ssize_t written = write(STDERR_FILENO, line, text.length);
    (void)written; /* nothing is left to do about it */
}

void memcheck_watch_host(void)
{
    trap_explain(explain_touch);
}

/* ---- touching ----------------------------------------------------------------------------------------- */

aclError memcheck_reach(const char *who, const struct block *block, uint64_t address, size_t size, bool in_kernel)
{
    struct text text = {0};
    uint64_t offset = address - block->address;
    if (!guard_has(block) || offset + size <= block->size || size == 0) {
        return ACL_SUCCESS;
    }
    text_add(&text, "%s touches %zu bytes from byte %llu of ", who, size, (unsigned long long)offset);
    guard_describe(block, &text);
    text_add(&text, ": %llu too many; allocate more, or pass the right size",
             (unsigned long long)(offset + size - block->size));
    if (in_kernel) {
        add_queued(&text, block);
    }
    block->notes->smashed = true; /* what it overwrites has been said */
    return say("overrun", ACL_ERROR_RT_PARAM_INVALID, &text);
}

aclError memcheck_read(const struct place *from, const void *address, size_t size)
{
    struct text text = {0};
    struct block_use use;
    size_t first = 0;
    if (from->kind != PLACE_DEVICE || !guard_has(from->block)) {
        return ACL_SUCCESS;
    }
    size_t offset = address_number(address) - from->block->address;
    size_t length = guard_unwritten(&from->device->arena, from->block, offset, size, &first);
    if (length == 0) {
        return ACL_SUCCESS;
    }
    text_add(&text, "bytes %zu to %zu of ", first, first + length - 1);
    guard_describe(from->block, &text);
    text_add(&text, " are copied to the host, but no copy, memset or kernel has written them; ");
    if (guard_pending(from->block, &use)) {
        text_add(&text, "%s on stream %d, queued", use.what, use.stream);
        check_add_site(&text, use.site);
        text_add(&text, ", has not run: synchronize first");
    } else {
        text_add(&text, "did the kernel run, on all blocks, and on this buffer?");
    }
    return say("unwritten-read", ACL_ERROR_RT_PARAM_INVALID, &text);
}

void memcheck_gone(const char *who, const void *address, size_t size)
{
    struct text text = {0};
    struct block *block = block_at(address_number(address));
    if (block == NULL || !guard_has(block) || !block_is(block, BLOCK_FREE)) {
        return;
    }
    text_add(&text, "%s touches %zu bytes at %p, in ", who, size, address);
    guard_describe(block, &text);
    text_add(&text, ", which should be freed after a synchronize");
    add_queued(&text, block);
    say("use-after-free", ACL_SUCCESS, &text);
}

/* ---- freeing ------------------------------------------------------------------------------------------ */

static aclError find_smashed(const char *kernel, struct block *block)
{
    struct text text = {0};
    size_t smashed = guard_has(block) && !block->notes->smashed ? guard_smashed(arena_of(block), block) : 0;
    bool gone = kernel != NULL && block_is(block, BLOCK_FREE); /* under the kernel: what is behind it now is our filling */
    if (smashed == 0 || gone) {
        return ACL_SUCCESS;
    }
    block->notes->smashed = true;
    text_add(&text, "%s wrote up to %zu bytes behind ", kernel != NULL ? kernel : "something", smashed);
    guard_describe(block, &text);
    text_add(&text, "; check sizes and the last block's share");
    if (kernel != NULL) {
        add_queued(&text, block);
    }
    return say("overrun", ACL_SUCCESS, &text);
}

void memcheck_after_kernel(const char *kernel, struct block *block)
{
    find_smashed(kernel, block);
}

aclError memcheck_free(struct block *block)
{
    struct text text = {0};
    struct block_use use;
    find_smashed(NULL, block);
    if (!guard_has(block) || !guard_pending(block, &use)) {
        return ACL_SUCCESS;
    }
    guard_describe(block, &text);
    text_add(&text, " is freed while %s on stream %d, queued", use.what, use.stream);
    check_add_site(&text, use.site);
    text_add(&text, ", still needs it: synchronize the stream first");
    return say("free-in-use", ACL_ERROR_RT_PARAM_INVALID, &text);
}

void memcheck_bad_free(const void *address, const char *argument, bool host)
{
    struct text text = {0};
    const struct block *block = block_at(address_number(address));
    bool known = block != NULL && block->maker != NULL;
    bool freed = known && block_is(block, BLOCK_FREE) && block->address == address_number(address);
    bool ended = freed && guard_has(block) && block->notes->freer_site == NULL;
    if (ended || (device_of_address(address) == NULL && device_reserves(address))) {
        return; /* its device ended first: the call fails, but nothing is amiss */
    }
    text_add(&text, "%s is %p, ", argument, address);
    if (known) {
        text_add(&text, "%s", block->address == address_number(address) ? "" : "inside ");
        guard_describe(block, &text);
    } else {
        text_add(&text, "no memory of %s", host ? "aclrtMallocHost" : "aclrtMalloc");
    }
    if (freed) {
        text_add(&text, "; free it once");
    } else {
        text_add(&text, "; %s", host ? "aclrtFreeHost takes what aclrtMallocHost returned"
                                     : "aclrtFree takes what aclrtMalloc returned");
    }
    say(freed ? "double-free" : "bad-free", ACL_SUCCESS, &text);
}

/* ---- queueing ----------------------------------------------------------------------------------------- */

void memcheck_queueing(void)
{
    queueing_site = check_site();
}

static aclError check_address(const struct device *device, const char *kernel, uint64_t address)
{
    struct text text = {0};
    const struct device *owner = device_of_address((const void *)(uintptr_t)address);
    const struct block *block = owner != NULL ? arena_find(&owner->arena, address) : NULL;
    if (block == NULL || !guard_has(block) || (owner == device && !block_is(block, BLOCK_FREE))) {
        return ACL_SUCCESS;
    }
    text_add(&text, "%s is launched on device %d with %#llx among its arguments, in ", kernel, device->user_id,
             (unsigned long long)address);
    guard_describe(block, &text);
    if (block_is(block, BLOCK_FREE)) {
        return say("use-after-free", ACL_ERROR_RT_PARAM_INVALID, &text);
    }
    text_add(&text, " on device %d: launch it there, or copy the data over", owner->user_id);
    return say("wrong-device", ACL_ERROR_RT_PARAM_INVALID, &text);
}

/* Any 8 bytes may be a pointer; those that are none point nowhere. */
static uint64_t word_at(const void *args, size_t at)
{
    uint64_t word;
    memcpy(&word, (const uint8_t *)args + at, sizeof(word));
    return word;
}

aclError memcheck_args(const struct device *device, const char *kernel, const void *args, size_t size)
{
    aclError code = ACL_SUCCESS;
    memcheck_queueing();
    for (size_t at = 0; at + 8 <= size && code == ACL_SUCCESS; at += 8) {
        code = check_address(device, kernel, word_at(args, at));
    }
    return code;
}

void memcheck_queued_args(const struct block_use *task, const void *args, size_t size)
{
    for (size_t at = 0; at + 8 <= size; at += 8) {
        memcheck_queued(task, (const void *)(uintptr_t)word_at(args, at));
    }
}

void memcheck_queued(const struct block_use *task, const void *address)
{
    struct block *block = block_at(address_number(address));
    struct block_use use = *task;
    if (block != NULL && guard_has(block) && block_is(block, BLOCK_LIVE)) {
        use.site = queueing_site != NULL ? queueing_site : "";
        guard_use(block, &use);
    }
}
