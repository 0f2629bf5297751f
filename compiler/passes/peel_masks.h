// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What peel_masks leaves behind: of each loop that it cut, the iterations that need a mask.
#ifndef KILN_PEEL_MASKS_H
#define KILN_PEEL_MASKS_H

#include <mlir-c/IR.h>
#include <stdbool.h>

// Whether the operation is a loop of such iterations, at most one if its bounds fit the mask.
bool kiln_is_peeled_rest(MlirOperation op);

#endif
