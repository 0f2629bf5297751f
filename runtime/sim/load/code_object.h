// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code object: an ELF file for gfx942, its image in device memory, its kernels and global
// variables.
//
// The file is untrusted: every offset in it is checked against the file's size before use, and no
// size in it is relied on.
#ifndef KILN_SIM_CODE_OBJECT_H
#define KILN_SIM_CODE_OBJECT_H

#include "decode/program.h"
#include "memory/memory.h"
#include "sim/port/code_object.h"
#include "sim/port/error.h"

struct kiln_sim_code_object {
    uint8_t *image; // in device memory
    uint64_t image_size;
    uint8_t *file; // a copy for its line table; NULL if memory was short
    size_t file_size;
    kiln_sim_program_t *program;
    kiln_sim_kernel_t *kernels;
    size_t kernel_count, kernel_capacity;
    kiln_sim_symbol_t *variables;
    size_t variable_count, variable_capacity;
    char **formats; // printf formats of its kernels from the metadata (host/print_buffer.h)
    size_t format_count, format_capacity;
    bool xnack;        // it may run where memory instructions are replayed after a page fault
    uint64_t launched; // number of the latest launch of one of its kernels
    size_t decoded;    // bytes of the program at that launch; 0 if it was discarded (run/idle.c)
    kiln_sim_code_object_t *next; // list of the machine's code objects
};

kiln_sim_code_object_t *kiln_sim_code_object_load(kiln_sim_memory_t *memory, const uint8_t *file,
                                                  size_t size, const kiln_sim_variant_t *variant,
                                                  kiln_sim_error_t *error);
void kiln_sim_code_object_unload(kiln_sim_memory_t *memory, kiln_sim_code_object_t *object);

// Parses an AMDGPU metadata note into the kernels that carry the same name; in load/metadata.c.
bool kiln_sim_metadata_parse(const uint8_t *note, size_t size, kiln_sim_code_object_t *object,
                             kiln_sim_error_t *error);

#endif
