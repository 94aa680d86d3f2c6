/* Write a kernel that runs on the host, in place of the one an NPU would run.
 *
 *     #include <aclmock/kernel.h>
 *
 *     ACLMOCK_KERNEL(scale)                       // like  __global__ void scale(GM_ADDR x, GM_ADDR y, float factor, uint32_t n)
 *     {
 *         uint32_t n = ACLMOCK_VALUE(ctx, 3, uint32_t) / aclmock_block_num(ctx);
 *         uint32_t first = n * aclmock_block_idx(ctx);
 *         const float *x = ACLMOCK_GM(ctx, 0, float, first + n);
 *         float *y = ACLMOCK_GM(ctx, 1, float, first + n);
 *         for (uint32_t i = first; i < first + n; ++i) {
 *             y[i] = x[i] * ACLMOCK_VALUE(ctx, 2, float);
 *         }
 *     }
 *
 *     acl-bind cc scale.c -o scale.o              // or: cc -shared -fPIC $(acl-bind config --cflags) scale.c -o scale.o
 *
 * and load scale.o as any operator binary. The body runs once a block; `ctx` says which. Parameters count from 0 in
 * the order in which the host appended them; hidden slots of the runtime are not counted.
 */
#ifndef ACLMOCK_KERNEL_H
#define ACLMOCK_KERNEL_H

#include <string.h>

#include "host_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- inside a kernel ---------------------------------------------------------------------------------- */

static inline uint32_t aclmock_block_idx(const aclmock_ctx *ctx)
{
    return ctx->block_idx;
}

static inline uint32_t aclmock_block_num(const aclmock_ctx *ctx)
{
    return ctx->block_num;
}

/* A SIMT launch's threads in a block and blocks in the grid; axis 0 is x, 2 is z. Else 1, and block_num along x. */
static inline uint32_t aclmock_block_dim(const aclmock_ctx *ctx, unsigned axis)
{
    return ctx->dims != NULL ? ctx->dims[2 - axis] : 1;
}

static inline uint32_t aclmock_grid_dim(const aclmock_ctx *ctx, unsigned axis)
{
    return ctx->dims != NULL ? ctx->dims[5 - axis] : axis == 0 ? ctx->block_num : 1;
}

/* Ends the launch with a device fault that says this. */
static inline void aclmock_fail(aclmock_ctx *ctx, const char *text)
{
    ctx->calls->note(ctx, text);
    ctx->calls->leave(ctx);
}

/* `bytes` bytes of global memory at a device address. Leaves the kernel with a fault when they are not all there. */
static inline void *aclmock_gm(aclmock_ctx *ctx, uint64_t address, size_t bytes)
{
    void *memory = ctx->calls->reach(ctx, address, bytes);
    if (memory == NULL) {
        ctx->calls->leave(ctx);
    }
    return memory;
}

/* `size` bytes of the argument block, from the byte `offset`. */
static inline const void *aclmock_args_at(aclmock_ctx *ctx, size_t offset, size_t size)
{
    if (size > ctx->args_size || offset > ctx->args_size - size) {
        aclmock_fail(ctx, "the kernel reads a parameter behind the end of its arguments: fewer were passed than it takes");
    }
    return ctx->args + offset;
}

/* Where parameter i is: by the kernel's table if it has one, else in the i-th 8-byte slot. */
static inline size_t aclmock_param_offset(const aclmock_ctx *ctx, size_t i)
{
    return i < ctx->num_params ? ctx->params[i].offset : ctx->args_head + 8 * i;
}

static inline const void *aclmock_param_bytes(aclmock_ctx *ctx, size_t i, size_t size)
{
    return aclmock_args_at(ctx, aclmock_param_offset(ctx, i), size);
}

static inline uint64_t aclmock_param_pointer(aclmock_ctx *ctx, size_t i)
{
    uint64_t address;
    memcpy(&address, aclmock_param_bytes(ctx, i, sizeof(address)), sizeof(address));
    return address;
}

/* The value of parameter i, as `type`. */
#define ACLMOCK_VALUE(ctx, i, type)                                                     \
    (__extension__({                                                                    \
        type value_;                                                                    \
        memcpy(&value_, aclmock_param_bytes((ctx), (i), sizeof(type)), sizeof(type));   \
        value_;                                                                         \
    }))

