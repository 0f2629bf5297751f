// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of buffers, by Triton's names, and their conversion to and from double on the host.
//
// gfx942's 8-bit floats are FNUZ ("fp8e4b8", "fp8e5b16": one NaN, no infinities, no
// negative zero); OCP's ("fp8e4nv", "fp8e5") have a different bias.
#ifndef KILN_ELEMENT_H
#define KILN_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// name, bits, kind, exponent bits, mantissa bits, exponent bias
#define KILN_ELEMENT_TYPES(X)                                                                      \
    X(I1, "i1", 8, KILN_ELEMENT_INTEGER, 0, 0, 0)                                                  \
    X(I8, "i8", 8, KILN_ELEMENT_INTEGER, 0, 0, 0)                                                  \
    X(I16, "i16", 16, KILN_ELEMENT_INTEGER, 0, 0, 0)                                               \
    X(I32, "i32", 32, KILN_ELEMENT_INTEGER, 0, 0, 0)                                               \
    X(I64, "i64", 64, KILN_ELEMENT_INTEGER, 0, 0, 0)                                               \
    X(U8, "u8", 8, KILN_ELEMENT_UNSIGNED, 0, 0, 0)                                                 \
    X(U16, "u16", 16, KILN_ELEMENT_UNSIGNED, 0, 0, 0)                                              \
    X(U32, "u32", 32, KILN_ELEMENT_UNSIGNED, 0, 0, 0)                                              \
    X(U64, "u64", 64, KILN_ELEMENT_UNSIGNED, 0, 0, 0)                                              \
    X(F16, "f16", 16, KILN_ELEMENT_FLOAT, 5, 10, 15)                                               \
    X(BF16, "bf16", 16, KILN_ELEMENT_FLOAT, 8, 7, 127)                                             \
    X(F32, "f32", 32, KILN_ELEMENT_FLOAT, 8, 23, 127)                                              \
    X(F64, "f64", 64, KILN_ELEMENT_FLOAT, 11, 52, 1023)                                            \
    X(F8E4M3FNUZ, "f8E4M3FNUZ", 8, KILN_ELEMENT_FLOAT_FNUZ, 4, 3, 8)                               \
    X(F8E5M2FNUZ, "f8E5M2FNUZ", 8, KILN_ELEMENT_FLOAT_FNUZ, 5, 2, 16)                              \
    X(F8E4M3FN, "f8E4M3FN", 8, KILN_ELEMENT_FLOAT_FN, 4, 3, 7)                                     \
    X(F8E5M2, "f8E5M2", 8, KILN_ELEMENT_FLOAT, 5, 2, 15)

typedef enum kiln_element_kind {
    KILN_ELEMENT_INTEGER,
    KILN_ELEMENT_UNSIGNED,
    KILN_ELEMENT_FLOAT,      // IEEE: infinities and NaNs use the top exponent
    KILN_ELEMENT_FLOAT_FN,   // no infinities; NaN is all ones
    KILN_ELEMENT_FLOAT_FNUZ, // no infinities, no negative zero; NaN is the sign bit alone
} kiln_element_kind_t;

// How the source declares an integer whose type name has no sign, as Triton's i32 for int32 and
// uint32.
typedef enum kiln_integer_sign {
    KILN_SIGN_UNKNOWN, // values of the signed and of the unsigned range are accepted
    KILN_SIGN_SIGNED,
    KILN_SIGN_UNSIGNED
} kiln_integer_sign_t;

typedef enum kiln_element_type {
#define KILN_ELEMENT_ENUM(id, name, bits, kind, exponent, mantissa, bias) KILN_ELEMENT_##id,
    KILN_ELEMENT_TYPES(KILN_ELEMENT_ENUM)
#undef KILN_ELEMENT_ENUM
        KILN_ELEMENT_TYPE_COUNT
} kiln_element_type_t;

// Also accepts Tile C's names (bool, f8e4m3fnuz) and Triton's: fp16, fp32, fp64, fp8e4b8, fp8e5b16,
// fp8e4nv, fp8e5, u1 and int1, int8 … uint64. False if the name is unknown.
KILN_API bool kiln_element_type_parse(const char *name, kiln_element_type_t *out_type);
KILN_API const char *kiln_element_type_name(kiln_element_type_t type);
KILN_API size_t kiln_element_size(kiln_element_type_t type); // bytes in a buffer; i1 takes one
KILN_API kiln_element_kind_t kiln_element_kind(kiln_element_type_t type);
KILN_API bool kiln_element_is_float(kiln_element_type_t type);

// Floats are converted exactly to double; integers by value (64-bit ones may round).
KILN_API double kiln_element_to_double(kiln_element_type_t type, const void *element);
// Integers sign- or zero-extended; floats must not be passed.
KILN_API int64_t kiln_element_to_int64(kiln_element_type_t type, const void *element);

// Converts to floats with one rounding to nearest even, overflow to infinity (to NaN if the type
// has none); to integers by truncation.
KILN_API void kiln_element_from_double(kiln_element_type_t type, double value, void *out_element);
KILN_API void kiln_element_from_int64(kiln_element_type_t type, int64_t value, void *out_element);

#ifdef __cplusplus
}
#endif
#endif
