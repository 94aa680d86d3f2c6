/* Many copies in one call. */
#include "transfer.h"

struct batch {
    void **dsts;
    size_t *destMaxs;
    void **srcs;
    size_t *sizes;
    size_t count;
    aclrtMemcpyBatchAttr *attrs;
    size_t *attrsIndexes;
    size_t numAttrs;
    size_t *failIndex;
};

static aclError missing(const char *argument)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "%s is NULL, expected a valid pointer", argument);
}

static aclError check_attributes(const struct batch *batch)
{
    if (batch->numAttrs == 0 || batch->numAttrs > batch->count) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "numAttrs is %zu, expected 1 to numBatches %zu", batch->numAttrs,
                    batch->count);
    }
    for (size_t i = 0; i < batch->numAttrs; ++i) {
        size_t index = batch->attrsIndexes[i];
        bool first = i == 0 ? index == 0 : index > batch->attrsIndexes[i - 1];
        if (!first || index >= batch->count) {
            return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003",
                        "attrsIndexes[%zu] is %zu; they must start with 0, ascend, and stay below numBatches %zu", i, index,
                        batch->count);
        }
    }
    return ACL_SUCCESS;
}

static aclError check_batch(const struct batch *batch)
{
    const void *const pointers[] = {batch->dsts,  batch->destMaxs,     batch->srcs,     batch->sizes,
                                    batch->attrs, batch->attrsIndexes, batch->failIndex};
    static const char *const names[] = {"dsts", "destMaxs", "srcs", "sizes", "attrs", "attrsIndexes", "failIndex"};
    for (size_t i = 0; i < COUNT(pointers); ++i) {
        if (pointers[i] == NULL) {
            return missing(names[i]);
        }
    }
    *batch->failIndex = SIZE_MAX;
    if (batch->count == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "numBatches is 0, expected more than 0");
    }
    return check_attributes(batch);
}

/* From the two places that an attribute names; only copies between host and device go in a batch. */
static aclError batch_kind(const aclrtMemcpyBatchAttr *attr, aclrtMemcpyKind *kind)
{
    aclrtMemLocationType to = attr->dstLoc.type;
    aclrtMemLocationType from = attr->srcLoc.type;
    if (to == ACL_MEM_LOCATION_TYPE_DEVICE && from == ACL_MEM_LOCATION_TYPE_HOST) {
        *kind = ACL_MEMCPY_HOST_TO_DEVICE;
    } else if (to == ACL_MEM_LOCATION_TYPE_HOST && from == ACL_MEM_LOCATION_TYPE_DEVICE) {
        *kind = ACL_MEMCPY_DEVICE_TO_HOST;
    } else {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003",
                    "an attribute copies from location type %d to %d; a batch copies between host (0) and device (1)",
                    (int)from, (int)to);
    }
    return ACL_SUCCESS;
}

/* A batch says where its memory is, and is held to it. */
static aclError check_places(aclrtMemcpyKind kind, const void *dst, const void *src)
{
    const void *on_device = kind == ACL_MEMCPY_HOST_TO_DEVICE ? dst : src;
    if (memory_place(on_device).kind == PLACE_DEVICE) {
        return ACL_SUCCESS;
    }
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1011", "%p should be device memory, by its attribute, and is none", on_device);
}

static aclError copy_entry(const struct batch *batch, size_t i, aclrtMemcpyKind kind, aclrtStream stream, bool async)
{
    void *dst = batch->dsts[i];
    void *src = batch->srcs[i];
    size_t size = batch->sizes[i];
    if (dst == NULL || src == NULL) {
        return missing(dst == NULL ? "an entry of dsts" : "an entry of srcs");
    }
    aclError code = memory_check_room(size, batch->destMaxs[i], "destMaxs");
    code = code == ACL_SUCCESS ? check_places(kind, dst, src) : code;
    if (code != ACL_SUCCESS || size == 0) {
        return code;
    }
    return async ? transfer_copy(dst, batch->destMaxs[i], src, size, kind, stream) : memory_copy(dst, src, size);
}

/* Stops at the first entry that is wrong; those before it are copied or queued. */
static aclError copy_all(const struct batch *batch, aclrtStream stream, bool async)
{
    size_t attr = 0;
    for (size_t i = 0; i < batch->count; ++i) {
        aclrtMemcpyKind kind = ACL_MEMCPY_HOST_TO_HOST;
        attr += attr + 1 < batch->numAttrs && batch->attrsIndexes[attr + 1] == i;
        aclError code = batch_kind(&batch->attrs[attr], &kind);
        code = code == ACL_SUCCESS ? copy_entry(batch, i, kind, stream, async) : code;
        if (code != ACL_SUCCESS) {
            *batch->failIndex = i;
            return code;
        }
    }
    return ACL_SUCCESS;
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex)
{
    API(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex);
    struct batch batch = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex};
    aclError code = check_batch(&batch);
    if (code != ACL_SUCCESS) {
        return code;
    }
    return context_current() != NULL ? copy_all(&batch, NULL, false) : context_missing();
}

aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex, aclrtStream stream)
{
    API(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex, stream);
    struct batch batch = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex};
    aclError code = check_batch(&batch);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (!stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    return stream_find_open(stream) != NULL ? copy_all(&batch, stream, true) : thread_call.result;
}
