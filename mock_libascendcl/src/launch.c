#include <string.h>

#include "args.h"
#include "argring.h"
#include "engine.h"
#include "exec.h"
#include "launchcfg.h"
#include "launchlog.h"

/* ---- what a launch passes to its kernel --------------------------------------------------------------- */

struct launch_args {
    uint32_t size;
    uint64_t device;              /* where they are already; used when neither of the next two is set */
    void *host;                   /* bytes to copy */
    void *const *values;          /* or one pointer a parameter, for the kernel's parameter table */
    /* Placeholders of `host`: either an array of the caller's or those of an argument list. */
    const aclrtPlaceHolderInfo *table;
    size_t table_count;
    const struct args *list;
};

static bool needs_place(const struct launch_args *args)
{
    return args->size != 0 && (args->host != NULL || args->values != NULL);
}

static void put_pointer(const struct launch_args *args, uint64_t base, uint64_t at, uint64_t data_offset)
{
    uint64_t address = base + data_offset;
    memcpy((uint8_t *)args->host + at, &address, sizeof(address));
}

/* Into the caller's own bytes, as the real library does. */
static void fix_up(const struct launch_args *args, uint64_t base)
{
    for (size_t i = 0; i < args->table_count; ++i) {
        put_pointer(args, base, args->table[i].addrOffset, args->table[i].dataOffset);
    }
    unsigned left = args->list != NULL ? args->list->placeholders : 0;
    for (size_t i = 0; left > 0; ++i) {
        const struct args_param *param = &args->list->param[i];
        if (param->placeholder) {
            put_pointer(args, base, param->offset, param->data_offset);
            --left;
        }
    }
}

static void fill(const struct function *function, const struct launch_args *args, const struct args_place *place)
{
    if (LIKELY(args->host != NULL)) {
        fix_up(args, place->address);
        memcpy(place->host, args->host, args->size);
        return;
    }
    for (uint32_t i = 0; i < function->num_params; ++i) {
        memcpy(place->host + function->params[i].offset, args->values[i], function->params[i].size);
    }
}

/* ---- queueing ----------------------------------------------------------------------------------------- */

/* A slot in the queue and room for the arguments, with the stream's lock held. NULL: reported. */
static struct task *reserve_task(struct stream *stream, const struct launch_args *args, struct args_place *place)
{
    struct task *task = engine_lock(stream);
    if (UNLIKELY(task == NULL)) {
        fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left to queue a launch");
        return NULL;
    }
    bool fits = !needs_place(args) || argring_give(stream, args->size, place) ||
                argring_give_block(stream, args->size, place);
    if (LIKELY(fits)) {
        return task;
    }
    pthread_mutex_unlock(&stream->lock);
    fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "device %d has no memory left for %u bytes of arguments",
         stream->context->device->user_id, args->size);
    return NULL;
}

static aclError submit(struct stream *stream, struct function *function, uint16_t blocks,
                       const struct launch_config *config, const struct launch_args *args)
{
    struct args_place place = {args->device, NULL, 0, NULL};
    struct task *task = reserve_task(stream, args, &place);
    if (UNLIKELY(task == NULL)) {
        return thread_call.result;
    }
    if (needs_place(args)) {
        fill(function, args, &place);
    }
    task->kind = &exec_launch;
    *TASK_PAYLOAD(task, struct launch) = (struct launch){
        function, place.address, args->size, blocks, place.ring_end, place.block, config->timeout_us};
    launchlog_add(stream, function, blocks, place.address, place.host, args->size);
    engine_push(stream);
    return ACL_SUCCESS;
}

static aclError check_blocks(uint32_t num_blocks)
{
    if (UNLIKELY(num_blocks == 0)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "numBlocks is 0, expected 1 to 65535");
    }
    return ACL_SUCCESS;
}

/* What all launches check last. num_blocks is cut to 16 bits: 65536 blocks become 0, as on hardware. */
static aclError queue(struct function *function, uint32_t num_blocks, aclrtStream handle,
                      const struct launch_config *config, const struct launch_args *args)
{
    struct stream *stream = stream_find_here(handle);
    if (UNLIKELY(stream == NULL)) {
        return thread_call.result;
    }
    if (UNLIKELY(!binary_installed(function->binary, stream->context->device))) {
        return fail_quietly(ACL_ERROR_RT_INVALID_HANDLE,
                            "kernel %s was not looked up on device %d since it was opened; call "
                            "aclrtBinaryGetFunction there first",
                            function->name, stream->context->device->user_id);
    }
    return submit(stream, function, (uint16_t)num_blocks, config, args);
}

/* What the launches of the second generation check after their arguments, in the real library's order. */
static aclError launch(struct function *function, uint32_t num_blocks, aclrtStream handle,
                       const aclrtLaunchKernelCfg *cfg, const struct launch_args *args)
{
    struct launch_config config;
    aclError code = check_blocks(num_blocks);
    if (LIKELY(code == ACL_SUCCESS)) {
        code = launchcfg_read(cfg, function, &config);
    }
    return LIKELY(code == ACL_SUCCESS) ? queue(function, num_blocks, handle, &config, args) : code;
}

/* ---- the ABI: arguments in device memory -------------------------------------------------------------- */

