/* Reads ELF files that nobody has vouched for: every offset, size and count is checked before it is used. */
#ifndef MOCK_ELF_H
#define MOCK_ELF_H

#include "base.h"

struct elf {
    const uint8_t *data;
    size_t size;
    bool big_endian;
    uint16_t machine;
    uint16_t sections;      /* how many */
    uint16_t names_section; /* whose bytes are the sections' names */
    uint64_t headers;       /* file offset of the section headers */
};

struct elf_section {
    uint32_t name;
    uint32_t type;
    uint64_t flags;
    uint64_t address;
    uint64_t offset;
    uint64_t size;
    uint32_t link;
    uint64_t entry_size;
};

/* False: `why` says which rule the file breaks, and where. */
bool elf_open(struct elf *elf, const void *data, size_t size, struct text *why);

/* index < elf->sections */
struct elf_section elf_section(const struct elf *elf, uint16_t index);
/* Whether the section's bytes all lie in the file. */
bool elf_section_inside(const struct elf *elf, const struct elf_section *section);
/* The section's name, or "" where the file has none for it. */
const char *elf_section_name(const struct elf *elf, const struct elf_section *section);
bool elf_has_section(const struct elf *elf, const char *name);

const char *elf_machine_name(uint16_t machine);

#endif
