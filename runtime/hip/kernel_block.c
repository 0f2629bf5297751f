// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads `.reqd_workgroup_size` and `.max_flat_workgroup_size` of the amdhsa metadata. Code objects
// may come from any compiler, so only numbers that are valid for a block are used.
#include "hip/kernel_block.h"

#include <string.h>

#include "base/elf_file.h"
#include "base/metadata.h"

enum { NT_AMDGPU_METADATA = 32, MAX_ITEMS = 1024 };

static bool find_metadata(const kiln_elf_t *elf, kiln_elf_note_t *out_note)
{
    Elf64_Phdr part;
    for (unsigned i = 0; kiln_elf_segment(elf, i, &part); i++) {
        if (part.p_type != PT_NOTE)
            continue;
        kiln_elf_notes_t notes = kiln_elf_notes(elf, part.p_offset, part.p_filesz);
        while (kiln_elf_next_note(&notes, out_note))
            if (kiln_elf_note_is(out_note, "AMDGPU", NT_AMDGPU_METADATA))
                return true;
    }
    return false;
}

json_t *kiln_code_metadata(const void *code_object, size_t size)
{
    kiln_elf_t elf;
    kiln_elf_note_t note;
    json_t *metadata = NULL;
    if (!kiln_elf_open(code_object, size, &elf) && find_metadata(&elf, &note))
        kiln_status_free(kiln_metadata_read(note.data, note.size, &metadata));
    return metadata;
}

static unsigned extent(const json_t *value)
{
    json_int_t number = json_integer_value(value);
    return number >= 1 && number <= MAX_ITEMS ? (unsigned)number : 0;
}

kiln_kernel_block_t kiln_kernel_block(const json_t *metadata, const char *kernel)
{
    kiln_kernel_block_t block = {0};
    const json_t *kernels = json_object_get(metadata, "amdhsa.kernels");
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const json_t *one = json_array_get(kernels, i),
                     *required = json_object_get(one, ".reqd_workgroup_size");
        const char *name = json_string_value(json_object_get(one, ".name"));
        if (!name || strcmp(name, kernel) != 0)
            continue;
        unsigned x = extent(json_array_get(required, 0)), y = extent(json_array_get(required, 1)),
                 z = extent(json_array_get(required, 2)),
                 largest = extent(json_object_get(one, ".max_flat_workgroup_size"));
        if (x && y && z)
            block = (kiln_kernel_block_t){{x, y, z}, true};
        else if (largest)
            block = (kiln_kernel_block_t){{largest, 1, 1}, false};
        break;
    }
    return block;
}
