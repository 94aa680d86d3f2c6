#include "launch.h"

#include <string.h>

#include "argring.h"
#include "bind.h"
#include "engine.h"
#include "exec.h"
#include "image.h"
#include "launchcfg.h"
#include "launchlog.h"
#include "soc.h"

/* ---- the arguments on their way to the device --------------------------------------------------------- */

/* Bytes of device memory that the launch takes; 0: the arguments are there already, or there are none. */
ALWAYS_INLINE size_t place_size(const struct launch_args *args)
{
    bool copied = args->host != NULL || args->values != NULL;
    return (copied ? args->size : 0) + (args->grid != NULL ? sizeof(*args->grid) : 0);
}

/* Writes the placeholders' pointers into the arguments on the device, and into `also` unless that is NULL. */
ALWAYS_INLINE void put_pointer(uint8_t *bytes, uint8_t *also, uint64_t base, uint64_t at, uint64_t data_offset)
{
    uint64_t address = base + data_offset;
    memcpy(bytes + at, &address, sizeof(address));
    if (also != NULL) {
        memcpy(also + at, &address, sizeof(address));
    }
}

ALWAYS_INLINE void fix_up(const struct launch_args *args, uint8_t *bytes, uint8_t *also, uint64_t base)
{
    for (size_t i = 0; i < args->table_count; ++i) {
        put_pointer(bytes, also, base, args->table[i].addrOffset, args->table[i].dataOffset);
    }
    unsigned left = args->list != NULL ? args->list->placeholders : 0;
    for (size_t i = 0; left > 0; ++i) {
        const struct args_param *param = &args->list->param[i];
        if (param->placeholder) {
            put_pointer(bytes, also, base, param->offset, param->data_offset);
            --left;
        }
    }
}

static void fill_values(const struct function *function, void *const *values, uint8_t *bytes)
{
    for (uint32_t i = 0; i < function->num_params; ++i) {
        memcpy(bytes + function->params[i].offset, values[i], function->params[i].size);
    }
}

/* The real library writes the pointers into the caller's own bytes too, but not into a SIMT launch's. They are copied
 * before that: a copy right behind a smaller write to what it reads would wait for it. */
ALWAYS_INLINE void fill(const struct function *function, const struct launch_args *args, const struct args_place *place)
{
    size_t head = args->grid != NULL ? sizeof(*args->grid) : 0;
    uint8_t *bytes = place->host + head;
    if (UNLIKELY(args->grid != NULL)) {
        memcpy(place->host, args->grid, head);
    }
    if (UNLIKELY(args->values != NULL)) {
        fill_values(function, args->values, bytes);
    } else if (LIKELY(args->host != NULL)) {
        memcpy(bytes, args->host, args->size);
        fix_up(args, bytes, head == 0 ? args->host : NULL, place->address + head);
    }
}

/* ---- queueing ----------------------------------------------------------------------------------------- */

/* A slot in the queue and room for the arguments, with the stream's lock held. NULL: reported. */
ALWAYS_INLINE struct task *reserve_task(struct stream *stream, size_t size, struct args_place *place)
{
    struct task *task = engine_lock(stream);
    if (UNLIKELY(task == NULL)) {
        fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left to queue a launch");
        return NULL;
    }
    bool fits = size == 0 || argring_give(stream, size, place);
    if (UNLIKELY(!fits)) {
        struct args_place block; /* the address of `place` would cost every launch */
        fits = argring_give_block(stream, size, &block);
        *place = block;
    }
    if (LIKELY(fits)) {
        return task;
    }
    brief_give(&stream->lock);
    fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "device %d has no memory left for %zu bytes of arguments",
         stream->context->device->user_id, size);
    return NULL;
}

/* With addresses of memory that the device does not have, a launch would only fail later. */
static aclError check_values(const struct function *function, const struct device *device, void *const *values)
{
    aclError code = ACL_SUCCESS;
    for (uint32_t i = 0; values != NULL && i < function->num_params && code == ACL_SUCCESS; ++i) {
        code = memcheck_args(device, function->name, values[i], function->params[i].size);
    }
    return code;
}

/* Arguments by value: a pointer to those of a launch, in whatever place, would cost every launch. */
COLD static aclError check_args(const struct function *function, const struct device *device, struct launch_args args)
{
    aclError code = launch_check_size(function, &args);
    if (code != ACL_SUCCESS) {
        return code;
    }
    return args.host != NULL ? memcheck_args(device, function->name, args.host, args.size)
                             : check_values(function, device, args.values);
}

