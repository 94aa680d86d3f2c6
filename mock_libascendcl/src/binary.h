/* Operator binaries and the kernels ("functions") in them. */
#ifndef MOCK_BINARY_H
#define MOCK_BINARY_H

#include "aclmock/host_kernel.h"
#include "context.h"
#include "error.h"
#include "handle.h"

#define PARAMS_AT_MOST 128 /* of an argument list, and of a kernel without metadata */

struct binary;

struct function {
    struct cell cell;
    struct binary *binary;
    char *name;
    aclrtKernelType type;
    bool cpu;          /* an AI CPU kernel: packed arguments, no hidden slots */
    bool overflow;     /* a hidden slot behind the parameters takes the overflow address */
    bool ffts;         /* the hidden slot in front takes the inter-core sync address */
    bool simt;         /* threads in a grid: for the SIMT launches */
    uint32_t ubuf_used; /* a SIMT kernel's: bytes of the unified buffer that the compiler has given away */
    uint8_t system_slots; /* hidden 8-byte slots, that of overflow counted */
    uint8_t head_slots;   /* those in front */
    uint16_t user_params; /* what InitByUserMem has room for */
    bool has_params;
    uint32_t num_params;
    uint32_t params_size; /* bytes that all of them take */
    const aclmock_param *params;
    void (*run)(aclmock_ctx *ctx); /* its host implementation, NULL while it has none */
    void *run_data;
};

/* Where a device stands with a binary: valid while the device has not been closed since the look-up. */
struct installed {
    _Atomic uint32_t epoch;
};

struct binary {
    struct cell cell;
    char *path; /* where it came from, for messages */
    struct function **functions; /* by name */
    size_t count;
    void *library; /* a host-kernel binary's, from dlopen */
    struct installed installed[DEVICES_AT_MOST];
};

/* The function if the handle is alive, else NULL after reporting 107017. */
struct function *function_of(const void *handle, const char *argument);
struct binary *binary_of(const void *handle);

/* Unloads all binaries. */
void binary_reset(void);

/* Whether a look-up has made the binary known to the device since it was opened. */
static inline bool binary_installed(struct binary *binary, struct device *device)
{
    uint32_t epoch = atomic_load_explicit(&binary->installed[device->user_id].epoch, memory_order_acquire);
    return epoch != 0 && epoch == atomic_load_explicit(&device->epoch, memory_order_acquire);
}

/* A binary that nobody sees yet; NULL without memory. */
struct binary *binary_new(const char *path);
/* Lets handles to it and its functions pass. */
void binary_publish(struct binary *binary);
void binary_free(struct binary *binary);

/* A function not yet in the table; NULL without memory. */
struct function *function_new(struct binary *binary, const char *name);
/* Sets how many hidden slots it has in front, from its other attributes and the chip. */
void function_set_head(struct function *function);
/* Puts the functions in order by name. False when two have one name: `why` says which. */
bool binary_order(struct binary *binary, struct text *why);

#endif
