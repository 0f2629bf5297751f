// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pointer argument of the kernel an access goes through.
//
// What is easily got wrong: an integer may become a pointer, and a choice may be of two; then it is unknown.
#ifndef KILN_INTERP_ROOT_ARGUMENT_H
#define KILN_INTERP_ROOT_ARGUMENT_H

#include <mlir-c/IR.h>

// 1 + its number, of the operation's first operand; 0 where it is unknown.
unsigned kiln_root_argument(MlirOperation access);

#endif
