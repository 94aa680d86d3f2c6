/* ---- launching: _build.py puts this into _binding.c, where the table is ------------------------------- */

#define BLOCK_ON_STACK 1024

static _Thread_local const char *failed_function = "";

/* The function that made acl_bind_launch fail in this thread. */
static const char *acl_bind_failed(void)
{
    return failed_function;
}

/* Changes whenever a context may have ended, and addresses of its own with it. */
static uint64_t acl_bind_epoch(void)
{
    return atomic_load_explicit(&epoch, memory_order_acquire);
}

static int note(const char *function, int code)
{
    if (code != 0) {
        failed_function = function;
    }
    return code;
}

#define CALL(function, ...) \
    note(#function, table.function == NULL ? ACL_BIND_MISSING : (int)table.function(__VA_ARGS__))

static int append(aclrtArgsHandle args, const acl_bind_plan *plan, char *block, aclrtParamHandle *handles)
{
    for (size_t i = 0; i < plan->num_params; ++i) {
        const acl_bind_param *param = &plan->params[i];
        aclrtParamHandle *handle = &handles[i < ACL_BIND_MAX_PARAMS ? i : 0]; /* the library refuses the one too many */
        int code = param->data_offset != 0
                       ? CALL(aclrtKernelArgsAppendPlaceHolder, args, handle)
                       : CALL(aclrtKernelArgsAppend, args, block + param->offset, param->size, handle);
        if (code != 0) {
            return code;
        }
    }
    return 0;
}

static int fill_placeholders(aclrtArgsHandle args, const acl_bind_plan *plan, const char *block,
                             aclrtParamHandle *handles)
{
    for (size_t i = 0; i < plan->num_params; ++i) {
        const acl_bind_param *param = &plan->params[i];
        void *data;
        if (param->data_offset == 0) {
            continue;
        }
        int code = CALL(aclrtKernelArgsGetPlaceHolderBuffer, args, handles[i], param->size, &data);
        if (code != 0) {
            return code;
        }
        memcpy(data, block + param->data_offset, param->size);
    }
    return 0;
}

/* The thread's own argument list, filled. */
static int make_args(const acl_bind_plan *plan, char *block, aclrtArgsHandle *args)
{
    aclrtParamHandle handles[ACL_BIND_MAX_PARAMS];
    int code = CALL(aclrtKernelArgsInit, plan->function, args);
    if (code == 0) {
        code = append(*args, plan, block, handles);
    }
    if (code == 0) {
        code = fill_placeholders(*args, plan, block, handles);
    }
    return code != 0 ? code : CALL(aclrtKernelArgsFinalize, *args);
}

static int launch_by_handles(const acl_bind_plan *plan, const acl_bind_target *target, char *block)
{
    aclrtArgsHandle args = plan->args;
    int code = args != NULL ? 0 : make_args(plan, block, &args);
    return code != 0 ? code
                     : CALL(aclrtLaunchKernelWithConfig, plan->function, target->num_blocks, target->stream,
                            target->config, args, NULL);
}

/* With the context current. The library adds nothing to host arguments: the hidden slots are ours to fill. */
static int launch_here(const acl_bind_plan *plan, const acl_bind_hidden *hidden, const acl_bind_target *target,
                       char *block)
{
    if (plan->by_handles || (table.aclrtLaunchKernelWithHostArgs == NULL && !plan->host_args_only)) {
        return launch_by_handles(plan, target, block);
    }
    if (plan->sync_size != 0) {
        memcpy(block, &hidden->sync, sizeof(hidden->sync));
    }
    if (plan->overflow_offset != 0) {
        memcpy(block + plan->overflow_offset, &hidden->overflow, sizeof(hidden->overflow));
    }
    /* The library does not write to the table. */
    return CALL(aclrtLaunchKernelWithHostArgs, plan->function, target->num_blocks, target->stream, target->config,
                block, plan->size, (aclrtPlaceHolderInfo *)(uintptr_t)plan->placeholders, plan->num_placeholders);
}

/* Makes the wanted context current. `before`: the one to put back, NULL: none. */
static int enter(aclrtContext *wanted, aclrtContext *before)
{
    *before = NULL;
    if (table.aclrtGetCurrentContext == NULL || table.aclrtGetCurrentContext(before) != 0) {
        *before = NULL;
    }
    if (*wanted == NULL || *wanted == *before) {
        *wanted = *before;
        *before = NULL;
        return 0;
    }
    return CALL(aclrtSetCurrentContext, *wanted);
}

static void leave(aclrtContext before)
{
    if (before != NULL) {
        table.aclrtSetCurrentContext(before);
    }
}

static bool is_stale(const acl_bind_plan *plan, const acl_bind_hidden *hidden, aclrtContext context)
{
    return (plan->sync_size != 0 || plan->overflow_offset != 0) && context != NULL &&
           (hidden->context != context || hidden->epoch != acl_bind_epoch());
}

static int launch_in(aclrtContext context, const acl_bind_plan *plan, const acl_bind_hidden *hidden,
                     const acl_bind_target *target, void *block)
{
    return is_stale(plan, hidden, context) ? ACL_BIND_STALE : launch_here(plan, hidden, target, block);
}

static int acl_bind_launch_block(const acl_bind_plan *plan, const acl_bind_hidden *hidden,
                                 const acl_bind_target *target, void *block)
{
    aclrtContext context = target->context;
    aclrtContext before;
    int code = enter(&context, &before);
    if (code == 0) {
        code = launch_in(context, plan, hidden, target, block);
    }
    leave(before);
    return code;
}

/* The library writes into the bytes that it is given, so each launch has its own: packed bytes may be shared. */
static int launch_copy(aclrtContext context, const acl_bind_plan *plan, const acl_bind_hidden *hidden,
                       const acl_bind_target *target, const void *packed)
{
    char on_stack[BLOCK_ON_STACK] __attribute__((aligned(16)));
    char *block = plan->size <= sizeof(on_stack) ? on_stack : malloc(plan->size);
    if (block == NULL) {
        return note("malloc", ACL_ERROR_BAD_ALLOC);
    }
    memcpy(block, packed, plan->size);
    int code = launch_in(context, plan, hidden, target, block);
    if (block != on_stack) {
        free(block);
    }
    return code;
}

/* 0, a code of the function that acl_bind_failed names, or one of the two below 0. */
static int acl_bind_launch(const acl_bind_plan *plan, const acl_bind_hidden *hidden, const acl_bind_target *target,
                           const void *packed)
{
    aclrtContext context = target->context;
    aclrtContext before;
    int code = enter(&context, &before);
    if (code == 0) {
        code = launch_copy(context, plan, hidden, target, packed);
    }
    leave(before);
    return code;
}

/* Waits for a stream: timeout in ms, below 0 for none. */
static int acl_bind_sync(uintptr_t context, uintptr_t stream, int32_t timeout)
{
    aclrtContext current = (void *)context;
    aclrtContext before;
    int code = enter(&current, &before);
    if (code == 0) {
        code = timeout < 0 ? CALL(aclrtSynchronizeStream, (void *)stream)
                           : CALL(aclrtSynchronizeStreamWithTimeout, (void *)stream, timeout);
    }
    if (code == 0 && before != NULL) {
        return CALL(aclrtSetCurrentContext, before); /* to go on elsewhere in silence would be worse */
    }
    leave(before);
    return code;
}

/* Until one fails, whose code is returned. `launched`: how many were before it. */
static int acl_bind_launch_many(const acl_bind_item *items, size_t count, uintptr_t context, uintptr_t stream,
                                size_t *launched)
{
    aclrtContext current = (void *)context;
    aclrtContext before;
    int code = enter(&current, &before);
    size_t done = 0;
    while (code == 0 && done < count) {
        const acl_bind_item *item = &items[done];
        acl_bind_target target = {current, (void *)stream, item->config, item->num_blocks};
        code = launch_copy(current, item->plan, item->hidden, &target, item->packed);
        done += code == 0;
    }
    leave(before);
    *launched = done;
    return code;
}
