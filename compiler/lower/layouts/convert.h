// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between layouts (layout.c).
//
// Note that both layouts map to the same elements, even if their tensors' shapes differ.
#ifndef KILN_LOWER_CONVERT_H
#define KILN_LOWER_CONVERT_H

#include "lower/tile.h"

// Moves the registers of `source`, in layout `from`, to the places of `to`. Both layouts map to the
// same elements; result has the registers of `to`. Moves through LDS use the scratch of `op`.
kiln_status_t kiln_lower_convert(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *source,
                                 const kiln_layout_t *from, kiln_tile_t *result,
                                 const kiln_layout_t *to);
// The same for values of one type, one for each register.
kiln_status_t kiln_lower_convert_values(kiln_lowering_t *l, MlirOperation op, MlirType type,
                                        LLVMValueRef *values, const kiln_layout_t *from,
                                        LLVMValueRef *results, const kiln_layout_t *to);

#endif
