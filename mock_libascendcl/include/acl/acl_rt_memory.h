/* The runtime API's memory functions beyond allocation and plain copies. Part of acl_rt.h, which includes it. */
#ifndef ACL_RT_MEMORY_H
#define ACL_RT_MEMORY_H

typedef enum aclrtHostRegisterType {
    ACL_HOST_REGISTER_MAPPED = 0,
    ACL_HOST_REGISTER_IOMEMORY = 4,
    ACL_HOST_REGISTER_READONLY = 8
} aclrtHostRegisterType;

typedef enum aclrtMemHandleType {
    ACL_MEM_HANDLE_TYPE_NONE = 0,
    ACL_MEM_HANDLE_TYPE_POSIX = 2
} aclrtMemHandleType;

typedef enum aclrtMemAllocationType {
    ACL_MEM_ALLOCATION_TYPE_PINNED = 0
} aclrtMemAllocationType;

typedef enum aclrtMemGranularityOptions {
    ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
    ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xffff
} aclrtMemGranularityOptions;

typedef struct aclrtPhysicalMemProp {
    aclrtMemHandleType handleType;
    aclrtMemAllocationType allocationType;
    aclrtMemAttr memAttr;
    aclrtMemLocation location;
    uint64_t reserve;
} aclrtPhysicalMemProp;

typedef struct aclrtMemcpyBatchAttr {
    aclrtMemLocation dstLoc;
    aclrtMemLocation srcLoc;
    uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

#ifdef __cplusplus
extern "C" {
#endif

/* ---- transfer ----------------------------------------------------------------------------------------- */

/* height rows of width bytes; row n starts n pitches behind the first. */
ACL_SINCE_8_5 aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind);
ACL_SINCE_8_5 aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind, aclrtStream stream);
/* attrs[i] holds for the copies from attrsIndexes[i] on. failIndex: the first copy that is wrong, SIZE_MAX when none is. */
ACL_SINCE_8_5 aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, ACL_OUT size_t *failIndex);
ACL_SINCE_8_5 aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, ACL_OUT size_t *failIndex, aclrtStream stream);
/* The cache's content to memory, and out of the cache. */
ACL_SINCE_8_5 aclError aclrtMemFlush(void *devPtr, size_t size);
ACL_SINCE_8_5 aclError aclrtMemInvalidate(void *devPtr, size_t size);

/* ---- hostreg ------------------------------------------------------------------------------------------ */

/* Lets kernels of the current device reach host memory. devPtr: the address that they use. */
ACL_SINCE_8_5 aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, ACL_OUT void **devPtr);
ACL_SINCE_8_5 aclError aclrtHostUnregister(void *ptr);
/* flag: 0 */
ACL_SINCE_8_5 aclError aclrtHostGetDevicePointer(void *pHost, ACL_OUT void **pDevice, uint32_t flag);

/* ---- peer --------------------------------------------------------------------------------------------- */

ACL_SINCE_8_5 aclError aclrtDeviceCanAccessPeer(ACL_OUT int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId);
/* Lets kernels of the current device reach the peer's memory. flags: 0 */
ACL_SINCE_8_5 aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);
ACL_SINCE_8_5 aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/* ---- vmm ---------------------------------------------------------------------------------------------- */

/* Addresses without memory. alignment: 0. expectPtr: where they should start, if that is free. */
ACL_SINCE_8_5 aclError aclrtReserveMemAddress(ACL_OUT void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags);
ACL_SINCE_8_5 aclError aclrtReleaseMemAddress(void *virPtr);
/* Memory without an address; size in units of aclrtMemGetAllocationGranularity. */
ACL_SINCE_8_5 aclError aclrtMallocPhysical(ACL_OUT aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags);
/* Memory that is mapped stays until it is unmapped. */
ACL_SINCE_8_5 aclError aclrtFreePhysical(aclrtDrvMemHandle handle);
/* Puts the memory behind reserved addresses. offset, flags: 0 */
ACL_SINCE_8_5 aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags);
ACL_SINCE_8_5 aclError aclrtUnmapMem(void *virPtr);
ACL_SINCE_8_5 aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option, ACL_OUT size_t *granularity);

#ifdef __cplusplus
}
#endif

#endif
