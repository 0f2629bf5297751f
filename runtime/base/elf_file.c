// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads ELF by memcpy and range checks. A sum of two 64-bit fields of a hostile file may overflow,
// so ranges are checked by subtraction.
#include "base/elf_file.h"

#include <string.h>

const void *kiln_elf_range(const kiln_elf_t *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset ? elf->bytes + offset : NULL;
}

const char *kiln_elf_open(const void *bytes, size_t size, kiln_elf_t *out_elf)
{
    *out_elf = (kiln_elf_t){.bytes = bytes, .size = size};
    if (size < sizeof out_elf->header || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return "not an ELF file";
    memcpy(&out_elf->header, bytes, sizeof out_elf->header);
    if (out_elf->header.e_ident[EI_CLASS] != ELFCLASS64 ||
        out_elf->header.e_ident[EI_DATA] != ELFDATA2LSB)
        return "not a 64-bit little-endian ELF file";
    return NULL;
}

bool kiln_elf_section(const kiln_elf_t *elf, unsigned index, Elf64_Shdr *out_section)
{
    if (index >= elf->header.e_shnum || elf->header.e_shentsize != sizeof *out_section ||
        elf->header.e_shoff > elf->size)
        return false;
    const void *at = kiln_elf_range(
        elf, elf->header.e_shoff + (uint64_t)index * sizeof *out_section, sizeof *out_section);
    if (!at)
        return false;
    memcpy(out_section, at, sizeof *out_section);
    return true;
}

const void *kiln_elf_contents(const kiln_elf_t *elf, const char *name, size_t *out_size)
{
    Elf64_Shdr names, section;
    const char *strings = kiln_elf_section(elf, elf->header.e_shstrndx, &names)
                              ? kiln_elf_range(elf, names.sh_offset, names.sh_size)
                              : NULL;
    const size_t length = strlen(name) + 1;
    for (unsigned i = 0; strings && kiln_elf_section(elf, i, &section); i++) {
        if (section.sh_type == SHT_NOBITS || section.sh_name >= names.sh_size ||
            names.sh_size - section.sh_name < length ||
            memcmp(strings + section.sh_name, name, length) != 0)
            continue;
        *out_size = section.sh_size;
        return kiln_elf_range(elf, section.sh_offset, section.sh_size);
    }
    return NULL;
}

bool kiln_elf_segment(const kiln_elf_t *elf, unsigned index, Elf64_Phdr *out_segment)
{
    if (index >= elf->header.e_phnum || elf->header.e_phentsize != sizeof *out_segment ||
        elf->header.e_phoff > elf->size)
        return false;
    const void *at = kiln_elf_range(
        elf, elf->header.e_phoff + (uint64_t)index * sizeof *out_segment, sizeof *out_segment);
    if (!at)
        return false;
    memcpy(out_segment, at, sizeof *out_segment);
    return true;
}

static uint64_t later(uint64_t end, uint64_t offset, uint64_t size)
{
    const uint64_t own = size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
    return own > end ? own : end;
}

uint64_t kiln_elf_end(const kiln_elf_t *elf)
{
    const Elf64_Ehdr *h = &elf->header;
    Elf64_Phdr part;
    Elf64_Shdr section;
    uint64_t end = sizeof *h;
    if (h->e_phnum)
        end = later(end, h->e_phoff, (uint64_t)h->e_phnum * h->e_phentsize);
    if (h->e_shnum)
        end = later(end, h->e_shoff, (uint64_t)h->e_shnum * h->e_shentsize);
    for (unsigned i = 0; kiln_elf_segment(elf, i, &part); i++)
        end = later(end, part.p_offset, part.p_filesz);
    for (unsigned i = 0; kiln_elf_section(elf, i, &section); i++)
        if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL)
            end = later(end, section.sh_offset, section.sh_size);
    return end;
}

const void *kiln_elf_at_address(const kiln_elf_t *elf, uint64_t address, uint64_t size)
{
    Elf64_Phdr part;
    for (unsigned i = 0; kiln_elf_segment(elf, i, &part); i++) {
        if (part.p_type != PT_LOAD || address < part.p_vaddr)
            continue;
        uint64_t within = address - part.p_vaddr;
        if (within <= part.p_filesz && size <= part.p_filesz - within && part.p_offset <= elf->size)
            return kiln_elf_range(elf, part.p_offset + within, size);
    }
    return NULL;
}

static bool find_in_table(const kiln_elf_t *elf, const Elf64_Shdr *table, const char *name,
                          Elf64_Sym *out_symbol)
{
    Elf64_Shdr names;
    if (!kiln_elf_section(elf, table->sh_link, &names))
        return false;
    const char *strings = kiln_elf_range(elf, names.sh_offset, names.sh_size);
    const char *symbols = kiln_elf_range(elf, table->sh_offset, table->sh_size);
    if (!strings || !symbols)
        return false;
    size_t length = strlen(name) + 1;
    for (uint64_t at = 0; at + sizeof *out_symbol <= table->sh_size; at += sizeof *out_symbol) {
        memcpy(out_symbol, symbols + at, sizeof *out_symbol);
        if (out_symbol->st_name < names.sh_size && names.sh_size - out_symbol->st_name >= length &&
            memcmp(strings + out_symbol->st_name, name, length) == 0 &&
            out_symbol->st_shndx != SHN_UNDEF)
            return true;
    }
    return false;
}

bool kiln_elf_symbol(const kiln_elf_t *elf, const char *name, Elf64_Sym *out_symbol)
{
    Elf64_Shdr section;
    for (unsigned i = 0; kiln_elf_section(elf, i, &section); i++)
        if ((section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
            find_in_table(elf, &section, name, out_symbol))
            return true;
    return false;
}

kiln_elf_notes_t kiln_elf_notes(const kiln_elf_t *elf, uint64_t offset, uint64_t size)
{
    const unsigned char *at = kiln_elf_range(elf, offset, size);
    return (kiln_elf_notes_t){.at = at, .left = at ? size : 0, .damaged = !at};
}

static uint64_t align4(uint32_t size)
{
    return ((uint64_t)size + 3) & ~(uint64_t)3;
}

bool kiln_elf_next_note(kiln_elf_notes_t *notes, kiln_elf_note_t *out_note)
{
    Elf64_Nhdr note;
    if (notes->damaged || notes->left < sizeof note)
        return false;
    memcpy(&note, notes->at, sizeof note);
    const uint64_t owner_size = align4(note.n_namesz), left = notes->left - sizeof note;
    if (owner_size > left || note.n_descsz > left - owner_size) {
        notes->damaged = true;
        return false;
    }
    const unsigned char *owner = notes->at + sizeof note;
    *out_note = (kiln_elf_note_t){note.n_type, (const char *)owner, owner + owner_size,
                                  note.n_namesz, note.n_descsz};
    // The last note may lack its padding.
    const uint64_t size = align4(note.n_descsz), rest = left - owner_size;
    notes->left = size < rest ? rest - size : 0;
    notes->at = owner + owner_size + (size < rest ? size : rest);
    return true;
}

bool kiln_elf_note_is(const kiln_elf_note_t *note, const char *owner, uint32_t type)
{
    size_t size = strlen(owner) + 1;
    return note->type == type && note->owner_size == size && memcmp(note->owner, owner, size) == 0;
}
