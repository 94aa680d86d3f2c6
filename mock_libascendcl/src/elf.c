#include "elf.h"

#include <elf.h>
#include <string.h>

typedef unsigned long long ull;

/* ---- numbers and strings ------------------------------------------------------------------------------ */

static uint64_t load(const uint8_t *bytes, unsigned count)
{
    uint64_t value = 0;
    memcpy(&value, bytes, count);
    return value;
}

uint64_t elf_number(const struct elf *elf, uint64_t offset, unsigned bytes)
{
    uint64_t value = load(elf->data + offset, bytes);
    return elf->big_endian ? __builtin_bswap64(value) >> (64 - 8 * bytes) : value;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "load() reads numbers as this machine stores them");

#define FIELD(elf, base, type, member) elf_number(elf, (base) + offsetof(type, member), sizeof(((type *)0)->member))

bool elf_inside(const struct elf *elf, uint64_t offset, uint64_t bytes)
{
    return offset <= elf->size && bytes <= elf->size - offset;
}

static bool open_strings(const struct elf *elf, const struct elf_section *section, struct elf_strings *strings,
                         struct text *why)
{
    *strings = (struct elf_strings){.size = section->size, .bytes = (const char *)elf->data + section->offset};
    if (section->size == 0 || strings->bytes[section->size - 1] == '\0') {
        return true;
    }
    strings->copy = host_alloc(section->size + 1);
    if (strings->copy == NULL) {
        text_add(why, "no memory left");
        return false;
    }
    memcpy(strings->copy, strings->bytes, section->size);
    strings->bytes = strings->copy;
    return true;
}

const char *elf_string(const struct elf_strings *strings, uint64_t at)
{
    if (at == strings->size && at != 0) {
        return "";
    }
    return at < strings->size ? strings->bytes + at : NULL;
}

/* ---- header ------------------------------------------------------------------------------------------- */

static bool check_ident(struct elf *elf, struct text *why)
{
    if (elf->size < sizeof(Elf64_Ehdr)) {
        text_add(why, "the file has %zu bytes, an ELF header takes %zu", elf->size, sizeof(Elf64_Ehdr));
        return false;
    }
    /* The real loader does not look at the magic bytes, so neither do we, but say so where it helps. */
    bool magic = memcmp(elf->data, ELFMAG, SELFMAG) == 0;
    if (elf->data[EI_CLASS] != ELFCLASS64) {
        text_add(why, "%s: byte 4 is %u, expected 2 (64-bit ELF)",
                 magic ? "not a 64-bit ELF file" : "not an ELF file", elf->data[EI_CLASS]);
        return false;
    }
    elf->big_endian = elf->data[EI_DATA] == ELFDATA2MSB;
    return true;
}

static bool check_headers(struct elf *elf, struct text *why)
{
    uint64_t entry = FIELD(elf, 0, Elf64_Ehdr, e_shentsize);
    if (entry != sizeof(Elf64_Shdr)) {
        text_add(why, "e_shentsize (offset %zu) is %llu, expected 64", offsetof(Elf64_Ehdr, e_shentsize), (ull)entry);
        return false;
    }
    if (elf->sections == 0) {
        text_add(why, "the file has no section headers: e_shnum (offset %zu) is 0", offsetof(Elf64_Ehdr, e_shnum));
        return false;
    }
    if (!elf_inside(elf, elf->headers, elf->sections * sizeof(Elf64_Shdr))) {
        text_add(why, "%u section headers at offset %llu end behind the file's %zu bytes: is it truncated?",
                 elf->sections, (ull)elf->headers, elf->size);
        return false;
    }
    return true;
}

/* A link to the section behind the last one passes here, and is refused where it is used. */
static bool check_links(const struct elf *elf, struct text *why)
{
    for (uint16_t i = 0; i < elf->sections; ++i) {
        struct elf_section section = elf_section(elf, i);
        if (section.link > elf->sections) {
            text_add(why, "section %u (header at offset %llu): sh_link is %u, the file has %u sections", i,
                     (ull)section.header, section.link, elf->sections);
            return false;
        }
    }
    return true;
}

