// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ELF by memcpy and range checks. The thing one gets wrong: sums of two 64-bit fields of a hostile file overflow, so
// ranges are compared by subtraction.
#include "elf_file.h"

#include <string.h>

const void *kiln_elf_range(const kiln_elf_t *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset ? elf->bytes + offset : NULL;
}

kiln_status_t kiln_elf_open(const void *bytes, size_t size, kiln_elf_t *out_elf)
{
    *out_elf = (kiln_elf_t){.bytes = bytes, .size = size};
    if (size < sizeof out_elf->header || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "not an ELF file");
    memcpy(&out_elf->header, bytes, sizeof out_elf->header);
    if (out_elf->header.e_ident[EI_CLASS] != ELFCLASS64 || out_elf->header.e_ident[EI_DATA] != ELFDATA2LSB)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "not a 64-bit little-endian ELF file");
    return KILN_OK;
}

int kiln_elf_section(const kiln_elf_t *elf, unsigned index, Elf64_Shdr *out_section)
{
    if (index >= elf->header.e_shnum || elf->header.e_shentsize != sizeof *out_section ||
        elf->header.e_shoff > elf->size)
        return 0;
    const void *at =
        kiln_elf_range(elf, elf->header.e_shoff + (uint64_t)index * sizeof *out_section, sizeof *out_section);
    if (!at)
        return 0;
    memcpy(out_section, at, sizeof *out_section);
    return 1;
}

static int segment(const kiln_elf_t *elf, unsigned index, Elf64_Phdr *out_segment)
{
    if (index >= elf->header.e_phnum || elf->header.e_phentsize != sizeof *out_segment ||
        elf->header.e_phoff > elf->size)
        return 0;
    const void *at =
        kiln_elf_range(elf, elf->header.e_phoff + (uint64_t)index * sizeof *out_segment, sizeof *out_segment);
    if (!at)
        return 0;
    memcpy(out_segment, at, sizeof *out_segment);
    return 1;
}

const void *kiln_elf_at_address(const kiln_elf_t *elf, uint64_t address, uint64_t size)
{
    Elf64_Phdr part;
    for (unsigned i = 0; segment(elf, i, &part); i++) {
        if (part.p_type != PT_LOAD || address < part.p_vaddr)
            continue;
        uint64_t within = address - part.p_vaddr;
        if (within <= part.p_filesz && size <= part.p_filesz - within && part.p_offset <= elf->size)
            return kiln_elf_range(elf, part.p_offset + within, size);
    }
    return NULL;
}

static int find_in_table(const kiln_elf_t *elf, const Elf64_Shdr *table, const char *name, Elf64_Sym *out_symbol)
{
    Elf64_Shdr names;
    if (!kiln_elf_section(elf, table->sh_link, &names))
        return 0;
    const char *strings = kiln_elf_range(elf, names.sh_offset, names.sh_size);
    const char *symbols = kiln_elf_range(elf, table->sh_offset, table->sh_size);
    if (!strings || !symbols)
        return 0;
    size_t length = strlen(name) + 1;
    for (uint64_t at = 0; at + sizeof *out_symbol <= table->sh_size; at += sizeof *out_symbol) {
        memcpy(out_symbol, symbols + at, sizeof *out_symbol);
        if (out_symbol->st_name < names.sh_size && names.sh_size - out_symbol->st_name >= length &&
            memcmp(strings + out_symbol->st_name, name, length) == 0 && out_symbol->st_shndx != SHN_UNDEF)
            return 1;
    }
    return 0;
}

int kiln_elf_symbol(const kiln_elf_t *elf, const char *name, Elf64_Sym *out_symbol)
{
    Elf64_Shdr section;
    for (unsigned i = 0; kiln_elf_section(elf, i, &section); i++)
        if ((section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
            find_in_table(elf, &section, name, out_symbol))
            return 1;
    return 0;
}

static const void *find_note(const char *at, uint64_t size, const char *owner, uint32_t type, size_t *out_size)
{
    size_t owner_size = strlen(owner) + 1;
    Elf64_Nhdr note;
    for (uint64_t done = 0; size - done >= sizeof note;) {
        memcpy(&note, at + done, sizeof note);
        uint64_t name_size = (note.n_namesz + (uint64_t)3) & ~(uint64_t)3,
                 data_size = (note.n_descsz + (uint64_t)3) & ~(uint64_t)3;
        uint64_t left = size - done - sizeof note;
        if (name_size > left || note.n_descsz > left - name_size)
            return NULL;
        const char *name = at + done + sizeof note;
        if (note.n_type == type && note.n_namesz == owner_size && memcmp(name, owner, owner_size) == 0) {
            *out_size = note.n_descsz;
            return name + name_size;
        }
        if (data_size > left - name_size)
            return NULL;
        done += sizeof note + name_size + data_size;
    }
    return NULL;
}

const void *kiln_elf_note(const kiln_elf_t *elf, const char *owner, uint32_t type, size_t *out_size)
{
    Elf64_Shdr section;
    for (unsigned i = 0; kiln_elf_section(elf, i, &section); i++) {
        const char *at = section.sh_type == SHT_NOTE ? kiln_elf_range(elf, section.sh_offset, section.sh_size) : NULL;
        const void *found = at ? find_note(at, section.sh_size, owner, type, out_size) : NULL;
        if (found)
            return found;
    }
    Elf64_Phdr part;
    for (unsigned i = 0; segment(elf, i, &part); i++) { // stripped of sections
        const char *at = part.p_type == PT_NOTE ? kiln_elf_range(elf, part.p_offset, part.p_filesz) : NULL;
        const void *found = at ? find_note(at, part.p_filesz, owner, type, out_size) : NULL;
        if (found)
            return found;
    }
    return NULL;
}
