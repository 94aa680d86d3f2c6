/* Operator binaries and the kernels ("functions") in them. */
#ifndef MOCK_BINARY_H
#define MOCK_BINARY_H

#include <pthread.h>

#include "aclmock/host_kernel.h"
#include "context.h"
#include "elf.h"
#include "error.h"
#include "handle.h"
#include "table.h"

#define PARAMS_AT_MOST 128 /* of an argument list, and of a kernel without metadata */

struct binary;

/* Which halves a kernel has: cube cores (AIC), vector cores (AIV), or both with one of them in charge. */
enum mix { MIX_NONE, MIX_AIC, MIX_AIV, MIX_MAIN_AIC, MIX_MAIN_AIV };

/* Code in the binary's image. */
struct code {
    uint32_t offset;
    uint32_t size;
};

/* Code of the host that does a kernel's work. */
struct implementation {
    void (*run)(aclmock_ctx *ctx);
    void *data;
    uint32_t flags; /* of enum aclmock_bind_flags */
};

struct function {
    struct cell cell;
    struct binary *binary;
    char *name;
    aclrtKernelType type;
    enum mix mix;
    bool cpu;          /* an AI CPU kernel: packed arguments, no hidden slots */
    bool cpu_library_unknown; /* its JSON does not say which of the AI CPU libraries has it */
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
    aclmock_param *own_params; /* the same, when nobody else owns them */
    uint32_t args_size; /* bytes of the arguments that the compiler noted; 0: it did not */
    struct code first;  /* the half on cube cores, or the only one */
    struct code second; /* the half on vector cores; offset 0: none */
    uint32_t function_type; /* of enum meta_function_type, 0: none */
    uint32_t ratio;         /* vector to cube cores, or the other way round: 2, 1; 0: one kind alone */
    uint32_t schedule_mode;
    bool has_entry; /* GetFunctionByEntry may find it */
    uint64_t entry;
    struct implementation own; /* of a host-kernel binary; run NULL: none */
    const struct implementation *_Atomic bound; /* what runs it, as of bind_generation `bound_at` (bind.h) */
    _Atomic uint64_t bound_at;
};

/* A variable in the image. */
struct global {
    char *name;
    uint64_t offset; /* may lie outside: nobody checks it */
    uint64_t size;
};

enum binary_kind {
    BINARY_OPERATOR, /* made by the Ascend compiler */
    BINARY_HOST,     /* a shared object that carries host kernels */
    BINARY_CPU,      /* AI CPU kernels */
};

/* Where a device stands with a binary. What has another epoch than the device's belongs to an earlier life of it. */
struct installed {
    _Atomic uint32_t valid;   /* epoch of the look-up that made the binary known to the device */
    _Atomic uint32_t ready;   /* the same, once launches need nothing more */
    _Atomic uint32_t copied;  /* epoch of the device that has the code */
    _Atomic uint64_t base;    /* and its address there */
    struct block *block;
};

/* Words of the image that the runtime fills in on the device. */
enum implicit_word { IMPLICIT_SYNC_ADDRESS, IMPLICIT_PRINT_FIFO, IMPLICIT_SIMT_PRINT_FIFO, IMPLICIT_WORDS };

struct binary {
    struct cell cell;
    char *path; /* where it came from, for messages */
    enum binary_kind kind;
    bool lazy;     /* the code goes to the device when it is needed, not at the first look-up */
    bool everywhere; /* loaded by aclrtBinaryLoad: every device may launch it */
    uint8_t *data; /* the file; NULL when nothing goes to a device */
    size_t size;
    struct elf_image image;
    struct function **functions;
    size_t count;
    struct table by_name;
    struct table by_entry;
    struct global *globals;
    size_t num_globals;
    struct table globals_by_name;
    uint32_t implicit; /* which are wanted: of enum meta_implicit */
    bool implicit_there[IMPLICIT_WORDS];
    uint64_t implicit_at[IMPLICIT_WORDS]; /* offset in the image, unchecked */
    void *library; /* a host-kernel binary's, from dlopen */
    _Atomic(aclrtOpExceptionCallback) on_exception; /* NULL: none */
    void *_Atomic on_exception_data;
    pthread_mutex_t lock; /* of `installed`, and of the functions of an AI CPU binary */
    struct installed installed[DEVICES_AT_MOST];
};

/* Reports 107017; NULL. */
struct function *function_missing(const void *handle, const char *argument);

/* The function if the handle is alive, else NULL after reporting 107017. */
static inline struct function *function_of(const void *handle, const char *argument)
{
    return LIKELY(handle_alive(HANDLE_FUNCTION, handle)) ? (struct function *)(uintptr_t)handle
                                                         : function_missing(handle, argument);
}

struct binary *binary_of(const void *handle);

/* Unloads all binaries. */
void binary_reset(void);

/* A function that nobody sees yet, with the entry of its name; NULL without memory, or when there is one of that name. */
struct function *binary_add(struct binary *binary, const char *name, struct text *why);
struct function *binary_find(const struct binary *binary, const char *name);
struct function *binary_find_entry(const struct binary *binary, uint64_t entry);
/* One more variable, or another place for one of that name. False without memory. */
bool binary_add_global(struct binary *binary, const char *name, uint64_t offset, uint64_t size, struct text *why);
const struct global *binary_find_global(const struct binary *binary, const char *name);

/* Sets how many hidden slots it has in front, from its other attributes and the chip. */
void function_set_head(struct function *function);
/* Gives it the entry that the digits of its name say. */
void function_set_entry(struct function *function);
/* After all functions are there: of those that share an entry, the alphabetically first is found by it. */
bool binary_index_entries(struct binary *binary, struct text *why);

/* A binary that nobody sees yet; NULL without memory. */
struct binary *binary_new(const char *path);
/* Lets handles to it and its functions pass. */
void binary_publish(struct binary *binary);
void binary_free(struct binary *binary);

#endif
