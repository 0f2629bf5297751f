// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pointer argument of the kernel that an access is based on.
//
// Note that it is unknown if the pointer is converted from an integer or selected from two.
#ifndef KILN_INTERP_ROOT_ARGUMENT_H
#define KILN_INTERP_ROOT_ARGUMENT_H

#include <mlir-c/IR.h>

// 1 + the argument's number, for the operation's first operand; 0 if it is unknown.
unsigned kiln_root_argument(MlirOperation access);

#endif
