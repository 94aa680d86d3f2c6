#include "args.h"

#include <string.h>

#include "check.h"
#include "hidden.h"
#include "soc.h"

#define SLOT ((size_t)8)
#define SYSTEM_SLOTS ((size_t)8) /* what GetMemSize leaves room for */

/* ---- the object that each thread has ------------------------------------------------------------------ */

struct thread_args {
    struct cell cell; /* of the slab: whether the thread lives */
    struct thread_exit exit;
    struct args args; /* and its parameters behind it */
};

#define THREAD_BUFFER_AT ((size_t)8192) /* in the slot, behind the parameters */

_Static_assert(sizeof(struct thread_args) + PARAMS_AT_MOST * sizeof(struct args_param) <= THREAD_BUFFER_AT, "");

static THREAD_LOCAL struct thread_args *thread_args;
THREAD_LOCAL struct args *args_own;

static void disarm(struct args *args, size_t params)
{
    for (size_t i = 0; i < params; ++i) {
        atomic_store_explicit(&args->param[i].cell.magic, 0, memory_order_relaxed);
    }
}

static void leave_thread(struct thread_exit *node)
{
    struct thread_args *ended = CONTAINER(node, struct thread_args, exit);
    thread_args = NULL;
    args_own = NULL;
    atomic_store(&ended->args.cell.magic, 0);
    disarm(&ended->args, ended->args.params);
    handle_free(HANDLE_ARGS, ended);
}

void args_reset(void)
{
    args_own = NULL;
    if (thread_args != NULL) { /* the slot stays the thread's */
        atomic_store(&thread_args->args.cell.magic, 0);
        disarm(&thread_args->args, thread_args->args.params);
    }
}

static struct thread_args *args_of_thread(void)
{
    if (UNLIKELY(thread_args == NULL)) {
        thread_args = handle_new(HANDLE_ARGS);
        if (thread_args != NULL) {
            handle_publish(HANDLE_ARGS, thread_args);
            thread_args->exit.leave = leave_thread;
            thread_at_exit(&thread_args->exit);
        }
    }
    return thread_args;
}

/* ---- handles ------------------------------------------------------------------------------------------ */

/* Whether `size` bytes at an address can be read: certain in the slab, looked up elsewhere. */
static bool readable(const void *address, size_t size)
{
    return (uintptr_t)address % sizeof(void *) == 0 &&
           (slab_offset(HANDLE_ARGS, address) != SIZE_MAX || memory_readable(address, size));
}

/* As cell_is, where a caller may have made up the address: what is there is not for the address sanitizer to judge. */
__attribute__((noinline, no_sanitize("address"))) static bool guess_is(const struct cell *cell, uint64_t magic,
                                                                       const void *object)
{
    return readable(cell, sizeof(*cell)) && cell->magic == magic && cell->object == object;
}

struct args *args_find(const void *handle)
{
    const struct cell *cell = handle;
    struct args *around = CONTAINER(cell, struct args, cell);
    if (guess_is(cell, MAGIC_ARGS, around)) {
        return around;
    }
    uintptr_t direct = (uintptr_t)handle; /* no pointer to a list yet: it may not even be aligned */
    if (guess_is((const struct cell *)(direct + offsetof(struct args, cell)), MAGIC_ARGS, handle)) {
        return (struct args *)direct;
    }
    fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017",
         "argsHandle is %p, no live argument list: never initialised, its thread has ended, or it is a handle of "
         "another kind", handle);
    return NULL;
}

static struct args_param *param_of(const void *handle)
{
    const struct cell *cell = handle;
    struct args_param *param = CONTAINER(cell, struct args_param, cell);
    if (LIKELY(guess_is(cell, MAGIC_PARAM, param))) {
        return param;
    }
    fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017",
         "paramHandle is %p, no live parameter: its list was initialised again since, or it is a handle of another "
         "kind", handle);
    return NULL;
}

