// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers for which arithmetic often fails: zeros, ones, ends of ranges, powers of two and their
// neighbours, NaNs, infinities, subnormals.
#include <math.h>

#include "generate.h"

static uint64_t extreme_integer(int bits, uint32_t which, uint32_t n)
{
    uint64_t power = UINT64_C(1) << n % (uint32_t)bits, min = UINT64_C(1) << (bits - 1);
    const uint64_t table[EXTREMES] = {0,
                                      1,
                                      ~UINT64_C(0),
                                      min,
                                      min - 1,
                                      2,
                                      power,
                                      power - 1,
                                      0 - power,
                                      0xFF,
                                      0xFFFF,
                                      UINT32_MAX,
                                      ~(uint64_t)UINT32_MAX,
                                      (uint64_t)bits - 1,
                                      UINT64_C(0x5555555555555555),
                                      n};
    return table[which % EXTREMES];
}

// An extreme float with `bits` bits, `digits` of them in the fraction.
static uint64_t extreme_float(int bits, int digits, uint32_t which, uint32_t n)
{
    uint64_t sign = UINT64_C(1) << (bits - 1), one_exponent = UINT64_C(1) << digits;
    uint64_t infinity = sign - one_exponent, one = (sign >> 1) - one_exponent,
             largest = infinity - 1;
    uint64_t near = one + (((uint64_t)n - 32) << digits) % infinity;
    const uint64_t table[EXTREMES] = {
        0,
        one,
        sign,
        sign | one,
        infinity,
        sign | infinity,
        infinity | one_exponent >> 1,
        largest,
        sign | largest,
        1,
        sign | (one_exponent - 1),
        one_exponent,
        one - one_exponent,
        one + one_exponent,
        one + (one_exponent >> 1),
        bits == 16 && digits == 10 ? one + ((uint64_t)(n % 16) << digits) : near};
    return table[which % EXTREMES];
}

uint64_t extreme_bits(type_t type, uint32_t which, uint32_t n)
{
    switch (type) {
    case KILN_ELEMENT_F64:
        return extreme_float(64, 52, which, n);
    case KILN_ELEMENT_F32:
        return extreme_float(32, 23, which, n);
    case KILN_ELEMENT_F16:
        return extreme_float(16, 10, which, n);
    case KILN_ELEMENT_BF16:
        return extreme_float(16, 7, which, n);
    case KILN_ELEMENT_I1:
        return which & 1;
    default:
        return extreme_integer(bits_of(type), which, n);
    }
}
