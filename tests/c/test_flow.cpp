/* The nine-step launch flow from C++, with a C++ kernel whose tiling travels as a placeholder. */
#include "check.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace {

constexpr uint32_t blocks = 8;
constexpr uint32_t total = blocks * 2048;
constexpr size_t bytes = total * sizeof(uint16_t);

struct Tiling {
    uint32_t total;
    uint32_t tiles;
};

class DeviceArray {
public:
    explicit DeviceArray(const std::vector<uint16_t> &values)
    {
        CHECK_OK(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK_OK(aclrtMemcpy(address, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    ~DeviceArray() { CHECK_OK(aclrtFree(address)); }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;
    std::vector<uint16_t> read() const
    {
        std::vector<uint16_t> values(total);
        CHECK_OK(aclrtMemcpy(values.data(), bytes, address, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        return values;
    }
    void *address = nullptr;
};

void launch(aclrtFuncHandle kernel, aclrtStream stream, const std::vector<DeviceArray *> &arrays, Tiling tiling)
{
    aclrtArgsHandle args;
    aclrtParamHandle param;
    void *buffer;
    CHECK_OK(aclrtKernelArgsInit(kernel, &args));
    for (DeviceArray *array : arrays) {
        CHECK_OK(aclrtKernelArgsAppend(args, &array->address, sizeof(void *), &param));
    }
    CHECK_OK(aclrtKernelArgsAppendPlaceHolder(args, &param));
    CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(args, param, sizeof(tiling), &buffer));
    std::memcpy(buffer, &tiling, sizeof(tiling));
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_OK(aclrtLaunchKernelWithConfig(kernel, blocks, stream, nullptr, args, nullptr));
}

} // namespace

TEST(the_whole_flow)
{
    aclrtStream stream;
    aclrtBinHandle binary;
    aclrtFuncHandle kernel;
    CHECK_OK(aclInit(nullptr));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("flow"), nullptr, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "add_tiled", &kernel));
    {
        DeviceArray x(std::vector<uint16_t>(total, 0x3c00)); /* 1.0 */
        DeviceArray y(std::vector<uint16_t>(total, 0x4000)); /* 2.0 */
        DeviceArray z(std::vector<uint16_t>(total, 0));
        launch(kernel, stream, {&x, &y, &z}, Tiling{total, 4});
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK(z.read() == std::vector<uint16_t>(total, 0x4200)); /* 3.0 */
        launch(kernel, stream, {&x, &y, &z}, Tiling{total, 0});
        CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
        CHECK_SAID("tiles is 0");
    }
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
    CHECK_EQ(aclmock_live(ACLMOCK_BLOCKS), 0);
    CHECK_EQ(aclmock_live(ACLMOCK_BINARIES), 0);
}
