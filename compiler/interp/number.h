// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number formats: the width of an element type and the meaning of its bits.
//
// Every element of a tile takes 64 bits here: an integer without sign extension, a float as the
// bits of its own type, a pointer as an address. Floats are computed in double and rounded to their
// type once, which is the correctly rounded result of + − × ÷ √ for formats of up to 24 bits of
// precision.
//
// Note that a conversion to an 8-bit float saturates, as in Triton, while arithmetic in the IEEE
// types overflows to infinity.
#ifndef KILN_INTERP_NUMBER_H
#define KILN_INTERP_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

#include "base/float_format.h"
#include "kiln/element.h"

typedef enum kiln_number_class {
    KILN_NUMBER_INTEGER = KILN_ELEMENT_INTEGER,
    KILN_NUMBER_FLOAT = KILN_ELEMENT_FLOAT,
    KILN_NUMBER_FLOAT_FN = KILN_ELEMENT_FLOAT_FN,
    KILN_NUMBER_FLOAT_FNUZ = KILN_ELEMENT_FLOAT_FNUZ,
    KILN_NUMBER_POINTER,
} kiln_number_class_t;

typedef struct kiln_number {
    kiln_number_class_t kind;
    int bits;                               // 1 … 64
    int exponent_bits, mantissa_bits, bias; // of floats
} kiln_number_t;

// The number format of an MLIR scalar type; false unless it is an integer of 1 to 64 bits, an
// index, a float or a pointer.
bool kiln_number_of(MlirType scalar, kiln_number_t *out);

// The formats of tt.dot_scaled below 8 bits: e2m3, e3m2, e2m1.
extern const kiln_number_t kiln_number_e4m3, kiln_number_e5m2, kiln_number_e2m3, kiln_number_e3m2,
    kiln_number_e2m1, kiln_number_bf16, kiln_number_f16;

static inline bool kiln_number_is_float(kiln_number_t n)
{
    return n.kind != KILN_NUMBER_INTEGER && n.kind != KILN_NUMBER_POINTER;
}
static inline uint64_t kiln_number_mask(kiln_number_t n)
{
    return n.bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n.bits) - 1;
}
static inline int64_t kiln_number_signed(kiln_number_t n, uint64_t bits)
{
    return (int64_t)(bits << (64 - n.bits)) >> (64 - n.bits);
}
static inline unsigned kiln_number_bytes(kiln_number_t n) // in memory
{
    return (unsigned)(n.bits + 7) / 8;
}

double kiln_number_decode(kiln_number_t n, uint64_t bits);  // exact
uint64_t kiln_number_encode(kiln_number_t n, double value); // nearest even
// Rounds as a conversion operation. 8-bit floats saturate; rounding towards zero never overflows to
// infinity.
uint64_t kiln_number_convert(kiln_number_t n, double value, kiln_float_rounding_t rounding);

// a · b + c, rounded once.
uint64_t kiln_number_fma(kiln_number_t n, uint64_t a, uint64_t b, uint64_t c);

#endif
