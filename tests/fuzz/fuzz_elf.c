/* libFuzzer: any bytes as an operator binary, through the functions that programs call. */
#include <acl/acl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    if (aclrtSetDevice(0) != ACL_SUCCESS) {
        abort();
    }
    return 0;
}

static void ask_function(aclrtFuncHandle function)
{
    char name[5000];
    void *first;
    void *second;
    size_t number;
    size_t other;
    int64_t value = 0;
    if (aclrtGetFunctionName(function, sizeof(name), name) != ACL_SUCCESS) {
        abort(); /* names are shorter */
    }
    aclrtGetFunctionAddr(function, &first, &second);
    aclrtGetFunctionSize(function, &number, &other);
    for (int attribute = 1; attribute <= 3; ++attribute) {
        aclrtGetFunctionAttribute(function, (aclrtFuncAttribute)attribute, &value);
    }
    aclrtFunctionGetAvailDynUbufPerBlock(function, 0, &number);
    if (aclrtFunctionGetParamCount(function, &number) == ACL_SUCCESS && number > 0) {
        size_t offset;
        aclrtFunctionGetParamInfo(function, number - 1, &offset, &other);
    }
}

static void ask(aclrtBinHandle binary)
{
    static const uint64_t entries[] = {0, 1, 2, 5, 10};
    void *address;
    size_t size;
    aclrtFuncHandle function;
    aclrtBinaryGetDevAddress(binary, &address, &size);
    aclrtBinaryGetGlobal(binary, "g_opSystemRunCfg", &address, &size);
    aclrtBinaryGetFunction(binary, "k_3", &function);
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); ++i) {
        if (aclrtBinaryGetFunctionByEntry(binary, entries[i], &function) == ACL_SUCCESS) {
            ask_function(function);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    aclrtBinHandle binary = NULL;
    aclGetRecentErrMsg(); /* so that the texts of earlier failures are not kept */
    if (memmem(data, size, "aclmock_kernels", 15) != NULL) {
        return -1; /* a host-kernel binary is code that the system's loader runs: not ours to survive */
    }
    if (aclrtBinaryLoadFromData(data, size, NULL, &binary) != ACL_SUCCESS) {
        return 0;
    }
    ask(binary);
    if (aclrtBinaryUnLoad(binary) != ACL_SUCCESS) {
        abort();
    }
    return 0;
}
