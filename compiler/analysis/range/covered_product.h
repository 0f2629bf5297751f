// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves that products of a row and a stride do not wrap, from the memory that smaller rows access.
//
//   %v = %pid · 64 + range(64)              all rows from 0 to %v are accessed, too, at the same column: by this program
//   %m = %v < %rows and %c < %n             or by one of a smaller id. If %v · %n is 2^31 or more, one of them lies
//   tt.load (%x + %v · %n + %c), %m         2^30 to 2^31 − 1 elements of 2 bytes after %x
//
// If %x has tt.pointer_range = 32, its memory is smaller than 2 GiB, so a launch with such a row is
// undefined.
//
// Note that the smaller row must always be accessed: nothing but the row may differ there, and the
// mask may only compare the row with an upper bound.
#ifndef KILN_COVERED_PRODUCT_H
#define KILN_COVERED_PRODUCT_H

#include "analysis/range/masked_range.h"

// Whether each enabled element of operand 0 is at or after an argument with less than 2 GiB of
// memory, to which one such product and otherwise only non-negative values are added. `masked`
// describes this access and mask.
bool kiln_covered_product_is_after_root(kiln_masked_ranges_t *masked, MlirOperation access,
                                        MlirValue mask);

#endif
