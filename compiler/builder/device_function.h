// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about functions of ROCm's device libraries that a program calls by name
// (tt.extern_elementwise).
#ifndef KILN_BUILDER_DEVICE_FUNCTION_H
#define KILN_BUILDER_DEVICE_FUNCTION_H

#include <stdbool.h>

#include <mlir-c/Support.h>

// The row of ockl.def with this name and number of operands; -1 if there is none.
int kiln_ockl_find(MlirStringRef symbol, int arity);

// Whether the result depends only on the operands, in all lanes and waves: ocml's functions and
// ockl.def's rows. False for unknown names.
bool kiln_is_function_of_operands(MlirStringRef symbol, int arity);

#endif
