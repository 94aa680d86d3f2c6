/* Arguments of another size than the kernel's compiler noted, which the real library launches all the same. */
#include "check.h"
#include "launch.h"

#define SLOT 8u

static uint32_t lesser(uint32_t end, uint64_t data_offset)
{
    return data_offset != 0 && data_offset < end ? (uint32_t)data_offset : end;
}

/* Bytes before the data of placeholders. */
static uint32_t bytes_of_arguments(const struct launch_args *args)
{
    uint32_t end = args->size;
    for (size_t i = 0; i < args->table_count; ++i) {
        end = lesser(end, args->table[i].dataOffset);
    }
    for (size_t i = 0; args->list != NULL && i < args->list->params; ++i) {
        const struct args_param *param = &args->list->param[i];
        end = param->placeholder ? lesser(end, param->data_offset) : end;
    }
    return end;
}

/* The compiler counts the hidden slot in front, but not the one behind the parameters, which may be there or not. */
aclError launch_check_size(const struct function *function, const struct launch_args *args)
{
    uint32_t wanted = function->args_size;
    uint32_t passed = bytes_of_arguments(args);
    if (wanted == 0 || passed == wanted || passed == round_up(wanted, SLOT) || passed == round_up(wanted, SLOT) + SLOT) {
        return ACL_SUCCESS;
    }
    return diagnose("argument-size", ACL_ERROR_RT_PARAM_INVALID,
                    "kernel %s takes %u bytes of arguments, as its compiler noted in the section __CCE_KernelArgSize, and "
                    "this launch passes %u before the data of placeholders (hidden slots counted; %u more for the one "
                    "behind the parameters are fine)", function->name, wanted, passed, SLOT);
}
