/* Virtual memory: reserved addresses, memory without an address, and one behind the other. */
#include "reachable.h"

#define UNIT ((size_t)2 << 20)

static aclrtPhysicalMemProp prop = {ACL_MEM_HANDLE_TYPE_NONE, ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_HBM_MEM_HUGE, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, 0};

static char *reserve(size_t size)
{
    void *address;
    CHECK_OK(aclrtReserveMemAddress(&address, size, 0, NULL, 0));
    return address;
}

static aclrtDrvMemHandle make(size_t size)
{
    aclrtDrvMemHandle handle;
    CHECK_OK(aclrtMallocPhysical(&handle, size, &prop, 0));
    return handle;
}

static size_t memory_left(void)
{
    size_t left, total;
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
    return left;
}

TEST(memory_keeps_its_content_from_one_mapping_to_the_next)
{
    int32_t value = 40, back = 0;
    reach_start();
    char *address = reserve(4 * UNIT);
    aclrtDrvMemHandle handle = make(UNIT);
    CHECK_OK(aclrtMapMem(address + UNIT, UNIT, 0, handle, 0));
    CHECK_OK(aclrtMemcpy(address + UNIT, UNIT, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(reach_add(address + UNIT, 2, 1));
    CHECK_OK(aclrtUnmapMem(address + UNIT));
    CHECK_OK(aclrtMapMem(address + 3 * UNIT, UNIT, 0, handle, 0));
    CHECK_OK(aclrtMemcpy(&back, 4, address + 3 * UNIT, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQ(back, 42);
}

TEST(two_mappings_of_one_memory_are_the_same_bytes)
{
    int32_t value = 7, back = 0;
    CHECK_OK(aclrtSetDevice(0));
    char *address = reserve(2 * UNIT);
    aclrtDrvMemHandle handle = make(UNIT);
    CHECK_OK(aclrtMapMem(address, UNIT, 0, handle, 0));
    CHECK_OK(aclrtMapMem(address + UNIT, UNIT, 0, handle, 0));
    CHECK_OK(aclrtMemcpy(address, UNIT, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtMemcpy(&back, 4, address + UNIT, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQ(back, 7);
}

TEST(work_may_cross_from_one_mapping_into_the_next)
{
    static int32_t numbers[2 * 1024];
    reach_start();
    char *address = reserve(4 * UNIT);
    CHECK_OK(aclrtMapMem(address, UNIT, 0, make(UNIT), 0));
    CHECK_OK(aclrtMapMem(address + UNIT, UNIT, 0, make(UNIT), 0));
    char *across = address + UNIT - sizeof(numbers) / 2;
    CHECK_OK(aclrtMemset(across, sizeof(numbers), 0, sizeof(numbers)));
    CHECK_OK(reach_add(across, 5, 2048));
    CHECK_OK(aclrtMemcpy(numbers, sizeof(numbers), across, sizeof(numbers), ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQ(numbers[0], 5);
    CHECK_EQ(numbers[2047], 5);
    CHECK_EQ(aclrtMemset(address + UNIT, 2 * UNIT, 0, UNIT + 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemset(address + 2 * UNIT, UNIT, 0, 1), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(small_pages)
{
    aclrtPhysicalMemProp normal = prop;
    aclrtDrvMemHandle handles[3];
    char byte = 9;
    size_t unit;
    normal.memAttr = ACL_HBM_MEM_NORMAL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMemGetAllocationGranularity(&normal, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &unit));
    CHECK_EQ(unit, 4096);
    char *address = reserve(3 * unit);
    for (int i = 0; i < 3; ++i) {
        CHECK_OK(aclrtMallocPhysical(&handles[i], unit, &normal, 0));
        CHECK_OK(aclrtMapMem(address + (size_t)i * unit, unit, 0, handles[i], 0));
    }
    CHECK_OK(aclrtMemset(address, 3 * unit, 1, 3 * unit));
    CHECK_OK(aclrtUnmapMem(address + unit));
    CHECK_EQ(aclrtMemset(address, 3 * unit, 2, unit + 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMemcpy(&byte, 1, address + 2 * unit, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQ(byte, 1);
    CHECK_EQ(aclrtMapMem(address + 100, unit, 0, handles[1], 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("no multiple of 4096");
}

TEST(memory_is_counted_against_the_devices)
{
    CHECK_OK(aclrtSetDevice(0));
    size_t before = memory_left();
    char *address = reserve(UNIT);
    CHECK_EQ(memory_left(), before); /* addresses are free */
    aclrtDrvMemHandle handle = make(UNIT);
    CHECK_EQ(memory_left(), before - UNIT);
    CHECK_OK(aclrtMapMem(address, UNIT, 0, handle, 0));
    CHECK_OK(aclrtFreePhysical(handle)); /* mapped: it stays until it is unmapped */
    CHECK_EQ(memory_left(), before - UNIT);
    CHECK_OK(aclrtMemset(address, UNIT, 1, UNIT));
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_EQ(memory_left(), before);
    CHECK_EQ(aclrtFreePhysical(handle), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMapMem(address, UNIT, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("it was freed");
    CHECK_EQ(aclmock_set_memory(0, 3 * UNIT), 1);
    make(2 * UNIT);
    CHECK_EQ(aclrtMallocPhysical(&handle, 2 * UNIT, &prop, 0), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK_SAID("bytes left");
}

TEST(a_reset_ends_it_all)
{
    int32_t value = 1;
    CHECK_OK(aclrtSetDevice(0));
    char *address = reserve(UNIT);
    aclrtDrvMemHandle mapped = make(UNIT), loose = make(UNIT);
    CHECK_OK(aclrtMapMem(address, UNIT, 0, mapped, 0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtSetDevice(0));
    size_t left = memory_left(), total;
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
    CHECK_EQ(left, total);
    CHECK_EQ(aclrtMemcpy(address, UNIT, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtFreePhysical(mapped), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtFreePhysical(loose), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtReleaseMemAddress(address), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(reserve(UNIT), address);
}

TEST(expected_addresses_are_taken_when_they_are_free)
{
    void *got;
    CHECK_OK(aclrtSetDevice(0));
    char *first = reserve(4 * UNIT);
    CHECK_OK(aclrtReserveMemAddress(&got, UNIT, 0, first + 8 * UNIT, 0));
    CHECK_EQ(got, first + 8 * UNIT);
    CHECK_OK(aclrtReserveMemAddress(&got, UNIT, 0, first + UNIT, 1)); /* taken: it is another one */
    CHECK_EQ(got, first + 4 * UNIT);
    CHECK_OK(aclrtReserveMemAddress(&got, 4 * UNIT, 0, first + 6 * UNIT, 0));
    CHECK_EQ(got, first + 9 * UNIT);
    CHECK_OK(aclrtReleaseMemAddress(first));
    CHECK_OK(aclrtReserveMemAddress(&got, 1, 0, (void *)8, 0));
    CHECK_EQ(got, first);
    CHECK_EQ(aclrtReserveMemAddress(&got, SIZE_MAX, 0, NULL, 0), ACL_ERROR_RT_MEMORY_ALLOCATION);
}

TEST(arguments_are_checked_in_order)
{
    aclrtDrvMemHandle handle;
    aclrtPhysicalMemProp wrong = prop;
    void *address;
    size_t unit;
    CHECK_EQ(aclrtReserveMemAddress(NULL, 0, 1, NULL, 2), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("virPtr is NULL");
    CHECK_EQ(aclrtReserveMemAddress(&address, 0, 1, NULL, 2), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("size is 0");
    CHECK_EQ(aclrtReserveMemAddress(&address, 1, 1, NULL, 2), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("alignment is 1");
    CHECK_EQ(aclrtReserveMemAddress(&address, 1, 0, NULL, 2), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("flags is 2");
    CHECK_EQ(aclrtReserveMemAddress(&address, 1, 0, NULL, 0), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtMallocPhysical(NULL, UNIT, &prop, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMallocPhysical(&handle, 0, &prop, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMallocPhysical(&handle, UNIT, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMallocPhysical(&handle, UNIT, &prop, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMallocPhysical(&handle, UNIT, &prop, 0), ACL_ERROR_RT_CONTEXT_NULL); /* the device is not open */
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclrtMallocPhysical(&handle, UNIT + 1, &prop, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("granularity 2097152");
    wrong.handleType = (aclrtMemHandleType)1;
    CHECK_EQ(aclrtMallocPhysical(&handle, UNIT, &wrong, 0), ACL_ERROR_INVALID_PARAM);
    wrong = prop;
    wrong.allocationType = (aclrtMemAllocationType)1;
    CHECK_EQ(aclrtMallocPhysical(&handle, UNIT, &wrong, 0), ACL_ERROR_INVALID_PARAM);
    wrong = prop;
    wrong.memAttr = (aclrtMemAttr)99;
    CHECK_EQ(aclrtMallocPhysical(&handle, UNIT, &wrong, 0), ACL_ERROR_RT_PARAM_INVALID);
    wrong = prop;
    wrong.location.id = 99;
    CHECK_EQ(aclrtMallocPhysical(&handle, UNIT, &wrong, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    wrong.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    CHECK_EQ(aclrtMallocPhysical(&handle, UNIT, &wrong, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_EQ(aclrtMemGetAllocationGranularity(NULL, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &unit), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemGetAllocationGranularity(&prop, (aclrtMemGranularityOptions)2, &unit), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, NULL), ACL_ERROR_INVALID_PARAM);
    wrong = prop;
    wrong.memAttr = ACL_HBM_MEM_HUGE1G;
    CHECK_OK(aclrtMemGetAllocationGranularity(&wrong, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &unit));
    CHECK_EQ(unit, 1 << 30);
}

TEST(mappings_are_checked)
{
    CHECK_OK(aclrtSetDevice(0));
    char *address = reserve(2 * UNIT);
    aclrtDrvMemHandle handle = make(UNIT);
    CHECK_EQ(aclrtMapMem(NULL, UNIT, 0, handle, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMapMem(address, 0, 0, handle, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMapMem(address, UNIT, 0, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMapMem(address, UNIT, 1, handle, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMapMem(address, UNIT, 0, handle, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMapMem(address, 2 * UNIT, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMapMem(address + 2 * UNIT, UNIT, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("not within one reserved range");
    CHECK_OK(aclrtMapMem(address, UNIT, 0, handle, 0));
    CHECK_EQ(aclrtMapMem(address, UNIT, 0, make(UNIT), 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("mapped already");
    CHECK_EQ(aclrtReleaseMemAddress(address), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("aclrtUnmapMem first");
    CHECK_EQ(aclrtFree(address), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtUnmapMem(address + UNIT), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtUnmapMem(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_EQ(aclrtReleaseMemAddress(address + UNIT), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_EQ(aclrtReleaseMemAddress(address), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSetDevice(1));
    address = reserve(UNIT);
    CHECK_EQ(aclrtMapMem(address, UNIT, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("another device's");
}

TEST(running_out_of_host_memory_is_reported)
{
    void *address;
    aclrtDrvMemHandle handle = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclmock_fail_host_alloc(0);
    CHECK_EQ(aclrtReserveMemAddress(&address, UNIT, 0, NULL, 0), ACL_ERROR_RT_MEMORY_ALLOCATION);
    address = reserve(UNIT);
    handle = make(UNIT);
    for (int64_t after = 0; after < 2; ++after) { /* the pages, then the mapping */
        aclmock_fail_host_alloc(after);
        CHECK_EQ(aclrtMapMem(address, UNIT, 0, handle, 0), ACL_ERROR_RT_MEMORY_ALLOCATION);
        aclmock_fail_host_alloc(-1);
        if (after == 0) {
            continue;
        }
        CHECK_OK(aclrtMapMem(address, UNIT, 0, handle, 0));
    }
}
