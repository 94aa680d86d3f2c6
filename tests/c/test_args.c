/* A kernel's arguments: where they go, in which order they may be given, and how many fit. */
#include "check.h"

enum { PARAMS_MAX = 128, BUFFER = 64 * 1024 };

static aclrtBinHandle binary;

static aclrtFuncHandle kernel_of(const char *name)
{
    aclrtFuncHandle kernel;
    if (binary == NULL) {
        CHECK_OK(aclrtSetDevice(0));
        CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("probe"), NULL, &binary));
    }
    CHECK_OK(aclrtBinaryGetFunction(binary, name, &kernel));
    return kernel;
}

static aclrtArgsHandle args_of(const char *name)
{
    aclrtArgsHandle args;
    CHECK_OK(aclrtKernelArgsInit(kernel_of(name), &args));
    return args;
}

static aclmock_args look(aclrtArgsHandle args)
{
    aclmock_args seen;
    CHECK_OK(aclmock_get_args(args, &seen));
    return seen;
}

static aclmock_arg look_at(aclrtArgsHandle args, uint32_t index)
{
    aclmock_arg seen;
    CHECK_OK(aclmock_get_arg(args, index, &seen));
    return seen;
}

TEST(each_parameter_starts_in_a_slot_of_8_bytes)
{
    static const size_t sizes[] = {1, 2, 4, 8, 12, 3};
    static const size_t offsets[] = {0, 8, 16, 24, 32, 48};
    char bytes[16] = {0};
    aclrtParamHandle param;
    aclrtArgsHandle args = args_of("do_nothing");
    for (uint32_t i = 0; i < 6; ++i) {
        CHECK_OK(aclrtKernelArgsAppend(args, bytes, sizes[i], &param));
        CHECK_EQ(look_at(args, i).offset, offsets[i]);
        CHECK_EQ(look_at(args, i).size, sizes[i]);
    }
    CHECK_EQ(look(args).args_size, 51); /* the end is not rounded ... */
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_EQ(look(args).args_size, 64); /* ... until the overflow address follows at 56 */
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_EQ(look(args).args_size, 64); /* which it does once */
}

TEST(a_mix_kernel_has_a_slot_in_front)
{
    aclrtParamHandle param;
    aclrtArgsHandle args = args_of("do_nothing_mixed");
    uint64_t value = 1;
    CHECK_EQ(look(args).head_size, 8);
    CHECK_OK(aclrtKernelArgsAppend(args, &value, sizeof(value), &param));
    CHECK_EQ(look_at(args, 0).offset, 8);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_EQ(look(args).args_size, 24);
}

TEST(arguments_of_an_aicpu_kernel_are_packed)
{
    aclrtParamHandle param;
    aclrtArgsHandle args = args_of("do_nothing_on_cpu");
    char bytes[8] = {0};
    CHECK_OK(aclrtKernelArgsAppend(args, bytes, 1, &param));
    CHECK_OK(aclrtKernelArgsAppend(args, bytes, 8, &param));
    CHECK_EQ(look_at(args, 1).offset, 1);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_EQ(look(args).args_size, 9); /* no hidden slot */
}

