// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Propagates encodings through operations, including those that rearrange elements, with one
// attribute for each layout of a shape.
#ifndef KILN_LAYOUT_NAMES_H
#define KILN_LAYOUT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "kiln/dialects.h"
#include "layout/layout.h"

// An attribute that was seen on tensors of a shape, and the layout it has there.
typedef struct kiln_layout_name {
    MlirAttribute encoding;
    kiln_layout_t layout;
} kiln_layout_name_t;

// The attributes on either side of reshapes in one function. Zero it, set num_warps, free it at the
// end.
typedef struct kiln_layout_names {
    int num_warps;
    kiln_layout_name_t *items;
    size_t count, capacity;
} kiln_layout_names_t;

// Infers the encoding of op's tensor results if its tensor operands have `operand`. Returns false
// if there is none.
bool kiln_names_infer_result(kiln_layout_names_t *names, MlirOperation op, MlirAttribute operand,
                             MlirAttribute *out);

// Infers the encoding that op's tensor operands need for its results to have `result`. Returns
// false if there is none.
bool kiln_names_infer_operand(kiln_layout_names_t *names, MlirOperation op, MlirAttribute result,
                              MlirAttribute *out);

// Whether each thread holds the fewest elements possible, and the layout is not one of a matrix
// instruction: computing in such a layout after a reshape costs no more than in any other.
bool kiln_names_is_minimal(const kiln_layout_names_t *names, MlirType shaped,
                           MlirAttribute encoding);

// Returns the number of (register, lane, wave) places that hold a tensor, including copies.
int64_t kiln_names_places(const kiln_layout_names_t *names, MlirType shaped,
                          MlirAttribute encoding);

void kiln_names_free(kiln_layout_names_t *names);

#endif
