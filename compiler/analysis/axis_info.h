// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axis information: what is known, along each dimension of every integer and pointer value, about neighbouring
// elements. Along dimension d,
//
//   contiguity[d]    elements come in aligned groups of this many in which each is the one before plus 1 (pointers:
//   plus one element), divisibility[d]  the first element of each such group is a multiple of this power of two
//   (pointers: of this many bytes), constancy[d]     elements come in aligned groups of this many equal values.
//
// All numbers are powers of two, at least 1. The thing one gets wrong: divisibility speaks of the first element of a
// group, so a tensor of contiguity 1 whose divisibility is 16 has every element a multiple of 16, but one of contiguity
// 8 and divisibility 16 has only every eighth.
//
// A scalar is a tensor of one dimension with one element: rank 1, divisibility[0].
//
// The analysis does not change the IR. It answers for the IR as it was when it was made; a value made later is answered
// from its own operation, without loops.
#ifndef KILN_AXIS_INFO_H
#define KILN_AXIS_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

#include "kiln/dialects.h"
#include "kiln/status.h"

typedef struct kiln_axis_info {
    int rank;
    int64_t contiguity[KILN_MAX_RANK], divisibility[KILN_MAX_RANK], constancy[KILN_MAX_RANK];
    bool is_constant; // every element is `constant`
    int64_t constant;
} kiln_axis_info_t;

typedef struct kiln_axis_analysis kiln_axis_analysis_t;

// Analyses everything below `root` (a module or a function). *out is freed with kiln_axis_analysis_destroy; it belongs
// to one thread.
kiln_status_t kiln_axis_analysis_create(MlirOperation root, kiln_axis_analysis_t **out);
void kiln_axis_analysis_destroy(kiln_axis_analysis_t *analysis); // accepts NULL

// What is known of `value`; all ones where nothing is.
kiln_axis_info_t kiln_axis_info(const kiln_axis_analysis_t *analysis, MlirValue value);

// Elements of a tensor of pointers that one access may take together along dimension `dim`, were they in consecutive
// registers: a power of two, bounded by contiguity and alignment, and by 128 bits.
int kiln_axis_pointer_vector(const kiln_axis_analysis_t *analysis, MlirValue pointers, int dim);

// The bytes that the first pointer of every contiguous group along `dim` is a multiple of.
int64_t kiln_axis_pointer_alignment(const kiln_axis_analysis_t *analysis, MlirValue pointers, int dim);

// Elements along `dim` that share one truth value of `mask` in aligned groups; a null mask counts as constant (the size
// of the dimension is not known here: INT64_MAX/2+1, a power of two, is returned).
int64_t kiln_axis_mask_alignment(const kiln_axis_analysis_t *analysis, MlirValue mask, int dim);

// The vector width (elements, a power of two) with which a load, store or atomic on `pointers` under `mask` (may be
// null) can be lowered in the layout of its type: registers 0 … width−1, width … 2·width−1, … of each thread are then
// one aligned access each, and share one mask value. Scalars give 1. *out_order0, where not NULL, receives the
// dimension along which the vector runs. Needs an encoding with a linear layout; gives 1 otherwise.
int kiln_axis_access_vector(const kiln_axis_analysis_t *analysis, MlirValue pointers, MlirValue mask, int num_warps,
                            int *out_order0);

#endif
