/* What a device tells about itself, its limits and its numbers. */
#include "reachable.h"

#include <unistd.h>

static int64_t info(aclrtDevAttr attr)
{
    int64_t value = -7;
    CHECK_OK(aclrtGetDeviceInfo(0, attr, &value));
    return value;
}

TEST(cores_and_memory_are_the_chips)
{
    int64_t value;
    size_t left, total;
    CHECK_EQ(aclmock_set_soc("Ascend910B3"), 1);
    CHECK_EQ(info(ACL_DEV_ATTR_CUBE_CORE_NUM), 20);
    CHECK_EQ(info(ACL_DEV_ATTR_AICORE_CORE_NUM), 20);
    CHECK_EQ(info(ACL_DEV_ATTR_VECTOR_CORE_NUM), 40);
    CHECK_EQ(info(ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE), 192 * 1024);
    CHECK_EQ(info(ACL_DEV_ATTR_NPU_ARCH), 2201);
    CHECK_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
    CHECK_EQ(value, 20);
    CHECK_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value));
    CHECK_EQ(value, 40);
    CHECK_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value));
    CHECK_EQ(value, info(ACL_DEV_ATTR_L2_CACHE_SIZE));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
    CHECK_EQ(info(ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE), total);
    CHECK_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_WARP_SIZE, &value), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_EQ(aclmock_set_soc("Ascend950PR_9599"), 1);
    CHECK_EQ(info(ACL_DEV_ATTR_WARP_SIZE), 32);
    CHECK_EQ(info(ACL_DEV_ATTR_VECTOR_CORE_NUM), 64);
    CHECK_EQ(aclmock_set_soc("Ascend310P3"), 1);
    CHECK_EQ(info(ACL_DEV_ATTR_NPU_ARCH), 2002);
}

TEST(every_attribute_of_the_header_is_known)
{
    static const int attrs[] = {1, 101, 102, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212,
                                301, 302, 401, 402, 403, 404, 405, 406, 407, 408, 409, 501, 601};
    CHECK_EQ(aclmock_set_soc("Ascend950DT_9595"), 1);
    for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); ++i) {
        CHECK(info((aclrtDevAttr)attrs[i]) >= 0);
    }
}

TEST(questions_about_devices_are_checked)
{
    int64_t value;
    int32_t number;
    aclrtDeviceStatus status;
    aclrtUtilizationInfo rates;
    CHECK_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtGetDeviceInfo(99, ACL_DEV_ATTR_CUBE_CORE_NUM, &value), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtGetDeviceInfo(UINT32_MAX, ACL_DEV_ATTR_CUBE_CORE_NUM, &value), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtGetDeviceInfo(0, (aclrtDevAttr)2, &value), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclGetDeviceCapability(99, ACL_DEVICE_INFO_L2_SIZE, &value), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtQueryDeviceStatus(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtQueryDeviceStatus(-1, &status), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtGetDeviceUtilizationRate(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtGetDeviceUtilizationRate(99, &rates), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtDeviceGetBareTgid(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtDeviceGetBareTgid(&number));
    CHECK_EQ(number, getpid());
    CHECK_EQ(aclrtGetLogicDevIdByUserDevId(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtGetLogicDevIdByUserDevId(9, &number), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtGetPhyDevIdByLogicDevId(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtGetPhyDevIdByLogicDevId(2, &number), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_SAID("2 devices in the machine");
}

TEST(numbers_go_through_the_visible_devices)
{
    int32_t number;
    setenv("ACL_MOCK_DEVICE_COUNT", "8", 1);
    setenv("ASCEND_RT_VISIBLE_DEVICES", "3,5", 1);
    aclmock_reset();
    CHECK_OK(aclrtGetLogicDevIdByUserDevId(1, &number));
    CHECK_EQ(number, 5);
    CHECK_EQ(aclrtGetLogicDevIdByUserDevId(2, &number), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_OK(aclrtGetPhyDevIdByLogicDevId(7, &number)); /* one that is there, though not for this program */
    CHECK_EQ(number, 7);
    int64_t chip;
    CHECK_OK(aclrtGetDeviceInfo(1, ACL_DEV_ATTR_PHY_CHIP_ID, &chip));
    CHECK_EQ(chip, 5);
}

TEST(memory_in_use_shows_in_the_rate)
{
    aclrtUtilizationInfo rates;
    void *memory;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclmock_set_memory(0, 100 << 20), 1);
    CHECK_OK(aclrtMalloc(&memory, 30 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtGetDeviceUtilizationRate(0, &rates));
    CHECK_EQ(rates.memoryUtilization, 30);
    CHECK_EQ(rates.cubeUtilization, -1);
    CHECK_EQ(rates.vectorUtilization, -1);
    CHECK_EQ(rates.aicpuUtilization, -1);
    CHECK(rates.utilizationExtend == NULL);
}

TEST(a_device_is_abnormal_while_a_fault_has_stopped_a_stream)
{
    aclrtDeviceStatus status;
    aclrtStream stream;
    reach_start();
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    struct {
        void *x;
        int32_t n;
    } args = {NULL, 1};
    CHECK_OK(aclrtQueryDeviceStatus(0, &status));
    CHECK_EQ(status, ACL_RT_DEVICE_STATUS_NORMAL);
    CHECK_OK(aclrtLaunchKernelWithHostArgs(reach_kernel, 1, stream, NULL, &args, sizeof(args), NULL, 0));
    CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
    CHECK_OK(aclrtQueryDeviceStatus(0, &status));
    CHECK_EQ(status, ACL_RT_DEVICE_STATUS_ABNORMAL);
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtQueryDeviceStatus(0, &status));
    CHECK_EQ(status, ACL_RT_DEVICE_STATUS_NORMAL);
}

TEST(cores_can_be_limited)
{
    uint32_t value;
    aclrtStream stream;
    CHECK_EQ(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &value), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtGetStreamResLimit(NULL, ACL_RT_DEV_RES_CUBE_CORE, &value), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, &value));
    CHECK_EQ(value, 48);
    CHECK_OK(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 12));
    CHECK_OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, &value));
    CHECK_EQ(value, 12);
    CHECK_OK(aclrtGetStreamResLimit(stream, ACL_RT_DEV_RES_VECTOR_CORE, &value));
    CHECK_EQ(value, 12);
    CHECK_OK(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &value));
    CHECK_EQ(value, 12);
    CHECK_OK(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &value));
    CHECK_EQ(value, 24);
    CHECK_OK(aclrtGetDeviceResLimit(1, ACL_RT_DEV_RES_VECTOR_CORE, &value));
    CHECK_EQ(value, 48);
    CHECK_EQ(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 49), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("expected 1 to 48");
    CHECK_EQ(aclrtSetDeviceResLimit(9, ACL_RT_DEV_RES_VECTOR_CORE, 1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtSetDeviceResLimit(0, (aclrtDevResLimitType)2, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtGetDeviceResLimit(9, ACL_RT_DEV_RES_CUBE_CORE, &value), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtGetDeviceResLimit(0, (aclrtDevResLimitType)2, &value), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtGetStreamResLimit(stream, ACL_RT_DEV_RES_CUBE_CORE, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtGetStreamResLimit((aclrtStream)8, ACL_RT_DEV_RES_CUBE_CORE, &value), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtGetStreamResLimit(stream, (aclrtDevResLimitType)2, &value), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtGetResInCurrentThread((aclrtDevResLimitType)2, &value), ACL_ERROR_RT_PARAM_INVALID);
    aclmock_reset();
    CHECK_OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, &value));
    CHECK_EQ(value, 48);
}
