// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of KILN_ELEMENT_TYPES, which is the one table of float formats, as constants:
// KILN_ELEMENT_F16_MANTISSA is 10.
#ifndef KILN_BASE_FLOAT_FORMAT_H
#define KILN_BASE_FLOAT_FORMAT_H

#include "kiln/element.h"

enum {
#define KILN_FLOAT_FORMAT(id, name, bits, kind, exponent, mantissa, bias)                          \
    KILN_ELEMENT_##id##_BITS = (bits), KILN_ELEMENT_##id##_KIND = (kind),                          \
    KILN_ELEMENT_##id##_EXPONENT = (exponent), KILN_ELEMENT_##id##_MANTISSA = (mantissa),          \
    KILN_ELEMENT_##id##_BIAS = (bias),
    KILN_ELEMENT_TYPES(KILN_FLOAT_FORMAT)
#undef KILN_FLOAT_FORMAT
};

#endif