ALWAYS_INLINE aclError submit(struct stream *stream, struct function *function, uint16_t blocks,
                       const struct launch_config *config, const struct launch_args *args)
{
    aclError code = check_on() ? check_args(function, stream->context->device, *args) : ACL_SUCCESS;
    if (UNLIKELY(code != ACL_SUCCESS)) {
        return code;
    }
    struct args_place place = {args->device, NULL, 0, NULL};
    size_t placed = place_size(args);
    struct task *task = reserve_task(stream, placed, &place);
    if (UNLIKELY(task == NULL)) {
        return thread_call.result;
    }
    if (placed != 0) {
        fill(function, args, &place);
    }
    if (check_on() && placed != 0) {
        struct block_use use = stream_next_use(stream, function->name);
        memcheck_queued_args(&use, place.host, placed);
    }
    uint32_t size = placed != 0 ? (uint32_t)placed : args->size;
    task->kind = &exec_launch;
    *TASK_PAYLOAD(task, struct launch) = (struct launch){
        function, place.address, size, blocks, place.ring_end, place.block, config->timeout_us,
        thread_number(), args->grid != NULL};
    launchlog_add(stream, function, blocks, place.address, place.host, size);
    engine_push(stream);
    return ACL_SUCCESS;
}

static const struct launch_config no_config;

/* More than the device's 16 bits are cut off without a word. */
ALWAYS_INLINE aclError check_blocks(uint32_t num_blocks)
{
    if (UNLIKELY(num_blocks == 0)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003", "numBlocks is 0, expected 1 to 65535");
    }
    if (UNLIKELY(num_blocks > UINT16_MAX && check_on())) {
        return diagnose("blocks-cut", ACL_ERROR_RT_PARAM_INVALID,
                        "numBlocks is %u, of which the device gets 16 bits: %u blocks would run", num_blocks,
                        num_blocks & UINT16_MAX);
    }
    return ACL_SUCCESS;
}

COLD static aclError unbound(const struct function *function)
{
    struct text text = {0};
    bind_explain(function, &text);
    fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE9999", "%s", text_get(&text));
    text_free(&text);
    return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}

ALWAYS_INLINE bool is_unusual(const struct function *function, const struct launch_args *args)
{
    return UNLIKELY(function->cpu_library_unknown || function->mix >= MIX_MAIN_AIC || args->grid != NULL);
}

/* What only some kernels are asked, and that late. */
COLD static aclError check_chip(const struct function *function, bool grid)
{
    if (function->cpu_library_unknown && soc_is(SOC_950)) { /* other chips do not look */
        return fail(ACL_ERROR_RT_INTERNAL_ERROR, "EE9999", "the JSON of AI CPU kernel %s has no opKernelLib that is known",
                    function->name);
    }
    bool halves = function->mix >= MIX_MAIN_AIC && function->own.run == NULL; /* host code has no halves */
    if (halves && function->second.offset == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001",
                    "kernel %s runs on cube and vector cores, and its code for vector cores is at offset 0, which counts "
                    "as missing", function->name);
    }
    if (grid && !soc_is(SOC_950)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001", "SIMT kernels run on the 950 family, this is an %s",
                    soc_current()->name);
    }
    return ACL_SUCCESS;
}

/* What all launches check last. num_blocks is cut to 16 bits: 65536 blocks become 0, as on hardware. */
ALWAYS_INLINE aclError queue(struct function *function, uint32_t num_blocks, aclrtStream handle,
                      const struct launch_config *config, const struct launch_args *args)
{
    struct stream *stream = stream_find_open(handle);
    if (UNLIKELY(stream == NULL)) {
        return thread_call.result;
    }
    if (UNLIKELY(!binary_installed(function->binary, stream->context->device))) {
        return fail_quietly(ACL_ERROR_RT_INVALID_HANDLE,
                            "kernel %s was not looked up on device %d since it was opened; call "
                            "aclrtBinaryGetFunction there first",
                            function->name, stream->context->device->user_id);
    }
    aclError code = is_unusual(function, args) ? check_chip(function, args->grid != NULL) : ACL_SUCCESS;
    if (UNLIKELY(code != ACL_SUCCESS)) {
        return code;
    }
    if (UNLIKELY(bind_of(function) == NULL)) {
        return unbound(function);
    }
    return submit(stream, function, (uint16_t)num_blocks, config, args);
}

/* What the launches of the second generation check after their arguments, in the real library's order. */
ALWAYS_INLINE aclError launch_now(struct function *function, uint32_t num_blocks, aclrtStream handle,
                                  const aclrtLaunchKernelCfg *cfg, const struct launch_args *args)
{
    struct launch_config config;
    aclError code = check_blocks(num_blocks);
    if (UNLIKELY(code != ACL_SUCCESS)) {
        return code;
    }
    if (LIKELY(cfg == NULL && args->grid == NULL && function->type != ACL_KERNEL_TYPE_MIX)) {
        return queue(function, num_blocks, handle, &no_config, args);
    }
    code = launchcfg_read(cfg, function, &config);
    if (code == ACL_SUCCESS) {
        config.dyn_ubuf = args->grid != NULL ? args->dyn_ubuf : config.dyn_ubuf;
        code = launchcfg_check_ubuf(&config, function);
    }
    return code == ACL_SUCCESS ? queue(function, num_blocks, handle, &config, args) : code;
}

