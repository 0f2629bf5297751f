// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between float types: IEEE ones through LLVM, 8-bit ones through gfx942's own
// instructions (FNUZ formats) or integer arithmetic (OCP formats).
//
// Note that f32 → bf16 has no instruction on gfx942, and rounding f64 or f32 to 8 bits through f16
// would round twice. So would f64 → bf16 as one conversion where its operand was an i32: LLVM then
// converts the integer to bf16, which leads through f32.
#include "elements.h"
#include "lower/emit.h"

#include <math.h>

#include <mlir-c/BuiltinTypes.h>

#include "base/float_format.h"

typedef struct float8 {
    int exponent_bits, mantissa_bits, bias;
    kiln_element_kind_t kind;      // how it encodes infinity and NaN
    const char *to_f32, *from_f32; // gfx942's instructions, NULL where it has none
} float8_t;

#define FLOAT8(id, to_f32, from_f32)                                                               \
    {KILN_ELEMENT_##id##_EXPONENT,                                                                 \
     KILN_ELEMENT_##id##_MANTISSA,                                                                 \
     KILN_ELEMENT_##id##_BIAS,                                                                     \
     (kiln_element_kind_t)KILN_ELEMENT_##id##_KIND,                                                \
     to_f32,                                                                                       \
     from_f32}

static const float8_t e4m3fn = FLOAT8(F8E4M3FN, NULL, NULL), e5m2 = FLOAT8(F8E5M2, NULL, NULL);
static const float8_t e4m3fnuz =
    FLOAT8(F8E4M3FNUZ, "llvm.amdgcn.cvt.f32.fp8", "llvm.amdgcn.cvt.pk.fp8.f32");
static const float8_t e5m2fnuz =
    FLOAT8(F8E5M2FNUZ, "llvm.amdgcn.cvt.f32.bf8", "llvm.amdgcn.cvt.pk.bf8.f32");

static const float8_t *format_of(MlirType type)
{
    type = kiln_type_element(type);
    if (mlirTypeIsAFloat8E4M3FN(type))
        return &e4m3fn;
    if (mlirTypeIsAFloat8E5M2(type))
        return &e5m2;
    if (mlirTypeIsAFloat8E4M3FNUZ(type))
        return &e4m3fnuz;
    if (mlirTypeIsAFloat8E5M2FNUZ(type))
        return &e5m2fnuz;
    return NULL;
}

static int highest_exponent(const float8_t *f)
{
    return (1 << f->exponent_bits) - 1 - (f->kind == KILN_ELEMENT_FLOAT) - f->bias;
}

static double largest(const float8_t *f)
{
    int mantissa = (1 << f->mantissa_bits) - 1 - (f->kind == KILN_ELEMENT_FLOAT_FN);
    return ldexp(1.0 + ldexp(mantissa, -f->mantissa_bits), highest_exponent(f));
}

static unsigned largest_bits(const float8_t *f)
{
    switch (f->kind) {
    case KILN_ELEMENT_FLOAT:
        return ((unsigned)((1 << f->exponent_bits) - 1) << f->mantissa_bits) - 1;
    case KILN_ELEMENT_FLOAT_FN:
        return 0x7e;
    default:
        return 0x7f;
    }
}

// The NaN of kiln_float_encode, and so of the interpreter: quiet, without a sign.
static unsigned nan_bits(const float8_t *f)
{
    switch (f->kind) {
    case KILN_ELEMENT_FLOAT:
        return largest_bits(f) + 1 + (1u << (f->mantissa_bits - 1));
    case KILN_ELEMENT_FLOAT_FN:
        return 0x7f;
    default:
        return 0x80;
    }
}

// Round to nearest even on the host, for constants.
uint64_t kiln_float8_bits(MlirType type, double value)
{
    const float8_t *f = format_of(type);
    if (!f)
        return 0;
    const kiln_float_format_t format = {f->kind, f->exponent_bits, f->mantissa_bits, f->bias};
    return kiln_float_encode(format, value, KILN_FLOAT_NEAREST_EVEN, false);
}

// From 8 bits -------------------------------------------------------------------------------------

