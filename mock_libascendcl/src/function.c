/* What there is to ask about a function. */
#include <string.h>

#include "hidden.h"
#include "image.h"
#include "soc.h"

#define UBUF_ROOM ((size_t)229376) /* 256 KiB of unified buffer without the 32 KiB that threads use */

/* The function of a handle that may not be NULL for the runtime. NULL: reported, in thread_call.result. */
static struct function *required(const void *handle, const char *argument)
{
    if (handle == NULL) {
        fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "%s is NULL, expected a function handle", argument);
        return NULL;
    }
    return function_of(handle, argument);
}

static aclError null_output(const char *argument)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "%s is NULL, expected a valid pointer", argument);
}

static aclError is_cpu(const struct function *function, const char *what)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "%s is an AI CPU kernel, which has no %s", function->name, what);
}

/* A kernel whose only half is on vector cores: what there is of it is reported there. */
static bool is_vector_only(const struct function *function)
{
    return function->second.offset == 0 && (function->type == ACL_KERNEL_TYPE_VECTOR || function->mix == MIX_AIV);
}

/* ---- name and owner ----------------------------------------------------------------------------------- */

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name)
{
    API(funcHandle, maxLen, name);
    REQUIRE(name);
    const struct function *function = required(funcHandle, "funcHandle");
    if (function == NULL) {
        return thread_call.result;
    }
    size_t size = strlen(function->name) + 1;
    if (maxLen < size) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "maxLen is %u, %s takes %zu bytes", maxLen, function->name, size);
    }
    memcpy(name, function->name, size);
    return ACL_SUCCESS;
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle)
{
    API(funcHandle, binHandle);
    const struct function *function = required(funcHandle, "funcHandle");
    if (function == NULL) {
        return thread_call.result;
    }
    if (binHandle == NULL) {
        return null_output("binHandle");
    }
    *binHandle = function->binary;
    return ACL_SUCCESS;
}

/* ---- code --------------------------------------------------------------------------------------------- */

static void *code_address(uint64_t base, struct code code)
{
    return (void *)(uintptr_t)(base + code.offset);
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr)
{
    API(funcHandle, aicAddr, aivAddr);
    REQUIRE(funcHandle);
    REQUIRE(aicAddr);
    REQUIRE(aivAddr);
    const struct function *function = function_of(funcHandle, "funcHandle");
    if (function == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (function->cpu) {
        return is_cpu(function, "address");
    }
    *aicAddr = *aivAddr = NULL; /* even if what follows fails */
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    struct binary *binary = function->binary;
    aclError code = binary->lazy ? image_copy(binary, context->device) : ACL_SUCCESS;
    if (code != ACL_SUCCESS) {
        return code;
    }
    uint64_t base = image_base(binary, context->device); /* 0 where the code is not: then these are offsets */
    void *first = code_address(base, function->first);
    bool vector = is_vector_only(function);
    *aicAddr = vector ? NULL : first;
    *aivAddr = vector ? first : function->second.offset != 0 ? code_address(base, function->second) : NULL;
    return ACL_SUCCESS;
}

aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t *aicSize, size_t *aivSize)
{
    API(funcHandle, aicSize, aivSize);
    if (!soc_has_mix()) {
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE9999", "%s does not know the sizes of functions",
                    soc_current()->name);
    }
    const struct function *function = required(funcHandle, "funcHandle");
    if (function == NULL) {
        return thread_call.result;
    }
    if (aicSize == NULL || aivSize == NULL) {
        return null_output(aicSize == NULL ? "aicSize" : "aivSize");
    }
    if (function->cpu) {
        return is_cpu(function, "size");
    }
    bool vector = is_vector_only(function);
    *aicSize = vector ? 0 : function->first.size;
    *aivSize = vector ? function->first.size : function->second.size;
    return ACL_SUCCESS;
}

/* ---- attributes --------------------------------------------------------------------------------------- */

/* Vector cores in the low 16 bits, cube cores in the next 16. */
static uint32_t core_ratio(const struct function *function)
{
    uint32_t most = function->ratio;
    uint32_t least = most != 0 ? 1 : 0;
    switch (function->mix) {
    case MIX_AIC: return 1u << 16;
    case MIX_AIV: return 1u;
    case MIX_MAIN_AIC: return least << 16 | most;
    case MIX_MAIN_AIV: return most << 16 | least;
    default: return 0;
    }
}

