// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's printed and stored text as C strings. The data of an empty MlirStringRef may be NULL,
// which the C library's functions do not accept.
#ifndef KILN_IR_TEXT_H
#define KILN_IR_TEXT_H

#include <mlir-c/Support.h>

#ifdef __cplusplus
extern "C" {
#endif

// A callback for MLIR's printing functions that appends to a kiln_string_t.
void kiln_ir_append(MlirStringRef piece, void *string);

// A zero-terminated copy that the caller frees; NULL if out of memory.
char *kiln_ir_copy(MlirStringRef text);

#ifdef __cplusplus
}
#endif
#endif
