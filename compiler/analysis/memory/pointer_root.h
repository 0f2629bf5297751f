// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where pointers come from and how they are used, as derived from the MLIR.
#ifndef KILN_POINTER_ROOT_H
#define KILN_POINTER_ROOT_H

#include "builder/ir.h"

// Whether an operation's result holds the pointers of its first operand, in another shape or
// layout.
bool kiln_op_reshapes_pointers(kiln_op_t kind);

// Whether an operation only computes other pointers from its pointers, or passes them on.
bool kiln_op_passes_pointers(MlirOperation op);

// Returns the scalar pointer on which a pointer or a tensor of pointers is certainly based; null if
// unknown.
MlirValue kiln_pointer_root(MlirValue pointer);

// Whether a pointer derived from `root` by an offset is used other than to access memory.
kiln_status_t kiln_pointer_escapes(MlirValue root, bool *out_escapes);

#endif
