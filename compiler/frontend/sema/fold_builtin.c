// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds built-in functions of constants: abs, maximum, exp and others.
//
// Functions that the machine (and the interpreter) computes exactly have bit-identical results
// here; functions such as exp are rounded once, from double. Note that the maximum of a NaN and a
// number is the number, and the maximum of zeros the positive one, regardless of order.
#include <math.h>

#include "frontend/sema/check.h"

static double largest(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a > b || (a == b && !signbit(a)) ? a : b;
}

static double smallest(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
}

static double inverse_root(double x)
{
    return 1 / sqrt(x);
}

// ocml's, whose zeros are +0.
static double expm1_of_ocml(double x)
{
    return x == 0 ? 0 : expm1(x);
}

static double log1p_of_ocml_f64(double x)
{
    return x == 0 ? 0 : log1p(x);
}

static double (*function_of(kiln_builtin_id_t id, kiln_scalar_t scalar))(double)
{
    static double (*const functions[KILN_BUILTIN_COUNT])(double) = {
        [KILN_BUILTIN_EXP] = exp,
        [KILN_BUILTIN_EXP2] = exp2,
        [KILN_BUILTIN_EXPM1] = expm1_of_ocml,
        [KILN_BUILTIN_LOG] = log,
        [KILN_BUILTIN_LOG2] = log2,
        [KILN_BUILTIN_LOG10] = log10,
        [KILN_BUILTIN_LOG1P] = log1p,
        [KILN_BUILTIN_SIN] = sin,
        [KILN_BUILTIN_COS] = cos,
        [KILN_BUILTIN_TANH] = tanh,
        [KILN_BUILTIN_ERF] = erf,
        [KILN_BUILTIN_SQRT] = sqrt,
        [KILN_BUILTIN_SQRT_RN] = sqrt,
        [KILN_BUILTIN_FLOOR] = floor,
        [KILN_BUILTIN_CEIL] = ceil,
        [KILN_BUILTIN_TRUNC] = trunc,
        [KILN_BUILTIN_RINT] = rint,
        [KILN_BUILTIN_ABS] = fabs,
        [KILN_BUILTIN_RSQRT] = inverse_root,
    };
    if (id == KILN_BUILTIN_LOG1P && scalar == KILN_SCALAR_F64)
        return log1p_of_ocml_f64;
    return functions[id];
}

static bool fold_float(kiln_builtin_id_t id, kiln_scalar_t scalar, const kiln_constant_t *list,
                       double *out)
{
    double a = list[0].floating, b = list[1].floating, c = list[2].floating;
    if (function_of(id, scalar)) {
        *out = function_of(id, scalar)(a);
        return true;
    }
    switch (id) {
    case KILN_BUILTIN_MAXIMUM:
        *out = largest(a, b);
        return true;
    case KILN_BUILTIN_MINIMUM:
        *out = smallest(a, b);
        return true;
    case KILN_BUILTIN_CLAMP:
        *out = smallest(largest(a, b), c);
        return true;
    case KILN_BUILTIN_DIV_RN: // double has more than twice the bits, so rounding it again is
                              // correct
        *out = a / b;
        return true;
    case KILN_BUILTIN_FMA: // narrower types are left to the program, which may round twice
        *out =
            scalar == KILN_SCALAR_F32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
        return scalar == KILN_SCALAR_F32 || scalar == KILN_SCALAR_F64;
    default:
        return false;
    }
}

static bool is_less(kiln_constant_t a, kiln_constant_t b)
{
    kiln_constant_t less;
    return kiln_fold_binary(KILN_OPERATOR_LT, a, b, &less) && less.integer;
}

// The quotient rounded up: one more than rounded toward zero if there is a remainder and the signs
// are equal.
static bool fold_cdiv(kiln_constant_t a, kiln_constant_t b, kiln_constant_t *out)
{
    kiln_tile_type_t type = kiln_tile_scalar(a.scalar);
    kiln_constant_t rest;
    if (!kiln_fold_binary(KILN_OPERATOR_DIV, a, b, out) ||
        !kiln_fold_binary(KILN_OPERATOR_REM, a, b, &rest))
        return false;
    if (rest.integer && (kiln_tile_is_unsigned(&type) || (a.integer < 0) == (b.integer < 0)))
        *out = kiln_constant_int(a.scalar, out->integer + 1);
    return true;
}

static bool fold_integer(kiln_builtin_id_t id, const kiln_constant_t *list, kiln_constant_t *out)
{
    kiln_constant_t a = list[0], b = list[1], c = list[2];
    switch (id) {
    case KILN_BUILTIN_ABS:
        *out = a.integer < 0 ? kiln_constant_int(a.scalar, (int64_t)(0 - (uint64_t)a.integer)) : a;
        return true;
    case KILN_BUILTIN_MAXIMUM:
        *out = is_less(a, b) ? b : a;
        return true;
    case KILN_BUILTIN_MINIMUM:
        *out = is_less(b, a) ? b : a;
        return true;
    case KILN_BUILTIN_CLAMP:
        *out = is_less(a, b) ? b : a;
        *out = is_less(c, *out) ? c : *out;
        return true;
    case KILN_BUILTIN_CDIV:
        return fold_cdiv(a, b, out);
    case KILN_BUILTIN_UMULHI: {
        int bits = kiln_scalar_row(a.scalar)->bits;
        uint64_t mask = UINT64_MAX >> (64 - bits);
        __extension__ typedef unsigned __int128 wide_t;
        wide_t product = (wide_t)((uint64_t)a.integer & mask) * ((uint64_t)b.integer & mask);
        *out = kiln_constant_int(a.scalar, (int64_t)(uint64_t)(product >> bits));
        return true;
    }
    default:
        return false;
    }
}

// The value of a call whose arguments are scalar constants of one type; otherwise the call.
static kiln_node_t *fold(kiln_checker_t *checker, kiln_node_t *node)
{
    kiln_constant_t list[3] = {{0}}, result;
    bool is_setting = false;
    if (node->type.rank || node->type.is_pointer || !node->arguments[0] || node->arguments[3] ||
        node->input_count)
        return node;
    for (int i = 0; i < 3 && node->arguments[i]; i++) {
        const kiln_node_t *argument = node->arguments[i];
        if (!kiln_node_is_constant(argument) || argument->type.scalar != node->type.scalar)
            return node;
        list[i] = argument->constant;
        is_setting |= list[i].is_setting;
    }
    for (int i = 0; i < 4; i++)
        if (node->settings[i]) // calls with options are left to the program
            return node;
    if (kiln_tile_is_integer(&node->type)) {
        if (!fold_integer(node->builtin->id, list, &result))
            return node;
    } else {
        double value;
        if (!kiln_tile_is_float(&node->type) ||
            !fold_float(node->builtin->id, node->type.scalar, list, &value))
            return node;
        result = kiln_constant_float(node->type.scalar, value);
    }
    result.is_setting = is_setting;
    return kiln_node_constant(checker, result, node->span);
}

kiln_node_t *kiln_fold_call(kiln_checker_t *checker, kiln_node_t *node)
{
    if (node->kind == KILN_NODE_BUILTIN)
        return fold(checker, node);
    // exp of an f16 is computed in f32 and rounded back.
    if (node->kind == KILN_NODE_CONVERT && node->a->kind == KILN_NODE_BUILTIN) {
        kiln_node_t *inner = fold(checker, node->a);
        return inner == node->a ? node : kiln_convert_element(checker, inner, node->type.scalar);
    }
    return node;
}
