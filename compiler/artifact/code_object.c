// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a code object's kernels: names, arguments and counts from the metadata, the start of the
// accumulation registers from the descriptor.
//
// Note that accum_offset is also set in kernels without accumulation registers; it is valid only if
// agpr_count is not 0.
#include "artifact/code_object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf_file.h"
#include "base/gfx942.h"
#include "base/json.h"
#include "base/metadata.h"
#include "base/string.h"
#include "inspect/occupancy.h"

enum { AMDGPU_MACHINE = 0xe0, GFX942_MACH = 0x4c, NT_AMDGPU_METADATA = 32, DESCRIPTOR_SIZE = 64 };

static kiln_status_t unsigned_member(const json_t *object, const char *key, unsigned otherwise,
                                     unsigned *out)
{
    int64_t value;
    KILN_TRY(kiln_json_integer_or(object, key, otherwise, &value));
    if (value < 0 || value > UINT32_MAX)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' is out of range", key);
    *out = (unsigned)value;
    return KILN_OK;
}

static kiln_status_t read_argument(const json_t *json, kiln_code_argument_t *argument)
{
    const char *name, *kind;
    unsigned offset = 0, size = 0;
    KILN_TRY(kiln_json_string_or(json, ".name", "", &name));
    KILN_TRY(kiln_json_string(json, ".value_kind", &kind));
    KILN_TRY(unsigned_member(json, ".offset", 0, &offset));
    KILN_TRY(unsigned_member(json, ".size", 0, &size));
    *argument = (kiln_code_argument_t){
        .name = strdup(name), .kind = strdup(kind), .offset = offset, .size = size};
    return argument->name && argument->kind ? KILN_OK : kiln_status_out_of_memory();
}

// Finds the kernel's descriptor, and through it the code.
static void read_descriptor(const kiln_elf_t *elf, kiln_code_kernel_t *kernel,
                            const char *symbol_name)
{
    Elf64_Sym symbol, entry;
    if (!kiln_elf_symbol(elf, symbol_name, &symbol))
        return;
    const unsigned char *descriptor = kiln_elf_at_address(elf, symbol.st_value, DESCRIPTOR_SIZE);
    if (!descriptor)
        return;
    uint32_t rsrc3;
    int64_t code_offset;
    memcpy(&rsrc3, descriptor + 44, sizeof rsrc3);
    memcpy(&code_offset, descriptor + 16, sizeof code_offset);
    unsigned accumulation_begins = ((rsrc3 & 63) + 1) * 4;
    if (kernel->resources.agprs && kernel->resources.vgprs > accumulation_begins)
        kernel->resources.vgprs = accumulation_begins;
    if (kiln_elf_symbol(elf, kernel->name, &entry) &&
        entry.st_value == symbol.st_value + (uint64_t)code_offset) {
        kernel->code = kiln_elf_at_address(elf, entry.st_value, entry.st_size);
        kernel->code_size = kernel->code ? entry.st_size : 0;
        kernel->code_address = entry.st_value;
    }
}

static kiln_status_t read_kernel(const kiln_elf_t *elf, const json_t *json,
                                 kiln_code_kernel_t *kernel)
{
    const char *name, *symbol;
    KILN_TRY(kiln_json_string(json, ".name", &name));
    KILN_TRY(kiln_json_string(json, ".symbol", &symbol));
    if (!kiln_string_is_line(name))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "a kernel's name has control characters");
    kernel->name = strdup(name);
    if (!kernel->name)
        return kiln_status_out_of_memory();
    kiln_resources_t *r = &kernel->resources;
    const struct {
        const char *key;
        unsigned *out;
    } rows[] = {
        {".vgpr_count", &r->vgprs},
        {".agpr_count", &r->agprs},
        {".sgpr_count", &r->sgprs},
        {".vgpr_spill_count", &r->vgpr_spills},
        {".sgpr_spill_count", &r->sgpr_spills},
        {".group_segment_fixed_size", &r->lds_bytes},
        {".private_segment_fixed_size", &r->scratch_bytes_per_lane},
        {".max_flat_workgroup_size", &kernel->max_workgroup},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        KILN_TRY(unsigned_member(json, rows[i].key, 0, rows[i].out));
    unsigned kernarg_bytes = 0, kernarg_align = 0;
    KILN_TRY(unsigned_member(json, ".kernarg_segment_size", 0, &kernarg_bytes));
    KILN_TRY(unsigned_member(json, ".kernarg_segment_align", 4, &kernarg_align));
    kernel->kernarg_bytes = kernarg_bytes;
    kernel->kernarg_align = kernarg_align;

    const json_t *arguments = json_object_get(json, ".args");
    kernel->arguments = calloc(json_array_size(arguments) + 1, sizeof *kernel->arguments);
    if (!kernel->arguments)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < json_array_size(arguments); i++)
        KILN_TRY(read_argument(json_array_get(arguments, i),
                               &kernel->arguments[kernel->argument_count++]));
    read_descriptor(elf, kernel, symbol);
    r->occupancy =
        kiln_occupancy(r->vgprs, r->agprs, r->sgprs, r->lds_bytes,
                       (kernel->max_workgroup + KILN_GFX942_LANES - 1) / KILN_GFX942_LANES);
    return KILN_OK;
}