static bool any_section_counts(const struct elf *elf)
{
    for (uint16_t i = 0; i < elf->sections; ++i) {
        struct elf_section section = elf_section(elf, i);
        if (elf_section_counts(&section)) {
            return true;
        }
    }
    return false;
}

static bool find_names(struct elf *elf, struct text *why)
{
    uint16_t index = (uint16_t)FIELD(elf, 0, Elf64_Ehdr, e_shstrndx);
    if (index >= elf->sections) {
        if (any_section_counts(elf)) {
            text_add(why, "e_shstrndx (offset %zu) is %u, the file has %u sections", offsetof(Elf64_Ehdr, e_shstrndx),
                     index, elf->sections);
            return false;
        }
        return true;
    }
    struct elf_section names = elf_section(elf, index);
    if (!elf_inside(elf, names.offset, names.size)) {
        text_add(why, "the section names (section %u, offset %llu, %llu bytes) end behind the file's %zu bytes", index,
                 (ull)names.offset, (ull)names.size, elf->size);
        return false;
    }
    return index == 0 || open_strings(elf, &names, &elf->names, why);
}

bool elf_open(struct elf *elf, const void *data, size_t size, struct text *why)
{
    *elf = (struct elf){.data = data, .size = size};
    if (!check_ident(elf, why)) {
        return false;
    }
    elf->machine = (uint16_t)FIELD(elf, 0, Elf64_Ehdr, e_machine);
    elf->sections = (uint16_t)FIELD(elf, 0, Elf64_Ehdr, e_shnum);
    elf->headers = FIELD(elf, 0, Elf64_Ehdr, e_shoff);
    return check_headers(elf, why) && check_links(elf, why) && find_names(elf, why);
}

void elf_close(struct elf *elf)
{
    host_free(elf->names.copy);
    host_free(elf->symbol_names.copy);
}

/* ---- sections ----------------------------------------------------------------------------------------- */

struct elf_section elf_section(const struct elf *elf, uint16_t index)
{
    uint64_t base = elf->headers + index * sizeof(Elf64_Shdr);
    return (struct elf_section){
        .header = base,
        .name = (uint32_t)FIELD(elf, base, Elf64_Shdr, sh_name),
        .type = (uint32_t)FIELD(elf, base, Elf64_Shdr, sh_type),
        .flags = FIELD(elf, base, Elf64_Shdr, sh_flags),
        .address = FIELD(elf, base, Elf64_Shdr, sh_addr),
        .offset = FIELD(elf, base, Elf64_Shdr, sh_offset),
        .size = FIELD(elf, base, Elf64_Shdr, sh_size),
        /* The real loader reads eight bytes here, so that a big-endian file's sh_link becomes its sh_info. */
        .link = (uint32_t)elf_number(elf, base + offsetof(Elf64_Shdr, sh_link), 8),
        .entry_size = FIELD(elf, base, Elf64_Shdr, sh_entsize),
    };
}

const char *elf_section_name(const struct elf *elf, const struct elf_section *section)
{
    return elf->names.size == 0 ? "" : elf_string(&elf->names, section->name);
}

bool elf_section_counts(const struct elf_section *section)
{
    return section->type == SHT_PROGBITS || section->type == SHT_NOTE;
}

uint16_t elf_find_section(const struct elf *elf, const char *name)
{
    uint16_t i = 0;
    for (; i < elf->sections; ++i) {
        struct elf_section section = elf_section(elf, i);
        const char *found = elf_section_name(elf, &section);
        if (found != NULL && strcmp(found, name) == 0) {
            break;
        }
    }
    return i;
}

/* ---- symbols ------------------------------------------------------------------------------------------ */

/* How many symbols the table has; 0: the real loader passes over it. Their records take 24 bytes, whatever sh_entsize
 * says: that only gives their number. */
static uint64_t count_symbols(const struct elf *elf, const struct elf_section *section)
{
    if (section->entry_size == 0 || section->size == 0) {
        return 0;
    }
    uint64_t count = section->size / section->entry_size;
    if (count > elf->size / sizeof(Elf64_Sym)) {
        return 0;
    }
    uint64_t bytes = count * sizeof(Elf64_Sym);
    return bytes > section->size + 1 || !elf_inside(elf, section->offset, bytes) ? 0 : count;
}