/* The list's kernel if its binary is still loaded. The real library would follow a dead pointer here. */
ALWAYS_INLINE struct function *kernel_of(const struct args *args)
{
    struct function *function = args->function;
    /* Our own memory holds what was checked once, and a dead function can still be looked at. */
    bool alive = LIKELY(args == args_own)
                     ? atomic_load_explicit(&function->cell.magic, memory_order_acquire) == MAGIC_FUNCTION
                     : handle_alive(HANDLE_FUNCTION, function);
    if (LIKELY(alive)) {
        return function;
    }
    fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017", "the kernel of this argument list has been unloaded");
    return NULL;
}

/* ---- starting ----------------------------------------------------------------------------------------- */

static void args_start(struct args *args, struct function *function, void *buffer, size_t room, size_t max_params)
{
    args->buffer = buffer;
    args->room = room;
    args->head_size = SLOT * function->head_slots;
    args->size = args->head_size;
    args->function = function;
    args->got_buffer = false;
    args->overflow_done = false;
    args->placeholders = 0;
    args->params = 0;
    args->max_params = (uint8_t)max_params; /* a u8 in the real library too: 256 parameters become 0 */
    args->finalized = false;
    args->updating = false;
    args->launches = 0;
    args->init_site = check_on() ? check_site() : NULL;
    args->holder_site = NULL;
    args->cell.object = args;
    atomic_store_explicit(&args->cell.magic, MAGIC_ARGS, memory_order_release);
}

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle)
{
    API(funcHandle, argsHandle);
    REQUIRE(funcHandle);
    REQUIRE(argsHandle);
    struct function *function = function_of(funcHandle, "funcHandle");
    if (function == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    struct thread_args *own = args_of_thread();
    if (own == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left for this thread's argument list");
    }
    aclError code = check_on() ? args_check_lost(&own->args) : ACL_SUCCESS;
    if (code != ACL_SUCCESS) {
        return code;
    }
    disarm(&own->args, own->args.params);
    args_start(&own->args, function, (uint8_t *)own + THREAD_BUFFER_AT, ARGS_BUFFER_SIZE, PARAMS_AT_MOST);
    args_own = &own->args;
    *argsHandle = &own->args.cell;
    return ACL_SUCCESS;
}

static size_t params_of_user_memory(const struct function *function)
{
    return function->cpu ? PARAMS_AT_MOST : function->user_params;
}

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void *userHostMem,
                                      size_t actualArgsSize)
{
    API(funcHandle, argsHandle, userHostMem, actualArgsSize);
    REQUIRE(funcHandle);
    REQUIRE(argsHandle);
    REQUIRE(userHostMem);
    REQUIRE_SIZE(actualArgsSize);
    struct function *function = function_of(funcHandle, "funcHandle");
    if (function == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if ((uintptr_t)argsHandle % sizeof(void *) != 0) { /* ours: the real library would store across it */
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "argsHandle is %p, expected memory aligned to 8", argsHandle);
    }
    struct args *args = argsHandle;
    size_t max_params = params_of_user_memory(function) % 256;
    memset(args, 0, sizeof(*args) + max_params * sizeof(args->param[0]));
    args_start(args, function, userHostMem, actualArgsSize, max_params);
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize, size_t *actualArgsSize)
{
    API(funcHandle, userArgsSize, actualArgsSize);
    REQUIRE(funcHandle);
    REQUIRE(actualArgsSize);
    const struct function *function = function_of(funcHandle, "funcHandle");
    if (function == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    size_t extra = function->cpu ? 0 : SLOT * (SYSTEM_SLOTS + function->user_params);
    if (userArgsSize > SIZE_MAX - extra) { /* the real library wraps */
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "userArgsSize is %zu, too large", userArgsSize);
    }
    *actualArgsSize = userArgsSize + extra;
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t *memSize)
{
    API(funcHandle, memSize);
    REQUIRE(funcHandle);
    REQUIRE(memSize);
    const struct function *function = function_of(funcHandle, "funcHandle");
    if (function == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    *memSize = sizeof(struct args) + sizeof(struct args_param) * params_of_user_memory(function);
    return ACL_SUCCESS;
}

/* ---- layout ------------------------------------------------------------------------------------------- */

/* Room for `size` bytes at the next place; its offset, or false when they do not fit. */
ALWAYS_INLINE bool next_place(const struct args *args, size_t size, size_t *offset)
{
    size_t align = args->function->cpu ? 1 : SLOT;
    *offset = (args->size + align - 1) & ~(align - 1);
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

/* As the real library's checked copy: from itself is fine, from a place that overlaps clears the target. */
ALWAYS_INLINE aclError copy_value(struct args *args, size_t offset, const void *value, size_t size)
{
    uint8_t *target = args->buffer + offset;
    uintptr_t apart = (uintptr_t)target > (uintptr_t)value ? (uintptr_t)target - (uintptr_t)value
                                                           : (uintptr_t)value - (uintptr_t)target;
    if (LIKELY(apart >= size && size == SLOT)) {
        memcpy(target, value, SLOT); /* nearly always: without a call */
        return ACL_SUCCESS;
    }
    if (apart >= size) {
        memcpy(target, value, size);
        return ACL_SUCCESS;
    }
    if (apart == 0) {
        return ACL_SUCCESS;
    }
    memset(target, 0, size);
    return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "param is %p, which overlaps the parameter's place in the buffer",
                value);
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

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize, aclrtParamHandle *paramHandle)
{
    API(argsHandle, param, paramSize, paramHandle);
    REQUIRE(argsHandle);
    REQUIRE(param);
    REQUIRE_SIZE(paramSize);
    REQUIRE(paramHandle);
    struct args *args = args_of(argsHandle);
    if (UNLIKELY(args == NULL || kernel_of(args) == NULL)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    size_t offset;
    if (UNLIKELY(args->finalized)) {
        return after_finalize();
    }
    if (UNLIKELY(args->got_buffer)) {
        return after_get_buffer();
    }
    if (UNLIKELY(args->params >= args->max_params)) {
        return too_many(args);
    }
    if (UNLIKELY(!next_place(args, paramSize, &offset))) {
        return does_not_fit(args, "a parameter", paramSize);
    }
    aclError code = copy_value(args, offset, param, paramSize);
    if (code == ACL_SUCCESS) {
        *paramHandle = add_param(args, false, offset, paramSize);
    }
    return code;
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle)
{
    API(argsHandle, paramHandle);
    REQUIRE(argsHandle);
    REQUIRE(paramHandle);
    struct args *args = args_of(argsHandle);
    if (UNLIKELY(args == NULL || kernel_of(args) == NULL)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    size_t offset;
    if (UNLIKELY(args->got_buffer)) {
        return after_get_buffer();
    }
    if (UNLIKELY(args->finalized)) {
        return after_finalize();
    }
    if (UNLIKELY(args->params >= args->max_params)) {
        return too_many(args);
    }
    if (UNLIKELY(!next_place(args, SLOT, &offset))) {
        return does_not_fit(args, "a placeholder", SLOT);
    }
    args->holder_site = check_on() ? check_site() : args->holder_site;
    *paramHandle = add_param(args, true, offset, SLOT);
    return ACL_SUCCESS;
}

/* The hidden slot behind the parameters, once a list. */
static aclError append_overflow(struct args *args)
{
    size_t offset;
    if (args->overflow_done || !args->function->overflow || args->function->system_slots == 0) {
        return ACL_SUCCESS;
    }
    if (UNLIKELY(!next_place(args, SLOT, &offset))) {
        return does_not_fit(args, "the hidden overflow slot", SLOT);
    }
    struct context *context = context_current();
    if (context == NULL) {
        return context_missing();
    }
    uint64_t address = hidden_overflow(context);
    memcpy(args->buffer + offset, &address, SLOT);
    args->size = offset + SLOT;
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
    if (param == NULL || kernel_of(args) == NULL) {
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
    if (args->room < SLOT) { /* the real library writes past the end */
        return does_not_fit(args, "the hidden inter-core sync slot", SLOT);
    }
    memcpy(args->buffer, &address, SLOT);
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
    API(argsHandle);
    REQUIRE(argsHandle);
    struct args *args = args_of(argsHandle);
    if (UNLIKELY(args == NULL || kernel_of(args) == NULL)) {
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
