/* The floor: a libascendcl that only copies arguments to where a device would read them, and checks nothing. */
#include <stdint.h>
#include <string.h>

#include <acl/acl_rt.h>

#define PLACES 1024
#define PLACE_SIZE 256
#define BUFFER_SIZE 8192
#define SLOT ((size_t)8)

struct list {
    size_t size;
    size_t pointer_at; /* of the last placeholder, and of its data */
    size_t data_at;
    uint8_t buffer[BUFFER_SIZE];
};

static _Thread_local struct list list;
static uint8_t device[PLACES][PLACE_SIZE];
static uint32_t launches;

static size_t take(size_t size)
{
    size_t at = (list.size + SLOT - 1) / SLOT * SLOT;
    list.size = at + size;
    return at;
}

static void put_pointer(uint8_t *bytes, size_t at, const uint8_t *place, size_t data_at)
{
    uint64_t address = (uint64_t)(uintptr_t)place + data_at;
    memcpy(bytes + at, &address, sizeof(address));
}

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle)
{
    (void)funcHandle;
    list.size = 0;
    *argsHandle = &list;
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize, aclrtParamHandle *paramHandle)
{
    (void)argsHandle;
    size_t at = take(paramSize);
    memcpy(list.buffer + at, param, paramSize);
    *paramHandle = list.buffer + at;
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle)
{
    (void)argsHandle;
    list.pointer_at = take(SLOT);
    *paramHandle = list.buffer + list.pointer_at;
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize,
                                             void **bufferAddr)
{
    (void)argsHandle;
    (void)paramHandle;
    list.data_at = take(dataSize);
    *bufferAddr = list.buffer + list.data_at;
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
    (void)argsHandle;
    return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve)
{
    (void)funcHandle, (void)numBlocks, (void)stream, (void)cfg, (void)argsHandle, (void)reserve;
    uint8_t *place = device[launches++ % PLACES];
    put_pointer(list.buffer, list.pointer_at, place, list.data_at);
    memcpy(place, list.buffer, list.size);
    return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum)
{
    (void)funcHandle, (void)numBlocks, (void)stream, (void)cfg;
    uint8_t *place = device[launches++ % PLACES];
    for (size_t i = 0; i < placeHolderNum; ++i) {
        put_pointer(hostArgs, placeHolderArray[i].addrOffset, place, placeHolderArray[i].dataOffset);
    }
    memcpy(place, hostArgs, argsSize);
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    (void)stream;
    return ACL_SUCCESS;
}
