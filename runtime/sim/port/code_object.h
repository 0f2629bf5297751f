// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects as the HIP layer sees them: where their bytes come from, and the kernels and
// variables in them. load/code_object.h has the rest.
#ifndef KILN_SIM_PORT_CODE_OBJECT_H
#define KILN_SIM_PORT_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln/sim.h"

// Bytes of a file or of a process.
typedef struct kiln_sim_source {
    // Copies up to `bytes` bytes from offset `at` and returns the number of bytes copied: at least
    // one unless the source ends there, and none past a page that may be the last one.
    size_t (*read)(const void *context, uint64_t at, void *to, size_t bytes);
    const void *context;
} kiln_sim_source_t;

#define KILN_SIM_UNKNOWN_SIZE UINT64_MAX

typedef enum kiln_sim_hidden {
    KILN_SIM_ARG_EXPLICIT,
#define HIDDEN(kind, bytes, value) KILN_SIM_ARG_##kind,
#include "sim/port/hidden_args.def"
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

// The arrays live as long as the object. The image is in device memory; kernels are sorted by name.
uint8_t *kiln_sim_object_image(const kiln_sim_code_object_t *object);
kiln_sim_kernel_t *kiln_sim_object_kernels(const kiln_sim_code_object_t *object, size_t *out_count);
const kiln_sim_symbol_t *kiln_sim_object_variables(const kiln_sim_code_object_t *object,
                                                   size_t *out_count);

// The text of a section of the file; NULL if there is none.
const char *kiln_sim_object_section(const kiln_sim_code_object_t *object, const char *name,
                                    size_t *out_size);

// Finds a kernel by name, which need not be zero-terminated; NULL if there is none.
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

#endif
