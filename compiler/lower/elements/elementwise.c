// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations, driven by the rows of elementwise.def.
//
// A result is computed once for all registers whose operands are the same LLVM values, which keeps
// splats and broadcasts cheap. Integer additions and products with uniform factors work on sums
// (lowering.h), and a result of uniform operands is known to be uniform.
//
// Note that sitofp of i1, the type of masks, gives -1.0, and that only 32- and 64-bit integers are
// kept as sums.
#include "analysis/axis/axis_info.h"
#include "builder/compare.h"
#include "builder/op_facts.h"
#include "elements.h"
#include "lower/emit.h"
#include "lower/tile.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { MAX_OPERANDS = 8 };

typedef LLVMValueRef (*binary_t)(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, const char *);
typedef LLVMValueRef (*cast_t)(LLVMBuilderRef, LLVMValueRef, LLVMTypeRef, const char *);

typedef struct row {
    enum { HOW_NONE, HOW_BINARY, HOW_CAST, HOW_INTRINSIC, HOW_WIDE, HOW_LIBRARY, HOW_CUSTOM } how;
    union {
        binary_t binary;
        cast_t cast;
        const char *name;
        kiln_lower_emitter_t custom;
    } u;
} row_t;

// Floats ------------------------------------------------------------------------------------------

static bool is_narrow_float(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
}

static LLVMValueRef widen(kiln_lowering_t *l, LLVMValueRef value)
{
    return is_narrow_float(LLVMTypeOf(value)) ? LLVMBuildFPExt(l->builder, value, l->f32, "")
                                              : value;
}

static LLVMValueRef narrow(kiln_lowering_t *l, LLVMValueRef value, LLVMTypeRef type)
{
    return LLVMTypeOf(value) == type ? value : LLVMBuildFPTrunc(l->builder, value, type, "");
}

static LLVMValueRef unary_intrinsic(kiln_lowering_t *l, const char *name, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return kiln_emit_intrinsic(l, name, &type, 1, &value, 1);
}

// Allows LLVM an error of `ulps`.
static LLVMValueRef with_ulps(kiln_lowering_t *l, LLVMValueRef value, double ulps)
{
    if (LLVMIsAInstruction(value)) {
        LLVMMetadataRef number = LLVMValueAsMetadata(LLVMConstReal(l->f32, ulps));
        LLVMSetMetadata(
            value, LLVMGetMDKindIDInContext(l->context, "fpmath", 6),
            LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, &number, 1)));
    }
    return value;
}

static LLVMValueRef call_library(kiln_lowering_t *l, const char *name, LLVMValueRef *args,
                                 unsigned count, LLVMTypeRef type)
{
    char symbol[64];
    LLVMTypeRef work = is_narrow_float(type) ? l->f32 : type;
    for (unsigned i = 0; i < count; i++)
        args[i] = widen(l, args[i]);
    snprintf(symbol, sizeof symbol, "__ocml_%s_%s", name, work == l->f64 ? "f64" : "f32");
    return narrow(l, kiln_emit_call(l, symbol, work, args, count, true), type);
}

static LLVMValueRef multiply(kiln_lowering_t *l, LLVMValueRef value, double factor)
{
    return LLVMBuildFMul(l->builder, value, LLVMConstReal(LLVMTypeOf(value), factor), "");
}

// exp(x) = exp2(x · log2 e), and exp2 itself is the instruction, which gives zero for subnormal
// results; both as Triton has it. f64 has no instruction.
static LLVMValueRef emit_exp(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                             LLVMValueRef *args)
{
    bool natural = kiln_op_kind(op) == KILN_OP_MATH_EXP;
    if (type == l->f64)
        return call_library(l, natural ? "exp" : "exp2", args, 1, type);
    LLVMValueRef x = widen(l, args[0]);
    if (natural)
        x = multiply(l, x, 1.44269504088896340736);
    bool keeps_subnormals = natural && !l->options->allow_flush_denorm;
    return narrow(l, unary_intrinsic(l, keeps_subnormals ? "llvm.exp2" : "llvm.amdgcn.exp2", x),
                  type);
}

