/* Argument lists: the buffer that a kernel's arguments are laid out in, and where each parameter is.
 *
 * The object has the size that the real library's has (96 bytes and 48 a parameter), since InitByUserMem puts it into
 * memory that the user measured. A handle is the address of its cell or, for memory of the user's, of the object.
 */
#ifndef MOCK_ARGS_H
#define MOCK_ARGS_H

#include "binary.h"
#include "memory.h"

#define ARGS_BUFFER_SIZE ((size_t)65536)
#define ARGS_SLOT ((size_t)8) /* of pointers, hidden ones too */

struct args_param {
    bool placeholder;
    size_t offset;
    size_t size;
    size_t data_offset; /* of a placeholder's data; 0: never asked for */
    struct cell cell;
};

struct args {
    uint8_t *buffer;
    size_t room;
    size_t head_size; /* bytes of the hidden slots in front */
    size_t size;      /* bytes laid out so far */
    struct function *function;
    const char *init_site;   /* where Init was called, and the last AppendPlaceHolder; NULL while checks were off */
    const char *holder_site;
    uint64_t launches; /* and failures to complete it */
    size_t pad; /* 7: parameters begin at multiples of 8; 0: of an AI CPU kernel, one behind another */
    bool got_buffer; /* a placeholder's buffer was handed out: no more parameters */
    bool overflow_done;
    uint8_t placeholders;
    uint8_t params;
    uint8_t max_params;
    bool finalized;
    bool updating; /* updated and not finalized again */
    struct cell cell;
    struct args_param param[];
};

_Static_assert(sizeof(struct args_param) == 48, "the real ParaDetail's size shows through GetHandleMemSize");
_Static_assert(sizeof(struct args) == 96 && offsetof(struct args, cell) == 80, "as the real RtArgsHandle");

/* Ends the calling thread's argument list. */
void args_reset(void);

static inline bool cell_is(const struct cell *cell, uint64_t magic, const void *object)
{
    return atomic_load_explicit(&cell->magic, memory_order_acquire) == magic && cell->object == object;
}

/* As cell_is, where a caller may have made up the address. */
bool args_guess_is(const struct cell *cell, uint64_t magic, const void *object);

/* What the real library takes without a word; while checks are on. They return a code when that is to fail. */
aclError args_check_lost(const struct args *args);                                             /* at a new Init */
aclError args_check_owner(const struct args *args, const struct args_param *param);            /* of a parameter */
aclError args_check_launch(const struct args *args, const struct function *function);

/* A list in user memory, or NULL after reporting 107017. */
COLD struct args *args_find(const void *handle);

extern THREAD_LOCAL struct args *args_own; /* the calling thread's, once it is initialised */

/* NULL after reporting 107017. */
static inline struct args *args_of(const void *handle)
{
    struct args *own = args_own;
    if (LIKELY(own != NULL && handle == &own->cell)) {
        return own;
    }
    const struct cell *cell = handle;
    struct args *around = CONTAINER(cell, struct args, cell);
    uintptr_t offset;
    bool of_a_thread = (uintptr_t)handle % _Alignof(struct cell) == 0 && slab_has(HANDLE_ARGS, handle, &offset);
    return LIKELY(of_a_thread && cell_is(cell, MAGIC_ARGS, around)) ? around : args_find(handle);
}

#endif
