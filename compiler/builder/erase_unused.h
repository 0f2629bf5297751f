// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dead code elimination for passes that leave operations without uses.
#ifndef KILN_ERASE_UNUSED_H
#define KILN_ERASE_UNUSED_H

#include <stdbool.h>

#include <mlir-c/IR.h>

// Erases all operations in `root` whose results are unused and that may be left out
// (kiln_op_may_be_erased), and those that only they used. References to such operations dangle
// afterwards. Returns false when out of memory; then nothing is erased.
bool kiln_erase_unused(MlirOperation root);

#endif