// A float to an integer's power.
static LLVMValueRef emit_integer_power(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                       LLVMValueRef *args)
{
    (void)op;
    LLVMTypeRef work = is_narrow_float(type) ? l->f32 : type;
    LLVMValueRef operands[2] = {widen(l, args[0]),
                                LLVMBuildIntCast2(l->builder, args[1], l->i32, 1, "")};
    const char *symbol = work == l->f64 ? "__ocml_pown_f64" : "__ocml_pown_f32";
    return narrow(l, kiln_emit_call(l, symbol, work, operands, 2, true), type);
}

static LLVMValueRef emit_log(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                             LLVMValueRef *args)
{
    static const char *const names[] = {"log", "log2", "log10"}, *const intrinsics[] = {
                                                                     "llvm.log", "llvm.log2",
                                                                     "llvm.log10"};
    int which = kiln_op_kind(op) == KILN_OP_MATH_LOG    ? 0
                : kiln_op_kind(op) == KILN_OP_MATH_LOG2 ? 1
                                                        : 2;
    if (type == l->f64)
        return call_library(l, names[which], args, 1, type);
    return narrow(l, unary_intrinsic(l, intrinsics[which], widen(l, args[0])), type);
}

static LLVMValueRef emit_sqrt(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                              LLVMValueRef *args)
{
    (void)op;
    LLVMValueRef root = unary_intrinsic(l, "llvm.sqrt", widen(l, args[0]));
    if (type != l->f64)
        with_ulps(l, root, 2.0);
    return narrow(l, root, type);
}

// v_rsq_f32 treats subnormals as zero, so small arguments are scaled by 2^24 and the result by
// 2^12.
LLVMValueRef kiln_lower_reciprocal_root(kiln_lowering_t *l, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    if (type == l->f64)
        return LLVMBuildFDiv(l->builder, LLVMConstReal(type, 1.0),
                             unary_intrinsic(l, "llvm.sqrt", x), "");
    x = widen(l, x);
    if (l->options->allow_flush_denorm)
        return narrow(l, unary_intrinsic(l, "llvm.amdgcn.rsq", x), type);
    LLVMValueRef one = LLVMConstReal(l->f32, 1.0);
    LLVMValueRef small =
        LLVMBuildFCmp(l->builder, LLVMRealOLT, x, LLVMConstReal(l->f32, 0x1p-100), "");
    LLVMValueRef scale = LLVMBuildSelect(l->builder, small, LLVMConstReal(l->f32, 0x1p24), one, "");
    LLVMValueRef back = LLVMBuildSelect(l->builder, small, LLVMConstReal(l->f32, 0x1p12), one, "");
    LLVMValueRef root =
        unary_intrinsic(l, "llvm.amdgcn.rsq", LLVMBuildFMul(l->builder, x, scale, ""));
    return narrow(l, LLVMBuildFMul(l->builder, root, back, ""), type);
}

static LLVMValueRef emit_rsqrt(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                               LLVMValueRef *args)
{
    (void)op, (void)type;
    return kiln_lower_reciprocal_root(l, args[0]);
}

static LLVMValueRef emit_negf(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                              LLVMValueRef *args)
{
    (void)op, (void)type;
    return LLVMBuildFNeg(l->builder, args[0], "");
}

// clamp(x, lo, hi). Without NaN propagation a NaN gives lo: min(max(x, lo), hi) of the
// number-preferring kind.
static LLVMValueRef emit_clampf(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                LLVMValueRef *args)
{
    bool propagate = kiln_ir_int_attr(op, "propagateNan", 0) != 0;
    LLVMValueRef low[2] = {args[0], args[1]};
    LLVMValueRef high[2] = {kiln_emit_intrinsic(l, "llvm.maxnum", &type, 1, low, 2), args[2]};
    LLVMValueRef clamped = kiln_emit_intrinsic(l, "llvm.minnum", &type, 1, high, 2);
    if (!propagate)
        return clamped;
    LLVMValueRef is_nan = LLVMBuildFCmp(l->builder, LLVMRealUNO, args[0], args[0], "");
    return LLVMBuildSelect(l->builder, is_nan, args[0], clamped, "");
}

