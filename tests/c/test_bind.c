/* Host implementations for kernels that come without one: which rule wins, and what happens without any. */
#include "check.h"

/* An AI CPU program's description: three kernels that nothing on the host runs. */
static const char *const program =
    "{\"add_one\": {\"opInfo\": {}}, \"add_two\": {\"opInfo\": {}}, \"probe_fill\": {\"opInfo\": {}}}";

static aclrtBinHandle load(const char *name)
{
    aclrtBinaryLoadOption option = {.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, .value.cpuKernelMode = 0};
    aclrtBinaryLoadOptions options = {&option, 1};
    aclrtBinHandle binary;
    FILE *file = fopen(check_scratch(name), "w");
    CHECK(file != NULL);
    CHECK(fputs(program, file) >= 0);
    fclose(file);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(check_scratch(name), &options, &binary));
    return binary;
}

static aclError launch(aclrtBinHandle binary, const char *name, uint32_t blocks)
{
    aclrtFuncHandle kernel;
    uint64_t argument = 7;
    CHECK_OK(aclrtBinaryGetFunction(binary, name, &kernel));
    return aclrtLaunchKernelWithHostArgs(kernel, blocks, NULL, NULL, &argument, sizeof(argument), NULL, 0);
}

static aclError run(aclrtBinHandle binary, const char *name, uint32_t blocks)
{
    CHECK_OK(launch(binary, name, blocks));
    return aclrtSynchronizeStream(NULL);
}

static void count(aclmock_ctx *ctx)
{
    ++*(int *)ctx->data;
    CHECK_EQ(ctx->args_size, 8);
}

static uint64_t bind_kernel(const char *kernel, const char *path, aclrtBinHandle binary, int *counter, uint32_t flags)
{
    uint64_t id = 0;
    CHECK_OK(aclmock_bind(kernel, path, binary, count, counter, flags, &id));
    CHECK(id != 0);
    return id;
}

TEST(a_kernel_that_nothing_runs_is_refused_with_the_ways_to_give_it_one)
{
    aclrtBinHandle binary = load("program.json");
    CHECK_EQ(launch(binary, "add_one", 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_SAID("kernel add_one of ");
    CHECK_SAID("program.json has no host implementation");
    CHECK_SAID("@acl_bind.mock.kernel(\"add_one\")");
    CHECK_SAID("aclmock_bind");
    CHECK_SAID("ACL_MOCK_KERNEL_PATH (now unset)");
    CHECK_OK(aclrtSynchronizeStream(NULL));
}

TEST(noop_runs_nothing_and_keeps_the_arguments)
{
    setenv("ACL_MOCK_UNBOUND", "noop", 1);
    aclrtBinHandle binary = load("program.json");
    aclmock_record_launches(1);
    CHECK_OK(run(binary, "add_one", 3));
    aclmock_launch recorded;
    uint64_t argument = 0;
    CHECK(aclmock_get_launch(0, &recorded, &argument, sizeof(argument)));
    CHECK_HAS(recorded.kernel, "add_one");
    CHECK_EQ(recorded.num_blocks, 3);
    CHECK_EQ(argument, 7);
}

TEST(an_implementation_runs_once_a_block_or_once_a_launch)
{
    aclrtBinHandle binary = load("program.json");
    int blocks = 0;
    int launches = 0;
    bind_kernel("add_one", NULL, NULL, &blocks, 0);
    bind_kernel("add_two", NULL, NULL, &launches, ACLMOCK_ONCE | ACLMOCK_UNTRAPPED);
    CHECK_OK(run(binary, "add_one", 5));
    CHECK_OK(run(binary, "add_two", 5));
    CHECK_EQ(blocks, 5);
    CHECK_EQ(launches, 1);
}

TEST(the_closest_rule_wins)
{
    aclrtBinHandle first = load("first.json");
    aclrtBinHandle second = load("second.json");
    int counts[6] = {0};
    bind_kernel("add_one", NULL, first, &counts[0], 0);
    bind_kernel("add_one", check_scratch("first.json"), NULL, &counts[1], 0);
    bind_kernel("add_one", check_scratch("second.json"), NULL, &counts[2], 0);
    bind_kernel("add_one", NULL, NULL, &counts[3], 0);
    bind_kernel("add_two", NULL, NULL, &counts[4], 0);
    bind_kernel("add_*", NULL, NULL, &counts[5], 0);
    CHECK_OK(run(first, "add_one", 1));
    CHECK_OK(run(second, "add_one", 1));
    CHECK_OK(run(second, "add_two", 1));
    CHECK_EQ(counts[0], 1);
    CHECK_EQ(counts[1], 0);
    CHECK_EQ(counts[2], 1);
    CHECK_EQ(counts[3], 0);
    CHECK_EQ(counts[4], 1);
    CHECK_EQ(counts[5], 0);
}

TEST(of_two_alike_the_newer_rule_wins_until_it_is_unbound)
{
    aclrtBinHandle binary = load("program.json");
    int older = 0;
    int newer = 0;
    bind_kernel("add_one", NULL, NULL, &older, 0);
    uint64_t id = bind_kernel("add_one", NULL, NULL, &newer, 0);
    CHECK_OK(run(binary, "add_one", 1));
    CHECK_OK(aclmock_unbind(id));
    CHECK_OK(run(binary, "add_one", 1));
    CHECK_EQ(newer, 1);
    CHECK_EQ(older, 1);
    CHECK_EQ(aclmock_unbind(id), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("id is ");
}

TEST(a_kernel_keeps_its_own_implementation_unless_a_rule_names_its_binary)
{
    aclrtBinHandle binary;
    aclrtFuncHandle kernel;
    int any = 0;
    int named = 0;
    uint64_t argument = 0;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("probe"), NULL, &binary));
    CHECK_OK(aclrtBinaryGetFunction(binary, "do_nothing", &kernel));
    bind_kernel("do_nothing", NULL, NULL, &any, 0);
    CHECK_OK(aclrtLaunchKernelWithHostArgs(kernel, 1, NULL, NULL, &argument, sizeof(argument), NULL, 0));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    bind_kernel("do_nothing", check_kernel("probe"), NULL, &named, 0);
    CHECK_OK(aclrtLaunchKernelWithHostArgs(kernel, 1, NULL, NULL, &argument, sizeof(argument), NULL, 0));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_EQ(any, 0);
    CHECK_EQ(named, 1);
}

TEST(a_launch_whose_implementation_is_unbound_before_it_runs_is_a_fault)
{
    aclrtBinHandle binary = load("program.json");
    int counter = 0;
    uint64_t id = bind_kernel("add_one", NULL, NULL, &counter, 0);
    aclmock_hold(NULL, 1);
    CHECK_OK(launch(binary, "add_one", 1));
    CHECK_OK(aclmock_unbind(id));
    aclmock_hold(NULL, 0);
    CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICPU_EXCEPTION);
    CHECK_SAID("unbound before the launch ran");
    CHECK_EQ(counter, 0);
}

