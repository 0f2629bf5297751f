// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses blocked layouts: the defaults of convert_to_ttg, and the better ones of coalesce.
#ifndef KILN_LAYOUT_BLOCKED_H
#define KILN_LAYOUT_BLOCKED_H

#include "kiln/dialects.h"

// Spreads 64 lanes, then the warps, over the dimensions in `order` (fastest first), as far as shape
// and size_per_thread leave room; the last dimension of `order` takes the rest, so that the
// products are always 64 and num_warps. size_per_thread NULL: all 1.
kiln_blocked_t kiln_blocked_choose(int rank, const int64_t *shape, const int32_t *size_per_thread,
                                   const int32_t *order, int num_warps);

// The default: one element per thread, last dimension fastest.
kiln_blocked_t kiln_blocked_default(int rank, const int64_t *shape, int num_warps);

// The layout of a transposed tensor: result dimension i is dimension order[i] of the operand.
kiln_blocked_t kiln_blocked_transpose(const kiln_blocked_t *blocked, const int32_t *order);

#endif
