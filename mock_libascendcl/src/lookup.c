/* Finding things in binaries: functions, code and variables. */
#include <string.h>

#include "cpubin.h"
#include "image.h"

/* ---- names that are not there ------------------------------------------------------------------------- */

/* How many letters to change, drop or add to make b of a; SIZE_MAX when that is `limit` or more. */
static size_t distance(const char *a, const char *b, size_t limit)
{
    enum { LONGEST = 128 }; /* of what differs */
    size_t row[LONGEST + 1];
    while (*a != '\0' && *a == *b) { /* names of one compiler begin alike */
        ++a;
        ++b;
    }
    size_t length_a = strlen(a);
    size_t length_b = strlen(b);
    size_t apart = length_a > length_b ? length_a - length_b : length_b - length_a;
    if (apart >= limit || length_a > LONGEST || length_b > LONGEST) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= length_b; ++j) {
        row[j] = j;
    }
    for (size_t i = 1; i <= length_a; ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length_b; ++j) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = size_min(size_min(row[j], row[j - 1]) + 1, change);
        }
    }
    return row[length_b] < limit ? row[length_b] : SIZE_MAX;
}

#define NAMES_SHOWN 20
#define NAMES_COMPARED 1000

/* The names there are, and the closest one when it is close. */
static void list_names(const struct binary *binary, const char *wanted, struct text *text)
{
    size_t best = strlen(wanted) / 2 + 1;
    const char *closest = NULL;
    for (size_t i = 0; i < binary->count && i < NAMES_COMPARED; ++i) {
        size_t steps = distance(wanted, binary->functions[i]->name, best);
        if (steps != SIZE_MAX) {
            best = steps;
            closest = binary->functions[i]->name;
        }
    }
    if (closest != NULL) {
        text_add(text, "; did you mean %s?", closest);
    }
    text_add(text, "%s It has %zu:", closest != NULL ? "" : ".", binary->count);
    for (size_t i = 0; i < binary->count && i < NAMES_SHOWN; ++i) {
        text_add(text, " %s", binary->functions[i]->name);
    }
    text_add(text, "%s", binary->count > NAMES_SHOWN ? " ..." : "");
}

static aclError unknown_kernel(struct binary *binary, const char *name)
{
    struct text names = {0};
    pthread_mutex_lock(&binary->lock);
    list_names(binary, name, &names);
    pthread_mutex_unlock(&binary->lock);
    fail(ACL_ERROR_RT_PARAM_INVALID, "EE1011", "%s has no kernel named %s%s", binary->path, name, text_get(&names));
    text_free(&names);
    return ACL_ERROR_RT_PARAM_INVALID;
}

/* ---- functions ---------------------------------------------------------------------------------------- */

/* An AI CPU binary may get functions while others look. */
static struct function *find_function(struct binary *binary, const char *name)
{
    if (binary->kind != BINARY_CPU) {
        return binary_find(binary, name);
    }
    pthread_mutex_lock(&binary->lock);
    struct function *function = binary_find(binary, name);
    pthread_mutex_unlock(&binary->lock);
    return function;
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
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001", "kernel %s cannot be looked up without a device; call "
                    "aclrtSetDevice first", kernelName);
    }
    if (image_install(binary, context->device) != ACL_SUCCESS) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001", "kernel %s cannot be looked up: its code is not on device %d",
                    kernelName, context->device->user_id);
    }
    *funcHandle = find_function(binary, kernelName);
    return *funcHandle != NULL ? ACL_SUCCESS : unknown_kernel(binary, kernelName);
}

static aclError find_by_entry(struct binary *binary, uint64_t entry, aclrtFuncHandle *funcHandle)
{
    struct context *context = context_current();
    *funcHandle = NULL;
    aclError code = context != NULL ? image_install(binary, context->device) : context_missing();
    if (code != ACL_SUCCESS) {
        return code;
    }
    *funcHandle = binary_find_entry(binary, entry);
    if (*funcHandle == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1011", "%s has no kernel with entry (tiling key) %llu%s", binary->path,
                    (unsigned long long)entry, binary->everywhere ? ": aclrtBinaryLoad makes none of them known" : "");
    }
    return ACL_SUCCESS;
}

aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle *funcHandle)
{
    API(binHandle, funcEntry, funcHandle);
    REQUIRE(binHandle);
    REQUIRE(funcHandle);
    struct binary *binary = binary_of(binHandle);
    if (binary == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (binary->kind == BINARY_CPU) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "binHandle is an AI CPU program, whose kernels have no entries");
    }
    return find_by_entry(binary, funcEntry, funcHandle);
}

