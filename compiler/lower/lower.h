// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowering: a ttg module (tensors with layout encodings) becomes an LLVM module for gfx942, directly through LLVM's
// IRBuilder.
//
// What comes out is complete but for the target: triple and data layout are the caller's to set (codegen does), and
// functions of the device libraries
// (__ocml_exp_f32, …) are only declared. The module's LDS is one internal addrspace(3) global of static size.
//
// The thing one gets wrong: the ttg module is only read. It belongs to the caller, and nothing of the LLVM module
// refers to it.
#ifndef KILN_LOWER_H
#define KILN_LOWER_H

#include <stdbool.h>

#include <llvm-c/Core.h>
#include <mlir-c/IR.h>

#include "kiln/status.h"

typedef enum kiln_denormals {
    KILN_DENORMALS_IEEE,          // f32 subnormals are kept
    KILN_DENORMALS_PRESERVE_SIGN, // f32 subnormals are flushed to zero
} kiln_denormals_t;

typedef struct kiln_lower_options {
    const char *arch;           // "gfx942"
    int waves_per_eu;           // 0: no bound
    bool line_info;             // DWARF line tables from the operations' locations
    bool fp_fusion;             // a·b+c may become one fused operation
    kiln_denormals_t denormals; // of f32; f16 and f64 always keep theirs
    const char *file;           // main source file for debug information where locations name none; may be NULL
} kiln_lower_options_t;

// gfx942, no bound on waves, line info, fusion, IEEE denormals.
void kiln_lower_options_initialize(kiln_lower_options_t *options);

// Lowers `ttg`, whose "ttg.num-warps" attribute tells the block size, to a new module in `context`. The caller disposes
// of *out_module, which is NULL after a failure. KILN_STATUS_UNSUPPORTED names an operation, type or layout that has no
// lowering, with its source location; KILN_STATUS_OUT_OF_RESOURCES tells that the program needs more LDS than a
// workgroup has.
kiln_status_t kiln_lower_to_llvm(MlirModule ttg, const kiln_lower_options_t *options, LLVMContextRef context,
                                 LLVMModuleRef *out_module);

#endif
