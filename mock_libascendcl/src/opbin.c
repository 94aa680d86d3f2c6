#include "opbin.h"

#include <elf.h>
#include <string.h>

#include "meta.h"
#include "soc.h"

#define NAME_AT_MOST 4096u /* longer names, their NUL counted, are passed over */
#define META_PREFIX ".ascend.meta."

typedef unsigned long long ull;

/* The metadata section of a kernel symbol. */
struct meta_place {
    const char *symbol;
    uint16_t section;
};

struct reader {
    const struct elf *elf;
    struct binary *binary;
    const struct opbin_hints *hints;
    struct text *why;
    struct meta_place *metas;
    size_t num_metas;
    struct table metas_by_symbol;
};

static bool no_memory(const struct reader *reader)
{
    text_add(reader->why, "no memory left");
    return false;
}

struct opbin_hints opbin_no_hints(void)
{
    return (struct opbin_hints){soc_has_mix() ? ACL_KERNEL_TYPE_CUBE : ACL_KERNEL_TYPE_AICORE, false};
}

/* ---- sections ----------------------------------------------------------------------------------------- */

static struct meta_place *find_meta(const struct reader *reader, const char *symbol)
{
    struct table_probe probe = table_probe(&reader->metas_by_symbol, table_hash(symbol, strlen(symbol)));
    for (struct table_slot *slot = table_next(&probe); slot != NULL; slot = table_next(&probe)) {
        struct meta_place *place = &reader->metas[slot->index - 1];
        if (strcmp(place->symbol, symbol) == 0) {
            return place;
        }
    }
    return NULL;
}

/* Of two sections for one symbol, the later one counts. */
static bool add_meta(struct reader *reader, const char *symbol, uint16_t section)
{
    struct meta_place *known = find_meta(reader, symbol);
    if (known != NULL) {
        known->section = section;
        return true;
    }
    reader->metas[reader->num_metas] = (struct meta_place){symbol, section};
    return table_add(&reader->metas_by_symbol, table_hash(symbol, strlen(symbol)), reader->num_metas++) ||
           no_memory(reader);
}

static bool read_named_section(struct reader *reader, uint16_t index, const struct elf_section *section)
{
    const char *name = elf_section_name(reader->elf, section);
    if (name == NULL) {
        text_add(reader->why, "the name of section %u (header at offset %llu, sh_name %u) is behind the %llu "
                              "bytes of section names", index, (ull)section->header, section->name,
                 (ull)reader->elf->names.size);
        return false;
    }
    if (strstr(name, META_PREFIX) != NULL) {
        return add_meta(reader, name + strlen(META_PREFIX), index); /* even where the prefix is not in front */
    }
    if (strcmp(name, ".ascend.meta") == 0) {
        return meta_read_implicit(reader->elf, section, &reader->binary->implicit, reader->why);
    }
    if (strstr(name, ".ascend.stack.size.record") != NULL) {
        return meta_check_stack_record(reader->elf, section, reader->why);
    }
    return true;
}

static bool read_sections(struct reader *reader)
{
    reader->metas = host_alloc(reader->elf->sections * sizeof(struct meta_place));
    if (reader->metas == NULL) {
        return no_memory(reader);
    }
    for (uint16_t i = 0; i < reader->elf->sections; ++i) {
        struct elf_section section = elf_section(reader->elf, i);
        if (elf_section_counts(&section) && !read_named_section(reader, i, &section)) {
            return false;
        }
    }
    return true;
}

/* ---- globals ------------------------------------------------------------------------------------------ */

static void note_implicit(struct binary *binary, const char *name, uint64_t offset)
{
    static const char *const words[IMPLICIT_WORDS] = {
        [IMPLICIT_SYNC_ADDRESS] = "g_sysFftsAddr",
        [IMPLICIT_PRINT_FIFO] = "g_sysPrintFifoSpace",
        [IMPLICIT_SIMT_PRINT_FIFO] = "g_sysSimtPrintFifoSpace",
    };
    for (size_t i = 0; i < COUNT(words); ++i) {
        if (strcmp(words[i], name) == 0) {
            binary->implicit_at[i] = offset;
            binary->implicit_there[i] = true;
        }
    }
}

