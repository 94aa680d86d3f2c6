/* What all launches share, behind the checks of their own. */
#ifndef MOCK_LAUNCH_H
#define MOCK_LAUNCH_H

#include "args.h"
#include "exec.h"

/* What a launch passes to its kernel. */
struct launch_args {
    uint32_t size;
    uint64_t device;      /* where they are already; used when neither of the next two is set */
    void *host;           /* bytes to copy */
    void *const *values;  /* or one pointer a parameter, for the kernel's parameter table */
    const struct launch_grid *grid; /* SIMT: put in front, and `host` stays as it is */
    uint64_t dyn_ubuf;              /* SIMT: instead of the configuration's */
    /* Placeholders of `host`: either an array of the caller's or those of an argument list. */
    const aclrtPlaceHolderInfo *table;
    size_t table_count;
    const struct args *list;
};

/* Sizes are cut to 32 bits and placeholders to 65535, as in the real library. */
static inline struct launch_args launch_host_args(void *host, size_t size, const aclrtPlaceHolderInfo *table,
                                                  size_t table_count)
{
    return (struct launch_args){
        .host = host, .size = (uint32_t)size, .table = table, .table_count = (uint16_t)table_count};
}

/* A placeholder array of the caller's. */
aclError launch_check_table(const struct function *function, const struct launch_args *args);
/* One value for each row of the kernel's parameter table; sets the size. */
aclError launch_check_values(const struct function *function, struct launch_args *args);
/* What check_on() asks for: whether the arguments have the size that the kernel's compiler noted. */
aclError launch_check_size(const struct function *function, const struct launch_args *args);
/* The function behind a handle or, first, a host symbol. NULL: reported, in thread_call.result. */
struct function *launch_resolve(const void *func);

/* Checks what is left, in the real library's order, and queues the kernel. */
aclError launch(struct function *function, uint32_t num_blocks, aclrtStream handle, const aclrtLaunchKernelCfg *cfg,
                const struct launch_args *args);

#endif
