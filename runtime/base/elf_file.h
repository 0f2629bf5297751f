// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds-checked views into a 64-bit little-endian ELF file in memory. The file is not trusted.
// Virtual addresses are not file offsets; kiln_elf_at_address translates them.
#ifndef KILN_BASE_ELF_FILE_H
#define KILN_BASE_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The section of Kiln's code objects with the compiler's findings
// (compiler/artifact/findings_section.h).
#define KILN_FINDINGS_SECTION ".kiln.findings"

typedef struct kiln_elf {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
} kiln_elf_t;

// Returns NULL if the bytes are a 64-bit little-endian ELF file, for any machine; otherwise an
// error message.
const char *kiln_elf_open(const void *bytes, size_t size, kiln_elf_t *out_elf);

// The `size` bytes at `offset` of the file; NULL if they are not entirely inside.
const void *kiln_elf_range(const kiln_elf_t *elf, uint64_t offset, uint64_t size);

// The header of a section or segment; false if it does not exist or extends past the end of the
// file. The contents of the header are not checked.
bool kiln_elf_section(const kiln_elf_t *elf, unsigned index, Elf64_Shdr *out_section);
bool kiln_elf_segment(const kiln_elf_t *elf, unsigned index, Elf64_Phdr *out_segment);

// The contents of the section of that name; NULL if there is none, or if it has none in the file.
const void *kiln_elf_contents(const kiln_elf_t *elf, const char *name, size_t *out_size);

// `size` bytes at a virtual address in a loaded segment's file contents; NULL if there are none.
const void *kiln_elf_at_address(const kiln_elf_t *elf, uint64_t address, uint64_t size);

// Where the last part ends that the headers describe, as far as they are in the file: a shorter
// file is truncated. UINT64_MAX if it does not fit 64 bits.
uint64_t kiln_elf_end(const kiln_elf_t *elf);

// The symbol of that name in .symtab or .dynsym; false if there is none.
bool kiln_elf_symbol(const kiln_elf_t *elf, const char *name, Elf64_Sym *out_symbol);

// Iterates over the notes of a part of the file.
typedef struct kiln_elf_notes {
    const unsigned char *at;
    uint64_t left;
    bool damaged; // the part extends past the file's end, or a note past the part's
} kiln_elf_notes_t;

typedef struct kiln_elf_note {
    uint32_t type;
    const char *owner; // owner_size bytes, including its NUL if it has one
    const void *data;
    size_t owner_size, size;
} kiln_elf_note_t;

kiln_elf_notes_t kiln_elf_notes(const kiln_elf_t *elf, uint64_t offset, uint64_t size);

// The next note; false at the end or if the rest is damaged.
bool kiln_elf_next_note(kiln_elf_notes_t *notes, kiln_elf_note_t *out_note);

bool kiln_elf_note_is(const kiln_elf_note_t *note, const char *owner, uint32_t type);

#endif
