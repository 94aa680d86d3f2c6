/* Mistakes with argument lists that the real library takes. */
#include "args.h"
#include "check.h"

aclError args_check_lost(const struct args *args)
{
    if (args->params == 0 || args->launches != 0 || !cell_is(&args->cell, MAGIC_ARGS, args)) {
        return ACL_SUCCESS;
    }
    struct text site = {0};
    check_add_site(&site, args->init_site);
    aclError code = diagnose("lost-arguments", ACL_ERROR_RT_PARAM_INVALID,
                             "aclrtKernelArgsInit%s gave this thread's argument list, which has %u parameters and was "
                             "never launched; a thread has one list, and this call empties it. Launch the first one "
                             "before, or use aclrtKernelArgsInitByUserMem", text_get(&site), args->params);
    text_free(&site);
    return code;
}

aclError args_check_owner(const struct args *args, const struct args_param *param)
{
    if (param >= args->param && param < args->param + args->params) {
        return ACL_SUCCESS;
    }
    return diagnose("foreign-parameter", ACL_ERROR_RT_PARAM_INVALID,
                    "paramHandle %p was returned by aclrtKernelArgsAppend or aclrtKernelArgsAppendPlaceHolder for "
                    "another argument list than argsHandle, or by one that this list no longer has", (const void *)&param->cell);
}

static aclError check_placeholder(const struct args *args, unsigned index)
{
    const struct args_param *param = &args->param[index];
    if (!param->placeholder || param->data_offset != 0) {
        return ACL_SUCCESS;
    }
    struct text site = {0};
    check_add_site(&site, args->holder_site);
    aclError code = diagnose("unfilled-placeholder", ACL_ERROR_RT_PARAM_INVALID,
                             "parameter %u is a placeholder of aclrtKernelArgsAppendPlaceHolder%s, and "
                             "aclrtKernelArgsGetPlaceHolderBuffer was never called for it: the kernel gets the address "
                             "of its own arguments", index, text_get(&site));
    text_free(&site);
    return code;
}

aclError args_check_launch(const struct args *args, const struct function *function)
{
    aclError code = ACL_SUCCESS;
    if (!handle_alive(HANDLE_FUNCTION, args->function)) {
        code = diagnose("foreign-arguments", ACL_ERROR_RT_PARAM_INVALID,
                        "the argument list was made by aclrtKernelArgsInit for a kernel whose binary "
                        "aclrtBinaryUnLoad has unloaded, and is launched with %s", function->name);
    } else if (args->function != function) {
        code = diagnose("foreign-arguments", ACL_ERROR_RT_PARAM_INVALID,
                        "the argument list was made by aclrtKernelArgsInit for kernel %s, and is launched with %s: "
                        "hidden slots and limits are those of the first", args->function->name, function->name);
    }
    for (unsigned i = 0; i < args->params && code == ACL_SUCCESS; ++i) {
        code = check_placeholder(args, i);
    }
    return code;
}
