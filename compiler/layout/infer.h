// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Propagates encodings through operations that move no data between threads.
#ifndef KILN_LAYOUT_INFER_H
#define KILN_LAYOUT_INFER_H

#include <stdbool.h>

#include "kiln/dialects.h"

// Whether the operation works element by element, so that all its tensors have one common layout.
bool kiln_op_is_elementwise(kiln_op_t kind);

// Whether the operation creates its result in any layout and has no operands to convert: constants,
// splats, ranges.
bool kiln_op_is_leaf(kiln_op_t kind);

// The encoding of op's tensor results when its tensor operands have `operand`. Returns false if
// none follows.
bool kiln_infer_result_encoding(MlirOperation op, MlirAttribute operand, MlirAttribute *out);

// The encoding that op's tensor operands need for its results to have `result`. Returns false if
// none follows.
bool kiln_infer_operand_encoding(MlirOperation op, MlirAttribute result, MlirAttribute *out);

#endif
