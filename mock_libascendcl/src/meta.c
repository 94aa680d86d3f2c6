#include "meta.h"

#include <string.h>

#include "soc.h"

#define HEAD 4u /* bytes of a record before its value */
#define STACK_AT_MOST 32768u
#define DFX_ARGUMENT 5u
#define DFX_UNIT 8u

typedef unsigned long long ull;

enum record_type {
    FUNCTION_TYPE = 1,
    CROSS_CORE_SYNC = 2,
    CORE_RATIO = 3,
    DFX = 4,
    UBUF_SIZE = 7,
    MINIMUM_STACK = 8,
    VECTOR_TYPE = 12,
    FUNCTION_ENTRY = 14,
    PARAM_SUMMARY = 16,
    PARAM = 17,
    SCHEDULE_MODE = 18,
};

/* A walk over the records of a section. */
struct walk {
    const struct elf *elf;
    struct text *why;
    uint64_t at; /* of the next record, in the file */
    uint64_t left;
    uint16_t type;
    uint16_t length;
    uint64_t value; /* where it starts in the file */
    bool failed;
};

static bool fail_walk(struct walk *walk)
{
    walk->failed = true;
    return false;
}

/* Sections may claim more bytes than the file has; what counts is whether a record that is read is there. */
static bool reach(struct walk *walk, uint64_t offset, uint64_t bytes)
{
    if (elf_inside(walk->elf, offset, bytes)) {
        return true;
    }
    text_add(walk->why, "a metadata record at offset %llu ends behind the file's %zu bytes", (ull)walk->at,
             walk->elf->size);
    return fail_walk(walk);
}

static struct walk walk_start(const struct elf *elf, const struct elf_section *section, struct text *why)
{
    return (struct walk){.elf = elf, .why = why, .at = section->offset, .left = section->size};
}

static bool walk_next(struct walk *walk)
{
    if (walk->failed || walk->left <= HEAD || !reach(walk, walk->at, HEAD)) {
        return false;
    }
    walk->type = (uint16_t)elf_number(walk->elf, walk->at, 2);
    walk->length = (uint16_t)elf_number(walk->elf, walk->at + 2, 2);
    walk->value = walk->at + HEAD;
    if (walk->length > walk->left - HEAD) {
        return false;
    }
    walk->at += HEAD + walk->length;
    walk->left -= HEAD + walk->length;
    return true;
}

/* A number of the value, even of one that is too short for it: the real loader reads on. */
static uint64_t number(struct walk *walk, unsigned offset, unsigned bytes)
{
    return reach(walk, walk->value + offset, bytes) ? elf_number(walk->elf, walk->value + offset, bytes) : 0;
}

static uint32_t word(struct walk *walk, unsigned offset)
{
    return (uint32_t)number(walk, offset, 4);
}

/* A number as long as the value, cut to 32 bits. */
static uint32_t whole_value(struct walk *walk)
{
    return walk->length >= 1 && walk->length <= 8 ? (uint32_t)number(walk, 0, walk->length) : 0;
}

static bool wrong(struct walk *walk, const char *what, uint64_t seen, const char *expected)
{
    if (!walk->failed) {
        text_add(walk->why, "%s at offset %llu is %llu, expected %s", what, (ull)walk->value, (ull)seen, expected);
    }
    return fail_walk(walk);
}

/* ---- records ------------------------------------------------------------------------------------------ */

static bool read_ratio(struct walk *walk, struct meta *meta)
{
    static const struct {
        uint16_t cube, vector;
        uint8_t ratio;
    } known[] = {{1, 2, 2}, {2, 1, 2}, {1, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 2}};
    uint16_t cube = (uint16_t)number(walk, 0, 2);
    uint16_t vector = (uint16_t)number(walk, 2, 2);
    for (size_t i = 0; i < COUNT(known); ++i) {
        if (known[i].cube == cube && known[i].vector == vector) {
            meta->ratio = known[i].ratio;
            return !walk->failed;
        }
    }
    if (soc_has_mix() && !walk->failed) {
        text_add(walk->why, "the ratio of cube to vector cores at offset %llu is %u:%u, expected 1:2, 2:1, 1:1, 1:0, 0:1 "
                            "or 0:0", (ull)walk->value, cube, vector);
        return fail_walk(walk);
    }
    return !walk->failed;
}