// Shifting the bits to f32's place gives the value times 2^(bias − 127), subnormals included; one
// multiplication corrects that.
static LLVMValueRef widen_by_scaling(kiln_lowering_t *l, const float8_t *f, LLVMValueRef bits)
{
    LLVMValueRef word = LLVMBuildZExt(l->builder, bits, l->i32, "");
    LLVMValueRef magnitude = LLVMBuildAnd(l->builder, word, kiln_emit_i32(l, 0x7f), "");
    LLVMValueRef sign =
        LLVMBuildShl(l->builder, LLVMBuildAnd(l->builder, word, kiln_emit_i32(l, 0x80), ""),
                     kiln_emit_i32(l, 24), "");
    // Avoids f32 subnormals, which may be flushed.
    LLVMValueRef placed =
        LLVMBuildShl(l->builder, magnitude, kiln_emit_i32(l, 23 - f->mantissa_bits), "");
    LLVMValueRef is_subnormal = LLVMBuildICmp(l->builder, LLVMIntULT, magnitude,
                                              kiln_emit_i32(l, 1 << f->mantissa_bits), "");
    LLVMValueRef normal =
        LLVMBuildAdd(l->builder, placed, kiln_emit_i32(l, (INT64_C(127) - f->bias) << 23), "");
    LLVMValueRef small =
        LLVMBuildFMul(l->builder, LLVMBuildUIToFP(l->builder, magnitude, l->f32, ""),
                      LLVMConstReal(l->f32, ldexp(1.0, 1 - f->bias - f->mantissa_bits)), "");
    LLVMValueRef value =
        LLVMBuildSelect(l->builder, is_subnormal, kiln_emit_bits(l, small), normal, "");
    LLVMValueRef quiet_nan = kiln_emit_i32(l, 0x7fc00000);
    switch (f->kind) {
    case KILN_ELEMENT_FLOAT: {
        unsigned infinity = (unsigned)((1 << f->exponent_bits) - 1) << f->mantissa_bits;
        LLVMValueRef is_special =
            LLVMBuildICmp(l->builder, LLVMIntUGE, magnitude, kiln_emit_i32(l, infinity), "");
        LLVMValueRef is_nan =
            LLVMBuildICmp(l->builder, LLVMIntUGT, magnitude, kiln_emit_i32(l, infinity), "");
        LLVMValueRef special =
            LLVMBuildSelect(l->builder, is_nan, quiet_nan, kiln_emit_i32(l, 0x7f800000), "");
        value = LLVMBuildSelect(l->builder, is_special, special, value, "");
        break;
    }
    case KILN_ELEMENT_FLOAT_FN:
        value = LLVMBuildSelect(
            l->builder, LLVMBuildICmp(l->builder, LLVMIntEQ, magnitude, kiln_emit_i32(l, 0x7f), ""),
            quiet_nan, value, "");
        break;
    default:
        value = LLVMBuildSelect(
            l->builder, LLVMBuildICmp(l->builder, LLVMIntEQ, word, kiln_emit_i32(l, 0x80), ""),
            quiet_nan, value, "");
        break;
    }
    return kiln_emit_from_bits(l, LLVMBuildOr(l->builder, value, sign, ""), l->f32);
}

static LLVMValueRef widen_float8(kiln_lowering_t *l, const float8_t *f, LLVMValueRef bits)
{
    if (!f->to_f32)
        return widen_by_scaling(l, f, bits);
    LLVMValueRef args[2] = {LLVMBuildZExt(l->builder, bits, l->i32, ""), kiln_emit_i32(l, 0)};
    return kiln_emit_intrinsic(l, f->to_f32, NULL, 0, args, 2);
}

// To 8 bits ---------------------------------------------------------------------------------------

static LLVMValueRef clamp_magnitude(kiln_lowering_t *l, LLVMValueRef value, double limit)
{
    LLVMValueRef args[3] = {value, LLVMConstReal(l->f32, -limit), LLVMConstReal(l->f32, limit)};
    LLVMValueRef clamped = kiln_emit_intrinsic(l, "llvm.amdgcn.fmed3", &l->f32, 1, args, 3);
    LLVMValueRef is_nan = LLVMBuildFCmp(l->builder, LLVMRealUNO, value, value, "");
    return LLVMBuildSelect(l->builder, is_nan, value, clamped, "");
}

