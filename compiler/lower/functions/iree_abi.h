// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option iree_abi. Note that the parameters must be rewritten before the kernel's arguments are
// recorded.
#ifndef KILN_IREE_ABI_H
#define KILN_IREE_ABI_H

#include <mlir-c/IR.h>

#include "kiln/status.h"

// Gives a kernel the parameters that IREE passes to a dispatch: the pointers, in their order, and
// then all other parameters as 32-bit words. UNSUPPORTED names a parameter that is not a pointer,
// integer or float of up to 64 bits.
kiln_status_t kiln_iree_abi_apply(MlirOperation func);

#endif
