#include <string.h>

#include "binary.h"

/* ---- names -------------------------------------------------------------------------------------------- */

static struct function *find_function(const struct binary *binary, const char *name)
{
    size_t low = 0;
    size_t high = binary->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, binary->functions[middle]->name);
        if (order == 0) {
            return binary->functions[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

/* How many letters to change, drop or add to make b of a; names longer than the table count as different. */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 128 };
    size_t row[LONGEST + 1];
    size_t length = strlen(b);
    if (length > LONGEST || strlen(a) > LONGEST) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= length; ++j) {
        row[j] = j;
    }
    for (size_t i = 1; a[i - 1] != '\0'; ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; ++j) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = size_min(size_min(row[j], row[j - 1]) + 1, change);
        }
    }
    return row[length];
}

#define NAMES_SHOWN 20

/* The names there are, and the closest one when it is close. */
static void list_names(const struct binary *binary, const char *wanted, struct text *text)
{
    size_t best = strlen(wanted) / 2 + 1;
    const char *closest = NULL;
    for (size_t i = 0; i < binary->count; ++i) {
        size_t steps = distance(wanted, binary->functions[i]->name);
        if (steps < best) {
            best = steps;
            closest = binary->functions[i]->name;
        }
    }
    if (closest != NULL) {
        text_add(text, "; did you mean %s?", closest);
    }
    text_add(text, " It has %zu:", binary->count);
    for (size_t i = 0; i < binary->count && i < NAMES_SHOWN; ++i) {
        text_add(text, " %s", binary->functions[i]->name);
    }
    text_add(text, "%s", binary->count > NAMES_SHOWN ? " ..." : "");
}

static aclError unknown_kernel(const struct binary *binary, const char *name)
{
    struct text names = {0};
    list_names(binary, name, &names);
    fail(ACL_ERROR_RT_PARAM_INVALID, "EE1011", "%s has no kernel named %s%s", binary->path, name, text_get(&names));
    text_free(&names);
    return ACL_ERROR_RT_PARAM_INVALID;
}

/* ---- the ABI: look-up --------------------------------------------------------------------------------- */

/* From now on the binary's functions can be launched on the device. */
static void install(struct binary *binary, struct device *device)
{
    atomic_store_explicit(&binary->installed[device->user_id].epoch, atomic_load(&device->epoch), memory_order_release);
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName, aclrtFuncHandle *funcHandle)
{
    API(binHandle, kernelName, funcHandle);
    REQUIRE(binHandle);
    REQUIRE(kernelName);
    REQUIRE(funcHandle);
    struct binary *binary = binary_of(binHandle);
    if (binary == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    *funcHandle = NULL;
    struct context *context = context_current();
    if (context == NULL) {
        context_missing();
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001", "kernel %s cannot be looked up without a device; call aclrtSetDevice first", kernelName);
    }
    install(binary, context->device);
    struct function *function = find_function(binary, kernelName);
    if (function == NULL) {
        return unknown_kernel(binary, kernelName);
    }
    *funcHandle = function;
    return ACL_SUCCESS;
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name)
{
    API(funcHandle, maxLen, name);
    REQUIRE(name);
    if (funcHandle == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "funcHandle is NULL, expected a function handle");
    }
    const struct function *function = function_of(funcHandle, "funcHandle");
    if (function == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    size_t size = strlen(function->name) + 1;
    if (maxLen < size) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "maxLen is %u, %s takes %zu bytes", maxLen, function->name, size);
    }
    memcpy(name, function->name, size);
    return ACL_SUCCESS;
}