// f32 to 8 bits by integer arithmetic. Nearest-even: half a unit in the last place less one, plus
// the last kept bit, is added before the cut. Values beyond the largest saturate, as in Triton; so
// does infinity if the caller requests it.
static LLVMValueRef narrow_by_integers(kiln_lowering_t *l, const float8_t *f, LLVMValueRef value,
                                       bool to_zero, bool keeps_infinity)
{
    LLVMBuilderRef b = l->builder;
    int dropped = 23 - f->mantissa_bits;
    LLVMValueRef word = kiln_emit_bits(l, value),
                 magnitude = LLVMBuildAnd(b, word, kiln_emit_i32(l, 0x7fffffff), "");
    LLVMValueRef sign = LLVMBuildAnd(b, LLVMBuildLShr(b, word, kiln_emit_i32(l, 24), ""),
                                     kiln_emit_i32(l, 0x80), "");
    // Normal: re-bias, round, cut.
    LLVMValueRef rebased =
        LLVMBuildSub(b, magnitude, kiln_emit_i32(l, (INT64_C(127) - f->bias) << 23), "");
    LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, magnitude, kiln_emit_i32(l, dropped), ""),
                                    kiln_emit_i32(l, 1), "");
    LLVMValueRef rounded =
        to_zero
            ? rebased
            : LLVMBuildAdd(
                  b,
                  LLVMBuildAdd(b, rebased, kiln_emit_i32(l, (INT64_C(1) << (dropped - 1)) - 1), ""),
                  odd, "");
    LLVMValueRef normal = LLVMBuildLShr(b, rounded, kiln_emit_i32(l, dropped), "");
    // Subnormal: adding a power of two makes the float adder round at the right bit.
    int anchor_exponent =
        1 - f->bias + dropped; // the last place of 2^anchor is that of a subnormal
    LLVMValueRef small, positive = kiln_emit_from_bits(l, magnitude, l->f32);
    if (to_zero) {
        LLVMValueRef scaled = LLVMBuildFMul(
            b, positive, LLVMConstReal(l->f32, ldexp(1.0, f->bias - 1 + f->mantissa_bits)), "");
        LLVMValueRef bounded_args[2] = {scaled, LLVMConstReal(l->f32, 255.0)};
        small = LLVMBuildFPToUI(
            b, kiln_emit_intrinsic(l, "llvm.minnum", &l->f32, 1, bounded_args, 2), l->i32, "");
    } else {
        LLVMValueRef anchored =
            LLVMBuildFAdd(b, positive, LLVMConstReal(l->f32, ldexp(1.0, anchor_exponent)), "");
        small = LLVMBuildSub(b, kiln_emit_bits(l, anchored),
                             kiln_emit_i32(l, ((INT64_C(127) + anchor_exponent) << 23)), "");
    }
    LLVMValueRef is_small = LLVMBuildICmp(b, LLVMIntULT, magnitude,
                                          kiln_emit_i32(l, (INT64_C(128) - f->bias) << 23), "");
    LLVMValueRef bits = LLVMBuildSelect(b, is_small, small, normal, "");
    unsigned limit = largest_bits(f);
    LLVMValueRef too_large = LLVMBuildICmp(b, LLVMIntUGT, bits, kiln_emit_i32(l, limit), "");
    bits = LLVMBuildSelect(b, too_large, kiln_emit_i32(l, limit), bits, "");
    if (f->kind == KILN_ELEMENT_FLOAT && keeps_infinity) {
        LLVMValueRef is_infinite =
            LLVMBuildICmp(b, LLVMIntEQ, magnitude, kiln_emit_i32(l, 0x7f800000), "");
        bits = LLVMBuildSelect(b, is_infinite, kiln_emit_i32(l, limit + 1), bits, "");
    }
    LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, magnitude, kiln_emit_i32(l, 0x7f800000), "");
    if (f->kind == KILN_ELEMENT_FLOAT_FNUZ) {
        LLVMValueRef is_zero = LLVMBuildICmp(b, LLVMIntEQ, bits, kiln_emit_i32(l, 0), "");
        bits = LLVMBuildSelect(b, is_zero, bits, LLVMBuildOr(b, bits, sign, ""), "");
    } else {
        bits = LLVMBuildOr(b, bits, sign, "");
    }
    bits = LLVMBuildSelect(b, is_nan, kiln_emit_i32(l, nan_bits(f)), bits, "");
    return LLVMBuildTrunc(b, bits, l->i8, "");
}

