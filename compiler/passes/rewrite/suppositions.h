// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries what a function's accesses would gain if some integers had a property, such as being
// multiples: each is replaced by an operation whose result has the property, and which changes
// nothing if the integer has it.
//
//   %p = tt.addptr %a, %lda        →        %m = arith.andi %lda, -16
//                                           %p = tt.addptr %a, %m
#ifndef KILN_SUPPOSITIONS_H
#define KILN_SUPPOSITIONS_H

#include "builder/ir.h"
#include "passes/rewrite/access_widths.h"

enum { KILN_SUPPOSITIONS_MAX = 16 };

// Creates the operation, of the integer and a constant.
typedef MlirValue (*kiln_supposition_t)(const kiln_ir_t *ir, MlirValue integer);

typedef struct kiln_suppositions {
    MlirOperation function;
    kiln_supposition_t suppose;
    kiln_access_width_t width;                 // what is measured
    MlirValue integers[KILN_SUPPOSITIONS_MAX]; // to be tested at run time
    MlirOperation made[KILN_SUPPOSITIONS_MAX]; // null: not supposed
    int count;
} kiln_suppositions_t;

// Measures the accesses, then supposes everything and measures them again.
kiln_status_t kiln_suppositions_try(kiln_suppositions_t *suppositions,
                                    kiln_access_widths_t *out_before,
                                    kiln_access_widths_t *out_with_all);

// Takes all suppositions back, and keeps only the integers without which some access would not be
// as wide as with all; none of them if `pays` is false.
kiln_status_t kiln_suppositions_keep_needed(kiln_suppositions_t *suppositions,
                                            const kiln_access_widths_t *with_all, bool pays);

#endif