static bool read_global(struct reader *reader, const struct elf_symbol *symbol)
{
    const char *name = elf_string(&reader->elf->symbol_names, symbol->name);
    if (name == NULL) {
        text_add(reader->why, "the name of the object symbol at offset %llu (st_name %u) is behind the %llu "
                              "bytes of symbol names", (ull)symbol->at, symbol->name, (ull)reader->elf->symbol_names.size);
        return false;
    }
    struct elf_section section = elf_section(reader->elf, symbol->section);
    uint64_t offset = symbol->value + section.offset - section.address - reader->binary->image.offset;
    note_implicit(reader->binary, name, offset);
    return symbol->binding != STB_GLOBAL ||
           binary_add_global(reader->binary, name, offset, symbol->size, reader->why);
}

/* An object of no section of the file ends the reading: the real loader sees none of those behind it. */
static bool read_globals(struct reader *reader)
{
    for (uint64_t i = 0; i < reader->elf->num_symbols; ++i) {
        struct elf_symbol symbol = elf_symbol(reader->elf, i);
        if (symbol.type != STT_OBJECT) {
            continue;
        }
        if (symbol.section >= reader->elf->sections) {
            return true;
        }
        if (!read_global(reader, &symbol)) {
            return false;
        }
    }
    return true;
}

/* ---- kernels ------------------------------------------------------------------------------------------ */

/* What one symbol says: a whole kernel, or a half of one. */
struct half {
    const struct elf_symbol *symbol;
    char name[NAME_AT_MOST]; /* without the suffix of a half */
    enum mix suffix;
    aclrtKernelType type;
    enum mix mix;
    struct code code;
    struct meta meta;
};

static char *find_last(char *text, const char *part)
{
    char *found = NULL;
    for (char *next = strstr(text, part); next != NULL; next = strstr(next + 1, part)) {
        found = next;
    }
    return found;
}

/* Takes the suffix out, wherever in the name it is. */
static enum mix strip_suffix(char *name)
{
    static const char aic[] = "_mix_aic";
    static const char aiv[] = "_mix_aiv";
    char *found = find_last(name, aic);
    enum mix mix = found != NULL ? MIX_AIC : MIX_AIV;
    found = found != NULL ? found : find_last(name, aiv);
    if (found == NULL) {
        return MIX_NONE;
    }
    const char *rest = found + strlen(aic);
    memmove(found, rest, strlen(rest) + 1);
    return mix;
}

static bool set_type_by_suffix(struct half *half)
{
    half->mix = half->suffix;
    half->type = half->suffix == MIX_AIC ? ACL_KERNEL_TYPE_CUBE : ACL_KERNEL_TYPE_VECTOR;
    return half->suffix != MIX_NONE;
}

static bool set_type(const struct reader *reader, struct half *half)
{
    switch (half->meta.function_type) {
    case META_AICORE:
        half->type = ACL_KERNEL_TYPE_AICORE;
        half->mix = half->suffix;
        return true;
    case META_AIC:
    case META_AIC_ROLLBACK:
        half->type = ACL_KERNEL_TYPE_CUBE;
        half->mix = half->meta.sync ? MIX_AIC : MIX_NONE;
        return true;
    case META_AIV:
    case META_AIV_ROLLBACK:
        half->type = ACL_KERNEL_TYPE_VECTOR;
        half->mix = half->meta.sync ? MIX_AIV : MIX_NONE;
        return true;
    case META_MIX_AIC_MAIN:
    case META_MIX_AIV_MAIN:
        if (!set_type_by_suffix(half)) {
            text_add(reader->why, "kernel %s (symbol at offset %llu) has function type %u, but its name has neither "
                                  "_mix_aic nor _mix_aiv", half->name, (ull)half->symbol->at, half->meta.function_type);
            return false;
        }
        return true;
    default:
        if (!set_type_by_suffix(half)) {
            half->type = reader->hints->type;
        }
        return true;
    }
}

