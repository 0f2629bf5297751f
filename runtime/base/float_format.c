// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds a double to any float format, by integer arithmetic on its 53-bit significand.
//
// Note that rounding up to the next power of two carries into the exponent, which adding exponent
// and significand (hidden bit included) does without a special case.
#include "base/float_format.h"

#include <string.h>

static uint64_t nan_bits(kiln_float_format_t f)
{
    const uint64_t all = (UINT64_C(1) << (f.exponent_bits + f.mantissa_bits)) - 1;
    if (f.kind == KILN_ELEMENT_FLOAT_FNUZ)
        return all + 1;
    if (f.kind == KILN_ELEMENT_FLOAT_FN)
        return all;
    return kiln_float_largest(f) + 1 + (UINT64_C(1) << (f.mantissa_bits - 1)); // the quiet one
}

uint64_t kiln_float_encode(kiln_float_format_t f, double value, kiln_float_rounding_t rounding,
                           bool saturates)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    const uint64_t sign = word >> 63 << (f.exponent_bits + f.mantissa_bits),
                   u = word & ~(UINT64_C(1) << 63), infinity = UINT64_C(0x7ff) << 52;
    if (u > infinity)
        return nan_bits(f);
    if (u == infinity && f.kind == KILN_ELEMENT_FLOAT)
        return sign | (kiln_float_largest(f) + 1);
    if (f.kind == KILN_ELEMENT_FLOAT_FNUZ && u == 0)
        return 0;
    const int exponent = u >> 52 ? (int)(u >> 52) - 1023 : -1022;
    const uint64_t significand =
        (u & ((UINT64_C(1) << 52) - 1)) | (u >> 52 ? UINT64_C(1) << 52 : 0);
    int biased = exponent + f.bias, shift = 52 - f.mantissa_bits;
    if (biased < 1) {
        shift += 1 - biased;
        biased = 0;
    }
    if (shift > 54) // below half of the smallest value
        return f.kind == KILN_ELEMENT_FLOAT_FNUZ ? 0 : sign;
    uint64_t kept = significand >> shift;
    if (rounding == KILN_FLOAT_NEAREST_EVEN && shift > 0) {
        const uint64_t rest = significand & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1)
                                                                                 << (shift - 1);
        kept += rest > half || (rest == half && (kept & 1));
    }
    const uint64_t code = kept + (biased > 1 ? (uint64_t)(biased - 1) << f.mantissa_bits : 0);
    if (code > kiln_float_largest(f) || u == infinity) {
        if (saturates || (rounding == KILN_FLOAT_TO_ZERO && u != infinity))
            return sign | kiln_float_largest(f);
        return f.kind == KILN_ELEMENT_FLOAT ? sign | (kiln_float_largest(f) + 1) : nan_bits(f);
    }
    return code || f.kind != KILN_ELEMENT_FLOAT_FNUZ ? sign | code : 0;
}
