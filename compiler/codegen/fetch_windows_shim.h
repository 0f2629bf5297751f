// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine pass that runs behind all that insert instructions (C++, for emit_shim.cpp alone).
#ifndef KILN_CODEGEN_FETCH_WINDOWS_SHIM_H
#define KILN_CODEGEN_FETCH_WINDOWS_SHIM_H

namespace llvm
{
class Pass;
}

llvm::Pass *kiln_shim_create_fetch_windows();

#endif
