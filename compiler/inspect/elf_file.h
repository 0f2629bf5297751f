// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds-checked views into a 64-bit little-endian ELF file in memory. The thing one gets wrong: addresses are not
// offsets; kiln_elf_at_address translates.
#ifndef KILN_INSPECT_ELF_FILE_H
#define KILN_INSPECT_ELF_FILE_H

#include <elf.h>
#include <stddef.h>

#include "kiln/status.h"

typedef struct kiln_elf {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
} kiln_elf_t;

kiln_status_t kiln_elf_open(const void *bytes, size_t size, kiln_elf_t *out_elf);     // any ELF64, little-endian
const void *kiln_elf_range(const kiln_elf_t *elf, uint64_t offset, uint64_t size);    // NULL where it is outside
int kiln_elf_section(const kiln_elf_t *elf, unsigned index, Elf64_Shdr *out_section); // 0 where there is none

// `size` bytes at a virtual address of a loaded segment's file contents; NULL where there are none.
const void *kiln_elf_at_address(const kiln_elf_t *elf, uint64_t address, uint64_t size);

// The symbol of that name in .symtab or .dynsym; 0 where there is none.
int kiln_elf_symbol(const kiln_elf_t *elf, const char *name, Elf64_Sym *out_symbol);

// The descriptor of the first note of that owner and type; NULL where there is none.
const void *kiln_elf_note(const kiln_elf_t *elf, const char *owner, uint32_t type, size_t *out_size);

#endif
