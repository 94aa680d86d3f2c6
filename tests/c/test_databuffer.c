/* Data buffers, half-precision numbers, sizes of types, versions, and the log. */
#include "check.h"

#include <math.h>
#include <stdint.h>
#include <unistd.h>

TEST(a_buffer_holds_what_it_was_given)
{
    int data;
    aclDataBuffer *buffer = aclCreateDataBuffer(&data, 12);
    CHECK(buffer != NULL);
    CHECK_EQ(aclGetDataBufferAddr(buffer), &data);
    CHECK_EQ(aclGetDataBufferSizeV2(buffer), 12);
    CHECK_OK(aclUpdateDataBuffer(buffer, NULL, SIZE_MAX));
    CHECK_EQ(aclGetDataBufferAddr(buffer), NULL);
    CHECK_EQ(aclGetDataBufferSizeV2(buffer), SIZE_MAX);
    CHECK_OK(aclDestroyDataBuffer(buffer));
    CHECK_EQ(aclDestroyDataBuffer(buffer), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("it was destroyed");
    CHECK_EQ(aclUpdateDataBuffer(buffer, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclGetDataBufferAddr(buffer), NULL);
    CHECK_EQ(aclGetDataBufferSizeV2(buffer), 0);
}

TEST(no_buffer_is_no_crash)
{
    CHECK_EQ(aclDestroyDataBuffer(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclUpdateDataBuffer(NULL, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclGetDataBufferAddr(NULL), NULL);
    CHECK_EQ(aclGetDataBufferSizeV2(NULL), 0);
    CHECK_EQ(aclDestroyDataBuffer((aclDataBuffer *)8), ACL_ERROR_INVALID_PARAM);
}

/* ---- float16 ------------------------------------------------------------------------------------------ */

/* The value of half-precision bits, by the definition. */
static double half_value(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023) / 1024;
    double magnitude = exponent == 0 ? ldexp(fraction, -14) : ldexp(1 + fraction, exponent - 15);
    return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(every_half_is_exact_and_comes_back)
{
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        float value = aclFloat16ToFloat((aclFloat16)bits);
        if ((bits & 0x7c00) == 0x7c00) {
            CHECK_EQ(isnan(value) != 0, (bits & 0x3ff) != 0);
            CHECK_EQ(isinf(value) != 0, (bits & 0x3ff) == 0);
        } else {
            CHECK(value == half_value(bits));
        }
        if (!isnan(value)) {
            CHECK_EQ(aclFloatToFloat16(value), bits);
        } else {
            CHECK(isnan(aclFloat16ToFloat(aclFloatToFloat16(value))));
        }
    }
}

TEST(floats_go_to_the_nearest_half_ties_to_even)
{
    for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
        double low = half_value(bits), high = half_value(bits + 1), middle = (low + high) / 2;
        CHECK_EQ(aclFloatToFloat16((float)middle), bits + (bits & 1));
        CHECK_EQ(aclFloatToFloat16(nextafterf((float)middle, 0)), bits);
        CHECK_EQ(aclFloatToFloat16(nextafterf((float)middle, 1e9f)), bits + 1);
        CHECK_EQ(aclFloatToFloat16(-(float)middle), 0x8000 | (bits + (bits & 1)));
    }
    CHECK_EQ(aclFloatToFloat16(65519.0f), 0x7bff);
    CHECK_EQ(aclFloatToFloat16(65520.0f), 0x7c00);
    CHECK_EQ(aclFloatToFloat16(1e30f), 0x7c00);
    CHECK_EQ(aclFloatToFloat16(-INFINITY), 0xfc00);
    CHECK_EQ(aclFloatToFloat16(-0.0f), 0x8000);
    CHECK_EQ(aclFloatToFloat16(1e-30f), 0);
    CHECK_EQ(aclFloatToFloat16(NAN) & 0x7e00, 0x7e00);
}

TEST(sizes_of_types)
{
    static const struct {
        int type;
        size_t size;
    } sizes[] = {{0, 4}, {1, 2}, {2, 1}, {3, 4}, {4, 1}, {6, 2}, {7, 2}, {8, 4}, {9, 8}, {10, 8}, {11, 8}, {12, 1},
                 {16, 8}, {17, 16}, {27, 2}, {33, 4}, {34, 1}, {35, 1}, {36, 1}, {37, 1},
                 {-1, 0}, {13, 0}, {29, 0}, {30, 0}, {38, 0}, {39, 0}, {40, 0}, {41, 0}, {5, 0}, {1000, 0}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        CHECK_EQ(aclDataTypeSize((aclDataType)sizes[i].type), sizes[i].size);
    }
}

/* ---- version ------------------------------------------------------------------------------------------ */

TEST(packages_have_versions)
{
    int32_t number;
    aclCANNPackageVersion version;
    char wanted[128];
    CHECK_OK(aclsysGetVersionNum("runtime", &number));
    CHECK_OK(aclsysGetCANNVersion(ACL_PKG_NAME_RUNTIME, &version));
    snprintf(wanted, sizeof(wanted), "%d.%d.%d", number / 10000000, number / 100000 % 100, number / 1000 % 100);
    CHECK_EQ(strncmp(version.version, wanted, strlen(wanted)), 0);
    CHECK_EQ(atoi(version.majorVersion), number / 10000000);
    CHECK_EQ(aclsysGetVersionNum(NULL, &number), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclsysGetVersionNum("runtime", NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclsysGetVersionNum("nothing", &number), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("known are CANN runtime");
    CHECK_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_DRIVER, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclsysGetCANNVersion((aclCANNPackageName)8, &version), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclsysGetCANNVersion((aclCANNPackageName)-1, &version), ACL_ERROR_INVALID_PARAM);
}

/* ---- log ---------------------------------------------------------------------------------------------- */

static char logged[4096];

static void read_log(void)
{
    char path[4096 + 32];
    memset(logged, 0, sizeof(logged));
    snprintf(path, sizeof(path), "%s/plog-%d.log", getenv("ASCEND_PROCESS_LOG_PATH"), getpid());
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        CHECK(fread(logged, 1, sizeof(logged) - 1, file) < sizeof(logged) - 1);
        fclose(file);
        remove(path);
    }
}

TEST(levels_below_the_global_one_are_dropped)
{
    setenv("ASCEND_PROCESS_LOG_PATH", getenv("CHECK_SCRATCH"), 1);
    aclAppLog(ACL_WARNING, "f", "a.c", 1, "quiet");
    aclAppLog(ACL_ERROR, "f", "a.c", 7, "%d%% of %s", 50, "it");
    read_log();
    CHECK_HAS(logged, "[ERROR] APP(");
    CHECK_HAS(logged, "[a.c:7]");
    CHECK_HAS(logged, "f: 50% of it\n");
    CHECK(strstr(logged, "quiet") == NULL);
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "0", 1);
    aclAppLog(ACL_DEBUG, "f", "a.c", 1, "loud");
    read_log();
    CHECK_HAS(logged, "[DEBUG]");
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "4", 1);
    aclAppLog(ACL_ERROR, "f", "a.c", 1, "none");
    read_log();
    CHECK_EQ(logged[0], 0);
}

