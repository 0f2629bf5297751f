// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses to build with another major version of LLVM where code depends on internals that LLVM
// does not promise to keep: names and operands of machine instructions, the order of code
// generation's passes, members of its classes.
#ifndef KILN_CODEGEN_LLVM_VERSION_H
#define KILN_CODEGEN_LLVM_VERSION_H

#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR != 22
#error                                                                                             \
    "Kiln's code generation was checked against LLVM 22: go through codegen/workarounds.def first (docs/llvm-workarounds.md)"
#endif

#endif
