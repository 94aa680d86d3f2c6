/* Copies and fills that happen at once. Those that go through a stream are in transfer.c. */
#include <string.h>

#include "memcheck.h"
#include "memory.h"

aclError memory_check_kind(aclrtMemcpyKind kind)
{
    if (kind >= ACL_MEMCPY_HOST_TO_HOST && kind <= ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
        return ACL_SUCCESS;
    }
    return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "kind is %d, expected 0 to 5", (int)kind);
}

aclError memory_check_room(size_t count, size_t room, const char *room_name)
{
    if (LIKELY(count <= room && room != 0)) {
        return ACL_SUCCESS;
    }
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "count is %zu, more than %s %zu", count, room_name, room);
}

aclError memory_copy(void *dst, const void *src, size_t count)
{
    struct place to;
    struct place from;
    aclError code = memory_reach(dst, count, "dst", &to);
    if (code == ACL_SUCCESS) {
        code = memory_reach(src, count, "src", &from);
    }
    if (check_on() && code == ACL_SUCCESS && to.kind != PLACE_DEVICE) {
        code = memcheck_read(&from, src, count);
    }
    if (code == ACL_SUCCESS) {
        memmove(to.host, from.host, count);
    }
    return code;
}

/* Works on host memory too, as the real library's does where driver memory is host memory. */
aclError memory_fill(void *devPtr, int32_t value, size_t count)
{
    struct place to;
    aclError code = memory_reach(devPtr, count, "devPtr", &to);
    if (code == ACL_SUCCESS) {
        memset(to.host, value, count);
    }
    return code;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    API(dst, destMax, src, count, kind);
    if (count == 0) {
        return ACL_SUCCESS;
    }
    REQUIRE(dst);
    REQUIRE(src);
    aclError code = memory_check_kind(kind);
    if (code == ACL_SUCCESS) {
        code = memory_check_room(count, destMax, "destMax");
    }
    if (code != ACL_SUCCESS || dst == src) {
        return code;
    }
    /* The kind is not compared with the addresses: the driver works the direction out by itself. */
    return context_current() != NULL ? memory_copy(dst, src, count) : context_missing();
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    API(devPtr, maxCount, value, count);
    if (count == 0) {
        return ACL_SUCCESS;
    }
    REQUIRE(devPtr);
    if (context_current() == NULL) {
        return context_missing();
    }
    aclError code = memory_check_room(count, maxCount, "maxCount");
    return code == ACL_SUCCESS ? memory_fill(devPtr, value, count) : code;
}
