/* What the Ascend compiler notes about kernels, in sections named .ascend.meta...: records of a type (16 bits), a length
 * in bytes (16 bits) and a value. Unknown types are passed over; a record that leaves its section ends the reading. */
#ifndef MOCK_META_H
#define MOCK_META_H

#include "acl/acl_rt.h"
#include "elf.h"

enum meta_function_type {
    META_AICORE = 1,
    META_AIC = 2,
    META_AIV = 3,
    META_MIX_AIC_MAIN = 4,
    META_MIX_AIV_MAIN = 5,
    META_AIC_ROLLBACK = 6,
    META_AIV_ROLLBACK = 7,
};

enum meta_entry { META_ENTRY_KEY /* the digits of the name */, META_ENTRY_NUMBER, META_ENTRY_NONE };

struct meta_param {
    uint32_t ordinal;
    uint32_t offset;
    uint32_t size;
};

/* Of one kernel symbol. */
struct meta {
    bool there;             /* the symbol has such a section */
    uint32_t function_type; /* 0: none */
    bool sync;              /* uses cross-core sync */
    uint32_t ratio;         /* vector to cube cores, or the other way round: 2, 1; 0: one kind alone */
    uint16_t user_params;   /* for which InitByUserMem has room; 0 when nothing says */
    uint32_t ubuf_size;     /* unified buffer that the compiler uses, of SIMT kernels */
    uint32_t vector_type;   /* 3, 4: SIMT */
    enum meta_entry entry;
    uint64_t entry_number;
    uint32_t schedule_mode;
    bool has_params;
    uint32_t num_params;
    uint64_t params_size;
    struct meta_param *params; /* in the file's order, for meta_free */
    size_t params_read;
    size_t params_room;
};

#define META_NONE {.ratio = 2}

/* Into META_NONE. False: `why` says what is wrong. Either way meta_free is due. */
bool meta_read(const struct elf *elf, const struct elf_section *section, struct meta *meta, struct text *why);
void meta_free(struct meta *meta);

/* Bits of the section .ascend.meta: what the runtime stores into the code before it runs. */
enum meta_implicit {
    META_PRINT_FIFO = 1 << 0,
    META_SYNC_ADDRESS = 1 << 1,
    META_L2_HINT = 1 << 2,
    META_SIMT_PRINT_FIFO = 1 << 3,
    META_ASSERT_FIFO = 1 << 4,
};

bool meta_read_implicit(const struct elf *elf, const struct elf_section *section, uint32_t *implicit, struct text *why);

/* The record of stack sizes: all of it must be there, its values change nothing here. */
bool meta_check_stack_record(const struct elf *elf, const struct elf_section *section, struct text *why);

#endif