static uint64_t own_id;

static void unbind_itself(aclmock_ctx *ctx)
{
    (void)ctx;
    CHECK_OK(aclmock_unbind(own_id));
}

TEST(an_implementation_may_unbind_itself)
{
    aclrtBinHandle binary = load("program.json");
    CHECK_OK(aclmock_bind("add_one", NULL, NULL, unbind_itself, NULL, 0, &own_id));
    CHECK_OK(run(binary, "add_one", 1));
    CHECK_EQ(launch(binary, "add_one", 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

TEST(a_rule_for_a_binary_ends_with_it)
{
    aclrtBinHandle binary = load("program.json");
    int counter = 0;
    uint64_t id = bind_kernel("add_one", NULL, binary, &counter, 0);
    CHECK_OK(run(binary, "add_one", 1));
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_EQ(aclmock_unbind(id), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(counter, 1);
}

TEST(libraries_of_host_kernels_are_found_on_the_path)
{
    char path[8192];
    snprintf(path, sizeof(path), "%s/nothing_here:%s", check_folder("CHECK_SCRATCH"), check_folder("CHECK_KERNELS"));
    setenv("ACL_MOCK_KERNEL_PATH", path, 1);
    FILE *file = fopen(check_scratch("more.json"), "w");
    CHECK(fputs("{\"do_nothing\": {\"opInfo\": {}}, \"unknown\": {\"opInfo\": {}}}", file) >= 0);
    fclose(file);
    aclrtBinaryLoadOption option = {.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, .value.cpuKernelMode = 0};
    aclrtBinaryLoadOptions options = {&option, 1};
    aclrtBinHandle binary;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(check_scratch("more.json"), &options, &binary));
    CHECK_OK(run(binary, "do_nothing", 2));
    CHECK_EQ(launch(binary, "unknown", 2), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_SAID("nothing_here: No such file");
}

TEST(what_cannot_be_bound_is_refused)
{
    uint64_t id;
    CHECK_EQ(aclmock_bind(NULL, NULL, NULL, count, NULL, 0, &id), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("kernel");
    CHECK_EQ(aclmock_bind("add", NULL, NULL, NULL, NULL, 0, &id), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("run");
    CHECK_EQ(aclmock_bind("add", NULL, NULL, count, NULL, 8, &id), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("flags is 8");
    CHECK_EQ(aclmock_bind("add", NULL, (aclrtBinHandle)&id, count, NULL, 0, &id), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_SAID("binHandle");
}