static LLVMValueRef narrow_float8(kiln_lowering_t *l, const float8_t *f, LLVMValueRef value,
                                  bool to_zero, bool keeps_infinity)
{
    if (!f->from_f32 || to_zero)
        return narrow_by_integers(l, f, value, to_zero, keeps_infinity);
    LLVMValueRef clamped = clamp_magnitude(l, value, largest(f));
    LLVMValueRef args[4] = {clamped, clamped, LLVMGetPoison(l->i32), kiln_emit_i1(l, false)};
    return LLVMBuildTrunc(l->builder, kiln_emit_intrinsic(l, f->from_f32, NULL, 0, args, 4), l->i8,
                          "");
}

// Between the wide ones ---------------------------------------------------------------------------

// Rounding towards zero keeps only the upper bits; a NaN whose payload lies in the lower bits must
// stay one.
static LLVMValueRef narrow_to_zero(kiln_lowering_t *l, LLVMValueRef value, LLVMTypeRef type)
{
    if (LLVMTypeOf(value) == l->f32 && type == l->bf16) {
        LLVMValueRef word = kiln_emit_bits(l, value);
        LLVMValueRef high = LLVMBuildTrunc(
            l->builder, LLVMBuildLShr(l->builder, word, kiln_emit_i32(l, 16), ""), l->i16, "");
        LLVMValueRef is_nan = LLVMBuildFCmp(l->builder, LLVMRealUNO, value, value, "");
        LLVMValueRef quiet = LLVMBuildOr(l->builder, high, LLVMConstInt(l->i16, 0x40, 0), "");
        return kiln_emit_from_bits(l, LLVMBuildSelect(l->builder, is_nan, quiet, high, ""), type);
    }
    if (LLVMTypeOf(value) == l->f32 && type == l->f16) {
        LLVMValueRef args[2] = {value, value};
        return kiln_emit_extract(
            l, kiln_emit_intrinsic(l, "llvm.amdgcn.cvt.pkrtz", NULL, 0, args, 2), 0);
    }
    return NULL;
}

// f64 to f32 towards zero: one unit back if rounding to nearest rounded away from zero.
static LLVMValueRef double_to_zero(kiln_lowering_t *l, LLVMValueRef value)
{
    LLVMBuilderRef b = l->builder;
    LLVMValueRef nearest = LLVMBuildFPTrunc(b, value, l->f32, "");
    LLVMValueRef wide = LLVMBuildFPExt(b, nearest, l->f64, "");
    LLVMValueRef further =
        LLVMBuildFCmp(b, LLVMRealOGT, kiln_emit_intrinsic(l, "llvm.fabs", &l->f64, 1, &wide, 1),
                      kiln_emit_intrinsic(l, "llvm.fabs", &l->f64, 1, &value, 1), "");
    LLVMValueRef bits = kiln_emit_bits(l, nearest);
    bits = LLVMBuildSelect(b, further, LLVMBuildSub(b, bits, kiln_emit_i32(l, 1), ""), bits, "");
    return kiln_emit_from_bits(l, bits, l->f32);
}

// f64 to f32, rounded to odd, so that a second rounding to nearest in fewer bits is correct: the
// last bit is set if any bit was cut off.
static LLVMValueRef double_to_odd(kiln_lowering_t *l, LLVMValueRef value)
{
    LLVMBuilderRef b = l->builder;
    LLVMValueRef cut = double_to_zero(l, value), bits = kiln_emit_bits(l, cut);
    LLVMValueRef inexact =
        LLVMBuildFCmp(b, LLVMRealUNE, LLVMBuildFPExt(b, cut, l->f64, ""), value, "");
    bits = LLVMBuildOr(b, bits, LLVMBuildZExt(b, inexact, l->i32, ""), "");
    return kiln_emit_from_bits(l, bits, l->f32);
}