static bool find_symbol_names(struct elf *elf, const struct elf_section *table, struct text *why)
{
    if (table->link >= elf->sections) {
        text_add(why, "the symbol table (header at offset %llu): sh_link is %u, the file has %u sections",
                 (ull)table->header, table->link, elf->sections);
        return false;
    }
    struct elf_section names = elf_section(elf, (uint16_t)table->link);
    if (!elf_inside(elf, names.offset, names.size)) {
        text_add(why, "the symbols' names (section %u, offset %llu, %llu bytes) end behind the file's %zu bytes",
                 table->link, (ull)names.offset, (ull)names.size, elf->size);
        return false;
    }
    return open_strings(elf, &names, &elf->symbol_names, why);
}

static bool has_function(const struct elf *elf)
{
    for (uint64_t i = 0; i < elf->num_symbols; ++i) {
        if (elf_symbol(elf, i).type == STT_FUNC) {
            return true;
        }
    }
    return false;
}

bool elf_find_symbols(struct elf *elf, struct text *why)
{
    for (uint16_t i = 0; i < elf->sections; ++i) {
        struct elf_section section = elf_section(elf, i);
        uint64_t count = section.type == SHT_SYMTAB ? count_symbols(elf, &section) : 0;
        if (count == 0) {
            continue;
        }
        elf->symbols = section.offset;
        elf->num_symbols = count;
        if (!find_symbol_names(elf, &section, why)) {
            return false;
        }
        if (!has_function(elf)) {
            text_add(why, "none of the %llu symbols at offset %llu is a function", (ull)count, (ull)section.offset);
            return false;
        }
        return true;
    }
    text_add(why, "the file has no symbol table whose symbols all lie in its %zu bytes: stripped or truncated?",
             elf->size);
    return false;
}

struct elf_symbol elf_symbol(const struct elf *elf, uint64_t index)
{
    uint64_t base = elf->symbols + index * sizeof(Elf64_Sym);
    uint8_t info = (uint8_t)FIELD(elf, base, Elf64_Sym, st_info);
    return (struct elf_symbol){
        .at = base,
        .name = (uint32_t)FIELD(elf, base, Elf64_Sym, st_name),
        .type = ELF64_ST_TYPE(info),
        .binding = (uint8_t)ELF64_ST_BIND(info),
        .visibility = ELF64_ST_VISIBILITY(FIELD(elf, base, Elf64_Sym, st_other)),
        .section = (uint16_t)FIELD(elf, base, Elf64_Sym, st_shndx),
        .value = FIELD(elf, base, Elf64_Sym, st_value),
        .size = FIELD(elf, base, Elf64_Sym, st_size),
    };
}

/* ---- image -------------------------------------------------------------------------------------------- */

/* From the first section that is loaded to the end of the last one in the file's order, not the highest one. */
bool elf_find_image(const struct elf *elf, struct elf_image *image, struct text *why)
{
    uint64_t size = 0;
    *image = (struct elf_image){0};
    for (uint16_t i = 0; i < elf->sections; ++i) {
        struct elf_section section = elf_section(elf, i);
        if ((section.flags & SHF_ALLOC) == 0 || section.size == 0) {
            continue;
        }
        image->offset = image->offset != 0 ? image->offset : section.offset; /* a start of 0 counts as none yet */
        uint64_t start = section.offset - image->offset;
        size = start + section.size;
        if (size < start) {
            text_add(why, "section %u (header at offset %llu) is loaded from offset %llu, before the first loaded "
                          "section's %llu", i, (ull)section.header, (ull)section.offset, (ull)image->offset);
            return false;
        }
    }
    image->size = (uint32_t)size; /* the real loader cuts it: 4 GiB are an empty image */
    if (!elf_inside(elf, image->offset, image->size) && image->size != 0) {
        text_add(why, "the %u bytes to load from offset %llu end behind the file's %zu bytes", image->size,
                 (ull)image->offset, elf->size);
        return false;
    }
    return true;
}

const char *elf_machine_name(uint16_t machine)
{
    switch (machine) {
    case EM_X86_64: return "x86-64";
    case EM_AARCH64: return "AArch64";
    case EM_RISCV: return "RISC-V";
    case 0x1029: return "Ascend";
    default: return "another machine";
    }
}
