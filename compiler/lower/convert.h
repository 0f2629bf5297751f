// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between layouts (lower_layout.c).
//
// The thing one gets wrong: both layouts speak of the same elements, whatever shapes their tensors have.
#ifndef KILN_LOWER_CONVERT_H
#define KILN_LOWER_CONVERT_H

#include "tile.h"

// Moves the registers of `source`, which sit as `from` says, to where `to` wants them. Both layouts speak of the same
// elements; result has the registers of `to`. What needs LDS takes the scratch of `op`.
kiln_status_t kiln_lower_convert(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *source, const kiln_layout_t *from,
                                 kiln_tile_t *result, const kiln_layout_t *to);
// The same for bare values of one type, one for each register.
kiln_status_t kiln_lower_convert_values(kiln_lowering_t *l, MlirOperation op, MlirType type, LLVMValueRef *values,
                                        const kiln_layout_t *from, LLVMValueRef *results, const kiln_layout_t *to);

#endif
