// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients of narrow numbers that are wider than these: quotients_shim.cpp.
#ifndef KILN_CODEGEN_QUOTIENTS_SHIM_H
#define KILN_CODEGEN_QUOTIENTS_SHIM_H

namespace llvm
{
class Pass;
} // namespace llvm

llvm::Pass *kiln_shim_create_quotients();

#endif
