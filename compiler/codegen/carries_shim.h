// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries of 64-bit sums that LLVM 22 gets wrong: carries_shim.cpp.
#ifndef KILN_CODEGEN_CARRIES_SHIM_H
#define KILN_CODEGEN_CARRIES_SHIM_H

namespace llvm
{
class Pass;
} // namespace llvm

llvm::Pass *kiln_shim_create_carries(); // behind CodeGenPrepare

#endif
