#include <string.h>

#include "args.h"
#include "check.h"
#include "hidden.h"
#include "soc.h"

/* ---- handles ------------------------------------------------------------------------------------------ */

static struct args_param *param_of(const void *handle)
{
    const struct cell *cell = handle;
    struct args_param *param = CONTAINER(cell, struct args_param, cell);
    if (LIKELY(args_guess_is(cell, MAGIC_PARAM, param))) {
        return param;
    }
    fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017",
         "paramHandle is %p, no live parameter: its list was initialised again since, or it is a handle of another "
         "kind", handle);
    return NULL;
}

/* A dead function can still be looked at. */
ALWAYS_INLINE bool function_lives(const struct function *function)
{
    return LIKELY(atomic_load_explicit(&function->cell.magic, memory_order_acquire) == MAGIC_FUNCTION);
}

/* Whether the binary of the list's kernel is still loaded. The real library would follow a dead pointer here. */
ALWAYS_INLINE bool kernel_lives(const struct args *args)
{
    struct function *function = args->function;
    /* Our own memory holds what was checked once. */
    if (LIKELY(args == args_own) ? function_lives(function) : handle_alive(HANDLE_FUNCTION, function)) {
        return true;
    }
    fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017", "the kernel of this argument list has been unloaded");
    return false;
}

/* ---- layout ------------------------------------------------------------------------------------------- */

/* Room for `size` bytes at the next place; its offset, or false when they do not fit. */
ALWAYS_INLINE bool next_place(const struct args *args, size_t size, size_t *offset)
{
    *offset = (args->size + args->pad) & ~args->pad;
    return size <= args->room && *offset <= args->room - size;
}

/* Whoever cannot complete a list gives it up: that it is lost then is no mistake (args_check_lost). */
static aclError does_not_fit(struct args *args, const char *what, size_t size)
{
    ++args->launches;
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "%s of %zu bytes does not fit: %zu of the buffer's %zu are in use",
                what, size, args->size, args->room);
}

static aclError too_many(struct args *args)
{
    ++args->launches;
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "this would be parameter %u, %s takes %u at most",
                args->params + 1u, args->function->name, args->max_params);
}

static aclError after_finalize(void)
{
    return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1001",
                "the argument list is finalized; only aclrtKernelArgsParaUpdate is possible now, or a new Init");
}

static aclError after_get_buffer(void)
{
    return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1001",
                "a placeholder's buffer has been handed out: append all parameters before the first "
                "aclrtKernelArgsGetPlaceHolderBuffer");
}

/* The place of one parameter more. */
static aclError place_param(struct args *args, const char *what, size_t size, size_t *offset)
{
    if (UNLIKELY(args->params >= args->max_params)) {
        return too_many(args);
    }
    return LIKELY(next_place(args, size, offset)) ? ACL_SUCCESS : does_not_fit(args, what, size);
}

/* As the real library's checked copy: from itself is fine, from a place that overlaps clears the target. */
COLD static aclError copy_overlapping(uint8_t *target, const void *value, size_t size)
{
    if (target == value) {
        return ACL_SUCCESS;
    }
    memset(target, 0, size);
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "param is %p, which overlaps the parameter's place in the buffer",
                value);
}

ALWAYS_INLINE bool overlaps(const struct args *args, size_t offset, const void *value, size_t size)
{
    uintptr_t target = (uintptr_t)(args->buffer + offset);
    return (target > (uintptr_t)value ? target - (uintptr_t)value : (uintptr_t)value - target) < size;
}

static aclError copy_value(struct args *args, size_t offset, const void *value, size_t size)
{
    if (UNLIKELY(overlaps(args, offset, value, size))) {
        return copy_overlapping(args->buffer + offset, value, size);
    }
    memcpy(args->buffer + offset, value, size);
    return ACL_SUCCESS;
}

ALWAYS_INLINE aclrtParamHandle add_param(struct args *args, bool placeholder, size_t offset, size_t size)
{
    struct args_param *param = &args->param[args->params++];
    param->placeholder = placeholder;
    param->offset = offset;
    param->size = size;
    param->data_offset = 0;
    param->cell.object = param;
    atomic_store_explicit(&param->cell.magic, MAGIC_PARAM, memory_order_release);
    args->placeholders = (uint8_t)(args->placeholders + placeholder);
    args->size = offset + size;
    return &param->cell;
}

__attribute__((noinline)) static aclError append(aclrtArgsHandle argsHandle, void *param, size_t paramSize,
                                                 aclrtParamHandle *paramHandle)
{
    API_AS("aclrtKernelArgsAppend", argsHandle, param, paramSize, paramHandle);
    REQUIRE(argsHandle);
    REQUIRE(param);
    REQUIRE_SIZE(paramSize);
    REQUIRE(paramHandle);
    struct args *args = args_of(argsHandle);
    if (UNLIKELY(args == NULL || !kernel_lives(args))) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    size_t offset;
    if (UNLIKELY(args->finalized)) {
        return after_finalize();
    }
    if (UNLIKELY(args->got_buffer)) {
        return after_get_buffer();
    }
    aclError code = place_param(args, "a parameter", paramSize, &offset);
    if (code == ACL_SUCCESS) {
        code = copy_value(args, offset, param, paramSize);
    }
    if (code == ACL_SUCCESS) {
        *paramHandle = add_param(args, false, offset, paramSize);
    }
    return code;
}

/* The usual case at one look: 8 or 4 bytes more in the thread's own list, and nothing to complain of. Four of the ten
 * calls of a launch are this one, and the name that API() keeps for messages would be a third of it. */
