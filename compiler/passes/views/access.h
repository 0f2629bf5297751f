// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of a tensor in memory, as scalars, and accesses to it through tensors of pointers.
#ifndef KILN_TENSOR_ACCESS_H
#define KILN_TENSOR_ACCESS_H

#include "builder/ir.h"

// The parts of a block pointer (!tt.ptr<tensor<…>>) or a tensor descriptor (!tt.tensordesc<…>).
// Sizes, strides and offsets count elements and are i64.
typedef struct kiln_tensor_view {
    MlirType block; // the block as a ranked tensor
    int rank;
    MlirValue base;
    MlirValue sizes[KILN_MAX_RANK], strides[KILN_MAX_RANK];
    MlirValue offsets[KILN_MAX_RANK]; // block pointers only
    MlirValue pad_nan; // descriptors only: i1, elements outside read as NaN instead of 0
} kiln_tensor_view_t;

// Pointers to the elements of a block: `indices` holds for each dimension the index of the block's
// first element (i64), or a tensor of indices of that dimension's length. If bit d of `checked` is
// set, the mask includes dimension d's bounds; the mask is null if nothing is checked.
typedef struct kiln_tensor_access {
    MlirType type; // of the elements: the block's shape
    MlirValue pointers, mask;
} kiln_tensor_access_t;
kiln_tensor_access_t kiln_tensor_access(const kiln_ir_t *ir, const kiln_tensor_view_t *view,
                                        MlirType type, const MlirValue *indices, uint32_t checked);

// `value` as i64: an integer scalar or tensor, sign-extended where it is narrower.
MlirValue kiln_ir_to_i64(const kiln_ir_t *ir, MlirValue value);

#endif
