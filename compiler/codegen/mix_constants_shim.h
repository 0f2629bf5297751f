// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine pass that runs ahead of LLVM's folding of operands (C++, for emit_shim.cpp alone).
#ifndef KILN_CODEGEN_MIX_CONSTANTS_SHIM_H
#define KILN_CODEGEN_MIX_CONSTANTS_SHIM_H

namespace llvm
{
class Pass;
}

llvm::Pass *kiln_shim_create_mix_constants();

#endif