static uint16_t big_endian(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

/* Counts argument records (always big-endian, lengths in units of 8 bytes). The budget is four bytes short, so the last
 * record falls out of it, and the one parameter that the runtime adds makes up for that. */
static bool read_dfx(struct walk *walk, struct meta *meta)
{
    if (walk->length == 0) {
        return true;
    }
    if (walk->length < HEAD) {
        return wrong(walk, "the length of the DFX record", walk->length, "at least 4");
    }
    if (!reach(walk, walk->value, walk->length)) {
        return false;
    }
    const uint8_t *record = walk->elf->data + walk->value;
    uint32_t left = walk->length - HEAD;
    uint32_t arguments = 0;
    while (left > HEAD) {
        uint32_t bytes = HEAD + DFX_UNIT * big_endian(record + 2);
        if (bytes > left) {
            break;
        }
        arguments += big_endian(record) == DFX_ARGUMENT;
        record += bytes;
        left -= bytes;
    }
    meta->user_params = (uint16_t)(1 + arguments);
    return true;
}

static bool read_minimum_stack(struct walk *walk)
{
    uint32_t size = whole_value(walk);
    if (size > STACK_AT_MOST && soc_has_mix()) {
        return wrong(walk, "the minimum stack size", size, "at most 32768");
    }
    return !walk->failed;
}

static bool read_entry(struct walk *walk, struct meta *meta)
{
    uint8_t flag = (uint8_t)number(walk, 0, 1);
    uint64_t entry = number(walk, 4, 8);
    if (flag != 0 && flag != 0x80) {
        return wrong(walk, "the flag of the function entry", flag, "0 or 128");
    }
    meta->entry = flag == 0 ? META_ENTRY_NUMBER : META_ENTRY_NONE;
    meta->entry_number = entry;
    return !walk->failed;
}

static bool read_summary(struct walk *walk, struct meta *meta)
{
    meta->has_params = true;
    meta->num_params = word(walk, 0);
    meta->params_size = number(walk, 4, 8);
    return !walk->failed;
}

static bool read_param(struct walk *walk, struct meta *meta)
{
    enum { RECORD = 36 };
    if (!reach(walk, walk->value, RECORD)) {
        return false;
    }
    if (meta->params_read == meta->params_room) {
        size_t room = meta->params_room != 0 ? meta->params_room * 2 : 8;
        struct meta_param *bigger = host_resize(meta->params, room * sizeof(*bigger));
        if (bigger == NULL) {
            text_add(walk->why, "no memory left");
            return fail_walk(walk);
        }
        meta->params = bigger;
        meta->params_room = room;
    }
    meta->params[meta->params_read++] = (struct meta_param){word(walk, 4), word(walk, 8), word(walk, 12)};
    return true;
}

static bool read_schedule_mode(struct walk *walk, struct meta *meta)
{
    meta->schedule_mode = whole_value(walk);
    return meta->schedule_mode <= 1 || wrong(walk, "the schedule mode", meta->schedule_mode, "0 or 1");
}

static bool read_record(struct walk *walk, struct meta *meta)
{
    switch (walk->type) {
    case FUNCTION_TYPE: meta->function_type = word(walk, 0); break;
    case CROSS_CORE_SYNC: meta->sync = word(walk, 0) == 1; break;
    case CORE_RATIO: return read_ratio(walk, meta);
    case DFX: return read_dfx(walk, meta);
    case UBUF_SIZE: meta->ubuf_size = word(walk, 0); break;
    case MINIMUM_STACK: return read_minimum_stack(walk);
    case VECTOR_TYPE: meta->vector_type = word(walk, 0); break;
    case FUNCTION_ENTRY: return read_entry(walk, meta);
    case PARAM_SUMMARY: return read_summary(walk, meta);
    case PARAM: return read_param(walk, meta);
    case SCHEDULE_MODE: return read_schedule_mode(walk, meta);
    default: break;
    }
    return !walk->failed;
}

/* ---- sections ----------------------------------------------------------------------------------------- */

static bool check_params(const struct meta *meta, const struct elf_section *section, struct text *why)
{
    if (!meta->has_params || meta->num_params == 0) {
        return true;
    }
    if (meta->num_params != meta->params_read) {
        text_add(why, "the metadata at offset %llu says %u parameters and describes %zu", (ull)section->offset,
                 meta->num_params, meta->params_read);
        return false;
    }
    for (size_t i = 0; i < meta->params_read; ++i) {
        if (meta->params[i].ordinal >= meta->num_params) {
            text_add(why, "the metadata at offset %llu describes parameter %u of %u", (ull)section->offset,
                     meta->params[i].ordinal, meta->num_params);
            return false;
        }
    }
    return true;
}

bool meta_read(const struct elf *elf, const struct elf_section *section, struct meta *meta, struct text *why)
{
    struct walk walk = walk_start(elf, section, why);
    meta->there = true;
    while (walk_next(&walk)) {
        if (!read_record(&walk, meta)) {
            return false;
        }
    }
    if (meta->vector_type == 0) {
        meta->ubuf_size = 0;
    }
    return !walk.failed && check_params(meta, section, why);
}

void meta_free(struct meta *meta)
{
    host_free(meta->params);
    *meta = (struct meta){0};
}

bool meta_read_implicit(const struct elf *elf, const struct elf_section *section, uint32_t *implicit, struct text *why)
{
    enum { IMPLICIT_INFO = 4 };
    struct walk walk = walk_start(elf, section, why);
    while (walk_next(&walk)) {
        uint32_t info = walk.type == IMPLICIT_INFO ? word(&walk, 0) : 0;
        if (info >= 1 && info <= 32) {
            *implicit |= (uint32_t)1 << (info - 1);
        }
    }
    return !walk.failed;
}

bool meta_check_stack_record(const struct elf *elf, const struct elf_section *section, struct text *why)
{
    if (elf_inside(elf, section->offset, section->size)) {
        return true;
    }
    text_add(why, "the stack sizes (section header at offset %llu, %llu bytes at offset %llu) end behind the file's %zu "
                  "bytes", (ull)section->header, (ull)section->size, (ull)section->offset, elf->size);
    return false;
}