aclError launch(struct function *function, uint32_t num_blocks, aclrtStream handle, const aclrtLaunchKernelCfg *cfg,
                const struct launch_args *args)
{
    return launch_now(function, num_blocks, handle, cfg, args);
}

/* ---- the ABI: arguments in device memory -------------------------------------------------------------- */

/* Sizes have 32 bits in the real library: what is above is cut off. */
ALWAYS_INLINE aclError check_size(size_t size)
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
    return code == ACL_SUCCESS ? queue(function, numBlocks, stream, &no_config, &args) : code;
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
    if (UNLIKELY(code == ACL_SUCCESS && check_on())) {
        code = args_check_launch(list, function);
    }
    if (UNLIKELY(code != ACL_SUCCESS)) {
        return code;
    }
    struct launch_args args = {.host = list->buffer, .size = (uint32_t)list->size, .list = list};
    ++list->launches;
    return launch_now(function, numBlocks, stream, cfg, &args);
}

/* ---- the ABI: arguments in host memory ---------------------------------------------------------------- */

/* The real library writes a pointer that only starts inside the arguments past their end. */
ALWAYS_INLINE aclError check_pointer_fits(const aclrtPlaceHolderInfo *holder, size_t i, uint32_t size)
{
    if (UNLIKELY(size < sizeof(uint64_t) || holder->addrOffset > size - sizeof(uint64_t))) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003",
                    "placeHolderArray[%zu].addrOffset is %u: its 8 bytes do not fit into argsSize %u", i,
                    holder->addrOffset, size);
    }
    return ACL_SUCCESS;
}

ALWAYS_INLINE aclError check_table(const struct function *function, const struct launch_args *args)
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

aclError launch_check_table(const struct function *function, const struct launch_args *args)
{
    return check_table(function, args);
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
    struct launch_args args = launch_host_args(hostArgs, argsSize, placeHolderArray, placeHolderNum);
    aclError code = check_size(argsSize);
    if (LIKELY(code == ACL_SUCCESS)) {
        code = check_table(function, &args);
    }
    return LIKELY(code == ACL_SUCCESS) ? launch_now(function, numBlocks, stream, cfg, &args) : code;
}

/* ---- the ABI: one value a parameter ------------------------------------------------------------------- */

/* No program registers host symbols here, so `func` is a handle; but the real library looks for a symbol first. */
struct function *launch_resolve(const void *func)
{
    if (context_current() == NULL) {
        context_missing();
        return NULL;
    }
    return function_of(func, "func");
}

/* The real library would write past its scratch memory. */
static aclError check_row(const struct function *function, uint32_t i)
{
    const aclmock_param *param = &function->params[i];
    if (param->offset > function->params_size || param->size > function->params_size - param->offset) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1003",
                    "parameter %u of %s takes bytes %u to %llu, the table says that there are %u", i, function->name,
                    param->offset, (unsigned long long)param->offset + param->size, function->params_size);
    }
    return ACL_SUCCESS;
}

aclError launch_check_values(const struct function *function, struct launch_args *args)
{
    args->size = function->params_size;
    if (function->num_params == 0) {
        return ACL_SUCCESS;
    }
    if (args->values == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "args is NULL, %s takes %u parameters", function->name,
                    function->num_params);
    }
    for (uint32_t i = 0; i < function->num_params; ++i) {
        if (args->values[i] == NULL) {
            return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1004", "args[%u] is NULL, expected a pointer to %u bytes", i,
                        function->params[i].size);
        }
        aclError code = check_row(function, i);
        if (code != ACL_SUCCESS) {
            return code;
        }
    }
    return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                        void **args)
{
    API(func, numBlocks, stream, cfg, args);
    REQUIRE(func);
    REQUIRE_SIZE(numBlocks);
    struct function *function = stream_check(stream) ? launch_resolve(func) : NULL;
    if (function == NULL) {
        return thread_call.result;
    }
    if (function->cpu) {
        return fail_quietly(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                            "%s is an AI CPU kernel, which takes no array of values: use "
                            "aclrtLaunchKernelWithHostArgs", function->name);
    }
    if (!function->has_params) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "EE1001",
                    "%s has no parameter table: use aclrtLaunchKernelWithHostArgs", function->name);
    }
    struct launch_args passed = {.values = args};
    aclError code = launch_check_values(function, &passed);
    return code == ACL_SUCCESS ? launch(function, numBlocks, stream, cfg, &passed) : code;
}
