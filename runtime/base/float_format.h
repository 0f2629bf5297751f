// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of KILN_ELEMENT_TYPES, which is the one table of float formats, as constants
// (KILN_ELEMENT_F16_MANTISSA is 10), and the rounding of a double to such a format.
#ifndef KILN_BASE_FLOAT_FORMAT_H
#define KILN_BASE_FLOAT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "kiln/element.h"

enum {
#define KILN_FLOAT_FORMAT(id, name, bits, kind, exponent, mantissa, bias)                          \
    KILN_ELEMENT_##id##_BITS = (bits), KILN_ELEMENT_##id##_KIND = (kind),                          \
    KILN_ELEMENT_##id##_EXPONENT = (exponent), KILN_ELEMENT_##id##_MANTISSA = (mantissa),          \
    KILN_ELEMENT_##id##_BIAS = (bias),
    KILN_ELEMENT_TYPES(KILN_FLOAT_FORMAT)
#undef KILN_FLOAT_FORMAT
};

// A sign, exponent and mantissa; at most 52 mantissa bits and an exponent range within double's.
typedef struct kiln_float_format {
    kiln_element_kind_t kind; // which codes are infinite and NaN
    int exponent_bits, mantissa_bits, bias;
} kiln_float_format_t;

typedef enum kiln_float_rounding {
    KILN_FLOAT_NEAREST_EVEN,
    KILN_FLOAT_TO_ZERO
} kiln_float_rounding_t;

// Returns the bits of the value, rounded once. Beyond the largest finite number: with `saturates`
// the largest, else infinity, or NaN where the format has no infinity; a finite number rounded
// towards zero is the largest in any case. The NaN is quiet and has no sign, except in FNUZ
// formats, whose only NaN is the code of -0; they have no -0.
uint64_t kiln_float_encode(kiln_float_format_t format, double value, kiln_float_rounding_t rounding,
                           bool saturates);

#endif