TEST(the_129th_parameter)
{
    aclrtParamHandle param;
    int value = 0;
    aclrtArgsHandle args = args_of("do_nothing");
    for (int i = 0; i < PARAMS_MAX; ++i) {
        CHECK_OK(aclrtKernelArgsAppend(args, &value, sizeof(value), &param));
    }
    CHECK_EQ(aclrtKernelArgsAppend(args, &value, sizeof(value), &param), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("128");
    CHECK_EQ(aclrtKernelArgsAppendPlaceHolder(args, &param), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtKernelArgsFinalize(args)); /* the 128 are still good */
    CHECK_EQ(look(args).num_params, PARAMS_MAX);
}

TEST(more_than_64_KiB)
{
    static char bytes[BUFFER + 1];
    aclrtParamHandle param;
    aclrtArgsHandle args = args_of("do_nothing_on_cpu"); /* no hidden slots: all of it is for parameters */
    CHECK_EQ(aclrtKernelArgsAppend(args, bytes, BUFFER + 1, &param), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("65537");
    CHECK_SAID("65536");
    CHECK_OK(aclrtKernelArgsAppend(args, bytes, BUFFER, &param));
    CHECK_EQ(aclrtKernelArgsAppend(args, bytes, 1, &param), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    args = args_of("do_nothing");
    CHECK_OK(aclrtKernelArgsAppend(args, bytes, BUFFER, &param));
    CHECK_EQ(aclrtKernelArgsFinalize(args), ACL_ERROR_RT_PARAM_INVALID); /* no room for the overflow address */
    args = args_of("do_nothing");
    CHECK_EQ(aclrtKernelArgsAppend(args, bytes, SIZE_MAX, &param), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(a_placeholder_that_is_too_large)
{
    aclrtParamHandle param;
    void *buffer;
    aclrtArgsHandle args = args_of("do_nothing");
    CHECK_OK(aclrtKernelArgsAppendPlaceHolder(args, &param));
    CHECK_EQ(aclrtKernelArgsGetPlaceHolderBuffer(args, param, BUFFER - 8, &buffer), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtKernelArgsGetPlaceHolderBuffer(args, param, SIZE_MAX - 8, &buffer), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtKernelArgsGetPlaceHolderBuffer(args, param, 0, &buffer), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(args, param, BUFFER - 16, &buffer)); /* behind its slot and the overflow address */
    CHECK_EQ(look_at(args, 0).data_offset, 16);
}

TEST(nothing_is_appended_after_the_first_buffer)
{
    aclrtParamHandle param;
    aclrtParamHandle more;
    void *buffer;
    int value = 0;
    aclrtArgsHandle args = args_of("do_nothing");
    CHECK_OK(aclrtKernelArgsAppendPlaceHolder(args, &param));
    CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(args, param, 4, &buffer));
    CHECK_EQ(aclrtKernelArgsAppend(args, &value, 4, &more), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_SAID("aclrtKernelArgsAppend");
    CHECK_EQ(aclrtKernelArgsAppendPlaceHolder(args, &more), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(args, param, 8, &buffer)); /* another block, further on */
    CHECK_EQ(look_at(args, 0).data_offset, 24);
}

TEST(nothing_but_an_update_after_finalize)
{
    aclrtParamHandle param;
    aclrtParamHandle hole;
    void *buffer;
    int value = 1;
    aclrtArgsHandle args = args_of("do_nothing");
    CHECK_OK(aclrtKernelArgsAppend(args, &value, 4, &param));
    CHECK_OK(aclrtKernelArgsAppendPlaceHolder(args, &hole));
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_EQ(aclrtKernelArgsAppend(args, &value, 4, &param), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_EQ(aclrtKernelArgsAppendPlaceHolder(args, &hole), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_EQ(aclrtKernelArgsGetPlaceHolderBuffer(args, hole, 4, &buffer), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    value = 2;
    CHECK_OK(aclrtKernelArgsParaUpdate(args, param, &value, 4));
    CHECK(look(args).updating);
    CHECK_EQ(*(const int *)look(args).buffer, 2);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK(!look(args).updating);
}

TEST(an_update_of_another_size_or_kind)
{
    aclrtParamHandle param;
    aclrtParamHandle hole;
    uint64_t value = 0;
    aclrtArgsHandle args = args_of("do_nothing");
    CHECK_OK(aclrtKernelArgsAppend(args, &value, 4, &param));
    CHECK_OK(aclrtKernelArgsAppendPlaceHolder(args, &hole));
    CHECK_EQ(aclrtKernelArgsParaUpdate(args, param, &value, 8), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("8");
    CHECK_EQ(aclrtKernelArgsParaUpdate(args, param, &value, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsParaUpdate(args, hole, &value, 8), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtKernelArgsParaUpdate(args, args, &value, 4), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtKernelArgsGetPlaceHolderBuffer(args, param, 4, (void **)&hole), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(null_and_zero)
{
    aclrtParamHandle param;
    int value = 0;
    size_t size;
    void *buffer;
    aclrtArgsHandle args = args_of("do_nothing");
    CHECK_EQ(aclrtKernelArgsInit(NULL, &args), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsInit(kernel_of("do_nothing"), NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsAppend(NULL, &value, 4, &param), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsAppend(args, NULL, 4, &param), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsAppend(args, &value, 0, &param), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsAppend(args, &value, 4, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsAppendPlaceHolder(NULL, &param), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsAppendPlaceHolder(args, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsGetPlaceHolderBuffer(args, NULL, 4, &buffer), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsFinalize(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsGetMemSize(NULL, 8, &size), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsGetHandleMemSize(kernel_of("do_nothing"), NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsInitByUserMem(kernel_of("do_nothing"), &value, &value, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtKernelArgsInitByUserMem(kernel_of("do_nothing"), NULL, &value, 8), ACL_ERROR_INVALID_PARAM);
}

TEST(sizes_of_a_programs_own_memory)
{
    size_t size;
    CHECK_OK(aclrtKernelArgsGetHandleMemSize(kernel_of("do_nothing"), &size));
    CHECK_EQ(size, 96 + 48 * PARAMS_MAX);
    CHECK_OK(aclrtKernelArgsGetMemSize(kernel_of("do_nothing"), 100, &size));
    CHECK_EQ(size, 100 + 8 * 8 + 8 * PARAMS_MAX);
    CHECK_OK(aclrtKernelArgsGetMemSize(kernel_of("do_nothing_on_cpu"), 100, &size));
    CHECK_EQ(size, 100);
}

TEST(a_second_init_on_the_thread_starts_afresh)
{
    aclrtParamHandle old;
    int value = 0;
    aclrtArgsHandle first = args_of("do_nothing");
    CHECK_OK(aclrtKernelArgsAppend(first, &value, 4, &old));
    aclrtArgsHandle second = args_of("do_nothing_mixed");
    CHECK_EQ(first, second);
    CHECK_EQ(look(second).num_params, 0);
    CHECK_EQ(aclrtKernelArgsParaUpdate(second, old, &value, 4), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST(finalize_needs_a_device)
{
    aclrtArgsHandle args = args_of("do_nothing");
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQ(aclrtKernelArgsFinalize(args), ACL_ERROR_RT_CONTEXT_NULL);
}
