#include "binary.h"

#include <stdlib.h>
#include <string.h>

#include "elf.h"
#include "file.h"
#include "hostbin.h"
#include "soc.h"
#include "use.h"

/* ---- handles ------------------------------------------------------------------------------------------ */

struct function *function_of(const void *handle, const char *argument)
{
    if (LIKELY(handle_alive(HANDLE_FUNCTION, handle))) {
        return (struct function *)(uintptr_t)handle;
    }
    fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017",
         "%s is %p, no live function handle: its binary was unloaded, or it is a handle of another kind", argument,
         handle);
    return NULL;
}

struct binary *binary_of(const void *handle)
{
    if (LIKELY(handle_alive(HANDLE_BINARY, handle))) {
        return (struct binary *)(uintptr_t)handle;
    }
    fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017",
         "binHandle is %p, no live binary handle: it was unloaded, or it is a handle of another kind", handle);
    return NULL;
}

struct function *function_new(struct binary *binary, const char *name)
{
    if ((binary->count & (binary->count - 1)) == 0) { /* full at each power of two */
        size_t room = binary->count ? binary->count * 2 : 1;
        struct function **bigger = host_resize(binary->functions, room * sizeof(*bigger));
        if (bigger == NULL) {
            return NULL;
        }
        binary->functions = bigger;
    }
    struct function *function = handle_new(HANDLE_FUNCTION);
    if (function == NULL) {
        return NULL;
    }
    function->binary = binary;
    function->name = text_copy(name);
    if (function->name == NULL) {
        handle_free(HANDLE_FUNCTION, function);
        return NULL;
    }
    binary->functions[binary->count++] = function;
    return function;
}

void function_set_head(struct function *function)
{
    unsigned slots = function->cpu ? 0 : function->system_slots;
    if (slots > 0 && function->overflow) {
        --slots; /* it is behind the parameters */
    }
    if (slots > 1 && function->ffts && !soc_is(SOC_A2)) {
        --slots; /* no inter-core sync on this chip */
    }
    function->head_slots = (uint8_t)slots;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct function *const *)a)->name, (*(struct function *const *)b)->name);
}

bool binary_order(struct binary *binary, struct text *why)
{
    qsort(binary->functions, binary->count, sizeof(struct function *), by_name);
    for (size_t i = 1; i < binary->count; ++i) {
        if (strcmp(binary->functions[i - 1]->name, binary->functions[i]->name) == 0) {
            text_add(why, "it has two kernels named %s", binary->functions[i]->name);
            return false;
        }
    }
    return true;
}

/* ---- loading ------------------------------------------------------------------------------------------ */

void binary_free(struct binary *binary)
{
    for (size_t i = 0; i < binary->count; ++i) {
        host_free(binary->functions[i]->name);
        handle_free(HANDLE_FUNCTION, binary->functions[i]);
    }
    host_free(binary->functions);
    hostbin_unload(binary);
    host_free(binary->path);
    handle_free(HANDLE_BINARY, binary);
}

static bool parse(struct binary *binary, const void *data, size_t size, struct text *why)
{
    struct elf elf;
    if (!elf_open(&elf, data, size, why)) {
        return false;
    }
    if (!hostbin_recognise(&elf)) {
        text_add(why, "it carries no host kernels (no section " ACLMOCK_SECTION "; e_machine is %s): build one with "
                      "acl-bind cc", elf_machine_name(elf.machine));
        return false;
    }
    return hostbin_load(binary, &elf, why) && binary_order(binary, why);
}

void binary_publish(struct binary *binary)
{
    for (size_t i = 0; i < binary->count; ++i) {
        handle_publish(HANDLE_FUNCTION, binary->functions[i]);
    }
    handle_publish(HANDLE_BINARY, binary);
}

struct binary *binary_new(const char *path)
{
    struct binary *binary = handle_new(HANDLE_BINARY);
    if (binary != NULL && (binary->path = text_copy(path)) == NULL) {
        binary_free(binary);
        return NULL;
    }
    return binary;
}

/* NULL: `why` says why. */
static struct binary *load(const void *data, size_t size, const char *path, struct text *why)
{
    struct binary *binary = binary_new(path);
    if (binary == NULL) {
        text_add(why, "no memory left");
        return NULL;
    }
    if (!parse(binary, data, size, why)) {
        binary_free(binary);
        return NULL;
    }
    binary_publish(binary);
    return binary;
}

static struct binary *load_file(const char *path, struct text *why)
{
    size_t size = 0;
    struct binary *binary = NULL;
    char *real = file_real_path(path, why);
    uint8_t *data = real != NULL ? file_read(real, &size, why) : NULL;
    if (data != NULL) {
        binary = load(data, size, real, why);
    }
    host_free(data);
    host_free(real);
    return binary;
}

static aclError loaded(struct binary *binary, const char *from, struct text *why, aclrtBinHandle *binHandle)
{
    *binHandle = binary;
    if (binary == NULL) {
        fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001", "%s does not load: %s", from, text_get(why));
    }
    text_free(why);
    return binary != NULL ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

static aclError check_options(const aclrtBinaryLoadOptions *options)
{
    if (options == NULL) {
        return ACL_SUCCESS;
    }
    if (options->options == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "options has no list; pass NULL for no options");
    }
    for (size_t i = 0; i < options->numOpt; ++i) {
        const aclrtBinaryLoadOption *option = &options->options[i];
        if (option->type != ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD || option->value.isLazyLoad > 1) {
            return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "option %zu has type %d and value %u, expected type %d "
                        "(lazy load) with 0 or 1", i, (int)option->type, option->value.isLazyLoad,
                        ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD);
        }
    }
    return ACL_SUCCESS;
}

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)
{
    API(binPath, options, binHandle);
    struct text why = {0};
    REQUIRE(binPath);
    REQUIRE(binHandle);
    aclError code = check_options(options);
    return code != ACL_SUCCESS ? code : loaded(load_file(binPath, &why), "binPath", &why, binHandle);
}

aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle)
{
    API(data, length, options, binHandle);
    struct text why = {0};
    REQUIRE(data);
    REQUIRE(binHandle);
    if (length == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "length is 0, expected the binary's size in bytes");
    }
    aclError code = check_options(options);
    return code != ACL_SUCCESS ? code : loaded(load(data, length, "data", &why), "data", &why, binHandle);
}

/* A binary that the caller has claimed. */
static void unload(struct binary *binary)
{
    for (size_t i = 0; i < binary->count; ++i) {
        handle_claim(HANDLE_FUNCTION, binary->functions[i]);
    }
    if (!use_wait(binary)) {
        binary->library = NULL; /* a kernel unloads its own code: that must stay */
    }
    binary_free(binary);
}

static void claim_and_unload(void *object)
{
    if (handle_claim(HANDLE_BINARY, object)) {
        unload(object);
    }
}

void binary_reset(void)
{
    handle_each(HANDLE_BINARY, claim_and_unload);
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
    API(binHandle);
    REQUIRE(binHandle);
    if (!handle_claim(HANDLE_BINARY, binHandle)) {
        binary_of(binHandle);
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    unload(binHandle);
    return ACL_SUCCESS;
}
