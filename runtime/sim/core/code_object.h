// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code object: an ELF file for gfx942, its image in device memory, its kernels and global variables.
//
// What a reader gets wrong: the file is untrusted. Every offset in it is checked against its size before use, and
// nothing in it is believed about sizes of other things.
#ifndef KILN_SIM_CODE_OBJECT_H
#define KILN_SIM_CODE_OBJECT_H

#include "core/error.h"
#include "core/memory.h"
#include "core/program.h"

typedef enum kiln_sim_hidden {
    KILN_SIM_ARG_EXPLICIT,
#define HIDDEN(kind, bytes, value) KILN_SIM_ARG_##kind,
#include "isa/hidden_args.def"
#undef HIDDEN
    KILN_SIM_ARG_UNKNOWN_HIDDEN
} kiln_sim_hidden_t;

typedef struct kiln_sim_arg {
    uint32_t offset, size;
    kiln_sim_hidden_t kind;
    bool is_pointer; // to device memory, as far as the metadata says so
    char name[40];   // as much of it as there is room for; "" where none is told
} kiln_sim_arg_t;

struct kiln_sim_kernel {
    struct kiln_sim_code_object *object;
    char *name;
    uint64_t entry; // image offset of the first instruction
    // from the kernel descriptor
    uint32_t lds_bytes;     // static
    uint32_t scratch_bytes; // per lane
    uint32_t kernarg_bytes; // or from the metadata, where that says more
    uint32_t rsrc1, rsrc2, rsrc3;
    uint16_t properties, preload;
    // from the metadata; without any, arg_count is 0 and the limit is 1024
    kiln_sim_arg_t *args;
    size_t arg_count;
    uint32_t max_workgroup;
    uint32_t sgpr_count, vgpr_count, agpr_count; // as the metadata says
    int wished_dynamic_lds, wished_carveout;     // by hipFuncSetAttribute, atomic; the first is one more, 0: not wished
};

typedef struct kiln_sim_symbol {
    char *name;
    uint64_t offset, size;
} kiln_sim_symbol_t;

struct kiln_sim_code_object {
    uint8_t *image; // in device memory
    uint64_t image_size;
    uint8_t *file; // a copy, for its line table; NULL where memory was short
    size_t file_size;
    kiln_sim_program_t *program;
    kiln_sim_kernel_t *kernels;
    size_t kernel_count;
    kiln_sim_symbol_t *variables;
    size_t variable_count;
    char **formats; // of what its kernels print through a buffer (core/print_buffer.h), as the metadata has them
    size_t format_count;
    bool xnack;                   // it may run where memory instructions are replayed after a page fault
    uint64_t launched;            // the latest launch of a kernel of it, by number
    size_t decoded;               // bytes of the program then; 0 where it is forgotten (core/idle.c)
    kiln_sim_code_object_t *next; // of those that a machine holds
};

kiln_sim_code_object_t *kiln_sim_code_object_load(kiln_sim_memory_t *memory, const uint8_t *file, size_t size,
                                                  const kiln_sim_variant_t *variant, kiln_sim_error_t *error);
void kiln_sim_code_object_unload(kiln_sim_memory_t *memory, kiln_sim_code_object_t *object);

// The kernel of this name, which need not end in a zero byte; NULL where there is none. Kernels are sorted by name.
kiln_sim_kernel_t *kiln_sim_code_object_kernel(const kiln_sim_code_object_t *object, const char *name, size_t length);

// Registers of a wave: architectural (granule 4, from accum_offset) and all together (granule 8).
unsigned kiln_sim_kernel_arch_vgprs(const kiln_sim_kernel_t *kernel);
unsigned kiln_sim_kernel_total_vgprs(const kiln_sim_kernel_t *kernel);

// Work-items that a workgroup may have at most.
unsigned kiln_sim_kernel_max_items(const kiln_sim_kernel_t *kernel);

// Bytes of dynamic LDS that a workgroup may ask for beside the kernel's static ones, of so many in all.
unsigned kiln_sim_kernel_dynamic_lds(const kiln_sim_kernel_t *kernel, uint32_t all);

// Parses an AMDGPU metadata note into the kernels that carry the same name; in core/metadata.c.
bool kiln_sim_metadata_parse(const uint8_t *note, size_t size, kiln_sim_code_object_t *object, kiln_sim_error_t *error);

#endif