LLVMValueRef kiln_lower_convert_float(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                      LLVMValueRef *args)
{
    const float8_t *from = format_of(mlirValueGetType(mlirOperationGetOperand(op, 0)));
    const float8_t *to = format_of(mlirValueGetType(mlirOperationGetResult(op, 0)));
    // tt.fp_to_fp: rtz = 0, rtne = 1, absent for widening. arith's: to_nearest_even = 0,
    // toward_zero = 3.
    int64_t mode = kiln_ir_int_attr(op, "roundingmode", 0);
    bool is_tt = kiln_op_kind(op) == KILN_OP_TT_FP_TO_FP;
    bool to_zero = is_tt ? kiln_ir_int_attr(op, "rounding", 1) == 0 : mode == 3;
    if (mode != 0 && mode != 3) {
        kiln_lower_fail(l, kiln_op_unsupported(
                               op, "a rounding mode other than to_nearest_even and toward_zero"));
        return LLVMGetPoison(type);
    }
    LLVMValueRef value = args[0];
    if (from)
        value = widen_float8(l, from, value);
    if (to) {
        if (LLVMTypeOf(value) == l->f64)
            value = to_zero ? double_to_zero(l, value) : double_to_odd(l, value);
        if (LLVMTypeOf(value) != l->f32)
            value = LLVMBuildFPExt(l->builder, value, l->f32, "");
        return narrow_float8(l, to, value, to_zero,
                             !is_tt || to_zero); // Triton's tests expect infinity to saturate
    }
    unsigned have = kiln_llvm_bits(LLVMTypeOf(value)), want = kiln_llvm_bits(type);
    if (LLVMTypeOf(value) == type)
        return value;
    if (have < want)
        return LLVMBuildFPExt(l->builder, value, type, "");
    if (to_zero && LLVMTypeOf(value) == l->f64) {
        value = double_to_zero(l, value);
        return type == l->f32 ? value : narrow_to_zero(l, value, type);
    }
    if (have == want) // f16 and bf16
        value = LLVMBuildFPExt(l->builder, value, l->f32, "");
    else if (LLVMTypeOf(value) == l->f64 && type == l->bf16)
        value = double_to_odd(l, value);
    return to_zero ? narrow_to_zero(l, value, type) : LLVMBuildFPTrunc(l->builder, value, type, "");
}

// An instruction narrows two f32 into a half of a register: two of them fill the register that four
// elements take.
bool kiln_lower_narrow_in_words(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *from,
                                kiln_tile_t *result)
{
    enum { AT_ONCE = 4 };
    const float8_t *f = format_of(result->type);
    bool to_nearest = kiln_op_kind(op) == KILN_OP_TT_FP_TO_FP
                          ? kiln_ir_int_attr(op, "rounding", 1) == 1
                          : kiln_ir_int_attr(op, "roundingmode", 0) == 0;
    LLVMTypeRef have = from->element;
    if (!f || !f->from_f32 || !to_nearest ||
        (have != l->f32 && have != l->f16 && have != l->bf16) || from->count < AT_ONCE ||
        !kiln_lower_registers_differ(l, from))
        return false;
    result->vectors = KILN_LOWER_ARRAY(l, LLVMValueRef, result->count / AT_ONCE);
    result->vector_width = AT_ONCE;
    for (uint32_t r = 0; r < from->count; r += AT_ONCE) {
        LLVMValueRef clamped[AT_ONCE], word = LLVMGetPoison(l->i32);
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            LLVMValueRef value = kiln_tile_value(l, from, r + i);
            value = have == l->f32 ? value : LLVMBuildFPExt(l->builder, value, l->f32, "");
            clamped[i] = clamp_magnitude(l, value, largest(f));
        }
        for (uint32_t half = 0; half < 2; half++) {
            LLVMValueRef args[4] = {clamped[2 * half], clamped[2 * half + 1], word,
                                    kiln_emit_i1(l, half)};
            word = kiln_emit_intrinsic(l, f->from_f32, NULL, 0, args, 4);
        }
        result->vectors[r / AT_ONCE] =
            LLVMBuildBitCast(l->builder, word, LLVMVectorType(l->i8, AT_ONCE), "");
    }
    return true;
}

LLVMValueRef kiln_lower_widen_float(kiln_lowering_t *l, LLVMValueRef value, MlirType type)
{
    const float8_t *from = format_of(type);
    if (from)
        return widen_float8(l, from, value);
    return kiln_llvm_bits(LLVMTypeOf(value)) < 32 ? LLVMBuildFPExt(l->builder, value, l->f32, "")
                                                  : value;
}

LLVMValueRef kiln_lower_narrow_float(kiln_lowering_t *l, LLVMValueRef value, MlirType type)
{
    if (LLVMTypeOf(value) == l->f64)
        value = double_to_odd(l, value);
    return narrow_float8(l, format_of(type), value, false, true);
}
