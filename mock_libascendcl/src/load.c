/* Loading and unloading binaries. */
#include <string.h>

#include "bind.h"
#include "cpubin.h"
#include "file.h"
#include "hostbin.h"
#include "image.h"
#include "json.h"
#include "opbin.h"
#include "soc.h"

/* ---- options ------------------------------------------------------------------------------------------ */

struct load_options {
    bool lazy;
    bool has_magic;
    uint32_t magic;
    bool cpu;
    int32_t cpu_mode;
};

static bool known_magic(uint32_t magic)
{
    return magic == ACL_RT_BINARY_MAGIC_ELF_AICORE || magic == ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE ||
           magic == ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE;
}

static aclError wrong_option(size_t i, const char *what, uint32_t value, const char *expected)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "options[%zu]: %s is %u, expected %s", i, what, value, expected);
}

static aclError read_option(size_t i, const aclrtBinaryLoadOption *option, bool from_file, struct load_options *read)
{
    const aclrtBinaryLoadOptionValue *value = &option->value;
    switch (option->type) {
    case ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD:
        read->lazy = value->isLazyLoad != 0;
        return value->isLazyLoad <= 1 ? ACL_SUCCESS : wrong_option(i, "isLazyLoad", value->isLazyLoad, "0 or 1");
    case ACL_RT_BINARY_LOAD_OPT_MAGIC:
        if (from_file) {
            return wrong_option(i, "type", option->type, "1 or 3: a file's magic is in its companion .json");
        }
        read->has_magic = true;
        read->magic = value->magic;
        return known_magic(value->magic) ? ACL_SUCCESS
                                         : wrong_option(i, "magic", value->magic, "one of ACL_RT_BINARY_MAGIC_ELF_...");
    case ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE:
        read->cpu = true;
        read->cpu_mode = value->cpuKernelMode;
        if (from_file ? value->cpuKernelMode != 0 && value->cpuKernelMode != 1 : value->cpuKernelMode != 2) {
            return wrong_option(i, "cpuKernelMode", (uint32_t)value->cpuKernelMode,
                                from_file ? "0 (json) or 1 (json and .so) for a file" : "2 (.so) for data");
        }
        return ACL_SUCCESS;
    default:
        return wrong_option(i, "type", option->type, "1 (lazy load), 2 (magic) or 3 (AI CPU kernel mode)");
    }
}

/* Of several options of one type the last one counts, but each must be right. */
static aclError read_options(const aclrtBinaryLoadOptions *options, bool from_file, struct load_options *read)
{
    *read = (struct load_options){0};
    if (options == NULL) {
        return ACL_SUCCESS;
    }
    if (options->options == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "options has no list; pass NULL for no options");
    }
    aclError code = ACL_SUCCESS;
    for (size_t i = 0; i < options->numOpt && code == ACL_SUCCESS; ++i) {
        code = read_option(i, &options->options[i], from_file, read);
    }
    return code;
}

/* ---- hints -------------------------------------------------------------------------------------------- */

static aclrtKernelType type_of_magic(uint32_t magic)
{
    switch (magic) {
    case ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE: return ACL_KERNEL_TYPE_VECTOR;
    case ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE: return ACL_KERNEL_TYPE_CUBE;
    default: return soc_has_mix() ? ACL_KERNEL_TYPE_MIX : ACL_KERNEL_TYPE_AICORE;
    }
}

static void read_magic(const struct json *companion, struct opbin_hints *hints)
{
    static const struct {
        const char *name;
        uint32_t magic;
    } magics[] = {
        {"RT_DEV_BINARY_MAGIC_ELF", ACL_RT_BINARY_MAGIC_ELF_AICORE},
        {"RT_DEV_BINARY_MAGIC_ELF_AIVEC", ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE},
        {"RT_DEV_BINARY_MAGIC_ELF_AICUBE", ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE},
        {"FFTS_BINARY_MAGIC_ELF_MIX_AIC", ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE}, /* sic */
        {"FFTS_BINARY_MAGIC_ELF_MIX_AIV", ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE},
    };
    const char *name = json_member_string(companion, "magic");
    for (size_t i = 0; name != NULL && i < COUNT(magics); ++i) {
        if (strcmp(name, magics[i].name) == 0) {
            hints->type = type_of_magic(magics[i].magic);
        }
    }
}