static LLVMValueRef emit_cmpf(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                              LLVMValueRef *args)
{
    static const LLVMRealPredicate predicates[] = {[KILN_CMPF_FALSE] = LLVMRealPredicateFalse,
                                                   [KILN_CMPF_OEQ] = LLVMRealOEQ,
                                                   [KILN_CMPF_OGT] = LLVMRealOGT,
                                                   [KILN_CMPF_OGE] = LLVMRealOGE,
                                                   [KILN_CMPF_OLT] = LLVMRealOLT,
                                                   [KILN_CMPF_OLE] = LLVMRealOLE,
                                                   [KILN_CMPF_ONE] = LLVMRealONE,
                                                   [KILN_CMPF_ORD] = LLVMRealORD,
                                                   [KILN_CMPF_UEQ] = LLVMRealUEQ,
                                                   [KILN_CMPF_UGT] = LLVMRealUGT,
                                                   [KILN_CMPF_UGE] = LLVMRealUGE,
                                                   [KILN_CMPF_ULT] = LLVMRealULT,
                                                   [KILN_CMPF_ULE] = LLVMRealULE,
                                                   [KILN_CMPF_UNE] = LLVMRealUNE,
                                                   [KILN_CMPF_UNO] = LLVMRealUNO,
                                                   [KILN_CMPF_TRUE] = LLVMRealPredicateTrue};
    (void)type;
    return LLVMBuildFCmp(l->builder,
                         predicates[kiln_ir_int_attr(op, "predicate", 0) % KILN_CMPF_COUNT],
                         args[0], args[1], ""); // the verifier has checked the attribute
}

static LLVMValueRef emit_classify(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                  LLVMValueRef *args)
{
    (void)type;
    kiln_op_t kind = kiln_op_kind(op);
    LLVMTypeRef float_type = LLVMTypeOf(args[0]);
    // LLVM's class mask: 0x3 NaNs, 0x204 infinities, 0x108 normal, 0x1f8 finite.
    LLVMValueRef mask = kiln_emit_i32(l, kind == KILN_OP_MATH_ISNAN      ? 0x3
                                         : kind == KILN_OP_MATH_ISINF    ? 0x204
                                         : kind == KILN_OP_MATH_ISNORMAL ? 0x108
                                                                         : 0x1f8);
    LLVMValueRef operands[2] = {args[0], mask};
    return kiln_emit_intrinsic(l, "llvm.is.fpclass", &float_type, 1, operands, 2);
}

// Integers ----------------------------------------------------------------------------------------

static LLVMValueRef emit_cmpi(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                              LLVMValueRef *args)
{
    static const LLVMIntPredicate predicates[] = {
        [KILN_CMPI_EQ] = LLVMIntEQ,   [KILN_CMPI_NE] = LLVMIntNE,   [KILN_CMPI_SLT] = LLVMIntSLT,
        [KILN_CMPI_SLE] = LLVMIntSLE, [KILN_CMPI_SGT] = LLVMIntSGT, [KILN_CMPI_SGE] = LLVMIntSGE,
        [KILN_CMPI_ULT] = LLVMIntULT, [KILN_CMPI_ULE] = LLVMIntULE, [KILN_CMPI_UGT] = LLVMIntUGT,
        [KILN_CMPI_UGE] = LLVMIntUGE};
    (void)type;
    return LLVMBuildICmp(l->builder, predicates[kiln_cmpi_of(op)], args[0], args[1],
                         ""); // the verifier has checked the attribute
}

