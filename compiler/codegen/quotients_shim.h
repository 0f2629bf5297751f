// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients that LLVM 22 makes too narrow: quotients_shim.cpp.
#ifndef KILN_CODEGEN_QUOTIENTS_SHIM_H
#define KILN_CODEGEN_QUOTIENTS_SHIM_H

namespace llvm
{
class Pass;
} // namespace llvm

llvm::Pass *kiln_shim_create_quotients(); // ahead of code generation

llvm::Pass *kiln_shim_create_unsigned_quotients(); // behind the last pass that makes divisions

#endif
