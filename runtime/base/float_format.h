// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of KILN_ELEMENT_TYPES, which is the one table of float formats, as constants
// (KILN_ELEMENT_F16_MANTISSA is 10), and the rounding of a double to such a format.
#ifndef KILN_BASE_FLOAT_FORMAT_H
#define KILN_BASE_FLOAT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

// The code of the largest finite number.
static inline uint64_t kiln_float_largest(kiln_float_format_t f)
{
    const uint64_t all = (UINT64_C(1) << (f.exponent_bits + f.mantissa_bits)) - 1;
    switch (f.kind) {
    case KILN_ELEMENT_FLOAT:
        return (((UINT64_C(1) << f.exponent_bits) - 1) << f.mantissa_bits) - 1;
    case KILN_ELEMENT_FLOAT_FN:
        return all - 1;
    default:
        return all;
    }
}

// Rounds a value to nearest even that is normal in the format, which must be narrower than double,
// and does not exceed its largest number: half of the last bit is added to all bits at once. False
// for other values.
static inline bool kiln_float_encode_normal(kiln_float_format_t f, double value, uint64_t *out)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    const int shift = 52 - f.mantissa_bits;
    const uint64_t magnitude = word & ~(UINT64_C(1) << 63),
                   half = (UINT64_C(1) << (shift - 1)) - 1 + (magnitude >> shift & 1),
                   code = (magnitude + half - ((uint64_t)(1023 - f.bias) << 52)) >> shift;
    *out = word >> 63 << (f.exponent_bits + f.mantissa_bits) | code;
    return magnitude >> 52 > (uint64_t)(1023 - f.bias) && code <= kiln_float_largest(f);
}

#endif