static LLVMValueRef emit_mulhiui(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                 LLVMValueRef *args)
{
    (void)op;
    unsigned bits = LLVMGetIntTypeWidth(type);
    LLVMTypeRef wide = LLVMIntTypeInContext(l->context, 2 * bits);
    LLVMValueRef product = LLVMBuildMul(l->builder, LLVMBuildZExt(l->builder, args[0], wide, ""),
                                        LLVMBuildZExt(l->builder, args[1], wide, ""), "");
    return LLVMBuildTrunc(
        l->builder, LLVMBuildLShr(l->builder, product, LLVMConstInt(wide, bits, 0), ""), type, "");
}

// LLVM's own conversions to i1 compare with 1.0, which is wrong for 1.5, and fail for bf16.
static LLVMValueRef emit_to_integer(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                    LLVMValueRef *args)
{
    bool is_signed = kiln_op_kind(op) == KILN_OP_ARITH_FPTOSI;
    LLVMTypeRef wide = type == l->i1 ? l->i32 : type;
    LLVMValueRef value =
        (is_signed ? LLVMBuildFPToSI : LLVMBuildFPToUI)(l->builder, args[0], wide, "");
    return wide == type ? value : LLVMBuildTrunc(l->builder, value, type, "");
}

static LLVMValueRef emit_index_cast(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                    LLVMValueRef *args)
{
    return LLVMBuildIntCast2(l->builder, args[0], type,
                             kiln_op_kind(op) == KILN_OP_ARITH_INDEX_CAST, "");
}

static LLVMValueRef emit_absi(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                              LLVMValueRef *args)
{
    (void)op;
    LLVMValueRef operands[2] = {args[0], kiln_emit_i1(l, false)};
    return kiln_emit_intrinsic(l, "llvm.abs", &type, 1, operands, 2);
}

static LLVMValueRef emit_count_zeros(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                     LLVMValueRef *args)
{
    LLVMValueRef operands[2] = {args[0], kiln_emit_i1(l, false)};
    return kiln_emit_intrinsic(l, kiln_op_kind(op) == KILN_OP_MATH_CTLZ ? "llvm.ctlz" : "llvm.cttz",
                               &type, 1, operands, 2);
}

// A divisor that is never zero. Masked-off elements are often zero and used as divisors; their
// result is irrelevant, but LLVM treats a division by zero as unreachable and drops the mask.
static LLVMValueRef emit_divisor(kiln_lowering_t *l, LLVMTypeRef type, LLVMValueRef divisor)
{
    if (LLVMIsAConstantInt(divisor) && !LLVMIsNull(divisor))
        return divisor;
    LLVMValueRef operands[2] = {divisor, LLVMConstInt(type, 1, 0)};
    return kiln_emit_intrinsic(l, "llvm.umax", &type, 1, operands, 2);
}

static LLVMValueRef emit_division(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                  LLVMValueRef *args)
{
    LLVMValueRef divisor = emit_divisor(l, type, args[1]);
    switch (kiln_op_kind(op)) {
    case KILN_OP_ARITH_DIVSI:
        return LLVMBuildSDiv(l->builder, args[0], divisor, "");
    case KILN_OP_ARITH_DIVUI:
        return LLVMBuildUDiv(l->builder, args[0], divisor, "");
    case KILN_OP_ARITH_REMSI:
        return LLVMBuildSRem(l->builder, args[0], divisor, "");
    default:
        return LLVMBuildURem(l->builder, args[0], divisor, "");
    }
}

