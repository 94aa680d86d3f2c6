#include "cpubin.h"

#include <stdio.h>
#include <string.h>

#include "file.h"
#include "json.h"

/* ---- kernels ------------------------------------------------------------------------------------------ */

struct function *cpubin_register(struct binary *binary, const char *name, struct text *why)
{
    struct function *known = binary_find(binary, name);
    struct function *function = known != NULL ? known : binary_add(binary, name, why);
    if (function != NULL) {
        function->type = ACL_KERNEL_TYPE_AICPU;
        function->cpu = true;
        function->user_params = PARAMS_AT_MOST;
    }
    return function;
}

static bool library_is_known(const struct json *info)
{
    static const char *const known[] = {"CUSTAICPUKernel", "AICPUKernel", "TFKernel", "KFCKernel", "CUSTKFCKernel"};
    const char *library = json_member_string(info, "opKernelLib");
    for (size_t i = 0; library != NULL && i < COUNT(known); ++i) {
        if (strcmp(library, known[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A member of the wrong type drops the kernel without a word. */
static bool members_are_strings(const struct json *info)
{
    static const char *const names[] = {"functionName", "kernelSo", "opKernelLib", "userDefined"};
    for (size_t i = 0; i < COUNT(names); ++i) {
        const struct json *member = json_member(info, names[i]);
        if (member != NULL && member->type != JSON_STRING) {
            return false;
        }
    }
    return true;
}

/* Whatever has "opInfo" is a kernel, named by its key or its place in the list. */
static bool read_kernel(struct binary *binary, const struct json *document, const struct json *value, size_t index,
                        struct text *why)
{
    char place[32];
    const struct json *info = json_member(value, "opInfo");
    if (info == NULL || !members_are_strings(info)) {
        return true;
    }
    snprintf(place, sizeof(place), "%zu", index);
    struct function *function = cpubin_register(binary, document->type == JSON_OBJECT ? value->key : place, why);
    if (function != NULL) {
        function->cpu_library_unknown = !library_is_known(info);
    }
    return function != NULL;
}

/* Of two members with one key the last counts. */
static bool is_last(const struct json *value)
{
    for (const struct json *later = value->next; value->key != NULL && later != NULL; later = later->next) {
        if (strcmp(later->key, value->key) == 0) {
            return false;
        }
    }
    return true;
}

static bool read_kernels(struct binary *binary, const uint8_t *data, size_t size, struct text *why)
{
    struct json *document = json_parse(data, size, why);
    bool read = document != NULL;
    size_t index = 0;
    for (const struct json *value = read ? document->first : NULL; value != NULL && read; value = value->next) {
        read = !is_last(value) || read_kernel(binary, document, value, index, why);
        ++index;
    }
    json_free(document);
    return read;
}

/* ---- files -------------------------------------------------------------------------------------------- */

static bool read_json(struct binary *binary, const char *path, struct text *why)
{
    size_t size;
    uint8_t *data = file_read(path, &size, why);
    bool read = data != NULL && read_kernels(binary, data, size, why);
    host_free(data);
    return read;
}

static bool read_library(struct binary *binary, const char *path, struct text *why)
{
    uint8_t *data = file_read(path, &binary->size, why);
    host_free(data);
    return data != NULL;
}

static struct binary *new_program(const char *path, struct text *why)
{
    struct binary *binary = path != NULL ? binary_new(path) : NULL;
    if (binary == NULL) {
        text_add(why, "no memory left");
        return NULL;
    }
    binary->kind = BINARY_CPU;
    return binary;
}

struct binary *cpubin_load_file(const char *path, int32_t mode, struct text *why)
{
    char *json = file_replace_extension(path, ".json");
    char *library = file_replace_extension(path, ".so");
    struct binary *binary = new_program(json, why);
    bool read = binary != NULL && (mode == 0 || (library != NULL && read_library(binary, library, why))) &&
                read_json(binary, json, why);
    host_free(json);
    host_free(library);
    if (binary != NULL && !read) {
        binary_free(binary);
        return NULL;
    }
    return binary;
}

struct binary *cpubin_load_data(size_t size, struct text *why)
{
    struct binary *binary = new_program("AI CPU library in memory", why);
    if (binary != NULL) {
        binary->size = size;
    }
    return binary;
}
