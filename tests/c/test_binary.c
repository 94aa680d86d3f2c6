/* Loading operator binaries and finding kernels in them; files that are none. */
#include "check.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

struct bytes {
    unsigned char *data;
    size_t size;
};

static struct bytes read_file(const char *path)
{
    struct bytes bytes = {NULL, 0};
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    CHECK_EQ(fseek(file, 0, SEEK_END), 0);
    bytes.size = (size_t)ftell(file);
    rewind(file);
    bytes.data = malloc(bytes.size);
    CHECK(bytes.data != NULL);
    CHECK_EQ(fread(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    return bytes;
}

static const char *write_file(const char *name, const void *data, size_t size)
{
    const char *path = check_scratch(name);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK_EQ(fwrite(data, 1, size, file), size);
    CHECK_EQ(fclose(file), 0);
    return path;
}

/* Every refusal: the code, a text with `part`, no handle, nothing left. */
static void refuse(const char *path, const char *part)
{
    aclrtBinHandle binary = (void *)1;
    CHECK_EQ(aclrtBinaryLoadFromFile(path, NULL, &binary), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("aclrtBinaryLoadFromFile");
    CHECK_SAID(part);
    CHECK_EQ(binary, 0);
    CHECK_EQ(aclmock_live(ACLMOCK_BINARIES), 0);
}

TEST(a_missing_file)
{
    refuse(check_scratch("no_such.o"), "no_such.o");
    refuse("", "");
}

TEST(a_directory)
{
    refuse(check_folder("CHECK_SCRATCH"), "directory");
}

TEST(an_empty_file)
{
    refuse(write_file("empty.o", "", 0), "empty");
}

TEST(a_text_file)
{
    refuse(write_file("text.o", "extern \"C\" __global__ void add(GM_ADDR x);\n", 44), "an ELF header");
    char long_text[512];
    memset(long_text, 'a', sizeof(long_text));
    refuse(write_file("text.o", long_text, sizeof(long_text)), "ELF");
}

TEST(a_truncated_elf)
{
    struct bytes whole = read_file(check_kernel("add_custom"));
    static const size_t kept[] = {1, 4, 16, 63, 64, 65, 300, 4096};
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); ++i) {
        refuse(write_file("cut.o", whole.data, kept[i]), "does not load");
    }
    for (size_t back = 1; back < whole.size; back += whole.size / 50) {
        refuse(write_file("cut.o", whole.data, whole.size - back), "does not load");
    }
    free(whole.data);
}

TEST(an_elf_of_another_machine)
{
    struct bytes whole = read_file(check_kernel("add_custom"));
    Elf64_Ehdr header;
    memcpy(&header, whole.data, sizeof(header));
    header.e_machine = EM_S390;
    memcpy(whole.data, &header, sizeof(header));
    refuse(write_file("other.o", whole.data, whole.size), "machine");
    whole.data[EI_CLASS] = ELFCLASS32;
    refuse(write_file("other.o", whole.data, whole.size), "64");
    free(whole.data);
}

TEST(a_file_that_may_not_be_read)
{
    const char *path = write_file("secret.o", "x", 1);
    CHECK_EQ(chmod(path, 0), 0);
    refuse(path, "does not load"); /* root may read it: then it is no binary, which is refused as well */
}

TEST(nothing_at_all)
{
    aclrtBinHandle binary;
    char byte = 0;
    CHECK_EQ(aclrtBinaryLoadFromFile(NULL, NULL, &binary), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("binPath");
    CHECK_EQ(aclrtBinaryLoadFromFile(check_kernel("add_custom"), NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_SAID("binHandle");
    CHECK_EQ(aclrtBinaryLoadFromData(NULL, 1, NULL, &binary), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtBinaryLoadFromData(&byte, 1, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtBinaryLoadFromData(&byte, 0, NULL, &binary), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtBinaryLoadFromData(&byte, 1, NULL, &binary), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtBinaryUnLoad(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclmock_live(ACLMOCK_BINARIES), 0);
}

TEST(options)
{
    aclrtBinHandle binary;
    aclrtBinaryLoadOption option = {.type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, .value = {.isLazyLoad = 2}};
    aclrtBinaryLoadOptions options = {.options = &option, .numOpt = 1};
    CHECK_EQ(aclrtBinaryLoadFromFile(check_kernel("add_custom"), &options, &binary), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("2");
    option.value.isLazyLoad = 1;
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("add_custom"), &options, &binary));
    CHECK_OK(aclrtBinaryUnLoad(binary));
    option.type = ACL_RT_BINARY_LOAD_OPT_MAGIC;
    option.value.magic = ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE;
    CHECK_EQ(aclrtBinaryLoadFromFile(check_kernel("add_custom"), &options, &binary), ACL_ERROR_RT_PARAM_INVALID);
    options.options = NULL;
    CHECK_EQ(aclrtBinaryLoadFromFile(check_kernel("add_custom"), &options, &binary), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclmock_live(ACLMOCK_BINARIES), 0);
}

TEST(data_may_go_after_the_load)
{
    struct bytes whole = read_file(check_kernel("add_custom"));
    aclrtBinHandle binary;
    aclrtFuncHandle kernel;
    CHECK_OK(aclrtBinaryLoadFromData(whole.data, whole.size, NULL, &binary)); /* needs no device */
    memset(whole.data, 0, whole.size);
    free(whole.data);
    CHECK_EQ(aclrtBinaryGetFunction(binary, "add_custom", &kernel), ACL_ERROR_RT_PARAM_INVALID); /* this does */
    CHECK_SAID("aclrtSetDevice");
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryGetFunction(binary, "add_custom", &kernel));
    CHECK_OK(aclrtBinaryUnLoad(binary));
}

TEST(an_unknown_kernel_name)
{
    aclrtBinHandle binary;
    aclrtFuncHandle kernel;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("add_custom"), NULL, &binary));
    CHECK_EQ(aclrtBinaryGetFunction(binary, "add_custm", &kernel), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_SAID("did you mean add_custom");
    CHECK_SAID("add_simple"); /* what else there is */
    CHECK_EQ(aclrtBinaryGetFunction(binary, "", &kernel), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtBinaryGetFunction(binary, NULL, &kernel), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtBinaryGetFunction(binary, "add_custom", NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtBinaryGetFunction(NULL, "add_custom", &kernel), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtBinaryUnLoad(binary));
}

TEST(a_kernel_is_looked_up_once)
{
    aclrtBinHandle binary;
    aclrtBinHandle twin;
    aclrtFuncHandle first;
    aclrtFuncHandle second;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("add_custom"), NULL, &binary));
    CHECK_OK(aclrtBinaryLoadFromFile(check_kernel("add_custom"), NULL, &twin));
    CHECK(binary != twin);
    CHECK_OK(aclrtBinaryGetFunction(binary, "add_custom", &first));
    CHECK_OK(aclrtBinaryGetFunction(binary, "add_custom", &second));
    CHECK_EQ(first, second);
    CHECK_OK(aclrtBinaryGetFunction(twin, "add_custom", &second));
    CHECK(first != second);
    CHECK_OK(aclrtBinaryUnLoad(twin));
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_EQ(aclmock_live(ACLMOCK_FUNCTIONS), 0);
}

TEST(binaries_do_not_mix)
{
    aclrtBinHandle binaries[8];
    aclrtFuncHandle kernel;
    CHECK_OK(aclrtSetDevice(0));
    for (int i = 0; i < 8; ++i) {
        CHECK_OK(aclrtBinaryLoadFromFile(check_kernel(i % 2 ? "probe" : "add_custom"), NULL, &binaries[i]));
    }
    for (int i = 0; i < 8; ++i) {
        CHECK_OK(aclrtBinaryGetFunction(binaries[i], i % 2 ? "do_nothing" : "add_custom", &kernel));
        CHECK_EQ(aclrtBinaryGetFunction(binaries[i], i % 2 ? "add_custom" : "do_nothing", &kernel), ACL_ERROR_RT_PARAM_INVALID);
    }
    for (int i = 0; i < 8; ++i) {
        CHECK_OK(aclrtBinaryUnLoad(binaries[i]));
    }
}