TEST(odd_lines_are_no_crash)
{
    setenv("ASCEND_PROCESS_LOG_PATH", getenv("CHECK_SCRATCH"), 1);
    aclAppLog(ACL_ERROR, NULL, NULL, 1, "text");
    aclAppLog(ACL_ERROR, "f", "a.c", 1, NULL);
    aclAppLog((aclLogLevel)9, "f", "a.c", 1, "level");
    read_log();
    CHECK_HAS(logged, "[NULL:1]");
    CHECK(strstr(logged, "level") == NULL);
    setenv("ASCEND_PROCESS_LOG_PATH", "/no/such/folder", 1);
    aclAppLog(ACL_ERROR, "f", "a.c", 1, "text");
}

TEST(lines_go_to_stdout_when_that_is_asked_for)
{
    static const char *const variables[] = {"ASCEND_LOG_PRINT_TO_STDOUT", "ASCEND_SLOG_PRINT_TO_STDOUT"};
    int kept = dup(1), ends[2];
    for (int i = 0; i < 2; ++i) {
        char text[512] = "";
        setenv(variables[i], "1", 1);
        CHECK_EQ(pipe(ends), 0);
        CHECK(dup2(ends[1], 1) == 1);
        aclAppLog(ACL_ERROR, "f", "a.c", 3, "to stdout");
        CHECK(dup2(kept, 1) == 1);
        CHECK(read(ends[0], text, sizeof(text) - 1) > 0);
        CHECK_HAS(text, "to stdout\n");
        unsetenv(variables[i]);
    }
}
