// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How encodings pass through operations that move no data between threads.
#ifndef KILN_LAYOUT_INFER_H
#define KILN_LAYOUT_INFER_H

#include <stdbool.h>

#include "kiln/dialects.h"

// An operation that works element by element: all its tensors have one layout, any.
bool kiln_op_is_elementwise(kiln_op_t kind);

// An operation that makes its result in any layout without operands to convert: constants, splats,
// ranges.
bool kiln_op_is_leaf(kiln_op_t kind);

// The encoding of op's tensor results when its tensor operands have `operand`. Returns false if
// none follows.
bool kiln_infer_result_encoding(MlirOperation op, MlirAttribute operand, MlirAttribute *out);

// The encoding that op's tensor operands need for its results to have `result`. Returns false if
// none follows.
bool kiln_infer_operand_encoding(MlirOperation op, MlirAttribute result, MlirAttribute *out);

#endif
