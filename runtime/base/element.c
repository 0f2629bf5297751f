// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts elements to and from double and int64_t.
#include "kiln/element.h"

#include <math.h>
#include <string.h>

#include "base/float_format.h"
#include "base/number.h"

static const struct {
    const char *name;
    unsigned bits;
    kiln_element_kind_t kind;
    int exponent_bits, mantissa_bits, bias;
} types[] = {
#define KILN_ELEMENT_ROW(id, name, bits, kind, exponent, mantissa, bias)                           \
    {name, bits, kind, exponent, mantissa, bias},
    KILN_ELEMENT_TYPES(KILN_ELEMENT_ROW)
#undef KILN_ELEMENT_ROW
};

static const struct {
    const char *name;
    kiln_element_type_t type;
} aliases[] = {
    {"fp16", KILN_ELEMENT_F16},
    {"fp32", KILN_ELEMENT_F32},
    {"fp64", KILN_ELEMENT_F64},
    {"fp8e4b8", KILN_ELEMENT_F8E4M3FNUZ},
    {"fp8e5b16", KILN_ELEMENT_F8E5M2FNUZ},
    {"fp8e4nv", KILN_ELEMENT_F8E4M3FN},
    {"fp8e5", KILN_ELEMENT_F8E5M2},
    {"u1", KILN_ELEMENT_I1},
    {"bool", KILN_ELEMENT_I1},
    {"int1", KILN_ELEMENT_I1},
    {"int8", KILN_ELEMENT_I8},
    {"int16", KILN_ELEMENT_I16},
    {"int32", KILN_ELEMENT_I32},
    {"int64", KILN_ELEMENT_I64},
    {"uint8", KILN_ELEMENT_U8},
    {"uint16", KILN_ELEMENT_U16},
    {"uint32", KILN_ELEMENT_U32},
    {"uint64", KILN_ELEMENT_U64},
};

bool kiln_element_type_parse(const char *name, kiln_element_type_t *out_type)
{
    if (!name || !out_type)
        return false;
    for (int i = 0; i < KILN_ELEMENT_TYPE_COUNT; i++)
        if (kiln_equal_in_any_case(name, types[i].name)) { // Tile C writes f8e4m3fnuz
            *out_type = (kiln_element_type_t)i;
            return true;
        }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(name, aliases[i].name) == 0) {
            *out_type = aliases[i].type;
            return true;
        }
    return false;
}

const char *kiln_element_type_name(kiln_element_type_t type)
{
    return (unsigned)type < KILN_ELEMENT_TYPE_COUNT ? types[type].name : NULL;
}

size_t kiln_element_size(kiln_element_type_t type)
{
    return types[type].bits / 8;
}

kiln_element_kind_t kiln_element_kind(kiln_element_type_t type)
{
    return types[type].kind;
}

bool kiln_element_is_float(kiln_element_type_t type)
{
    return types[type].kind >= KILN_ELEMENT_FLOAT;
}

static uint64_t load_bits(kiln_element_type_t type, const void *element)
{
    uint64_t bits = 0; // little-endian hosts only, as all of Kiln's hosts are
    memcpy(&bits, element, kiln_element_size(type));
    return bits;
}

int64_t kiln_element_to_int64(kiln_element_type_t type, const void *element)
{
    uint64_t bits = load_bits(type, element);
    unsigned shift = 64 - types[type].bits;
    if (types[type].kind == KILN_ELEMENT_UNSIGNED || type == KILN_ELEMENT_I1)
        return (int64_t)bits;
    return (int64_t)(bits << shift) >> shift;
}

// The double of these parts; all values of small floats are normal as doubles.
static double assemble(bool is_negative, int exponent, uint64_t mantissa)
{
    enum { BIAS = 1023, MANTISSA_BITS = 52 };
    const uint64_t word =
        (uint64_t)is_negative << 63 | (uint64_t)(exponent + BIAS) << MANTISSA_BITS | mantissa;
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static double small_float_to_double(kiln_element_type_t type, uint64_t bits)
{
    const int exponent_bits = types[type].exponent_bits, mantissa_bits = types[type].mantissa_bits,
              bias = types[type].bias;
    const kiln_element_kind_t kind = types[type].kind;
    const uint64_t sign_bit = UINT64_C(1) << (exponent_bits + mantissa_bits);
    if (kind == KILN_ELEMENT_FLOAT_FNUZ && bits == sign_bit)
        return (double)NAN;
    if (kind == KILN_ELEMENT_FLOAT_FN && (bits & (sign_bit - 1)) == sign_bit - 1)
        return (double)NAN;
    const int exponent = (int)((bits & (sign_bit - 1)) >> mantissa_bits);
    const uint64_t mantissa = bits & ((UINT64_C(1) << mantissa_bits) - 1);
    const bool is_negative = bits & sign_bit;
    if (kind == KILN_ELEMENT_FLOAT && exponent == (1 << exponent_bits) - 1) {
        const double special = mantissa ? (double)NAN : (double)INFINITY;
        return is_negative ? -special : special;
    }
    if (exponent == 0)
        return assemble(is_negative, 1 - bias - mantissa_bits, 0) * (double)mantissa;
    return assemble(is_negative, exponent - bias, mantissa << (52 - mantissa_bits));
}

double kiln_element_to_double(kiln_element_type_t type, const void *element)
{
    if (type == KILN_ELEMENT_F64) {
        double value;
        memcpy(&value, element, sizeof value);
        return value;
    }
    if (type == KILN_ELEMENT_F32) {
        float value;
        memcpy(&value, element, sizeof value);
        return (double)value;
    }
    if (kiln_element_is_float(type))
        return small_float_to_double(type, load_bits(type, element));
    if (type == KILN_ELEMENT_U64)
        return (double)load_bits(type, element);
    return (double)kiln_element_to_int64(type, element);
}

void kiln_element_from_int64(kiln_element_type_t type, int64_t value, void *out_element)
{
    if (kiln_element_is_float(type)) {
        kiln_element_from_double(type, (double)value, out_element);
        return;
    }
    uint64_t bits = type == KILN_ELEMENT_I1 ? value != 0 : (uint64_t)value;
    memcpy(out_element, &bits, kiln_element_size(type));
}

void kiln_element_from_double(kiln_element_type_t type, double value, void *out_element)
{
    if (type == KILN_ELEMENT_F64) {
        memcpy(out_element, &value, sizeof value);
    } else if (type == KILN_ELEMENT_F32) {
        float narrow = (float)value;
        memcpy(out_element, &narrow, sizeof narrow);
    } else if (kiln_element_is_float(type)) {
        const kiln_float_format_t format = {types[type].kind, types[type].exponent_bits,
                                            types[type].mantissa_bits, types[type].bias};
        uint64_t bits;
        if (!kiln_float_encode_normal(format, value, &bits))
            bits = kiln_float_encode(format, value, KILN_FLOAT_NEAREST_EVEN, false);
        memcpy(out_element, &bits, types[type].bits / 8);
    } else {
        // Saturates, because C leaves conversions beyond 64 bits undefined; NaN gives 0.
        int64_t whole = isnan(value)      ? 0
                        : value >= 0x1p63 ? INT64_MAX
                        : value < -0x1p63 ? INT64_MIN
                                          : (int64_t)value;
        kiln_element_from_int64(type, whole, out_element);
    }
}
