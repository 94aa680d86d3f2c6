#include "aclmock/aclmock.h"
#include "args.h"

aclError aclmock_get_args(aclrtArgsHandle argsHandle, aclmock_args *args)
{
    API(argsHandle, args);
    REQUIRE(argsHandle);
    REQUIRE(args);
    const struct args *list = args_of(argsHandle);
    if (list == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    *args = (aclmock_args){
        .buffer = list->buffer,
        .buffer_size = list->room,
        .head_size = list->head_size,
        .args_size = list->size,
        .num_params = list->params,
        .num_placeholders = list->placeholders,
        .max_params = list->max_params,
        .got_buffer = list->got_buffer,
        .overflow_done = list->overflow_done,
        .finalized = list->finalized,
        .updating = list->updating,
    };
    return ACL_SUCCESS;
}

aclError aclmock_get_arg(aclrtArgsHandle argsHandle, uint32_t index, aclmock_arg *arg)
{
    API(argsHandle, index, arg);
    REQUIRE(argsHandle);
    REQUIRE(arg);
    const struct args *list = args_of(argsHandle);
    if (list == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (index >= list->params) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "index is %u, the list has %u parameters", index, list->params);
    }
    const struct args_param *param = &list->param[index];
    *arg = (aclmock_arg){param->placeholder, param->offset, param->size, param->data_offset};
    return ACL_SUCCESS;
}
