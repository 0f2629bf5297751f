// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracks which element of a value an element of an access depends on, through operations that only
// reshape.
//
// Note that the same value may be used along another dimension: if i runs along the rows in the
// mask and along the columns in the address, the mask implies nothing about the address.
#ifndef KILN_PLACE_H
#define KILN_PLACE_H

#include "builder/ir.h"

enum { KILN_PLACE_MAX_DIMS = 8 };

// Maps each of a value's dimensions to a dimension of an access. A scalar has none: rank is 0.
typedef struct kiln_place {
    int rank;
    int dim[KILN_PLACE_MAX_DIMS];
} kiln_place_t;

// The place of the access itself, given its mask or its pointers; false if it has too many
// dimensions.
bool kiln_place_begin(MlirValue value, kiln_place_t *out);

bool kiln_place_equal(const kiln_place_t *a, const kiln_place_t *b);

// The place of a reshaping operation's operand 0, given its result's; false if the operation does
// more than reshape. *out may be *result.
bool kiln_place_of_operand(MlirOperation op, const kiln_place_t *result, kiln_place_t *out);

#endif
