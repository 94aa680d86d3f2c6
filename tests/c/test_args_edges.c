/* What bites with argument lists: lists that share a thread, handles of another kind, memory of the program's. And what
 * the real library takes without a word, diagnosed. */
#include "check.h"

#include <pthread.h>
#include <stdint.h>

static aclrtBinHandle binary;
static aclrtFuncHandle vector, aicpu, small;

static void set_up(void)
{
    static const aclmock_kernel kernels[] = {
        {.name = "vector"}, {.name = "aicpu", .type = ACLMOCK_AICPU}, {.name = "small", .max_params = 2}};
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclmock_make_binary(kernels, 3, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "vector", &vector));
    CHECK_OK(aclrtBinaryGetFunction(binary, "aicpu", &aicpu));
    CHECK_OK(aclrtBinaryGetFunction(binary, "small", &small));
    aclmock_record_launches(1);
}

static aclrtArgsHandle init(aclrtFuncHandle kernel)
{
    aclrtArgsHandle args;
    CHECK_OK(aclrtKernelArgsInit(kernel, &args));
    return args;
}

static aclrtParamHandle append(aclrtArgsHandle args, uint64_t value)
{
    aclrtParamHandle param;
    CHECK_OK(aclrtKernelArgsAppend(args, &value, sizeof(value), &param));
    return param;
}

static aclrtParamHandle placeholder(aclrtArgsHandle args)
{
    aclrtParamHandle param;
    CHECK_OK(aclrtKernelArgsAppendPlaceHolder(args, &param));
    return param;
}

static aclError update(aclrtArgsHandle args, aclrtParamHandle param, uint64_t value)
{
    return aclrtKernelArgsParaUpdate(args, param, &value, sizeof(value));
}

static aclError launch(aclrtFuncHandle kernel, aclrtArgsHandle args)
{
    return aclrtLaunchKernelWithConfig(kernel, 1, NULL, NULL, args, NULL);
}

/* A list in memory of the program's. */
struct own {
    char handle[96 + 48 * 128];
    _Alignas(8) char buffer[4096];
};

static aclrtArgsHandle init_own(struct own *own, aclrtFuncHandle kernel, size_t room)
{
    CHECK_OK(aclrtKernelArgsInitByUserMem(kernel, own->handle, own->buffer, room));
    return own->handle;
}

/* ---- the thread's list -------------------------------------------------------------------------------- */

