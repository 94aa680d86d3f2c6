/* Kernels that reach another device's memory, and host memory. */
#include "reachable.h"

TEST(a_peers_memory_is_closed_until_it_is_opened)
{
    int32_t value = 1, can = 0;
    void *theirs;
    reach_start();
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtMalloc(&theirs, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemcpy(theirs, 64, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
    CHECK_EQ(can, 1);
    CHECK(reach_add(theirs, 1, 1) != ACL_SUCCESS);
    CHECK_SAID("aclrtDeviceEnablePeerAccess");
    CHECK_OK(aclrtDeviceEnablePeerAccess(1, 0));
    CHECK_OK(reach_add(theirs, 1, 1));
    CHECK_OK(aclrtDeviceDisablePeerAccess(1));
    CHECK(reach_add(theirs, 1, 1) != ACL_SUCCESS);
    CHECK_OK(aclrtMemcpy(&value, 4, theirs, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQ(value, 2);
}

TEST(peers_are_checked)
{
    int32_t can;
    CHECK_EQ(aclrtDeviceCanAccessPeer(&can, 0, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtDeviceCanAccessPeer(&can, 0, 9), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtDeviceCanAccessPeer(&can, 9, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtDeviceCanAccessPeer(NULL, 0, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtDeviceEnablePeerAccess(1, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtDeviceEnablePeerAccess(1, 0), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtDeviceDisablePeerAccess(1), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclrtDeviceEnablePeerAccess(0, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtDeviceEnablePeerAccess(9, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtDeviceDisablePeerAccess(0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtDeviceDisablePeerAccess(-1), ACL_ERROR_RT_INVALID_DEVICEID);
}

TEST(registered_host_memory_is_the_same_bytes)
{
    static int32_t numbers[4096];
    void *device, *again;
    aclrtPtrAttributes attributes;
    reach_start();
    CHECK(reach_add(numbers, 1, 1) != ACL_SUCCESS); /* not registered */
    CHECK_OK(aclrtHostRegister(numbers, sizeof(numbers), ACL_HOST_REGISTER_MAPPED, &device));
    CHECK(device != numbers);
    numbers[0] = 41;
    CHECK_OK(reach_add(device, 1, 4096));
    CHECK_EQ(numbers[0], 42);
    CHECK_EQ(numbers[4095], 1);
    CHECK(reach_add(device, 1, 4097) != ACL_SUCCESS); /* one too many */
    CHECK(reach_add(numbers, 1, 1) != ACL_SUCCESS);
    CHECK_SAID("the address that aclrtHostRegister gives");
    CHECK_OK(aclrtHostGetDevicePointer(numbers + 5, &again, 0));
    CHECK_EQ(again, (char *)device + 20);
    CHECK_OK(aclrtMemcpy(again, 4, &numbers[0], 4, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_EQ(numbers[5], 42);
    CHECK_OK(aclrtPointerGetAttributes(numbers, &attributes));
    CHECK_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    CHECK_OK(aclrtHostUnregister(numbers));
    CHECK(reach_add(device, 1, 1) != ACL_SUCCESS);
}

TEST(registered_memory_is_page_locked_for_copies)
{
    static char numbers[64];
    void *memory, *device;
    aclrtStream stream;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtHostRegister(numbers, sizeof(numbers), ACL_HOST_REGISTER_MAPPED, &device));
    aclmock_hold(stream, 1);
    CHECK_OK(aclrtMemsetAsync(memory, 64, 7, 64, stream));
    CHECK_OK(aclrtMemcpyAsync(numbers, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream)); /* queued: it does not wait */
    CHECK_EQ(numbers[0], 0);
    aclmock_hold(stream, 0);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQ(numbers[63], 7);
}

TEST(registrations_are_checked)
{
    static char memory[8192];
    void *device;
    CHECK_EQ(aclrtHostRegister(NULL, 1, ACL_HOST_REGISTER_MAPPED, &device), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtHostRegister(memory, 0, ACL_HOST_REGISTER_MAPPED, &device), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtHostRegister(memory, 1, ACL_HOST_REGISTER_MAPPED, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtHostRegister(memory, 1, (aclrtHostRegisterType)1, &device), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtHostRegister(memory, 1, ACL_HOST_REGISTER_MAPPED, &device), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtHostRegister(memory + 4096, 4096, ACL_HOST_REGISTER_READONLY, &device));
    CHECK_EQ(aclrtHostRegister(memory, 4097, ACL_HOST_REGISTER_MAPPED, &device), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("registered already");
    CHECK_OK(aclrtHostRegister(memory, 4096, ACL_HOST_REGISTER_IOMEMORY, &device));
    CHECK_EQ(aclrtHostUnregister(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtHostUnregister(memory + 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtHostGetDevicePointer(NULL, &device, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtHostGetDevicePointer(memory, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtHostGetDevicePointer(memory, &device, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtHostUnregister(memory));
    CHECK_EQ(aclrtHostUnregister(memory), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtHostGetDevicePointer(memory, &device, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclrtHostUnregister(memory + 4096), ACL_ERROR_RT_PARAM_INVALID); /* gone with the device */
    CHECK_OK(aclrtHostRegister(memory, 8192, ACL_HOST_REGISTER_MAPPED, &device));
}
