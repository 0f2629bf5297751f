// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How encodings pass through operations, those that rearrange elements among them, with one attribute for one layout of
// a shape.
#ifndef KILN_LAYOUT_NAMES_H
#define KILN_LAYOUT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "kiln/dialects.h"
#include "layout/layout.h"

// An attribute that was seen on tensors of a shape, and what it means there.
typedef struct kiln_layout_name {
    MlirAttribute encoding;
    kiln_layout_t layout;
} kiln_layout_name_t;

// The attributes that reshapes led to or came from in one function. Zero it, set num_warps, free it at the end.
typedef struct kiln_layout_names {
    int num_warps;
    kiln_layout_name_t *items;
    size_t count, capacity;
} kiln_layout_names_t;

// The encoding of op's tensor results when its tensor operands have `operand`. False where none follows.
bool kiln_names_infer_result(kiln_layout_names_t *names, MlirOperation op, MlirAttribute operand, MlirAttribute *out);

// The encoding that op's tensor operands need for its results to have `result`. False where none follows.
bool kiln_names_infer_operand(kiln_layout_names_t *names, MlirOperation op, MlirAttribute result, MlirAttribute *out);

// Whether each thread holds as few elements as can be, and no matrix instruction decided which: what is computed from
// such a layout behind a reshape costs no more than in any other one.
bool kiln_names_is_lean(const kiln_layout_names_t *names, MlirType shaped, MlirAttribute encoding);

// The (register, lane, wave) places that hold a tensor, copies counted.
int64_t kiln_names_places(const kiln_layout_names_t *names, MlirType shaped, MlirAttribute encoding);

void kiln_names_free(kiln_layout_names_t *names);

#endif
