/* libFuzzer: any bytes as the JSON of an AI CPU program, and as the companion of an operator binary. */
#include <acl/acl.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *operator_binary; /* <folder>/made.o, put there by run.py */
static char json[4096];
static int file;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    operator_binary = getenv("FUZZ_OPERATOR_BINARY");
    if (operator_binary == NULL || aclrtSetDevice(0) != ACL_SUCCESS) {
        abort();
    }
    snprintf(json, sizeof(json), "%.*s.json", (int)(strlen(operator_binary) - 2), operator_binary);
    file = open(json, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) {
        abort();
    }
    return 0;
}

static void load(const char *path, aclrtBinaryLoadOptions *options)
{
    aclrtBinHandle binary = NULL;
    aclGetRecentErrMsg(); /* so that the texts of earlier failures are not kept */
    aclrtFuncHandle function;
    if (aclrtBinaryLoadFromFile(path, options, &binary) != ACL_SUCCESS) {
        return;
    }
    aclrtBinaryGetFunction(binary, "OpA", &function);
    if (aclrtBinaryUnLoad(binary) != ACL_SUCCESS) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    aclrtBinaryLoadOption mode = {.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, .value = {.cpuKernelMode = 0}};
    aclrtBinaryLoadOptions options = {&mode, 1};
    if (ftruncate(file, (off_t)size) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) {
        abort();
    }
    load(json, &options);
    load(operator_binary, NULL);
    return 0;
}
