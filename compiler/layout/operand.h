// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Swizzled LDS layouts for a tensor that one layout stores and another loads: dot operands that
// come from global loads.
//
// Note that a dot's operand is written once but read by every wave that needs it, so reads weigh
// more.
#ifndef KILN_LAYOUT_OPERAND_H
#define KILN_LAYOUT_OPERAND_H

#include "layout/layout.h"

// The #ttg.swizzled_shared or #ttg.amd_rotating_shared encoding (rank of the layouts, at least 1)
// with the fewest LDS cycles to store from `store` and to load into `load`. `k_dim` is the
// dimension that a load's vector should run along: it becomes the fastest if that does not cost
// more.
kiln_swizzled_shared_t kiln_layout_shared_for(const kiln_layout_t *store, const kiln_layout_t *load,
                                              int element_bits, int k_dim,
                                              kiln_swizzle_t *out_swizzle);

// The same as an attribute. `num_warps` is for the layouts of the two encodings; fails as
// kiln_layout_of_encoding does.
kiln_status_t kiln_shared_encoding_for(MlirType stored, MlirType loaded, int num_warps, int k_dim,
                                       MlirAttribute *out);

#endif
