#include <string.h>

#include "args.h"
#include "argring.h"
#include "engine.h"
#include "exec.h"
#include "launchlog.h"
#include "soc.h"

/* ---- configuration ------------------------------------------------------------------------------------ */

struct config {
    uint64_t timeout_us;
    bool in_seconds;
    bool in_microseconds;
    int32_t schedule_mode;
    uint8_t flags[10]; /* the 0 or 1 of attributes that have one, by id */
};

/* Later attributes win over earlier ones, as the real loops overwrite. */
static bool read_attribute(const aclrtLaunchKernelAttr *attribute, struct config *config)
{
    const aclrtLaunchKernelAttrValue *value = &attribute->value;
    switch (attribute->id) {
    case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
    case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
        config->flags[attribute->id] = value->schemMode; /* all are the union's first byte */
        return true;
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
        config->in_seconds = true;
        config->timeout_us = value->timeout * UINT64_C(1000000);
        return true;
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
        config->in_microseconds = true;
        config->timeout_us = (uint64_t)value->timeoutUs.timeoutHigh << 32 | value->timeoutUs.timeoutLow;
        return true;
    case ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE:
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE:
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET:
        return true; /* nothing for the host to do */
    default:
        return false;
    }
}

static aclError check_flags(const struct config *config)
{
    for (int id = 0; id < (int)COUNT(config->flags); ++id) {
        if (config->flags[id] > 1) {
            return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "attribute %d of cfg is %u, expected 0 or 1", id,
                        config->flags[id]);
        }
    }
    if (config->in_seconds && config->in_microseconds) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003",
                    "cfg has both TIMEOUT (7) and TIMEOUT_US (8), expected one of them");
    }
    return ACL_SUCCESS;
}

static aclError read_config(const aclrtLaunchKernelCfg *cfg, const struct function *function, struct config *config)
{
    *config = (struct config){0};
    if (LIKELY(cfg == NULL)) {
        if (UNLIKELY(function->type == ACL_KERNEL_TYPE_MIX && soc_is(SOC_310P))) {
            return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "cfg is NULL, mix kernels need one on this chip");
        }
        return ACL_SUCCESS;
    }
    if (cfg->attrs == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "cfg has no attrs; pass NULL for no configuration");
    }
    int unknown = 0;
    for (size_t i = 0; i < cfg->numAttrs; ++i) {
        if (!read_attribute(&cfg->attrs[i], config)) {
            unknown = (int)cfg->attrs[i].id;
        }
    }
    aclError code = check_flags(config);
    if (code == ACL_SUCCESS && unknown != 0) { /* the real library finds these last */
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "cfg has attribute %d, expected 1 to 9", unknown);
    }
    return code;
}

/* ---- queueing ----------------------------------------------------------------------------------------- */

/* What a launch passes to its kernel. */
struct launch_args {
    void *host;          /* NULL: `device` has them already */
    uint64_t device;
    uint32_t size;
    /* Placeholders: either an array of the caller's or those of an argument list. */
    const aclrtPlaceHolderInfo *table;
    size_t table_count;
    const struct args *list;
};

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

/* A slot in the queue and room for the arguments, with the stream's lock held. NULL: reported. */
static struct task *reserve(struct stream *stream, const struct launch_args *args, struct args_place *place)
{
    struct task *task = engine_lock(stream);
    if (UNLIKELY(task == NULL)) {
        fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left to queue a launch");
        return NULL;
    }
    bool fits = args->host == NULL || argring_give(stream, args->size, place) ||
                argring_give_block(stream, args->size, place);
    if (LIKELY(fits)) {
        return task;
    }
    pthread_mutex_unlock(&stream->lock);
    fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "device %d has no memory left for %u bytes of arguments",
         stream->context->device->user_id, args->size);
    return NULL;
}

static aclError submit(struct stream *stream, struct function *function, uint16_t blocks, const struct config *config,
                       const struct launch_args *args)
{
    struct args_place place = {args->device, NULL, 0, NULL};
    struct task *task = reserve(stream, args, &place);
    if (task == NULL) {
        return thread_call.result;
    }
    if (args->host != NULL) {
        fix_up(args, place.address);
        memcpy(place.host, args->host, args->size);
    }
    task->kind = &exec_launch;
    *TASK_PAYLOAD(task, struct launch) = (struct launch){
        function, place.address, args->size, blocks, place.ring_end, place.block, config->timeout_us};
    launchlog_add(stream, function, blocks, place.address, place.host, args->size);
    engine_push(stream);
    return ACL_SUCCESS;
}

/* What all launches of the second generation check after their arguments, in the real library's order. */
static aclError launch(struct function *function, uint32_t num_blocks, aclrtStream handle,
                       const aclrtLaunchKernelCfg *cfg, const struct launch_args *args)
{
    struct config config;
    if (UNLIKELY(num_blocks == 0)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "numBlocks is 0, expected 1 to 65535");
    }
    aclError code = read_config(cfg, function, &config);
    if (UNLIKELY(code != ACL_SUCCESS)) {
        return code;
    }
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
    return submit(stream, function, (uint16_t)num_blocks, &config, args); /* 65536 blocks become 0, as on hardware */
}

/* ---- the ABI ------------------------------------------------------------------------------------------ */

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