// Division that rounds up or down: the quotient towards zero, corrected where there is a remainder
// and the exact quotient has the sign that matters.
static LLVMValueRef emit_round_div(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                   LLVMValueRef *args)
{
    kiln_op_t kind = kiln_op_kind(op);
    LLVMValueRef zero = LLVMConstNull(type), one = LLVMConstInt(type, 1, 0);
    bool is_unsigned = kind == KILN_OP_ARITH_CEILDIVUI;
    LLVMValueRef divisor = emit_divisor(l, type, args[1]);
    LLVMValueRef quotient =
        (is_unsigned ? LLVMBuildUDiv : LLVMBuildSDiv)(l->builder, args[0], divisor, "");
    LLVMValueRef rest =
        LLVMBuildSub(l->builder, args[0], LLVMBuildMul(l->builder, quotient, divisor, ""), "");
    LLVMValueRef correct = LLVMBuildICmp(l->builder, LLVMIntNE, rest, zero, "");
    if (!is_unsigned) {
        LLVMValueRef signs = LLVMBuildXor(l->builder, args[0], divisor, "");
        LLVMValueRef matters = LLVMBuildICmp(
            l->builder, kind == KILN_OP_ARITH_CEILDIVSI ? LLVMIntSGE : LLVMIntSLT, signs, zero, "");
        correct = LLVMBuildAnd(l->builder, correct, matters, "");
    }
    LLVMValueRef corrected = (kind == KILN_OP_ARITH_FLOORDIVSI ? LLVMBuildSub : LLVMBuildAdd)(
        l->builder, quotient, one, "");
    return LLVMBuildSelect(l->builder, correct, corrected, quotient, "");
}

static LLVMValueRef emit_bitcast(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                 LLVMValueRef *args)
{
    (void)op;
    return kiln_emit_from_bits(l, kiln_emit_bits(l, args[0]), type);
}

// The table ---------------------------------------------------------------------------------------

static const row_t rows[KILN_OP_COUNT] = {
#define BINARY(f)                                                                                  \
    {                                                                                              \
        HOW_BINARY,                                                                                \
        {                                                                                          \
            .binary = f                                                                            \
        }                                                                                          \
    }
#define CAST(f)                                                                                    \
    {                                                                                              \
        HOW_CAST,                                                                                  \
        {                                                                                          \
            .cast = f                                                                              \
        }                                                                                          \
    }
#define INTRINSIC(s)                                                                               \
    {                                                                                              \
        HOW_INTRINSIC,                                                                             \
        {                                                                                          \
            .name = s                                                                              \
        }                                                                                          \
    }
#define WIDE(s)                                                                                    \
    {                                                                                              \
        HOW_WIDE,                                                                                  \
        {                                                                                          \
            .name = s                                                                              \
        }                                                                                          \
    }
#define LIBRARY(s)                                                                                 \
    {                                                                                              \
        HOW_LIBRARY,                                                                               \
        {                                                                                          \
            .name = s                                                                              \
        }                                                                                          \
    }
#define CUSTOM(f)                                                                                  \
    {                                                                                              \
        HOW_CUSTOM,                                                                                \
        {                                                                                          \
            .custom = f                                                                            \
        }                                                                                          \
    }
#define KILN_ELEMENTWISE(kind, how) [KILN_OP_##kind] = how,
#include "lower/elementwise.def"
#undef KILN_ELEMENTWISE
#undef BINARY
#undef CAST
#undef INTRINSIC
#undef WIDE
#undef LIBRARY
#undef CUSTOM
};

static LLVMValueRef emit_row(kiln_lowering_t *l, const row_t *row, MlirOperation op,
                             LLVMTypeRef type, LLVMValueRef *args, unsigned count)
{
    LLVMValueRef value = NULL;
    switch (row->how) {
    case HOW_BINARY:
        value = row->u.binary(l->builder, args[0], args[1], "");
        break;
    case HOW_CAST:
        value = row->u.cast(l->builder, args[0], type, "");
        break;
    case HOW_INTRINSIC:
        value = kiln_emit_intrinsic(l, row->u.name, &type, 1, args, count);
        break;
    case HOW_WIDE:
        value = narrow(l, unary_intrinsic(l, row->u.name, widen(l, args[0])), type);
        break;
    case HOW_LIBRARY:
        value = call_library(l, row->u.name, args, count, type);
        break;
    case HOW_CUSTOM:
        value = row->u.custom(l, op, type, args);
        break;
    case HOW_NONE:
        break;
    }
    // Contracted, conversions and rounded products would round once where the program rounds twice.
    if (l->options->enable_fp_fusion && value && LLVMIsAInstruction(value) &&
        !LLVMIsACastInst(value) && LLVMCanValueUseFastMathFlags(value) &&
        mlirAttributeIsNull(kiln_ir_attr(op, KILN_PRODUCT_IS_ROUNDED)))
        LLVMSetFastMathFlags(value, LLVMFastMathAllowContract);
    return value;
}

