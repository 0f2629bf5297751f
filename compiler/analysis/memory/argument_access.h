// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the pointer arguments through which a kernel only reads.
#ifndef KILN_ARGUMENT_ACCESS_H
#define KILN_ARGUMENT_ACCESS_H

#include "builder/ir.h"

// Sets out_const[i] if argument i of `kernel`, a function of `module`, is a pointer that is
// provably only read through. `out_const` has one element for each argument of the function's first
// block.
void kiln_constant_arguments(MlirModule module, MlirOperation kernel, bool *out_const);

#endif