static aclError get_ratio(const struct function *function, int64_t *value)
{
    if (!soc_has_mix()) {
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE9999", "%s has no kernels on cube and vector cores together",
                    soc_current()->name);
    }
    if (function->cpu) {
        return is_cpu(function, "ratio of cores");
    }
    uint32_t ratio = core_ratio(function);
    memcpy(value, &ratio, sizeof(ratio)); /* the other 32 bits stay what they were */
    return ACL_SUCCESS;
}

aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType, int64_t *attrValue)
{
    API(funcHandle, attrType, attrValue);
    REQUIRE(funcHandle);
    REQUIRE(attrValue);
    const struct function *function = function_of(funcHandle, "funcHandle");
    if (function == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    switch (attrType) {
    case ACL_FUNC_ATTR_KERNEL_TYPE:
        *attrValue = function->type;
        return ACL_SUCCESS;
    case ACL_FUNC_ATTR_KERNEL_RATIO:
        return get_ratio(function, attrValue);
    case ACL_FUNC_ATTR_KERNEL_SCHED_MODE:
        *attrValue = function->schedule_mode;
        return ACL_SUCCESS;
    default:
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "attrType is %d, expected 1 (kernel type), 2 (ratio of cores) or "
                    "3 (schedule mode)", (int)attrType);
    }
}

aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags, size_t *dynamicUbufSize)
{
    API(func, flags, dynamicUbufSize);
    REQUIRE(func);
    REQUIRE(dynamicUbufSize);
    if (flags != 0) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "flags is %u, expected 0", flags);
    }
    const struct function *function = function_of(func, "func");
    if (function == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (!function->simt) {
        *dynamicUbufSize = 0;
        return ACL_SUCCESS;
    }
    if (function->ubuf_used > UBUF_ROOM) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "%s uses %u bytes of unified buffer, there are %zu",
                    function->name, function->ubuf_used, UBUF_ROOM);
    }
    *dynamicUbufSize = UBUF_ROOM - function->ubuf_used;
    return ACL_SUCCESS;
}

/* ---- parameters --------------------------------------------------------------------------------------- */

/* NULL: reported, in thread_call.result. */
static const struct function *with_params(const void *handle)
{
    const struct function *function = function_of(handle, "func");
    if (function == NULL) {
        return NULL;
    }
    if (function->cpu) {
        fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s is an AI CPU kernel, which has no parameter table",
                     function->name);
        return NULL;
    }
    if (!function->has_params) {
        fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001", "%s has no parameter table: its binary's metadata describes none",
             function->name);
        return NULL;
    }
    return function;
}

aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount)
{
    API(func, paramCount);
    REQUIRE(func);
    REQUIRE(paramCount);
    const struct function *function = with_params(func);
    if (function == NULL) {
        return thread_call.result;
    }
    *paramCount = function->num_params;
    return ACL_SUCCESS;
}

aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    API(func, paramIndex, paramOffset, paramSize);
    REQUIRE(func);
    if (paramOffset == NULL && paramSize == NULL) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0014", "paramOffset and paramSize are both NULL, expected one of them");
    }
    const struct function *function = with_params(func);
    if (function == NULL) {
        return thread_call.result;
    }
    if (paramIndex >= function->num_params) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "paramIndex is %zu, %s has %u parameters", paramIndex,
                    function->name, function->num_params);
    }
    if (paramOffset != NULL) {
        *paramOffset = function->params[paramIndex].offset;
    }
    if (paramSize != NULL) {
        *paramSize = function->params[paramIndex].size;
    }
    return ACL_SUCCESS;
}

/* ---- the hardware's sync address ---------------------------------------------------------------------- */

aclError aclrtGetHardwareSyncAddr(void **addr)
{
    API(addr);
    if (addr == NULL) {
        return null_output("addr");
    }
    if (!soc_is(SOC_A2)) {
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE9999", "%s has no inter-core sync", soc_current()->name);
    }
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    uint64_t address = hidden_sync(context->device);
    if (address == 0) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "device %d has no memory left for its inter-core sync block",
                    context->device->user_id);
    }
    *addr = (void *)(uintptr_t)address;
    return ACL_SUCCESS;
}
