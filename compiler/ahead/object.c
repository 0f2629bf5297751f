// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A relocatable ELF file without relocations: .rodata, an empty .note.GNU-stack, symbols and names.
//
// Note that without .note.GNU-stack the linker gives the whole program an executable stack.
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "base/string.h"
#include "identifier.h"
#include "kiln/ahead.h"

enum { ALIGNMENT = 64, RODATA = 1, STACK, SYMBOLS, STRINGS, NAMES, SECTION_COUNT };

static const char section_names[] = "\0.rodata\0.note.GNU-stack\0.symtab\0.strtab\0.shstrtab";
static const Elf64_Word name_offsets[SECTION_COUNT] = {0, 1, 9, 25, 33, 41};

typedef struct writer {
    kiln_string_t rodata, symbols, strings;
} writer_t;

static void align(kiln_string_t *bytes, size_t alignment)
{
    static const char zeros[ALIGNMENT];
    kiln_string_append_bytes(bytes, zeros, (alignment - bytes->length % alignment) % alignment);
}

static void add_symbol(writer_t *w, const char *name, const char *suffix, size_t offset,
                       size_t size)
{
    Elf64_Sym symbol = {.st_name = (Elf64_Word)w->strings.length,
                        .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                        .st_shndx = RODATA,
                        .st_value = offset,
                        .st_size = size};
    kiln_string_append_bytes(&w->symbols, &symbol, sizeof symbol);
    kiln_string_append(&w->strings, name);
    kiln_string_append(&w->strings, suffix);
    kiln_string_append_char(&w->strings, '\0');
}

static kiln_status_t add_part(writer_t *w, const kiln_object_part_t *part)
{
    if (!kiln_is_identifier(part->name))
        return kiln_status_make(KILN_STATUS_USAGE, "invalid symbol '%s': expected a C identifier",
                                part->name ? part->name : "");
    const uint64_t size = part->size;
    align(&w->rodata, ALIGNMENT);
    add_symbol(w, part->name, "", w->rodata.length, part->size);
    kiln_string_append_bytes(&w->rodata, part->data, part->size);
    kiln_string_append_char(&w->rodata, '\0');
    align(&w->rodata, sizeof size);
    add_symbol(w, part->name, "_size", w->rodata.length, sizeof size);
    kiln_string_append_bytes(&w->rodata, &size, sizeof size);
    return KILN_OK;
}

static void add_section(kiln_string_t *file, Elf64_Shdr *section, unsigned index, Elf64_Word type,
                        Elf64_Xword alignment, const void *bytes, size_t size)
{
    align(file, alignment);
    section->sh_name = name_offsets[index];
    section->sh_type = type;
    section->sh_addralign = alignment;
    section->sh_offset = file->length;
    section->sh_size = size;
    kiln_string_append_bytes(file, bytes, size);
}

static void write_file(const writer_t *w, kiln_string_t *file)
{
    Elf64_Shdr sections[SECTION_COUNT] = {0};
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_REL,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof *sections,
        .e_shnum = SECTION_COUNT,
        .e_shstrndx = NAMES};
    kiln_string_append_bytes(file, &header, sizeof header);
    add_section(file, &sections[RODATA], RODATA, SHT_PROGBITS, ALIGNMENT, w->rodata.data,
                w->rodata.length);
    add_section(file, &sections[STACK], STACK, SHT_PROGBITS, 1, NULL, 0);
    add_section(file, &sections[SYMBOLS], SYMBOLS, SHT_SYMTAB, 8, w->symbols.data,
                w->symbols.length);
    add_section(file, &sections[STRINGS], STRINGS, SHT_STRTAB, 1, w->strings.data,
                w->strings.length);
    add_section(file, &sections[NAMES], NAMES, SHT_STRTAB, 1, section_names, sizeof section_names);
    sections[RODATA].sh_flags = SHF_ALLOC;
    sections[SYMBOLS].sh_link = STRINGS;
    sections[SYMBOLS].sh_info = 1; // index of the first symbol that is not local
    sections[SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
    align(file, 8);
    header.e_shoff = file->length;
    kiln_string_append_bytes(file, sections, sizeof sections);
    if (!file->failed)
        memcpy(file->data, &header, sizeof header);
}

kiln_status_t kiln_object_make(const kiln_object_part_t *parts, size_t part_count,
                               void **out_object, size_t *out_size)
{
    KILN_REQUIRE_OUT(out_object);
    KILN_REQUIRE_OUT(out_size);
    KILN_REQUIRE_ARRAY(parts, part_count);
    for (size_t i = 0; i < part_count; i++)
        KILN_REQUIRE_THAT(parts[i].name && (parts[i].data || !parts[i].size),
                          "parts[%zu].%s is NULL", i, parts[i].name ? "data" : "name");
    writer_t w = {0};
    kiln_string_t file = {0};
    const Elf64_Sym none = {0};
    kiln_string_append_bytes(&w.symbols, &none, sizeof none);
    kiln_string_append_char(&w.strings, '\0');
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < part_count && !status; i++)
        status = add_part(&w, &parts[i]);
    if (!status) {
        write_file(&w, &file);
        bool failed = w.rodata.failed || w.symbols.failed || w.strings.failed || file.failed;
        *out_size = failed ? 0 : file.length;
        *out_object = failed ? NULL : kiln_string_take(&file);
        if (!*out_object)
            status = kiln_status_out_of_memory();
    }
    kiln_string_free(&w.rodata);
    kiln_string_free(&w.symbols);
    kiln_string_free(&w.strings);
    kiln_string_free(&file);
    return status;
}