static int by_name(const void *a, const void *b)
{
    const kiln_code_kernel_t *x = a, *y = b;
    return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

static kiln_status_t read_kernels(const kiln_elf_t *elf, const json_t *metadata,
                                  kiln_code_object_t *object)
{
    json_t *kernels;
    KILN_TRY(kiln_json_array(metadata, "amdhsa.kernels", &kernels));
    object->kernels = calloc(json_array_size(kernels) + 1, sizeof *object->kernels);
    if (!object->kernels)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < json_array_size(kernels); i++)
        KILN_TRY(
            read_kernel(elf, json_array_get(kernels, i), &object->kernels[object->kernel_count++]));
    qsort(object->kernels, object->kernel_count, sizeof *object->kernels, by_name);
    return KILN_OK;
}

static bool find_in(kiln_elf_notes_t notes, kiln_elf_note_t *out_note)
{
    while (kiln_elf_next_note(&notes, out_note))
        if (kiln_elf_note_is(out_note, "AMDGPU", NT_AMDGPU_METADATA))
            return true;
    return false;
}

static bool find_metadata(const kiln_elf_t *elf, kiln_elf_note_t *out_note)
{
    Elf64_Shdr section;
    for (unsigned i = 0; kiln_elf_section(elf, i, &section); i++)
        if (section.sh_type == SHT_NOTE &&
            find_in(kiln_elf_notes(elf, section.sh_offset, section.sh_size), out_note))
            return true;
    Elf64_Phdr part;
    for (unsigned i = 0; kiln_elf_segment(elf, i, &part); i++) // without section headers
        if (part.p_type == PT_NOTE &&
            find_in(kiln_elf_notes(elf, part.p_offset, part.p_filesz), out_note))
            return true;
    return false;
}

kiln_status_t kiln_code_object_read(const void *bytes, size_t size, kiln_code_object_t *out_object)
{
    *out_object = (kiln_code_object_t){0};
    kiln_elf_t elf;
    const char *wrong = kiln_elf_open(bytes, size, &elf);
    if (wrong)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s", wrong);
    if (elf.header.e_machine != AMDGPU_MACHINE)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "an ELF file for a target other than AMD GPUs");
    if ((elf.header.e_flags & 0xff) != GFX942_MACH)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "a code object for a processor other than gfx942 (e_flags 0x%x)",
                                elf.header.e_flags);
    const uint64_t end = kiln_elf_end(&elf);
    if (end > size)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "the code object is truncated: expected %" PRIu64 " bytes, got %zu",
                                end, size);
    kiln_elf_note_t note;
    if (!find_metadata(&elf, &note))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "the code object has no metadata note");
    json_t *metadata = NULL;
    KILN_TRY_NOTE(kiln_metadata_read(note.data, note.size, &metadata),
                  "in the code object's metadata");
    kiln_status_t status = kiln_status_annotate(read_kernels(&elf, metadata, out_object),
                                                "in the code object's metadata");
    json_decref(metadata);
    return status;
}

void kiln_code_object_free(kiln_code_object_t *object)
{
    for (size_t i = 0; i < object->kernel_count; i++) {
        kiln_code_kernel_t *kernel = &object->kernels[i];
        for (size_t j = 0; j < kernel->argument_count; j++) {
            free(kernel->arguments[j].name);
            free(kernel->arguments[j].kind);
        }
        free(kernel->arguments);
        free(kernel->name);
    }
    free(object->kernels);
    *object = (kiln_code_object_t){0};
}

const kiln_code_kernel_t *kiln_code_object_find(const kiln_code_object_t *object, const char *name)
{
    for (size_t i = 0; i < object->kernel_count; i++)
        if (strcmp(object->kernels[i].name, name) == 0)
            return &object->kernels[i];
    return NULL;
}