/* With the binary's lock held. A name that is known stays what it is. */
static aclError register_function(struct binary *binary, const char *name, aclrtFuncHandle *handle)
{
    struct text why = {0};
    struct function *function = binary_find(binary, name);
    if (function == NULL) {
        function = cpubin_register(binary, name, &why);
        if (function == NULL) {
            text_free(&why);
            return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left for kernel %s", name);
        }
        handle_publish(HANDLE_FUNCTION, function);
    }
    *handle = function;
    return ACL_SUCCESS;
}

static aclError register_here(struct binary *binary, const char *name, aclrtFuncHandle *handle)
{
    struct context *context = context_current();
    if (context == NULL && find_function(binary, name) == NULL) {
        return context_missing();
    }
    pthread_mutex_lock(&binary->lock);
    aclError code = register_function(binary, name, handle);
    pthread_mutex_unlock(&binary->lock);
    return code == ACL_SUCCESS && context != NULL ? image_install(binary, context->device) : code;
}

/* funcName is not looked for in the library, as in the real one. */
aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char *funcName, const char *kernelName,
                              aclrtFuncHandle *funcHandle)
{
    API(handle, funcName, kernelName, funcHandle);
    REQUIRE(handle);
    REQUIRE(funcName);
    REQUIRE(kernelName);
    REQUIRE(funcHandle);
    struct binary *binary = binary_of(handle);
    if (binary == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    *funcHandle = NULL;
    if (binary->kind != BINARY_CPU) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "handle is %s, expected a program loaded with the option "
                    "ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE", binary->path);
    }
    return register_here(binary, kernelName, funcHandle);
}

/* Programs register symbols through code that the Ascend compiler generates, which has no part in the mock. */
aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle)
{
    API(symbol, funcHandle);
    REQUIRE(symbol);
    REQUIRE(funcHandle);
    if (context_current() == NULL) {
        return context_missing();
    }
    return fail(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION, "EE1011",
                "symbol is %p, which no program has registered: look kernels up with aclrtBinaryGetFunction", symbol);
}

/* ---- code and variables ------------------------------------------------------------------------------- */

aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, void **binAddr, size_t *binSize)
{
    API(binHandle, binAddr, binSize);
    REQUIRE(binHandle);
    struct binary *binary = binary_of(binHandle);
    if (binary == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (binAddr == NULL || binSize == NULL) { /* the real library dies of the second */
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "%s is NULL, expected a valid pointer",
                    binAddr == NULL ? "binAddr" : "binSize");
    }
    struct context *context = context_current();
    aclError code = context != NULL ? image_install(binary, context->device) : context_missing();
    if (code == ACL_SUCCESS) {
        *binAddr = (void *)(uintptr_t)image_base(binary, context->device);
        *binSize = binary->kind == BINARY_CPU ? binary->size : binary->image.size;
    }
    return code;
}

static aclError check_global(const struct binary *binary)
{
    if (binary->kind == BINARY_CPU) {
        return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "binHandle is an AI CPU program, which has no variables");
    }
    return context_current() == NULL ? context_missing() : ACL_SUCCESS;
}

static aclError unknown_global(const struct binary *binary, const char *name)
{
    struct text names = {0};
    for (size_t i = 0; i < binary->num_globals && i < NAMES_SHOWN; ++i) {
        text_add(&names, " %s", binary->globals[i].name);
    }
    fail(ACL_ERROR_RT_SYMBOL_NOT_FOUND, "EE1011", "%s has no global variable named %s. It has %zu:%s", binary->path,
         name, binary->num_globals, text_get(&names));
    text_free(&names);
    return ACL_ERROR_RT_SYMBOL_NOT_FOUND;
}

aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char *name, void **dptr, size_t *size)
{
    API(binHandle, name, dptr, size);
    REQUIRE(binHandle);
    REQUIRE(name);
    if (dptr == NULL && size == NULL) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0014", "dptr and size are both NULL, expected one of them");
    }
    struct binary *binary = binary_of(binHandle);
    if (binary == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    aclError code = check_global(binary);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct device *device = context_current()->device;
    code = image_install(binary, device);
    if (code == ACL_SUCCESS) {
        code = image_copy(binary, device); /* of a lazily loaded binary too */
    }
    if (code != ACL_SUCCESS) {
        return code;
    }
    const struct global *global = binary_find_global(binary, name);
    if (global == NULL) {
        return unknown_global(binary, name);
    }
    if (dptr != NULL) {
        *dptr = (void *)(uintptr_t)(image_base(binary, device) + global->offset);
    }
    if (size != NULL) {
        *size = (size_t)global->size;
    }
    return ACL_SUCCESS;
}