static bool read_half(struct reader *reader, const char *name, struct half *half)
{
    const struct elf_symbol *symbol = half->symbol;
    const struct meta_place *place = find_meta(reader, name);
    strcpy(half->name, name);
    half->suffix = strip_suffix(half->name);
    half->mix = MIX_NONE;
    half->code = (struct code){(uint32_t)symbol->value, (uint32_t)symbol->size};
    if (half->name[0] == '\0') {
        text_add(reader->why, "the kernel at offset %llu (st_name %u) has no name", (ull)symbol->at, symbol->name);
        return false;
    }
    if (place != NULL) {
        struct elf_section section = elf_section(reader->elf, place->section);
        if (!meta_read(reader->elf, &section, &half->meta, reader->why)) {
            text_add(reader->why, " (metadata of kernel %s)", name);
            return false;
        }
    }
    return set_type(reader, half);
}

static bool set_params(struct reader *reader, struct function *function, const struct half *half)
{
    const struct meta *meta = &half->meta;
    function->has_params = meta->has_params;
    function->num_params = meta->num_params;
    function->params_size = (uint32_t)meta->params_size;
    if (!meta->has_params || meta->num_params == 0) {
        return true;
    }
    bool *seen = host_alloc(meta->num_params * sizeof(*seen));
    function->own_params = host_alloc(meta->num_params * sizeof(*function->own_params));
    function->params = function->own_params;
    bool distinct = true;
    for (size_t i = 0; seen != NULL && function->own_params != NULL && i < meta->params_read; ++i) {
        const struct meta_param *param = &meta->params[i];
        distinct = distinct && !seen[param->ordinal];
        seen[param->ordinal] = true;
        function->own_params[param->ordinal] = (aclmock_param){param->offset, param->size};
    }
    bool enough = seen != NULL && function->own_params != NULL;
    host_free(seen);
    if (enough && !distinct) { /* the real loader leaves a row unset, and answers with what was in memory */
        text_add(reader->why, "the metadata of kernel %s describes a parameter twice and another one never",
                 function->name);
    }
    return enough ? distinct : no_memory(reader);
}

static bool takes_sync_address(const struct reader *reader, const struct half *half)
{
    bool in_image = reader->binary->implicit & META_SYNC_ADDRESS;
    return soc_is(SOC_A2) && !in_image && (reader->hints->sync || half->meta.sync || half->mix != MIX_NONE);
}

static void set_simt(struct function *function, const struct meta *meta)
{
    function->simt = meta->vector_type == 3 || meta->vector_type == 4;
    function->ubuf_used = meta->ubuf_size;
}

static bool add_kernel(struct reader *reader, const struct half *half)
{
    struct function *function = binary_add(reader->binary, half->name, reader->why);
    if (function == NULL) {
        return false;
    }
    const struct meta *meta = &half->meta;
    function->type = half->type;
    function->mix = half->mix;
    function->first = half->code;
    function->function_type = meta->function_type;
    function->ratio = meta->ratio;
    function->schedule_mode = meta->schedule_mode;
    function->overflow = true;
    function->ffts = takes_sync_address(reader, half);
    function->system_slots = (uint8_t)(1 + function->ffts);
    function_set_head(function);
    function->user_params = meta->there ? meta->user_params : PARAMS_AT_MOST;
    if (meta->entry != META_ENTRY_KEY) {
        function->has_entry = meta->entry == META_ENTRY_NUMBER;
        function->entry = meta->entry_number;
    }
    set_simt(function, meta);
    return set_params(reader, function, half);
}

static bool is_mix_main(uint32_t function_type)
{
    return function_type == META_MIX_AIC_MAIN || function_type == META_MIX_AIV_MAIN;
}

/* A second symbol of one function. What both could say is taken from the first, save what only vector cores have. */
static bool add_half(struct reader *reader, struct function *function, const struct half *half)
{
    if (function->second.offset != 0 || function->mix == half->mix || half->mix == MIX_NONE) {
        text_add(reader->why, "the symbol at offset %llu is one more for kernel %s: expected one symbol, or a half for "
                              "cube cores (_mix_aic) and one for vector cores (_mix_aiv)", (ull)half->symbol->at,
                 half->name);
        return false;
    }
    if (function->mix == MIX_AIV) {
        function->second = function->first;
        function->first = half->code;
    } else {
        function->second = half->code;
    }
    if (half->mix == MIX_AIV) {
        set_simt(function, &half->meta);
    }
    bool vector_leads = is_mix_main(function->function_type) && half->meta.function_type != META_MIX_AIC_MAIN;
    if (soc_has_mix()) {
        function->type = ACL_KERNEL_TYPE_MIX;
        function->mix = vector_leads ? MIX_MAIN_AIV : MIX_MAIN_AIC;
    }
    return true;
}

