#include "elf.h"

#include <elf.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------------------------------------ */

static uint64_t number_at(const struct elf *elf, uint64_t offset, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
        unsigned at = elf->big_endian ? i : bytes - 1 - i;
        value = value << 8 | elf->data[offset + at];
    }
    return value;
}

#define FIELD(elf, base, type, member) number_at(elf, (base) + offsetof(type, member), sizeof(((type *)0)->member))

static bool range_inside(uint64_t offset, uint64_t bytes, size_t size)
{
    return offset <= size && bytes <= size - offset;
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
        text_add(why, "e_shentsize is %llu, expected 64", (unsigned long long)entry);
        return false;
    }
    if (elf->sections == 0) {
        text_add(why, "the file has no section headers (e_shnum is 0)");
        return false;
    }
    if (!range_inside(elf->headers, elf->sections * sizeof(Elf64_Shdr), elf->size)) {
        text_add(why, "%u section headers at offset %llu end behind the file's %zu bytes: is it truncated?",
                 elf->sections, (unsigned long long)elf->headers, elf->size);
        return false;
    }
    return true;
}

static bool check_sections(const struct elf *elf, struct text *why)
{
    for (uint16_t i = 0; i < elf->sections; ++i) {
        struct elf_section section = elf_section(elf, i);
        if (section.link >= elf->sections) {
            text_add(why, "section %u: sh_link is %u, the file has %u sections", i, section.link, elf->sections);
            return false;
        }
    }
    if (elf->names_section >= elf->sections) {
        text_add(why, "e_shstrndx is %u, the file has %u sections", elf->names_section, elf->sections);
        return false;
    }
    struct elf_section names = elf_section(elf, elf->names_section);
    if (!elf_section_inside(elf, &names)) {
        text_add(why, "the section names (section %u, offset %llu, %llu bytes) end behind the file's %zu bytes",
                 elf->names_section, (unsigned long long)names.offset, (unsigned long long)names.size, elf->size);
        return false;
    }
    return true;
}

bool elf_open(struct elf *elf, const void *data, size_t size, struct text *why)
{
    *elf = (struct elf){.data = data, .size = size};
    if (!check_ident(elf, why)) {
        return false;
    }
    elf->machine = (uint16_t)FIELD(elf, 0, Elf64_Ehdr, e_machine);
    elf->sections = (uint16_t)FIELD(elf, 0, Elf64_Ehdr, e_shnum);
    elf->names_section = (uint16_t)FIELD(elf, 0, Elf64_Ehdr, e_shstrndx);
    elf->headers = FIELD(elf, 0, Elf64_Ehdr, e_shoff);
    return check_headers(elf, why) && check_sections(elf, why);
}

/* ---- sections ----------------------------------------------------------------------------------------- */

struct elf_section elf_section(const struct elf *elf, uint16_t index)
{
    uint64_t base = elf->headers + index * sizeof(Elf64_Shdr);
    return (struct elf_section){
        .name = (uint32_t)FIELD(elf, base, Elf64_Shdr, sh_name),
        .type = (uint32_t)FIELD(elf, base, Elf64_Shdr, sh_type),
        .flags = FIELD(elf, base, Elf64_Shdr, sh_flags),
        .address = FIELD(elf, base, Elf64_Shdr, sh_addr),
        .offset = FIELD(elf, base, Elf64_Shdr, sh_offset),
        .size = FIELD(elf, base, Elf64_Shdr, sh_size),
        .link = (uint32_t)FIELD(elf, base, Elf64_Shdr, sh_link),
        .entry_size = FIELD(elf, base, Elf64_Shdr, sh_entsize),
    };
}

bool elf_section_inside(const struct elf *elf, const struct elf_section *section)
{
    return section->type == SHT_NOBITS || range_inside(section->offset, section->size, elf->size);
}

const char *elf_section_name(const struct elf *elf, const struct elf_section *section)
{
    struct elf_section names = elf_section(elf, elf->names_section);
    if (names.type == SHT_NOBITS || section->name >= names.size) {
        return "";
    }
    const char *name = (const char *)elf->data + names.offset + section->name;
    return memchr(name, '\0', names.size - section->name) != NULL ? name : "";
}

bool elf_has_section(const struct elf *elf, const char *name)
{
    for (uint16_t i = 0; i < elf->sections; ++i) {
        struct elf_section section = elf_section(elf, i);
        if (strcmp(elf_section_name(elf, &section), name) == 0) {
            return true;
        }
    }
    return false;
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
