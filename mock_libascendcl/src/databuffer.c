/* Data buffers: a pointer and a size behind a handle. */
#include "acl/acl_base.h"
#include "error.h"
#include "handle.h"

struct aclDataBuffer {
    struct cell cell;
    void *data;
    size_t size;
};

/* NULL when the handle is none. */
static struct aclDataBuffer *alive(const aclDataBuffer *buffer)
{
    return handle_alive(HANDLE_DATABUFFER, buffer) ? (struct aclDataBuffer *)(uintptr_t)buffer : NULL;
}

/* The real library takes any pointer for a buffer; 100000 is our choice for one that is none. */
static aclError not_a_buffer(const void *buffer)
{
    return reject(ACL_ERROR_INVALID_PARAM, "EH0009",
                  "dataBuffer is %p, no live data buffer: it was destroyed, or aclCreateDataBuffer did not make it", buffer);
}

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
    API_OR(NULL, data, size);
    struct aclDataBuffer *made = handle_new(HANDLE_DATABUFFER);
    if (made == NULL) {
        reject(ACL_ERROR_BAD_ALLOC, "EH9999", "no memory left for a data buffer");
        return NULL;
    }
    made->data = data;
    made->size = size;
    handle_publish(HANDLE_DATABUFFER, made);
    return made;
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
    API(dataBuffer);
    REQUIRE(dataBuffer);
    void *buffer = (void *)(uintptr_t)dataBuffer;
    if (!handle_claim(HANDLE_DATABUFFER, buffer)) {
        return not_a_buffer(dataBuffer);
    }
    handle_free(HANDLE_DATABUFFER, buffer);
    return ACL_SUCCESS;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
    API_OR(NULL, dataBuffer);
    const struct aclDataBuffer *buffer = alive(dataBuffer);
    if (buffer == NULL) {
        not_a_buffer(dataBuffer);
        return NULL;
    }
    return buffer->data;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
    API_OR(0, dataBuffer);
    const struct aclDataBuffer *buffer = alive(dataBuffer);
    if (buffer == NULL) {
        not_a_buffer(dataBuffer);
        return 0;
    }
    return buffer->size;
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
    API(dataBuffer, data, size);
    REQUIRE(dataBuffer);
    struct aclDataBuffer *buffer = alive(dataBuffer);
    if (buffer == NULL) {
        return not_a_buffer(dataBuffer);
    }
    buffer->data = data;
    buffer->size = size;
    return ACL_SUCCESS;
}
