// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds-checked views into a 64-bit little-endian ELF file in memory, which nobody need trust.
//
// What is easily got wrong: addresses are not offsets; kiln_elf_at_address translates.
#ifndef KILN_BASE_ELF_FILE_H
#define KILN_BASE_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kiln_elf {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
} kiln_elf_t;

// NULL where it is such a file, whatever its machine; else what is wrong with it.
const char *kiln_elf_open(const void *bytes, size_t size, kiln_elf_t *out_elf);

// That part of the file; NULL where it is not all inside.
const void *kiln_elf_range(const kiln_elf_t *elf, uint64_t offset, uint64_t size);

// The header of that section or segment; false where there is none, or it reaches past the file's end. What it says of
// the section or segment is not checked.
bool kiln_elf_section(const kiln_elf_t *elf, unsigned index, Elf64_Shdr *out_section);
bool kiln_elf_segment(const kiln_elf_t *elf, unsigned index, Elf64_Phdr *out_segment);

// `size` bytes at a virtual address of a loaded segment's file contents; NULL where there are none.
const void *kiln_elf_at_address(const kiln_elf_t *elf, uint64_t address, uint64_t size);

// The symbol of that name in .symtab or .dynsym; false where there is none.
bool kiln_elf_symbol(const kiln_elf_t *elf, const char *name, Elf64_Sym *out_symbol);

// The notes of a part of the file, one after the other.
typedef struct kiln_elf_notes {
    const unsigned char *at;
    uint64_t left;
    bool damaged; // the part or a note reaches past its end
} kiln_elf_notes_t;

typedef struct kiln_elf_note {
    uint32_t type;
    const char *owner; // of owner_size bytes, its zero included where there is one
    const void *data;
    size_t owner_size, size;
} kiln_elf_note_t;

kiln_elf_notes_t kiln_elf_notes(const kiln_elf_t *elf, uint64_t offset, uint64_t size);

// The next note; false where there is none, because all were given or because the rest is damaged.
bool kiln_elf_next_note(kiln_elf_notes_t *notes, kiln_elf_note_t *out_note);

// Whether a note is of that owner and type.
bool kiln_elf_note_is(const kiln_elf_note_t *note, const char *owner, uint32_t type);

#endif
