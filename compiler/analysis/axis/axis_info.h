// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axis information: facts about neighbouring elements along each dimension of every integer and
// pointer value. Along dimension d,
//
//   contiguity[d]    elements form aligned groups of this size in which each element is the previous one plus 1 (pointers:
//                    plus one element), modulo 2 to the power of the type's width;
//   divisibility[d]  the first element of each such group is a multiple of this power of two (pointers: of this many
//                    bytes);
//   constancy[d]     elements form aligned groups of this many equal values;
//   steps[d]         elements form aligned groups of width · count elements, as i / 2 of consecutive i does: the first
//                    `width` are equal, the next `width` are the previous ones plus 1 (pointers: plus one element), and
//                    so on. The first element of each group is a multiple of `multiple` (pointers: bytes).
//
// All numbers are powers of two, at least 1. Note that divisibility describes the first element of
// a group: every element of a tensor with contiguity 1 and divisibility 16 is a multiple of 16, but
// only every eighth one with contiguity 8 and divisibility 16.
//
// A group may wrap at its type's end, which matters when the number is extended, compared or
// divided; a group that starts at a multiple of its size does not wrap. run[d] is the contiguity
// that would hold if nothing wrapped: it may guide the order of dimensions, but no access may rely
// on it.
//
// Contiguity and steps of pointers hold for groups of which all elements are accessed or none; in
// memory below 2 GiB no such group wraps.
//
// Steps of one element are not recorded, since contiguity describes them: either width and count
// are both at least 2, or both are 1.
//
// A scalar is a tensor of one dimension with one element: rank 1, divisibility[0].
//
// The analysis does not change the IR, and describes the IR as of its creation. For a value created
// later it uses only the operation that defines it, without loops. Values are identified by
// address, which new ones may reuse after an erasure; so after kiln_op_erase every value is treated
// like that.
#ifndef KILN_AXIS_INFO_H
#define KILN_AXIS_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

#include "kiln/dialects.h"
#include "kiln/status.h"

typedef struct kiln_axis_steps {
    int32_t width, count, multiple;
} kiln_axis_steps_t;

typedef struct kiln_axis_info {
    int rank;
    int64_t contiguity[KILN_MAX_RANK], divisibility[KILN_MAX_RANK], constancy[KILN_MAX_RANK],
        run[KILN_MAX_RANK];
    kiln_axis_steps_t steps[KILN_MAX_RANK];
    bool is_constant; // all elements equal `constant`
    int64_t constant;
} kiln_axis_info_t;

typedef struct kiln_axis_analysis kiln_axis_analysis_t;

// Analyses everything inside `root` (a module or a function). Free *out with
// kiln_axis_analysis_destroy; it belongs to one thread.
kiln_status_t kiln_axis_analysis_create(MlirOperation root, kiln_axis_analysis_t **out);
// Returns the ranges that the analysis uses.
const struct kiln_range_analysis *kiln_axis_ranges(const kiln_axis_analysis_t *analysis);
void kiln_axis_analysis_destroy(kiln_axis_analysis_t *analysis); // accepts NULL

// Returns the facts about `value`; all ones if nothing is known.
kiln_axis_info_t kiln_axis_info(const kiln_axis_analysis_t *analysis, MlirValue value);

// The number of bytes of which the first pointer of every contiguous group along `dim` is a
// multiple.
int64_t kiln_axis_pointer_alignment(const kiln_axis_analysis_t *analysis, MlirValue pointers,
                                    int dim);

// Size of the aligned groups along `dim` in which all elements of `mask` are equal. A null mask
// counts as constant; the size of the dimension is unknown here, so the result is INT64_MAX/2+1, a
// power of two.
int64_t kiln_axis_mask_alignment(const kiln_axis_analysis_t *analysis, MlirValue mask, int dim);

// How a load or store is lowered in the layout of its type: of each thread, registers 0 … n−1, n …
// 2·n−1, … for n = elements · repeat are one access each, which moves `elements` consecutive
// elements, each of them to `repeat` registers in a row. The n registers share one mask value. All
// powers of two; 1 for scalars, and where nothing more is proved.
typedef struct kiln_axis_access {
    int elements, repeat;
    int alignment; // of each access's address in bytes: at least of an element, at most of all
    int dim;       // along which the registers run
} kiln_axis_access_t;

// Whether registers may share an element. Those of a store may not: each has its own value.
typedef enum kiln_axis_sharing {
    KILN_AXIS_DISTINCT,
    KILN_AXIS_SHARED,
} kiln_axis_sharing_t;

// The widest access of `pointers` along `dim` under `mask` (may be null), in any layout.
kiln_axis_access_t kiln_axis_access_along(const kiln_axis_analysis_t *analysis, MlirValue pointers,
                                          MlirValue mask, kiln_axis_sharing_t sharing, int dim);

// The widest one in the layout of the type of `pointers`, along any dimension. Requires an encoding
// with a linear layout; otherwise one element.
kiln_axis_access_t kiln_axis_access(const kiln_axis_analysis_t *analysis, MlirValue pointers,
                                    MlirValue mask, kiln_axis_sharing_t sharing, int num_warps);

#endif
