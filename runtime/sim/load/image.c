// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a code object out of a source. The source is untrusted: a size that its headers claim is
// only the number of bytes that must be readable.
#include "load/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "load/bundle.h"
#include "load/inflate.h"

#define FILE_LIMIT (1ull << 30)

// The size of an ELF file, computed from its headers; 0 if it is not one.
static uint64_t elf_size(const kiln_sim_source_t *image)
{
    Elf64_Ehdr h;
    if (!kiln_sim_source_read(image, 0, &h, sizeof h) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
        h.e_ident[EI_CLASS] != ELFCLASS64)
        return 0;
    uint64_t end = sizeof h;
    uint64_t sections = h.e_shoff + (uint64_t)h.e_shnum * h.e_shentsize;
    if (h.e_shoff <= FILE_LIMIT && sections > end)
        end = sections;
    for (unsigned i = 0;
         i < h.e_phnum && h.e_phoff <= FILE_LIMIT && h.e_phentsize == sizeof(Elf64_Phdr); i++) {
        Elf64_Phdr p;
        if (!kiln_sim_source_read(image, h.e_phoff + (uint64_t)i * sizeof p, &p, sizeof p))
            return 0;
        if (p.p_offset <= FILE_LIMIT && p.p_filesz <= FILE_LIMIT && p.p_offset + p.p_filesz > end)
            end = p.p_offset + p.p_filesz;
    }
    return end <= FILE_LIMIT ? end : 0;
}

uint8_t *kiln_sim_image_read(const kiln_sim_source_t *source, uint64_t size, size_t *out_size,
                             kiln_sim_error_t *error)
{
    if (kiln_sim_is_bundle(source))
        return kiln_sim_unbundle(source, out_size, error);
    const bool is_known = size != KILN_SIM_UNKNOWN_SIZE;
    if (!is_known && !(size = elf_size(source))) {
        kiln_sim_fail(error, KILN_SIM_INVALID_IMAGE, "not a loadable code object: not an ELF file");
        return NULL;
    }
    // One more byte than needed, so that an empty file has a buffer, too.
    uint8_t *copy = malloc((size_t)size + 1);
    if (copy && kiln_sim_source_read(source, 0, copy, size)) {
        *out_size = (size_t)size;
        return copy;
    }
    if (copy)
        kiln_sim_fail(error, KILN_SIM_INVALID_IMAGE,
                      is_known ? "not a loadable code object: it cannot be read to its end"
                               : "not a loadable code object: its headers are out of bounds");
    else
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for a code object");
    free(copy);
    return NULL;
}