// Results -----------------------------------------------------------------------------------------

static bool keeps_sums(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
           (LLVMGetIntTypeWidth(type) == 32 || LLVMGetIntTypeWidth(type) == 64);
}

kiln_tile_t *kiln_tile_create_result(kiln_lowering_t *l, MlirType type)
{
    LLVMTypeRef element = kiln_lower_element_type(l, type);
    return element && keeps_sums(element) ? kiln_tile_create_sums(l, type)
                                          : kiln_tile_create(l, type);
}

void kiln_tile_set(kiln_tile_t *tile, uint32_t reg, LLVMValueRef value, bool uniform)
{
    tile->values[reg] = value;
    if (tile->sums)
        tile->sums[reg] = kiln_sum_of(value, uniform);
}

// Registers ---------------------------------------------------------------------------------------

static uint64_t hash_operands(LLVMValueRef *args, unsigned count)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < count; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)args[i]) * UINT64_C(0x9E3779B97F4A7C15);
    return hash >> 32;
}

// Register bits that do not affect the result: elements that differ only there belong to one group
// of equal values, as in comparisons of consecutive indices with a multiple of the group's size.
static uint32_t equal_registers(kiln_lowering_t *l, MlirOperation op, const kiln_layout_t *layout)
{
    uint32_t bits = 0;
    if (!layout || mlirOperationGetNumResults(op) != 1)
        return 0;
    kiln_axis_info_t info = kiln_axis_info(l->axis, mlirOperationGetResult(op, 0));
    for (int i = 0; i < layout->bits[KILN_REGISTER] && info.rank == layout->rank; i++) {
        bool equal = true;
        for (int d = 0; d < layout->rank; d++)
            equal = equal && kiln_layout_coord(layout, layout->basis[KILN_REGISTER][i], d) <
                                 info.constancy[d];
        bits |= equal ? 1u << i : 0;
    }
    return bits;
}

void kiln_lower_map_registers(kiln_lowering_t *l, MlirOperation op, kiln_tile_t **operands,
                              unsigned count, kiln_tile_t *result, kiln_lower_emitter_t emit)
{
    uint32_t capacity = 2;
    while (capacity < 2 * result->count)
        capacity *= 2;
    uint32_t *memo = KILN_LOWER_ARRAY(l, uint32_t, capacity); // register + 1
    LLVMValueRef *seen = KILN_LOWER_ARRAY(l, LLVMValueRef, result->count * (count ? count : 1));
    const uint32_t equal = equal_registers(l, op, result->layout);
    for (uint32_t r = 0; r < result->count; r++) {
        if (r & equal) {
            kiln_tile_copy_register(result, r, result, r & ~equal);
            continue;
        }
        LLVMValueRef args[MAX_OPERANDS], *mine = seen + (size_t)r * count;
        bool uniform = true;
        for (unsigned i = 0; i < count; i++) {
            uint32_t reg = operands[i]->layout ? r : 0;
            mine[i] = args[i] = kiln_tile_value(l, operands[i], reg);
            uniform = uniform && kiln_tile_is_uniform(operands[i], reg);
        }
        uint32_t slot = (uint32_t)hash_operands(mine, count) & (capacity - 1);
        while (memo[slot] &&
               memcmp(seen + (size_t)(memo[slot] - 1) * count, mine, count * sizeof *mine))
            slot = (slot + 1) & (capacity - 1);
        if (memo[slot]) {
            kiln_tile_copy_register(result, r, result, memo[slot] - 1);
            continue;
        }
        memo[slot] = r + 1;
        kiln_tile_set(result, r, emit(l, op, result->element, args), uniform);
        if (!result->values[r]) {
            kiln_lower_fail(l, kiln_op_unsupported(op, "this combination of types"));
            return;
        }
    }
}

