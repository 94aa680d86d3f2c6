/* A launch, whichever way the library takes it: shared by cffi (_route.c), _fast.c and, as declarations, _build.py. */
#ifndef ACL_BIND_ROUTE_H
#define ACL_BIND_ROUTE_H

#include <acl/acl_rt.h>

#define ACL_BIND_MISSING -1 /* the library lacks the function that acl_bind_failed names */
#define ACL_BIND_STALE   -2 /* `hidden` is not of this context: find it again and launch again */

#define ACL_BIND_MAX_PARAMS 128

/* A parameter's place in the packed arguments. */
typedef struct acl_bind_param {
    uint32_t offset;
    uint32_t size;        /* of a placeholder: of its data */
    uint32_t data_offset; /* 0: by value */
} acl_bind_param;

/* How the arguments of a launch are packed. They hold room for the hidden slots, which the launch fills. */
typedef struct acl_bind_plan {
    aclrtFuncHandle function;
    aclrtArgsHandle args; /* a finalized list of the same arguments, NULL: made for the launch when one is needed */
    size_t size;
    const acl_bind_param *params;
    size_t num_params;
    const aclrtPlaceHolderInfo *placeholders;
    size_t num_placeholders;
    uint32_t sync_size;       /* bytes in front for the inter-core sync address, 0 or 8 */
    uint32_t overflow_offset; /* where the overflow address goes, 0: nowhere */
    int by_handles;           /* never through aclrtLaunchKernelWithHostArgs */
    int host_args_only;       /* a layout that argument lists do not have */
} acl_bind_plan;

/* What the hidden slots get in a context. Good while the epoch lasts. */
typedef struct acl_bind_hidden {
    aclrtContext context;
    uint64_t epoch;
    uint64_t sync;
    uint64_t overflow;
} acl_bind_hidden;

/* Where to, with which shape. context NULL: the thread's own. */
typedef struct acl_bind_target {
    aclrtContext context;
    aclrtStream stream;
    aclrtLaunchKernelCfg *config;
    uint32_t num_blocks;
} acl_bind_target;

/* One of a list of launches that are replayed in one call. */
typedef struct acl_bind_item {
    const acl_bind_plan *plan;
    const acl_bind_hidden *hidden;
    const void *packed;
    aclrtLaunchKernelCfg *config;
    uint32_t num_blocks;
} acl_bind_item;

/* The launch itself, with a block that it may change. */
typedef int (*acl_bind_launch_block_t)(const acl_bind_plan *plan, const acl_bind_hidden *hidden,
                                       const acl_bind_target *target, void *block);
typedef int (*acl_bind_sync_t)(uintptr_t context, uintptr_t stream, int32_t timeout);
typedef uint64_t (*acl_bind_epoch_t)(void);

#endif