static bool read_kernel(struct reader *reader, const struct elf_symbol *symbol, struct half *half)
{
    const char *name = elf_string(&reader->elf->symbol_names, symbol->name);
    if (name == NULL) {
        text_add(reader->why, "the name of the function symbol at offset %llu (st_name %u) is behind the %llu "
                              "bytes of symbol names", (ull)symbol->at, symbol->name, (ull)reader->elf->symbol_names.size);
        return false;
    }
    if (strlen(name) >= NAME_AT_MOST) {
        return true;
    }
    half->symbol = symbol;
    half->meta = (struct meta)META_NONE;
    bool read = read_half(reader, name, half);
    if (read) {
        struct function *known = binary_find(reader->binary, half->name);
        read = known != NULL ? add_half(reader, known, half) : add_kernel(reader, half);
    }
    meta_free(&half->meta);
    return read;
}

static bool read_kernels(struct reader *reader)
{
    struct half half;
    for (uint64_t i = 0; i < reader->elf->num_symbols; ++i) {
        struct elf_symbol symbol = elf_symbol(reader->elf, i);
        bool kernel = symbol.type == STT_FUNC && symbol.binding == STB_GLOBAL && symbol.visibility != STV_HIDDEN &&
                      symbol.name != 0;
        if (kernel && !read_kernel(reader, &symbol, &half)) {
            return false;
        }
    }
    return true;
}

/* ---- what the compiler noted about arguments ------------------------------------------------------------ */

/* The object <kernel symbol>__ holds the size of the kernel's arguments. The real loader does not look at it; what does
 * not fit is passed over. */
static void read_args_size(const struct reader *reader, const struct elf_section *section,
                           const struct elf_symbol *symbol)
{
    char name[NAME_AT_MOST];
    const char *object = elf_string(&reader->elf->symbol_names, symbol->name);
    size_t length = object != NULL ? strlen(object) : 0;
    uint64_t at = section->offset + (symbol->value - section->address);
    if (length < 3 || length >= sizeof(name) || strcmp(object + length - 2, "__") != 0 || at < section->offset ||
        !elf_inside(reader->elf, at, 4)) {
        return;
    }
    memcpy(name, object, length - 2);
    name[length - 2] = '\0';
    strip_suffix(name);
    struct function *function = binary_find(reader->binary, name);
    if (function != NULL) {
        function->args_size = (uint32_t)elf_number(reader->elf, at, 4);
    }
}

static void read_args_sizes(const struct reader *reader)
{
    uint16_t index = elf_find_section(reader->elf, "__CCE_KernelArgSize");
    if (index == reader->elf->sections) {
        return;
    }
    struct elf_section section = elf_section(reader->elf, index);
    for (uint64_t i = 0; i < reader->elf->num_symbols; ++i) {
        struct elf_symbol symbol = elf_symbol(reader->elf, i);
        if (symbol.type == STT_OBJECT && symbol.section == index) {
            read_args_size(reader, &section, &symbol);
        }
    }
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

bool opbin_read(struct binary *binary, struct elf *elf, const struct opbin_hints *hints, struct text *why)
{
    struct reader reader = {.elf = elf, .binary = binary, .hints = hints, .why = why};
    bool read = elf_find_symbols(elf, why) && elf_find_image(elf, &binary->image, why) &&
                read_sections(&reader) && read_globals(&reader) && read_kernels(&reader) &&
                binary_index_entries(binary, why);
    if (read) {
        read_args_sizes(&reader);
    }
    host_free(reader.metas);
    table_free(&reader.metas_by_symbol);
    return read;
}
