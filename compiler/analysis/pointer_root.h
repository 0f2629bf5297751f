// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the MLIR says of where pointers come from and go to.
#ifndef KILN_POINTER_ROOT_H
#define KILN_POINTER_ROOT_H

#include "builder/ir.h"

// Whether an operation's result is its first operand's pointers again: the same ones in another shape or layout.
bool kiln_op_reshapes_pointers(kiln_op_t kind);

// The scalar pointer that a pointer or a tensor of pointers surely counts from; null where that is not known.
MlirValue kiln_pointer_root(MlirValue pointer);

// Is a pointer that was moved away from `root` used as a whole somewhere, and not only to access memory?
kiln_status_t kiln_pointer_escapes(MlirValue root, bool *out_escapes);

#endif
