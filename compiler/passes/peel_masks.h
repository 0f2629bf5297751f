// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes the second loop that peel_masks creates, whose iterations need a mask.
#ifndef KILN_PEEL_MASKS_H
#define KILN_PEEL_MASKS_H

#include <mlir-c/IR.h>
#include <stdbool.h>

// Whether the operation is such a loop. It has at most one iteration if its bounds fit the mask.
bool kiln_is_peeled_rest(MlirOperation op);

#endif