TEST(an_old_parameter_is_dead_until_its_index_is_there_again)
{
    set_up();
    aclrtArgsHandle args = init(vector);
    append(args, 1);
    aclrtParamHandle second = append(args, 2);
    CHECK_EQ(init(vector), args);
    CHECK_EQ(update(args, second, 3), ACL_ERROR_RT_INVALID_HANDLE);
    append(args, 4);
    CHECK_EQ(update(args, second, 3), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(append(args, 5), second);
    CHECK_OK(update(args, second, 6));
}

static void *begin(void *args)
{
    *(aclrtArgsHandle *)args = init(vector);
    append(*(aclrtArgsHandle *)args, 1);
    return NULL;
}

TEST(a_list_dies_with_its_thread)
{
    pthread_t thread;
    aclrtArgsHandle args;
    aclrtParamHandle param;
    uint64_t value = 1;
    set_up();
    CHECK_EQ(pthread_create(&thread, NULL, begin, &args), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(aclrtKernelArgsAppend(args, &value, sizeof(value), &param), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_SAID("its thread has ended");
    CHECK_EQ(aclrtKernelArgsFinalize(args), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(launch(vector, args), ACL_ERROR_RT_INVALID_HANDLE);
}

static void *go_on(void *args)
{
    CHECK_OK(aclrtSetDevice(0));
    append(args, 2);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_OK(launch(vector, args));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    return NULL;
}

TEST(a_list_may_be_used_by_another_thread)
{
    pthread_t thread;
    uint64_t seen[3];
    aclmock_launch launched;
    set_up();
    aclrtArgsHandle args = init(vector);
    append(args, 1);
    CHECK_EQ(pthread_create(&thread, NULL, go_on, args), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(aclmock_get_launch(0, &launched, seen, sizeof(seen)), 1);
    CHECK_EQ(seen[0], 1);
    CHECK_EQ(seen[1], 2);
}

/* ---- handles that are not what they should be ---------------------------------------------------------- */

TEST(handles_of_another_kind)
{
    uint64_t value = 1, zeros[1024] = {0};
    aclrtParamHandle param;
    void *buffer;
    set_up();
    aclrtArgsHandle args = init(vector);
    aclrtParamHandle holder = placeholder(args);
    void *wrong[] = {vector, binary, holder, zeros, (char *)args + 1, (char *)args + 8, (void *)8, (void *)UINTPTR_MAX};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        CHECK_EQ(aclrtKernelArgsAppend(wrong[i], &value, sizeof(value), &param), ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_EQ(aclrtKernelArgsFinalize(wrong[i]), ACL_ERROR_RT_INVALID_HANDLE);
        if (wrong[i] != holder) {
            CHECK_EQ(aclrtKernelArgsGetPlaceHolderBuffer(args, wrong[i], 8, &buffer), ACL_ERROR_RT_INVALID_HANDLE);
        }
        if (wrong[i] != vector) {
            CHECK_EQ(aclrtKernelArgsInit(wrong[i], &args), ACL_ERROR_RT_INVALID_HANDLE);
        }
    }
    CHECK_EQ(aclrtKernelArgsGetPlaceHolderBuffer(args, args, 8, &buffer), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST(a_parameter_of_another_list)
{
    static struct own one, two;
    void *buffer;
    uint64_t seen[4];
    aclmock_launch launched;
    set_up();
    aclrtArgsHandle first = init_own(&one, vector, 64), second = init_own(&two, vector, 64);
    append(first, 1);
    append(second, 2);
    aclrtParamHandle third = append(second, 3);
    CHECK_OK(update(first, third, 4)); /* lands in the first list's buffer, where the second has its parameter */
    CHECK_EQ(((uint64_t *)one.buffer)[1], 4);
    CHECK_EQ(((uint64_t *)two.buffer)[1], 3);
    aclrtParamHandle holder = placeholder(first);
    CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(second, holder, 8, &buffer)); /* room in the second, for the first's */
    CHECK_EQ((char *)buffer - two.buffer, 24);
    CHECK_OK(aclrtKernelArgsFinalize(first));
    CHECK_EQ(launch(vector, first), ACL_ERROR_RT_PARAM_INVALID); /* its data would be behind its end */
    CHECK_OK(aclrtKernelArgsFinalize(second));
    CHECK_OK(launch(vector, second));
    CHECK_EQ(aclmock_get_launch(0, &launched, seen, sizeof(seen)), 1);
    CHECK_EQ(seen[0], 2);
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

TEST(an_update_may_not_leave_the_buffer)
{
    static struct own one, two;
    set_up();
    aclrtArgsHandle small_one = init_own(&one, aicpu, 12), large = init_own(&two, vector, 64);
    append(large, 1);
    aclrtParamHandle second = append(large, 2);
    CHECK_EQ(update(small_one, second, 3), ACL_ERROR_RT_PARAM_INVALID); /* the real library writes past the 12 bytes */
    CHECK_SAID("does not fit");
}

/* ---- memory of the program's --------------------------------------------------------------------------- */

TEST(a_list_in_own_memory_has_its_kernels_limit)
{
    static struct own own;
    uint64_t value = 1;
    aclrtParamHandle param;
    set_up();
    aclrtArgsHandle args = init_own(&own, small, sizeof(own.buffer));
    append(args, 1);
    append(args, 2);
    CHECK_EQ(aclrtKernelArgsAppend(args, &value, sizeof(value), &param), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("2 at most");
    args = init(small); /* the thread's list has room for 128 */
    append(args, 1);
    append(args, 2);
    append(args, 3);
}

TEST(a_buffer_without_room_for_what_is_hidden)
{
    static struct own own;
    aclmock_args seen;
    set_up();
    aclrtArgsHandle args = init_own(&own, vector, 12);
    append(args, 1);
    CHECK_EQ(aclrtKernelArgsFinalize(args), ACL_ERROR_RT_PARAM_INVALID); /* 8 and the overflow address are 16 */
    CHECK_SAID("overflow");
    CHECK_OK(aclmock_get_args(args, &seen));
    CHECK_EQ(seen.finalized, 0);
    CHECK_EQ(launch(vector, args), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(a_buffer_smaller_than_the_slots_in_front)
{
    static struct own own;
    aclmock_traits traits;
    aclrtParamHandle param;
    set_up();
    CHECK_OK(aclmock_get_traits(vector, &traits));
    traits.system_slots = 3;
    traits.overflow = 0;
    CHECK_OK(aclmock_set_traits(vector, &traits));
    aclrtArgsHandle args = init_own(&own, vector, 8); /* 24 bytes are in front */
    CHECK_EQ(aclrtKernelArgsAppend(args, "x", 1, &param), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_EQ(launch(vector, args), ACL_ERROR_RT_PARAM_INVALID); /* the real library copies what lies behind */
    CHECK_SAID("its buffer has 8");
}

TEST(sizes_near_the_end_of_what_a_number_holds)
{
    size_t size;
    void *buffer;
    aclrtParamHandle param;
    uint64_t value = 1;
    set_up();
    aclrtArgsHandle args = init(vector);
    append(args, 1);
    for (size_t less = 0; less < 24; ++less) {
        CHECK_EQ(aclrtKernelArgsAppend(args, &value, SIZE_MAX - less, &param), ACL_ERROR_RT_PARAM_INVALID);
    }
    aclrtParamHandle holder = placeholder(args);
    for (size_t less = 0; less < 48; ++less) {
        CHECK_EQ(aclrtKernelArgsGetPlaceHolderBuffer(args, holder, SIZE_MAX - less, &buffer), ACL_ERROR_RT_PARAM_INVALID);
    }
    CHECK_EQ(aclrtKernelArgsGetMemSize(vector, SIZE_MAX, &size), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("userArgsSize");
    CHECK_OK(aclrtKernelArgsGetMemSize(aicpu, SIZE_MAX, &size)); /* nothing is added */
    CHECK_EQ(size, SIZE_MAX);
}

TEST(a_placeholders_buffer_may_be_asked_for_twice)
{
    void *first, *second;
    uint64_t seen[5];
    aclmock_launch launched;
    set_up();
    aclrtArgsHandle args = init(vector);
    aclrtParamHandle holder = placeholder(args);
    CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(args, holder, 8, &first));
    CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(args, holder, 8, &second));
    *(uint64_t *)first = 1;
    *(uint64_t *)second = 2;
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_OK(launch(vector, args));
    CHECK_EQ(aclmock_get_launch(0, &launched, seen, sizeof(seen)), 1);
    CHECK_EQ(launched.args_size, 32);
    CHECK_EQ(seen[0], launched.args + 24);
    CHECK_EQ(seen[2], 1); /* the old data travels too */
    CHECK_EQ(seen[3], 2);
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

/* ---- what the real library takes ------------------------------------------------------------------------ */

static void here(char *site, size_t room)
{
    snprintf(site, room, "model.py:7");
}

static aclmock_diagnosis diagnosed(const char *kind)
{
    aclmock_diagnosis diagnosis;
    CHECK(aclmock_diagnoses() > 0);
    CHECK_EQ(aclmock_get_diagnosis(aclmock_diagnoses() - 1, &diagnosis), 1);
    CHECK_HAS(diagnosis.kind, kind);
    return diagnosis;
}

/* The mistake is taken while checks are off or warn, with one diagnosis in the second case, and refused under error. */
#define CHECK_MISTAKE(call, kind, its_function, other_function)      \
    do {                                                             \
        aclmock_set_check(ACLMOCK_CHECK_OFF);                        \
        CHECK_OK(call);                                              \
        CHECK_EQ(aclmock_diagnoses(), 0);                            \
        aclmock_set_check(ACLMOCK_CHECK_WARN);                       \
        CHECK_OK(call);                                              \
        CHECK_EQ(aclmock_diagnoses(), 1);                            \
        aclmock_diagnosis made = diagnosed(kind);                    \
        CHECK_HAS(made.function, its_function);                      \
        CHECK_HAS(made.text, other_function);                        \
        aclmock_set_check(ACLMOCK_CHECK_ERROR);                      \
        CHECK_EQ(call, ACL_ERROR_RT_PARAM_INVALID);                  \
        CHECK_SAID(kind);                                            \
    } while (0)

TEST(a_placeholder_that_nobody_filled)
{
    set_up();
    aclmock_set_site_callback(here);
    aclmock_set_check(ACLMOCK_CHECK_WARN);
    aclrtArgsHandle args = init(vector);
    append(args, 1);
    placeholder(args);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_MISTAKE(launch(vector, args), "unfilled-placeholder", "aclrtLaunchKernelWithConfig", "aclrtKernelArgsAppendPlaceHolder at model.py:7");
    CHECK_SAID("parameter 1");
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

static aclError init_over(void)
{
    aclrtArgsHandle args;
    aclrtParamHandle param;
    uint64_t value = 1;
    aclError code = aclrtKernelArgsInit(vector, &args);
    return code != ACL_SUCCESS ? code : aclrtKernelArgsAppend(args, &value, sizeof(value), &param);
}

TEST(an_init_over_a_list_that_was_not_launched)
{
    set_up();
    CHECK_OK(init_over());
    CHECK_MISTAKE(init_over(), "lost-arguments", "aclrtKernelArgsInit", "aclrtKernelArgsInitByUserMem");
    aclmock_set_check(ACLMOCK_CHECK_OFF);
    aclrtArgsHandle args = init(vector);
    append(args, 1);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_OK(launch(vector, args));
    aclmock_set_check(ACLMOCK_CHECK_ERROR); /* launched once: no loss */
    CHECK_OK(init_over());
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

TEST(a_list_made_for_another_kernel)
{
    set_up();
    aclrtArgsHandle args = init(vector);
    append(args, 1);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_MISTAKE(launch(aicpu, args), "foreign-arguments", "aclrtLaunchKernelWithConfig", "aclrtKernelArgsInit for kernel vector");
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

TEST(a_list_of_an_unloaded_kernel)
{
    set_up();
    aclrtArgsHandle args = init(vector);
    append(args, 1);
    CHECK_OK(aclrtKernelArgsFinalize(args));
    CHECK_OK(aclrtBinaryUnLoad(binary));
    set_up();
    aclmock_clear_diagnoses();
    CHECK_MISTAKE(launch(vector, args), "foreign-arguments", "aclrtLaunchKernelWithConfig", "aclrtBinaryUnLoad");
    CHECK_EQ(aclrtKernelArgsFinalize(args), ACL_ERROR_RT_INVALID_HANDLE); /* the real library follows a dead pointer */
    CHECK_SAID("unloaded");
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

TEST(a_parameter_that_is_another_lists)
{
    static struct own one, two;
    set_up();
    aclrtArgsHandle first = init_own(&one, vector, 64), second = init_own(&two, vector, 64);
    append(first, 1);
    aclrtParamHandle param = append(second, 2);
    CHECK_MISTAKE(update(first, param, 3), "foreign-parameter", "aclrtKernelArgsParaUpdate", "aclrtKernelArgsAppend");
}

TEST(more_blocks_than_16_bits)
{
    uint64_t args = 0;
    set_up();
    CHECK_MISTAKE(aclrtLaunchKernelWithHostArgs(vector, 65536, NULL, NULL, &args, sizeof(args), NULL, 0), "blocks-cut",
                  "aclrtLaunchKernelWithHostArgs", "0 blocks would run");
    CHECK_OK(aclrtSynchronizeStream(NULL));
}
