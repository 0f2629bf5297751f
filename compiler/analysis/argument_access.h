// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pointers of a kernel nothing is written through.
#ifndef KILN_ARGUMENT_ACCESS_H
#define KILN_ARGUMENT_ACCESS_H

#include "builder/ir.h"

// Sets out_const[i] where argument i of `kernel`, a function of `module`, is a pointer that is surely only read through.
// `out_const` has as many elements as the function's first block has arguments.
void kiln_constant_arguments(MlirModule module, MlirOperation kernel, bool *out_const);

#endif
