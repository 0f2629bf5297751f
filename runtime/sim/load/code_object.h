// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code object: an ELF file for gfx942, its image in device memory, its kernels and global
// variables.
//
// The file is untrusted: every offset in it is checked against the file's size before use, and no
// size in it is relied on.
#ifndef KILN_SIM_CODE_OBJECT_H
#define KILN_SIM_CODE_OBJECT_H

#include "core/error.h"
#include "decode/program.h"
#include "memory/memory.h"

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
    bool is_pointer; // to device memory, if the metadata has this information
    char name[40];   // truncated with "..." if it is too long; "" if unknown
} kiln_sim_arg_t;

struct kiln_sim_kernel {
    struct kiln_sim_code_object *object;
    char *name;
    uint64_t entry; // image offset of the first instruction
    // from the kernel descriptor
    uint32_t lds_bytes;     // static
    uint32_t scratch_bytes; // per lane
    uint32_t kernarg_bytes; // or from the metadata if that is larger
    uint32_t rsrc1, rsrc2, rsrc3;
    uint16_t properties, preload;
    // from the metadata; without any, arg_count is 0 and the limit is 1024
    kiln_sim_arg_t *args;
    size_t arg_count, arg_capacity;
    uint32_t max_workgroup;
    uint32_t sgpr_count, vgpr_count, agpr_count; // from the metadata
    int requested_dynamic_lds,
        requested_carveout; // set by hipFuncSetAttribute, atomic; the first is stored plus one, 0:
                            // not set
};

typedef struct kiln_sim_symbol {
    char *name;
    uint64_t offset, size;
} kiln_sim_symbol_t;

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

// Finds a kernel by name, which need not be zero-terminated; NULL if there is none. Kernels are
// sorted by name.
kiln_sim_kernel_t *kiln_sim_code_object_kernel(const kiln_sim_code_object_t *object,
                                               const char *name, size_t length);

// Registers of a wave: architectural (granule 4, from accum_offset) and total (granule 8).
unsigned kiln_sim_kernel_arch_vgprs(const kiln_sim_kernel_t *kernel);
unsigned kiln_sim_kernel_total_vgprs(const kiln_sim_kernel_t *kernel);

// Maximum number of work-items of a workgroup.
unsigned kiln_sim_kernel_max_items(const kiln_sim_kernel_t *kernel);

// Bytes of dynamic LDS that a workgroup may use in addition to the kernel's static LDS, where `all`
// is the limit of both.
unsigned kiln_sim_kernel_dynamic_lds(const kiln_sim_kernel_t *kernel, uint32_t all);

// Parses an AMDGPU metadata note into the kernels that carry the same name; in load/metadata.c.
bool kiln_sim_metadata_parse(const uint8_t *note, size_t size, kiln_sim_code_object_t *object,
                             kiln_sim_error_t *error);

#endif
