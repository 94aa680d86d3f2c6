/* aclInit and its end, version, names, and how errors are told. */
#include "check.h"

#include <pthread.h>

static void write_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK(fputs(content, file) >= 0);
    CHECK_EQ(fclose(file), 0);
}

TEST(init_is_counted)
{
    uint64_t left = 99;
    CHECK_OK(aclInit(NULL));
    CHECK_EQ(aclInit(""), ACL_ERROR_REPEAT_INITIALIZE);
    CHECK_OK(aclFinalizeReference(&left));
    CHECK_EQ(left, 1);
    CHECK_OK(aclFinalizeReference(NULL));
    left = 99;
    CHECK_EQ(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
    CHECK_EQ(left, 0);
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalize());
    CHECK_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    CHECK_SAID("aclFinalize");
}

TEST(finalize_without_init_passes_once)
{
    CHECK_OK(aclFinalize());
    CHECK_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
}

TEST(finalize_leaves_devices_and_streams)
{
    aclrtStream stream;
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclFinalize());
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyStream(stream));
}

TEST(a_config_file_that_is_not_there)
{
    CHECK_EQ(aclInit(check_scratch("no_such.json")), ACL_ERROR_INVALID_FILE);
    CHECK_SAID("no_such.json");
    CHECK_EQ(aclInit(check_folder("CHECK_SCRATCH")), ACL_ERROR_INVALID_FILE); /* a directory */
    CHECK_OK(aclInit(NULL)); /* a failure leaves the count at 0 */
    CHECK_OK(aclFinalize());
}

TEST(a_config_file_that_is_no_json)
{
    const char *path = check_scratch("bad.json");
    write_file(path, "{\"a\": ");
    CHECK_EQ(aclInit(path), ACL_ERROR_PARSE_FILE);
    CHECK_SAID("aclInit");
    write_file(path, "{\"a\":[[[[[[[[[[[[[[1]]]]]]]]]]]]]]}");
    CHECK_EQ(aclInit(path), ACL_ERROR_PARSE_FILE);
    CHECK_SAID("nested");
}

TEST(the_default_device_of_the_config)
{
    int32_t device = -1;
    aclrtContext context;
    void *memory;
    write_file(check_scratch("config.json"), "{\"defaultDevice\": {\"default_device\": \"1\"}}");
    CHECK_OK(aclInit(check_scratch("config.json")));
    CHECK_OK(aclrtGetDevice(&device));
    CHECK_EQ(device, 1);
    CHECK_EQ(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL); /* which does not take it */
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtGetCurrentContext(&context));
}

TEST(a_default_device_that_is_not_there)
{
    write_file(check_scratch("config.json"), "{\"defaultDevice\": {\"default_device\": \"7\"}}");
    CHECK_EQ(aclInit(check_scratch("config.json")), ACL_ERROR_RT_INVALID_DEVICEID);
    write_file(check_scratch("config.json"), "{\"defaultDevice\": {\"default_device\": \"first\"}}");
    CHECK_EQ(aclInit(check_scratch("config.json")), ACL_ERROR_FAILURE);
}

TEST(another_config_than_the_first)
{
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalize());
    write_file(check_scratch("config.json"), "{}");
    CHECK_EQ(aclInit(check_scratch("config.json")), ACL_ERROR_INVALID_PARAM);
}

TEST(version_and_soc)
{
    int32_t major = 0;
    int32_t minor = 0;
    int32_t patch = -1;
    CHECK_OK(aclrtGetVersion(&major, &minor, &patch));
    CHECK_EQ(major, ACL_MAJOR_VERSION);
    CHECK_EQ(minor, ACL_MINOR_VERSION);
    CHECK_EQ(patch, ACL_PATCH_VERSION);
    CHECK_EQ(aclrtGetVersion(NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("majorVersion");
    CHECK_EQ(aclrtGetVersion(&major, &minor, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("patchVersion");
    CHECK_HAS(aclrtGetSocName(), "Ascend910B");
    CHECK_EQ(aclmock_version(), ACLMOCK_VERSION);
}

TEST(run_mode_is_host)
{
    aclrtRunMode mode = ACL_DEVICE;
    CHECK_OK(aclrtGetRunMode(&mode));
    CHECK_EQ(mode, ACL_HOST);
    CHECK_EQ(aclrtGetRunMode(NULL), ACL_ERROR_INVALID_PARAM);
}

/* ---- errors ------------------------------------------------------------------------------------------- */

TEST(the_last_error_stays_until_it_is_taken)
{
    void *memory;
    CHECK_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetDevice(0)); /* success does not clear it */
    CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 0);
    CHECK_EQ(aclrtPeekAtLastError((aclrtLastErrLevel)1), ACL_ERROR_INVALID_PARAM);
}

TEST(the_acl_layer_stores_no_last_error)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0);
}

TEST(the_recent_message_is_taken_once)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(aclGetRecentErrMsg(), 0);
    CHECK_EQ(aclrtMemcpy(NULL, 1, NULL, 1, ACL_MEMCPY_DEFAULT), ACL_ERROR_INVALID_PARAM);
    CHECK(aclmock_message_pending());
    const char *text = aclGetRecentErrMsg();
    CHECK_HAS(text, "aclrtMemcpy");
    CHECK_HAS(text, "dst is NULL");
    CHECK_EQ(aclGetRecentErrMsg(), 0);
    CHECK(!aclmock_message_pending());
}

static void *fail_here(void *unused)
{
    CHECK_EQ(aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_SAID("99");
    return unused;
}

TEST(errors_are_a_threads_own)
{
    pthread_t thread;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQ(pthread_create(&thread, NULL, fail_here, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 0);
    CHECK_EQ(aclGetRecentErrMsg(), 0);
}
