/* What the mock and a host kernel know of each other. To write a kernel, include aclmock/kernel.h. */
#ifndef ACLMOCK_HOST_KERNEL_H
#define ACLMOCK_HOST_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclmock_param {
    uint32_t offset;
    uint32_t size;
} aclmock_param;

typedef struct aclmock_ctx aclmock_ctx;

/* What the mock does for a kernel, behind the functions of kernel.h. */
struct aclmock_calls {
    /* NULL when the bytes are not all in one allocation; the fault is noted. */
    void *(*reach)(aclmock_ctx *ctx, uint64_t address, size_t bytes);
    /* Notes a fault, unless one is noted already; text may be NULL. */
    void (*note)(aclmock_ctx *ctx, const char *text);
    /* Leaves the kernel: the launch ends with the fault that was noted. */
    void (*leave)(aclmock_ctx *ctx);
};

struct aclmock_ctx {
    const struct aclmock_calls *calls;
    uint32_t block_idx;
    uint32_t block_num;
    const unsigned char *args; /* the argument block as the device sees it */
    size_t args_size;
    size_t args_head;          /* bytes of hidden slots before the first parameter */
    const aclmock_param *params; /* the kernel's parameter table, NULL: 8-byte slots */
    size_t num_params;
    void *data; /* of whoever bound the kernel */
    const uint32_t *dims; /* a SIMT launch's: z, y, x of a block, then of the grid; else NULL */
};

enum aclmock_kernel_type {
    ACLMOCK_VECTOR = 0, /* no hidden slot before the parameters, one (overflow) behind them */
    ACLMOCK_CUBE,
    ACLMOCK_AICORE,
    ACLMOCK_MIX, /* cube and vector together: a hidden slot (ffts address) before the parameters, on A2 and A3 */
    ACLMOCK_AICPU /* arguments packed, no hidden slots */
};

typedef struct aclmock_kernel {
    const char *name;
    void (*run)(aclmock_ctx *ctx);
    enum aclmock_kernel_type type;
    uint32_t num_params;          /* of the table; 0: none */
    const aclmock_param *params;
    uint32_t max_params;          /* 0: 128, as a kernel without metadata */
    void *data;                   /* becomes ctx->data */
} aclmock_kernel;

/* The entries of all files of a binary meet in one section. */
#define ACLMOCK_SECTION "aclmock_kernels"

/* All kernels of a binary. */
struct aclmock_kernel_table {
    uint32_t version;
    uint32_t entry_size;
    const aclmock_kernel *first;
    const aclmock_kernel *end;
};

#define ACLMOCK_TABLE_VERSION 1u

#ifdef __cplusplus
}
#endif

#endif
