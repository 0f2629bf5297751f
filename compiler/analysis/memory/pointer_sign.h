// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether pointers may lie before their root.
#ifndef KILN_POINTER_SIGN_H
#define KILN_POINTER_SIGN_H

#include "analysis/range/integer_range.h"

// Whether all elements of a pointer or a tensor of pointers are certainly at or after their root
// (analysis/memory/pointer_root.h): only provably non-negative offsets are added. An offset that
// wraps in its own type counts by its wrapped value, which is the one that is added.
bool kiln_pointer_is_at_or_after_root(const kiln_range_analysis_t *ranges, MlirValue pointer);

// The same for the elements of operand 0 that an access's mask enables. False for operations
// without a mask.
kiln_status_t kiln_access_is_at_or_after_root(const kiln_range_analysis_t *ranges,
                                              MlirOperation access, bool *out);

#endif
