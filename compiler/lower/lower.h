// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowering: a ttg module (tensors with layout encodings) becomes an LLVM module for gfx942,
// directly through LLVM's IRBuilder.
//
// The module is complete except for the target: the caller sets the triple and the data layout
// (codegen does), and functions of the device libraries (__ocml_exp_f32, …) are only declared. The
// module's LDS is one internal addrspace(3) global of static size.
//
// The ttg module is only read. The caller owns it, and the LLVM module does not refer to it.
#ifndef KILN_LOWER_H
#define KILN_LOWER_H

#include <llvm-c/Core.h>
#include <mlir-c/IR.h>

#include "kiln/kiln.h"

// Lowers `ttg`, whose "ttg.num-warps" attribute determines the block size, to a new module in
// `context`. The caller disposes of *out_module, which is NULL on error.
// KILN_STATUS_UNSUPPORTED names an operation, type or layout that has no lowering, with its source
// location; KILN_STATUS_OUT_OF_RESOURCES means that the program needs more LDS than a workgroup
// has. `file` is the main source file of the debug information if locations name none; it may be
// NULL.
kiln_status_t kiln_lower_to_llvm(MlirModule ttg, const kiln_compile_options_t *options,
                                 const char *file, LLVMContextRef context,
                                 LLVMModuleRef *out_module);

#endif