/* Sizes have 32 bits in the real library: what is above is cut off. */
static aclError check_size(size_t size)
{
    if (UNLIKELY((uint32_t)size == 0)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "argsSize is %zu, expected 1 to 4294967295 bytes", size);
    }
    return ACL_SUCCESS;
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize,
                           aclrtStream stream)
{
    API(funcHandle, numBlocks, argsData, argsSize, stream);
    REQUIRE(funcHandle);
    REQUIRE(argsData);
    struct function *function = function_of(funcHandle, "funcHandle");
    if (function == NULL || !stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    aclError code = check_blocks(numBlocks);
    if (code == ACL_SUCCESS) {
        code = check_size(argsSize);
    }
    struct launch_args args = {.size = (uint32_t)argsSize, .device = address_number(argsData)};
    return code == ACL_SUCCESS ? queue(function, numBlocks, stream, &(struct launch_config){0}, &args) : code;
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize,
                             aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
    API(funcHandle, numBlocks, argsData, argsSize, cfg, stream);
    REQUIRE(funcHandle);
    REQUIRE(argsData);
    struct function *function = function_of(funcHandle, "funcHandle");
    if (function == NULL || !stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    aclError code = check_size(argsSize);
    struct launch_args args = {.size = (uint32_t)argsSize, .device = address_number(argsData)};
    return code == ACL_SUCCESS ? launch(function, numBlocks, stream, cfg, &args) : code;
}

/* ---- the ABI: an argument list ------------------------------------------------------------------------ */

static aclError check_list(const struct args *list)
{
    if (!list->finalized || list->updating) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003",
                    list->updating ? "the argument list was updated; call aclrtKernelArgsFinalize before launching it"
                                   : "the argument list is not finalized; call aclrtKernelArgsFinalize first");
    }
    if (list->size == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "the argument list is empty, an AI CPU kernel needs arguments");
    }
    if (list->size > list->room) { /* the real library would copy what lies behind the buffer */
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "the argument list takes %zu bytes, its buffer has %zu",
                    list->size, list->room);
    }
    unsigned left = list->placeholders;
    for (size_t i = 0; left > 0; ++i) {
        const struct args_param *param = &list->param[i];
        if (param->placeholder && param->data_offset >= list->size) {
            return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003",
                        "placeholder %zu has its data at offset %zu, the list ends at %zu (data of another list?)", i,
                        param->data_offset, list->size);
        }
        left -= param->placeholder;
    }
    return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve)
{
    API(funcHandle, numBlocks, stream, cfg, argsHandle, reserve);
    REQUIRE(funcHandle);
    REQUIRE_SIZE(numBlocks);
    REQUIRE(argsHandle);
    if (reserve != NULL) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0012", "reserve is %p, expected NULL", reserve);
    }
    struct function *function = function_of(funcHandle, "funcHandle");
    struct args *list = function != NULL ? args_of(argsHandle) : NULL;
    if (list == NULL || !stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    aclError code = check_list(list);
    if (UNLIKELY(code != ACL_SUCCESS)) {
        return code;
    }
    struct launch_args args = {.host = list->buffer, .size = (uint32_t)list->size, .list = list};
    return launch(function, numBlocks, stream, cfg, &args);
}

/* ---- the ABI: arguments in host memory ---------------------------------------------------------------- */

/* The real library writes a pointer that only starts inside the arguments past their end. */
static aclError check_pointer_fits(const aclrtPlaceHolderInfo *holder, size_t i, uint32_t size)
{
    if (UNLIKELY(size < sizeof(uint64_t) || holder->addrOffset > size - sizeof(uint64_t))) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003",
                    "placeHolderArray[%zu].addrOffset is %u: its 8 bytes do not fit into argsSize %u", i,
                    holder->addrOffset, size);
    }
    return ACL_SUCCESS;
}

static aclError check_table(const struct function *function, const struct launch_args *args)
{
    if (UNLIKELY(args->table == NULL && args->table_count != 0)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "placeHolderArray is NULL, placeHolderNum says it has %zu",
                    args->table_count);
    }
    aclError code = ACL_SUCCESS;
    for (size_t i = 0; i < args->table_count && code == ACL_SUCCESS; ++i) {
        const aclrtPlaceHolderInfo *holder = &args->table[i];
        if (UNLIKELY(holder->dataOffset >= args->size && !function->cpu)) { /* not checked for AI CPU kernels */
            return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003",
                        "placeHolderArray[%zu].dataOffset is %u, expected less than argsSize %u", i, holder->dataOffset,
                        args->size);
        }
        code = check_pointer_fits(holder, i, args->size);
    }
    return code;
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum)
{
    API(funcHandle, numBlocks, stream, cfg, hostArgs, argsSize, placeHolderArray, placeHolderNum);
    REQUIRE(funcHandle);
    REQUIRE(hostArgs);
    struct function *function = function_of(funcHandle, "funcHandle");
    if (function == NULL || !stream_check(stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    struct launch_args args = {.size = (uint32_t)argsSize,
                               .host = hostArgs,
                               .table = placeHolderArray,
                               .table_count = (uint16_t)placeHolderNum}; /* cut, as in the real library */
    aclError code = check_size(argsSize);
    if (LIKELY(code == ACL_SUCCESS)) {
        code = check_table(function, &args);
    }
    return LIKELY(code == ACL_SUCCESS) ? launch(function, numBlocks, stream, cfg, &args) : code;
}