static bool check_debug_options(const struct json *companion, const char *path, struct text *why)
{
    const struct json *debug = json_member(companion, "debugOptions");
    if (debug == NULL || (debug->type == JSON_STRING && strstr(debug->string, "printf") == NULL)) {
        return true;
    }
    text_add(why, "debugOptions in %s %s: kernels that print cannot be loaded this way", path,
             debug->type == JSON_STRING ? "has printf" : "is no string");
    return false;
}

/* What a companion file says that can be read and is a JSON object; others count as none. */
static bool read_companion(const char *path, struct opbin_hints *hints, struct text *why)
{
    size_t size;
    struct text ignored = {0};
    if (file_is_directory(path)) { /* the real loader aborts the process */
        text_add(why, "%s is a directory, expected a .json file or none", path);
        return false;
    }
    uint8_t *data = file_read(path, &size, &ignored);
    struct json *companion = data != NULL ? json_parse(data, size, &ignored) : NULL;
    bool good = check_debug_options(companion, path, why);
    const struct json *sync = json_member(companion, "intercoreSync");
    read_magic(companion, hints);
    hints->sync = sync != NULL && sync->type == JSON_NUMBER && sync->number == 1.0;
    json_free(companion);
    host_free(data);
    text_free(&ignored);
    return good;
}

/* ---- loading ------------------------------------------------------------------------------------------ */

static bool read_elf(struct binary *binary, const struct opbin_hints *hints, struct text *why)
{
    struct elf elf;
    bool read = elf_open(&elf, binary->data, binary->size, why);
    if (read && hostbin_recognise(&elf)) {
        binary->kind = BINARY_HOST;
        read = hostbin_load(binary, &elf, why);
    } else if (read) {
        read = opbin_read(binary, &elf, hints, why);
    }
    elf_close(&elf);
    return read;
}

/* Takes the data. NULL: `why` says why. */
static struct binary *load_elf(uint8_t *data, size_t size, const char *from, const struct opbin_hints *hints,
                               struct text *why)
{
    struct binary *binary = binary_new(from);
    if (binary == NULL) {
        host_free(data);
        text_add(why, "no memory left");
        return NULL;
    }
    binary->data = data;
    binary->size = size;
    if (!read_elf(binary, hints, why)) {
        binary_free(binary);
        return NULL;
    }
    return binary;
}

static struct binary *load_elf_file(const char *path, struct text *why)
{
    size_t size = 0;
    struct binary *binary = NULL;
    struct opbin_hints hints = opbin_no_hints();
    char *real = file_real_path(path, why);
    uint8_t *data = real != NULL ? file_read(real, &size, why) : NULL;
    char *companion = data != NULL ? file_replace_extension(real, ".json") : NULL;
    if (companion != NULL && read_companion(companion, &hints, why)) {
        binary = load_elf(data, size, real, &hints, why);
        data = NULL;
    }
    host_free(data);
    host_free(companion);
    host_free(real);
    return binary;
}

static struct binary *load_elf_data(const void *data, size_t size, const struct load_options *options, struct text *why)
{
    struct opbin_hints hints = opbin_no_hints();
    uint8_t *copy = host_alloc(size);
    if (copy == NULL) {
        text_add(why, "no memory left for %zu bytes", size);
        return NULL;
    }
    memcpy(copy, data, size);
    if (options->has_magic) {
        hints.type = type_of_magic(options->magic);
    }
    return load_elf(copy, size, "data", &hints, why);
}

static aclError finish(struct binary *binary, const char *from, const struct load_options *options, struct text *why,
                       aclrtBinHandle *binHandle)
{
    *binHandle = binary;
    if (binary == NULL) {
        fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001", "%s does not load: %s", from, text_get(why));
    } else {
        binary->lazy = options->lazy;
        binary_publish(binary);
    }
    text_free(why);
    return binary != NULL ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)
{
    API(binPath, options, binHandle);
    struct text why = {0};
    struct load_options read;
    REQUIRE(binPath);
    REQUIRE(binHandle);
    aclError code = read_options(options, true, &read);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct binary *binary = read.cpu ? cpubin_load_file(binPath, read.cpu_mode, &why) : load_elf_file(binPath, &why);
    return finish(binary, binPath, &read, &why, binHandle);
}

aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle)
{
    API(data, length, options, binHandle);
    struct text why = {0};
    struct load_options read;
    REQUIRE(data);
    REQUIRE(binHandle);
    if (length == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "length is 0, expected the binary's size in bytes");
    }
    aclError code = read_options(options, false, &read);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct binary *binary = read.cpu ? cpubin_load_data(length, &why) : load_elf_data(data, length, &read, &why);
    return finish(binary, "data", &read, &why, binHandle);
}

/* ---- the older way: a descriptor, loaded on the current device ------------------------------------------ */

struct descriptor {
    struct cell cell;
    const void *data; /* the caller's */
    size_t size;
};

aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen)
{
    API_OR(NULL, data, dataLen);
    if (data == NULL) {
        reject_null("data");
        return NULL;
    }
    struct descriptor *descriptor = handle_new(HANDLE_DESCRIPTOR);
    if (descriptor == NULL) {
        reject(ACL_ERROR_BAD_ALLOC, "EH9999", "no memory left for a binary's descriptor");
        return NULL;
    }
    descriptor->data = data;
    descriptor->size = dataLen;
    handle_publish(HANDLE_DESCRIPTOR, descriptor);
    return descriptor;
}

/* Ours: the real library frees or follows whatever it is given. */
static aclError no_descriptor(const void *binary)
{
    return reject(ACL_ERROR_INVALID_PARAM, "EH0007",
                  "binary is %p, expected what aclrtCreateBinary returned and nobody has destroyed", binary);
}

aclError aclrtDestroyBinary(aclrtBinary binary)
{
    API(binary);
    REQUIRE(binary);
    if (!handle_claim(HANDLE_DESCRIPTOR, binary)) {
        return no_descriptor(binary);
    }
    handle_free(HANDLE_DESCRIPTOR, binary);
    return ACL_SUCCESS;
}

/* Every device may launch its kernels afterwards, and none is found by entry. */
static aclError load_on_device(const struct descriptor *descriptor, struct device *device, aclrtBinHandle *binHandle)
{
    struct text why = {0};
    struct load_options none = {0};
    struct binary *binary = load_elf_data(descriptor->data, descriptor->size, &none, &why);
    if (binary == NULL) {
        fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001", "binary does not load: %s", text_get(&why));
        text_free(&why);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    aclError code = image_copy(binary, device);
    if (code != ACL_SUCCESS) {
        binary_free(binary);
        return code;
    }
    table_free(&binary->by_entry);
    binary->everywhere = true;
    binary_publish(binary);
    *binHandle = binary;
    return ACL_SUCCESS;
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle)
{
    API(binary, binHandle);
    REQUIRE(binary);
    REQUIRE(binHandle);
    if (!handle_alive(HANDLE_DESCRIPTOR, binary)) {
        return no_descriptor(binary);
    }
    const struct descriptor *descriptor = binary;
    if (descriptor->size == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "binary has 0 bytes, expected the binary's size");
    }
    struct context *context = context_current();
    return context != NULL ? load_on_device(descriptor, context->device, binHandle) : context_missing();
}

/* ---- unloading ---------------------------------------------------------------------------------------- */

/* A binary that the caller has claimed. */
static void unload(struct binary *binary)
{
    for (size_t i = 0; i < binary->count; ++i) {
        handle_claim(HANDLE_FUNCTION, binary->functions[i]);
    }
    if (!use_wait(binary)) {
        binary->library = NULL; /* a kernel unloads its own code: that must stay */
    }
    bind_forget(binary);
    image_free(binary);
    binary_free(binary);
}

static void claim_and_unload(void *object)
{
    if (handle_claim(HANDLE_BINARY, object)) {
        unload(object);
    }
}

static void claim_and_forget(void *object)
{
    if (handle_claim(HANDLE_DESCRIPTOR, object)) {
        handle_free(HANDLE_DESCRIPTOR, object);
    }
}

void binary_reset(void)
{
    handle_each(HANDLE_BINARY, claim_and_unload);
    handle_each(HANDLE_DESCRIPTOR, claim_and_forget);
}

/* Code that was loaded on one device goes with a context only, as in the real library. */
aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
    API(binHandle);
    REQUIRE(binHandle);
    struct binary *binary = binary_of(binHandle);
    if (binary == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (binary->everywhere && context_current() == NULL) {
        return context_missing();
    }
    if (!handle_claim(HANDLE_BINARY, binHandle)) {
        binary_of(binHandle);
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    unload(binary);
    return ACL_SUCCESS;
}