static bool is_tiny_float(MlirValue value)
{
    MlirType element = kiln_type_element(mlirValueGetType(value));
    return mlirTypeIsAFloat(element) && mlirFloatTypeGetWidth(element) <= 8;
}

// An 8-bit float is represented by its bits, which conversions and moves use directly. Everything
// else is computed in f32 and rounded; f32 has enough additional bits that double rounding affects
// only fused multiply-adds.
static bool takes_bits(kiln_op_t kind)
{
    switch (kind) {
    case KILN_OP_ARITH_EXTF:
    case KILN_OP_ARITH_TRUNCF:
    case KILN_OP_TT_FP_TO_FP:
    case KILN_OP_ARITH_BITCAST:
    case KILN_OP_TT_EXTERN_ELEMENTWISE:
        return true;
    default:
        return false;
    }
}

static LLVMValueRef emit_by_table(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                  LLVMValueRef *args)
{
    kiln_op_t kind = kiln_op_kind(op);
    unsigned count = (unsigned)mlirOperationGetNumOperands(op);
    if (takes_bits(kind))
        return emit_row(l, &rows[kind], op, type, args, count);
    for (unsigned i = 0; i < count; i++)
        if (is_tiny_float(mlirOperationGetOperand(op, i)))
            args[i] = kiln_lower_widen_float(l, args[i],
                                             mlirValueGetType(mlirOperationGetOperand(op, i)));
    MlirValue result = mlirOperationGetResult(op, 0);
    if (!is_tiny_float(result))
        return emit_row(l, &rows[kind], op, type, args, count);
    LLVMValueRef wide = emit_row(l, &rows[kind], op, l->f32, args, count);
    return wide ? kiln_lower_narrow_float(l, wide, mlirValueGetType(result)) : NULL;
}

// The types of a library function's operands are the library's own.
static bool passes_tiny_floats(MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (is_tiny_float(mlirOperationGetOperand(op, i)))
            return true;
    return is_tiny_float(mlirOperationGetResult(op, 0));
}

kiln_status_t kiln_lower_elementwise(kiln_lowering_t *l, MlirOperation op)
{
    kiln_op_t kind = kiln_op_kind(op);
    if (kind == KILN_OP_TT_EXTERN_ELEMENTWISE && passes_tiny_floats(op))
        return kiln_op_unsupported(
            op, "passing floats of 8 bits to a library (convert them to a wider type first)");
    kiln_tile_t *operands[MAX_OPERANDS];
    unsigned count = (unsigned)mlirOperationGetNumOperands(op);
    if (count > MAX_OPERANDS)
        return kiln_op_unsupported(op, "more than %d operands", MAX_OPERANDS);
    for (unsigned i = 0; i < count; i++)
        if (!(operands[i] = kiln_lower_operand(l, op, (int)i)))
            return KILN_OK;
    kiln_tile_t *result =
        kiln_tile_create_result(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!result)
        return KILN_OK;
    bool is_linear = kind == KILN_OP_ARITH_ADDI || kind == KILN_OP_ARITH_SUBI ||
                     kind == KILN_OP_ARITH_MULI || kind == KILN_OP_ARITH_SHLI;
    bool widens = kind == KILN_OP_TT_FP_TO_FP || kind == KILN_OP_ARITH_EXTF;
    if (widens && operands[0]->layout && kiln_lower_widen_in_words(l, operands[0], result)) {
        kiln_lower_bind_result(l, op, 0, result);
        return KILN_OK;
    }
    bool narrows = kind == KILN_OP_TT_FP_TO_FP || kind == KILN_OP_ARITH_TRUNCF;
    if (narrows && operands[0]->layout && kiln_lower_narrow_in_words(l, op, operands[0], result)) {
        kiln_lower_bind_result(l, op, 0, result);
        return KILN_OK;
    }
    if (!(is_linear && result->sums && kiln_lower_sums(l, kind, operands[0], operands[1], result)))
        kiln_lower_map_registers(l, op, operands, count, result, emit_by_table);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}