ALWAYS_INLINE bool append_usual(const void *handle, const void *value, size_t size, aclrtParamHandle *param)
{
    struct args *args = args_own;
    bool own = args != NULL && handle == &args->cell && !call_watched(WATCH_ANY);
    if (UNLIKELY(!own || value == NULL || param == NULL || (size != ARGS_SLOT && size != ARGS_SLOT / 2))) {
        return false;
    }
    size_t offset;
    bool open = !args->finalized && !args->got_buffer && args->params < args->max_params;
    if (UNLIKELY(!open || !function_lives(args->function) || !next_place(args, size, &offset) ||
                 overlaps(args, offset, value, size))) {
        return false;
    }
    if (LIKELY(size == ARGS_SLOT)) {
        memcpy(args->buffer + offset, value, ARGS_SLOT);
    } else {
        memcpy(args->buffer + offset, value, ARGS_SLOT / 2);
    }
    *param = add_param(args, false, offset, size);
    return true;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize, aclrtParamHandle *paramHandle)
{
    bool done = append_usual(argsHandle, param, paramSize, paramHandle);
    return LIKELY(done) ? ACL_SUCCESS : append(argsHandle, param, paramSize, paramHandle);
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle)
{
    API(argsHandle, paramHandle);
    REQUIRE(argsHandle);
    REQUIRE(paramHandle);
    struct args *args = args_of(argsHandle);
    if (UNLIKELY(args == NULL || !kernel_lives(args))) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    size_t offset;
    if (UNLIKELY(args->got_buffer)) {
        return after_get_buffer();
    }
    if (UNLIKELY(args->finalized)) {
        return after_finalize();
    }
    aclError code = place_param(args, "a placeholder", ARGS_SLOT, &offset);
    if (UNLIKELY(code != ACL_SUCCESS)) {
        return code;
    }
    args->holder_site = check_on() ? check_site() : args->holder_site;
    *paramHandle = add_param(args, true, offset, ARGS_SLOT);
    return ACL_SUCCESS;
}

/* The hidden slot behind the parameters, once a list. */
static aclError append_overflow(struct args *args)
{
    size_t offset;
    if (args->overflow_done || !args->function->overflow || args->function->system_slots == 0) {
        return ACL_SUCCESS;
    }
    if (UNLIKELY(!next_place(args, ARGS_SLOT, &offset))) {
        return does_not_fit(args, "the hidden overflow slot", ARGS_SLOT);
    }
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    uint64_t address = hidden_overflow(context);
    memcpy(args->buffer + offset, &address, ARGS_SLOT);
    args->size = offset + ARGS_SLOT;
    args->overflow_done = true;
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize,
                                             void **bufferAddr)
{
    API(argsHandle, paramHandle, dataSize, bufferAddr);
    REQUIRE(argsHandle);
    REQUIRE(paramHandle);
    REQUIRE_SIZE(dataSize);
    REQUIRE(bufferAddr);
    struct args *args = args_of(argsHandle);
    struct args_param *param = args != NULL ? param_of(paramHandle) : NULL;
    if (param == NULL || !kernel_lives(args)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (!param->placeholder) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "paramHandle is an appended value, expected a placeholder");
    }
    if (UNLIKELY(args->finalized)) {
        return after_finalize();
    }
    aclError code = check_on() ? args_check_owner(args, param) : ACL_SUCCESS;
    if (code == ACL_SUCCESS) {
        code = append_overflow(args);
    }
    size_t offset;
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (!next_place(args, dataSize, &offset)) {
        return does_not_fit(args, "placeholder data", dataSize);
    }
    param->data_offset = offset; /* of any list's placeholder: the real library does not compare */
    args->size = offset + dataSize;
    args->got_buffer = true;
    *bufferAddr = args->buffer + offset;
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param,
                                   size_t paramSize)
{
    API(argsHandle, paramHandle, param, paramSize);
    REQUIRE(argsHandle);
    REQUIRE(paramHandle);
    REQUIRE(param);
    REQUIRE_SIZE(paramSize);
    struct args *args = args_of(argsHandle);
    struct args_param *updated = args != NULL ? param_of(paramHandle) : NULL;
    if (updated == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (updated->placeholder) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "paramHandle is a placeholder: write to its buffer instead");
    }
    if (updated->size != paramSize) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "paramSize is %zu, the parameter was appended with %zu bytes",
                    paramSize, updated->size);
    }
    if (updated->offset > args->room || paramSize > args->room - updated->offset) { /* of a longer list: would overrun */
        return does_not_fit(args, "the parameter of another list", paramSize);
    }
    aclError code = check_on() ? args_check_owner(args, updated) : ACL_SUCCESS;
    if (code == ACL_SUCCESS) {
        code = copy_value(args, updated->offset, param, paramSize);
    }
    args->updating = code == ACL_SUCCESS || args->updating;
    return code;
}

/* The hidden slot in front, on chips that have inter-core sync. */
static aclError write_sync(struct args *args, struct context *context)
{
    if (args->function->cpu || !args->function->ffts || !soc_is(SOC_A2)) {
        return ACL_SUCCESS;
    }
    uint64_t address = hidden_sync(context->device);
    if (address == 0) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "device %d has no memory left for its inter-core sync block",
                    context->device->user_id);
    }
    if (args->room < ARGS_SLOT) { /* the real library writes past the end */
        return does_not_fit(args, "the hidden inter-core sync slot", ARGS_SLOT);
    }
    memcpy(args->buffer, &address, ARGS_SLOT);
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
    API(argsHandle);
    REQUIRE(argsHandle);
    struct args *args = args_of(argsHandle);
    if (UNLIKELY(args == NULL || !kernel_lives(args))) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    aclError code = append_overflow(args);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    code = write_sync(args, context);
    if (code == ACL_SUCCESS) {
        args->finalized = true;
        args->updating = false;
    }
    return code;
}
