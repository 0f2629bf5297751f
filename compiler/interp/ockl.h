// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ockl's integer functions by name.
#ifndef KILN_INTERP_OCKL_H
#define KILN_INTERP_OCKL_H

#include <mlir-c/Support.h>

#include "interp/number.h"

// `x` holds up to four operands, `n` is the first one's type; the caller masks off the result's
// upper bits.
typedef uint64_t (*kiln_integer_function_t)(kiln_number_t n, const uint64_t *x);

// NULL if the function is unknown or depends on more than its operands (lanes, waves, clocks).
kiln_integer_function_t kiln_ockl_function(MlirStringRef symbol, int arity);

#endif
