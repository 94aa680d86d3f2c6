#include "args.h"

#include <string.h>

#include "check.h"

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
    uintptr_t offset;
    return (uintptr_t)address % sizeof(void *) == 0 &&
           (slab_has(HANDLE_ARGS, address, &offset) || memory_readable(address, size));
}

/* What is there is not for the address sanitizer to judge. */
__attribute__((noinline, no_sanitize("address"))) bool args_guess_is(const struct cell *cell, uint64_t magic,
                                                                      const void *object)
{
    return readable(cell, sizeof(*cell)) && cell->magic == magic && cell->object == object;
}

struct args *args_find(const void *handle)
{
    const struct cell *cell = handle;
    struct args *around = CONTAINER(cell, struct args, cell);
    if (args_guess_is(cell, MAGIC_ARGS, around)) {
        return around;
    }
    uintptr_t direct = (uintptr_t)handle; /* no pointer to a list yet: it may not even be aligned */
    if (args_guess_is((const struct cell *)(direct + offsetof(struct args, cell)), MAGIC_ARGS, handle)) {
        return (struct args *)direct;
    }
    fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017",
         "argsHandle is %p, no live argument list: never initialised, its thread has ended, or it is a handle of "
         "another kind", handle);
    return NULL;
}

/* ---- starting ----------------------------------------------------------------------------------------- */

static void args_start(struct args *args, struct function *function, void *buffer, size_t room, size_t max_params)
{
    args->buffer = buffer;
    args->room = room;
    args->head_size = ARGS_SLOT * function->head_slots;
    args->pad = function->cpu ? 0 : ARGS_SLOT - 1;
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
    size_t extra = function->cpu ? 0 : ARGS_SLOT * (SYSTEM_SLOTS + function->user_params);
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
