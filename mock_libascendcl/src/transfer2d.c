/* Copies of rows that lie a pitch apart. */
#include <string.h>

#include "engine.h"
#include "transfer.h"

struct rows {
    void *dst;
    size_t dpitch;
    const void *src;
    size_t spitch;
    size_t width;
    size_t height;
    uint32_t thread; /* who queued it, for exception callbacks */
};

/* From the first byte to the last. Checked not to wrap. */
static size_t extent(size_t pitch, const struct rows *rows)
{
    return (rows->height - 1) * pitch + rows->width;
}

static void copy_rows(const struct rows *rows, char *to, const char *from)
{
    for (size_t row = 0; row < rows->height; ++row) {
        memmove(to + row * rows->dpitch, from + row * rows->spitch, rows->width);
    }
}

static aclError copy_now(const struct rows *rows)
{
    struct place to;
    struct place from;
    aclError code = memory_reach(rows->dst, extent(rows->dpitch, rows), "dst", &to);
    code = code == ACL_SUCCESS ? memory_reach(rows->src, extent(rows->spitch, rows), "src", &from) : code;
    if (code == ACL_SUCCESS) {
        copy_rows(rows, to.host, from.host);
    }
    return code;
}

static void run_rows(struct task *task, struct stream *stream)
{
    const struct rows *rows = TASK_PAYLOAD(task, struct rows);
    struct place to;
    struct place from;
    if (!memory_holds(rows->dst, extent(rows->dpitch, rows), &to)) {
        transfer_fail(stream, rows->thread, "2D copy", rows->dst, extent(rows->dpitch, rows));
    } else if (!memory_holds(rows->src, extent(rows->spitch, rows), &from)) {
        transfer_fail(stream, rows->thread, "2D copy", rows->src, extent(rows->spitch, rows));
    } else {
        copy_rows(rows, to.host, from.host);
    }
}

static const struct task_kind rows_kind = {.name = "memcpy 2D", .run = run_rows};

/* ---- checks ------------------------------------------------------------------------------------------- */

static bool is_2d_kind(aclrtMemcpyKind kind)
{
    return kind >= ACL_MEMCPY_HOST_TO_DEVICE && kind <= ACL_MEMCPY_DEFAULT;
}

static aclError reject_pitch(const char *name, size_t pitch, size_t width)
{
    return reject(ACL_ERROR_INVALID_PARAM, "EH0009", "width is %zu, more than %s %zu", width, name, pitch);
}

static aclError check_rows(const struct rows *rows, aclrtMemcpyKind kind)
{
    void *dst = rows->dst;
    const void *src = rows->src;
    REQUIRE(dst);
    REQUIRE(src);
    if (!is_2d_kind(kind)) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "kind is %d, expected 1 to 4", (int)kind);
    }
    if (rows->width > rows->dpitch) {
        return reject_pitch("dpitch", rows->dpitch, rows->width);
    }
    if (rows->width > rows->spitch) {
        return reject_pitch("spitch", rows->spitch, rows->width);
    }
    size_t total;
    size_t pitch = rows->dpitch > rows->spitch ? rows->dpitch : rows->spitch;
    if (__builtin_mul_overflow(rows->height, pitch, &total)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "height is %zu, too large for a pitch of %zu", rows->height, pitch);
    }
    return ACL_SUCCESS;
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind)
{
    API(dst, dpitch, src, spitch, width, height, kind);
    struct rows rows = {dst, dpitch, src, spitch, width, height, thread_number()};
    if (width == 0 || height == 0) {
        return ACL_SUCCESS;
    }
    aclError code = check_rows(&rows, kind);
    if (code != ACL_SUCCESS) {
        return code;
    }
    return context_current() != NULL ? copy_now(&rows) : context_missing();
}

/* ---- through a stream --------------------------------------------------------------------------------- */

static aclError queue_rows(struct stream *stream, const struct rows *rows)
{
    struct task *task = engine_lock(stream);
    if (task == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left to queue a task");
    }
    task->kind = &rows_kind;
    *TASK_PAYLOAD(task, struct rows) = *rows;
    engine_push(stream);
    return ACL_SUCCESS;
}

/* As with plain copies, pageable memory cannot be read later: wait for the stream, then copy now. */
static aclError send_rows(const struct rows *rows, aclrtStream handle)
{
    struct place to;
    struct place from;
    struct stream *stream = stream_find_open(handle);
    if (stream == NULL) {
        return thread_call.result;
    }
    aclError code = memory_reach(rows->dst, extent(rows->dpitch, rows), "dst", &to);
    code = code == ACL_SUCCESS ? memory_reach(rows->src, extent(rows->spitch, rows), "src", &from) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (to.kind != PLACE_HOST && from.kind != PLACE_HOST) {
        return queue_rows(stream, rows);
    }
    code = stream_wait(stream, WAIT_FOR_EVER);
    return code == ACL_SUCCESS ? copy_now(rows) : code;
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind, aclrtStream stream)
{
    API(dst, dpitch, src, spitch, width, height, kind, stream);
    struct rows rows = {dst, dpitch, src, spitch, width, height, thread_number()};
    if (width == 0 || height == 0) {
        return ACL_SUCCESS;
    }
    aclError code = check_rows(&rows, kind);
    if (code != ACL_SUCCESS) {
        return code;
    }
    return stream_check(stream) ? send_rows(&rows, stream) : ACL_ERROR_RT_INVALID_HANDLE;
}
