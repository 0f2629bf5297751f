// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the cause of lld's failures in the object that it was given, because lld reports text
// without codes.
//
// Kiln's own code refers only to symbols that it defines, and always relative to the program
// counter. So an undefined symbol, or an absolute address in a loaded section, comes from inline
// assembly or from bitcode that the user links. If the object has neither, lld's failure is not
// known to be the user's fault.
//
// Note that a weak symbol may be undefined; lld gives it the address 0.
#include <stdlib.h>
#include <string.h>

#include "base/elf_file.h"
#include "codegen/codegen_internal.h"

enum { R_ABS32_LO = 1, R_ABS32_HI = 2, R_ABS64 = 3, R_ABS32 = 6 }; // AMDGPU's, which <elf.h> lacks

// An object's symbols, with their names.
typedef struct symbols {
    const unsigned char *entries;
    const char *names;
    uint64_t size, names_size;
} symbols_t;

static bool open_symbols(const kiln_elf_t *elf, symbols_t *out)
{
    Elf64_Shdr table, names;
    for (unsigned i = 0; kiln_elf_section(elf, i, &table); i++) {
        if (table.sh_type != SHT_SYMTAB || !kiln_elf_section(elf, table.sh_link, &names))
            continue;
        *out = (symbols_t){kiln_elf_range(elf, table.sh_offset, table.sh_size),
                           kiln_elf_range(elf, names.sh_offset, names.sh_size), table.sh_size,
                           names.sh_size};
        return out->entries && out->names && out->names_size && !out->names[out->names_size - 1];
    }
    return false;
}

static const char *read_symbol(const symbols_t *symbols, uint64_t index, Elf64_Sym *out)
{
    if (index >= symbols->size / sizeof *out)
        return NULL;
    memcpy(out, symbols->entries + index * sizeof *out, sizeof *out);
    return out->st_name < symbols->names_size ? symbols->names + out->st_name : NULL;
}

static const char *find_undefined(const symbols_t *symbols)
{
    Elf64_Sym symbol;
    for (uint64_t i = 1; i < symbols->size / sizeof symbol; i++) { // the first is the null symbol
        const char *name = read_symbol(symbols, i, &symbol);
        if (name && *name && symbol.st_shndx == SHN_UNDEF &&
            ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL)
            return name;
    }
    return NULL;
}

static bool is_absolute_type(uint64_t type)
{
    return type == R_ABS32_LO || type == R_ABS32_HI || type == R_ABS32 || type == R_ABS64;
}

// The symbol at that offset of a section; NULL if there is none.
static const char *find_label(const symbols_t *symbols, uint16_t section, int64_t at)
{
    Elf64_Sym symbol;
    for (uint64_t i = 1; i < symbols->size / sizeof symbol; i++) {
        const char *name = read_symbol(symbols, i, &symbol);
        if (name && *name && symbol.st_shndx == section && symbol.st_value == (uint64_t)at)
            return name;
    }
    return NULL;
}

// Whether a loaded section refers to something by its absolute address; *out_name is its name. The
// assembler has replaced a label by its section and the offset in it.
static bool has_absolute(const kiln_elf_t *elf, const symbols_t *symbols, const char **out_name)
{
    Elf64_Shdr section, target;
    *out_name = NULL;
    for (unsigned i = 0; kiln_elf_section(elf, i, &section); i++) {
        const unsigned char *entries = kiln_elf_range(elf, section.sh_offset, section.sh_size);
        if (section.sh_type != SHT_RELA || !entries ||
            !kiln_elf_section(elf, section.sh_info, &target) || !(target.sh_flags & SHF_ALLOC) ||
            (target.sh_flags & SHF_WRITE))
            continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size;
             at += sizeof(Elf64_Rela)) {
            Elf64_Rela entry;
            Elf64_Sym symbol;
            memcpy(&entry, entries + at, sizeof entry);
            if (!is_absolute_type(ELF64_R_TYPE(entry.r_info)))
                continue;
            const char *name = read_symbol(symbols, ELF64_R_SYM(entry.r_info), &symbol);
            *out_name = name && *name ? name
                        : name        ? find_label(symbols, symbol.st_shndx, entry.r_addend)
                                      : NULL;
            return true;
        }
    }
    return false;
}

kiln_status_t kiln_codegen_explain_link(kiln_codegen_t *codegen, LLVMModuleRef module,
                                        const kiln_codegen_object_t *object, kiln_status_t status)
{
    kiln_elf_t elf;
    symbols_t symbols;
    if (kiln_status_code(status) != KILN_STATUS_INTERNAL ||
        kiln_elf_open(object->data, object->size, &elf) || !open_symbols(&elf, &symbols))
        return status;
    const char *absolute, *undefined = find_undefined(&symbols);
    const bool is_absolute = has_absolute(&elf, &symbols, &absolute);
    const LLVMValueRef call = kiln_codegen_find_assembly(module, undefined ? undefined : absolute);
    if ((!undefined && !is_absolute) || (!call && !codegen->has_bitcode))
        return status;
    kiln_status_free(status);
    if (undefined)
        status =
            kiln_status_make(KILN_STATUS_INVALID_INPUT, "link: undefined symbol: %s", undefined);
    else
        status = kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                  "link: the absolute address of %s%s%s is unknown before loading; "
                                  "use a pc-relative address",
                                  absolute ? "'" : "", absolute ? absolute : "a label",
                                  absolute ? "'" : "");
    return kiln_codegen_at_instruction(status, call);
}
