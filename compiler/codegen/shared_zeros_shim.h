// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass over LLVM IR, and a machine pass that finishes it (C++, for emit_shim.cpp alone).
#ifndef KILN_CODEGEN_SHARED_ZEROS_SHIM_H
#define KILN_CODEGEN_SHARED_ZEROS_SHIM_H

namespace llvm
{
class Pass;
}

llvm::Pass *kiln_shim_create_shared_zeros(); // ahead of code generation

llvm::Pass *kiln_shim_create_zeros(); // ahead of register allocation, behind the last pass that merges equal operations

#endif