/* The value at a byte offset of the argument block: for AI CPU kernels, whose arguments are packed. */
#define ACLMOCK_VALUE_AT(ctx, offset, type)                                             \
    (__extension__({                                                                    \
        type value_;                                                                    \
        memcpy(&value_, aclmock_args_at((ctx), (offset), sizeof(type)), sizeof(type));  \
        value_;                                                                         \
    }))

/* `count` elements of the global memory that parameter i points to. */
#define ACLMOCK_GM(ctx, i, type, count) \
    ((type *)aclmock_gm((ctx), aclmock_param_pointer((ctx), (i)), sizeof(type) * (size_t)(count)))

/* ---- fp16 --------------------------------------------------------------------------------------------- */

typedef uint16_t aclmock_half;

static inline float aclmock_half_to_float(aclmock_half half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 0x1fu;
    uint32_t fraction = half & 0x3ffu;
    uint32_t bits;
    if (exponent == 0x1fu) { /* infinity, NaN */
        bits = sign | 0x7f800000u | fraction << 13;
    } else if (exponent != 0) {
        bits = sign | (exponent + 112u) << 23 | fraction << 13;
    } else if (fraction != 0) { /* subnormal: fraction * 2^-24 */
        float value = (float)fraction * 0x1p-24f;
        memcpy(&bits, &value, sizeof(bits));
        bits |= sign;
    } else {
        bits = sign;
    }
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Rounds to nearest, ties to even; overflow becomes infinity, NaN stays NaN. */
static inline aclmock_half aclmock_float_to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint32_t sign = (bits >> 16) & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return (aclmock_half)(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
    }
    if (magnitude >= 0x477ff000u) { /* 65520 and above */
        return (aclmock_half)(sign | 0x7c00u);
    }
    if (magnitude < 0x38800000u) { /* below 2^-14: count in units of 2^-24; adding 0.5 rounds in hardware */
        float scaled;
        memcpy(&scaled, &magnitude, sizeof(scaled));
        scaled = scaled + 0.5f;
        uint32_t rounded;
        memcpy(&rounded, &scaled, sizeof(rounded));
        return (aclmock_half)(sign | (rounded - 0x3f000000u));
    }
    uint32_t even = (magnitude >> 13) & 1u;
    return (aclmock_half)(sign | ((magnitude - 0x38000000u + 0xfffu + even) >> 13));
}

/* ---- registering a kernel ----------------------------------------------------------------------------- */

/* ACLMOCK_KERNEL(name) { body }, or ACLMOCK_KERNEL(name, .type = ACLMOCK_MIX) { body } with fields of aclmock_kernel. */
#define ACLMOCK_KERNEL(kernel, ...)                                                                           \
    static void kernel##_on_host(aclmock_ctx *ctx);                                                           \
    ACLMOCK_ENTRY const aclmock_kernel kernel##_entry = {.name = #kernel, .run = kernel##_on_host, __VA_ARGS__}; \
    static void kernel##_on_host(aclmock_ctx *ctx)

/* The field list for a parameter table: ACLMOCK_KERNEL(name, ACLMOCK_PARAMS({0, 8}, {8, 4})), rows of offset and size. */
#define ACLMOCK_PARAMS(...)                                                \
    .params = (const aclmock_param[]){__VA_ARGS__},                        \
    .num_params = sizeof((const aclmock_param[]){__VA_ARGS__}) / sizeof(aclmock_param)

#define ACLMOCK_ENTRY static __attribute__((section(ACLMOCK_SECTION), used, aligned(8)))

extern const aclmock_kernel __start_aclmock_kernels[] __attribute__((weak, visibility("hidden")));
extern const aclmock_kernel __stop_aclmock_kernels[] __attribute__((weak, visibility("hidden")));

/* How the mock finds them after loading the file. */
__attribute__((weak, used, visibility("default"))) void aclmock_list_kernels(struct aclmock_kernel_table *table);

__attribute__((weak, used, visibility("default"))) void aclmock_list_kernels(struct aclmock_kernel_table *table)
{
    table->version = ACLMOCK_TABLE_VERSION;
    table->entry_size = sizeof(aclmock_kernel);
    table->first = __start_aclmock_kernels;
    table->end = __stop_aclmock_kernels;
}

#ifdef __cplusplus
}
#endif

#endif
