#include <string.h>

#include "aclmock/aclmock.h"
#include "hostbin.h"

/* ---- kernels without a file --------------------------------------------------------------------------- */

static void run_nothing(aclmock_ctx *ctx)
{
    (void)ctx;
}

static bool add_all(struct binary *binary, const aclmock_kernel *kernels, size_t count, struct text *why)
{
    for (size_t i = 0; i < count; ++i) {
        aclmock_kernel kernel = kernels[i];
        if (kernel.run == NULL) {
            kernel.run = run_nothing;
        }
        if (!hostbin_add(binary, &kernel, why)) {
            return false;
        }
    }
    return binary_index_entries(binary, why);
}

aclError aclmock_make_binary(const aclmock_kernel *kernels, size_t count, aclrtBinHandle *binHandle)
{
    API(kernels, count, binHandle);
    struct text why = {0};
    REQUIRE(kernels);
    REQUIRE(binHandle);
    struct binary *binary = binary_new("(made in memory)");
    if (binary == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left for a binary");
    }
    if (!add_all(binary, kernels, count, &why)) {
        binary_free(binary);
        fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001", "kernels make no binary: %s", text_get(&why));
        text_free(&why);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    binary_publish(binary);
    *binHandle = binary;
    return ACL_SUCCESS;
}

size_t aclmock_kernel_names(const aclrtBinHandle binHandle, char *names, size_t room)
{
    API_OR(0, binHandle, names, room);
    struct binary *binary = binary_of(binHandle);
    if (binary == NULL) {
        return 0;
    }
    size_t needed = 1;
    pthread_mutex_lock(&binary->lock);
    for (size_t i = 0; i < binary->count; ++i) {
        size_t length = strlen(binary->functions[i]->name);
        if (needed + length < room) {
            memcpy(names + needed - 1, binary->functions[i]->name, length);
            names[needed - 1 + length] = '\n';
        }
        needed += length + 1;
    }
    pthread_mutex_unlock(&binary->lock);
    if (needed <= room) {
        names[needed - 1] = '\0';
    }
    return needed;
}

/* ---- traits ------------------------------------------------------------------------------------------- */

aclError aclmock_get_traits(const aclrtFuncHandle funcHandle, aclmock_traits *traits)
{
    API(funcHandle, traits);
    REQUIRE(traits);
    const struct function *function = function_of(funcHandle, "funcHandle");
    if (function == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    *traits = (aclmock_traits){
        .system_slots = function->system_slots,
        .overflow = function->overflow,
        .ffts = function->ffts,
        .simt = function->simt,
        .max_params = function->user_params,
        .has_params = function->has_params,
        .params_size = function->params_size,
        .args_size = function->args_size,
    };
    return ACL_SUCCESS;
}

static aclError check_traits(const aclmock_traits *traits)
{
    const struct {
        const char *name;
        uint32_t value;
        uint32_t most;
    } rows[] = {
        {"system_slots", traits->system_slots, UINT8_MAX}, {"overflow", traits->overflow, 1},
        {"ffts", traits->ffts, 1},                         {"simt", traits->simt, 1},
        {"max_params", traits->max_params, UINT16_MAX},    {"has_params", traits->has_params, 1},
    };
    for (size_t i = 0; i < COUNT(rows); ++i) {
        if (rows[i].value > rows[i].most) {
            return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "traits.%s is %u, expected 0 to %u", rows[i].name,
                          rows[i].value, rows[i].most);
        }
    }
    return ACL_SUCCESS;
}

aclError aclmock_set_traits(aclrtFuncHandle funcHandle, const aclmock_traits *traits)
{
    API(funcHandle, traits);
    REQUIRE(traits);
    struct function *function = function_of(funcHandle, "funcHandle");
    aclError code = function != NULL ? check_traits(traits) : ACL_ERROR_RT_INVALID_HANDLE;
    if (code != ACL_SUCCESS) {
        return code;
    }
    function->system_slots = (uint8_t)traits->system_slots;
    function->overflow = traits->overflow != 0 && !function->cpu;
    function->ffts = traits->ffts != 0;
    function->simt = traits->simt != 0;
    function->user_params = (uint16_t)traits->max_params;
    function->has_params = traits->has_params != 0;
    function->params_size = traits->params_size;
    function->args_size = traits->args_size;
    function_set_head(function);
    return ACL_SUCCESS;
}
