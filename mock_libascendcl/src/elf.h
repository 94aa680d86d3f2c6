/* Reads ELF files that nobody has vouched for: every offset, size and count is checked before it is used.
 *
 * The rules are the real loader's, which differ from the ELF standard in places (each is said where it is applied).
 * Where that loader would read past the file, ours refuses. All failures say which rule the file breaks, and where.
 */
#ifndef MOCK_ELF_H
#define MOCK_ELF_H

#include "base.h"

/* A table of strings. The last one ends with the table, where it has no NUL. */
struct elf_strings {
    uint64_t size;
    const char *bytes; /* and a NUL behind them */
    char *copy;        /* NULL, or what `bytes` points to */
};

struct elf {
    const uint8_t *data;
    size_t size;
    bool big_endian;
    uint16_t machine;
    uint16_t sections;        /* how many */
    uint64_t headers;         /* file offset of the section headers */
    struct elf_strings names; /* of the sections; size 0: they have none */
    /* After elf_find_symbols: */
    uint64_t num_symbols;
    uint64_t symbols; /* file offset of the symbol table */
    struct elf_strings symbol_names;
};

struct elf_section {
    uint64_t header; /* its file offset, for messages */
    uint32_t name;
    uint32_t type;
    uint64_t flags;
    uint64_t address;
    uint64_t offset;
    uint64_t size;
    uint32_t link;
    uint64_t entry_size;
};

struct elf_symbol {
    uint64_t at; /* its file offset, for messages */
    uint32_t name;
    uint8_t type;
    uint8_t binding;
    uint8_t visibility;
    uint16_t section;
    uint64_t value;
    uint64_t size;
};

/* The part of the file that goes to the device. */
struct elf_image {
    uint64_t offset;
    uint32_t size;
};

/* The data must stay. Either way elf_close is due. */
bool elf_open(struct elf *elf, const void *data, size_t size, struct text *why);
void elf_close(struct elf *elf);

/* Whether all these bytes are in the file. */
bool elf_inside(const struct elf *elf, uint64_t offset, uint64_t bytes);
/* The number at an offset that is inside; 1 to 8 bytes. */
uint64_t elf_number(const struct elf *elf, uint64_t offset, unsigned bytes);
/* The string at a place of a table, or NULL when that is behind the table. */
const char *elf_string(const struct elf_strings *strings, uint64_t at);

/* index < elf->sections */
struct elf_section elf_section(const struct elf *elf, uint16_t index);
/* The section's name; "" where the file has no names, NULL where it should have one. */
const char *elf_section_name(const struct elf *elf, const struct elf_section *section);
/* Its index; elf->sections where no section has the name. */
uint16_t elf_find_section(const struct elf *elf, const char *name);
/* Whether the loader looks at a section of this type by its name. */
bool elf_section_counts(const struct elf_section *section);

bool elf_find_symbols(struct elf *elf, struct text *why);
/* index < elf->num_symbols */
struct elf_symbol elf_symbol(const struct elf *elf, uint64_t index);

bool elf_find_image(const struct elf *elf, struct elf_image *image, struct text *why);

const char *elf_machine_name(uint16_t machine);

#endif
