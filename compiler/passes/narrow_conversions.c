// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts small integers to floating point in their own type if the program widens them first, as
// C does:
//
//   %w = arith.extui %x : i8 to i32
//   %m = arith.andi %w, 15 : i32                    %m = arith.andi %x, 15 : i8
//   %f = arith.sitofp %m : i32 to f16        →      %f = arith.uitofp %m : i8 to f16
//
// An integer of up to 16 bits becomes an f16 in one instruction, one of 32 bits goes through f32.
// One of 64 bits takes seven instructions even for an f32, so it is converted from 32 bits if it is
// known to fit:
//
//   %f = arith.sitofp %m : i64 to f32        →      %n = arith.trunci %m : i64 to i32
//                                                   %f = arith.sitofp %n : i32 to f32
//
// Note that a zero-extended value must be converted as unsigned, although the original conversion
// is signed.
#include "analysis/range/integer_range.h"
#include "builder/ir.h"
#include "passes/pass.h"

enum { MAX_BITS = 16, WORD_BITS = 32 };

static int bits_of(MlirValue value)
{
    return kiln_type_bits(kiln_type_element(mlirValueGetType(value)));
}

// Creates the operation in the small type; null if its result may need more bits.
static MlirValue narrow_binary(const kiln_ir_t *ir, kiln_op_t kind, MlirValue small,
                               int64_t constant, bool *is_signed)
{
    int bits = bits_of(small);
    int64_t values = INT64_C(1) << bits;
    if (kind == KILN_OP_ARITH_ANDI) {
        if (*is_signed && (constant < 0 || constant >= values))
            return (MlirValue){NULL};
        *is_signed = false;
        constant &= values - 1;
        constant -= constant >= values / 2 ? values : 0; // as a constant of that width is written
    } else {
        if (constant < 0 || constant >= bits || (*is_signed && kind == KILN_OP_ARITH_SHRUI))
            return (MlirValue){NULL};
        kind = *is_signed ? KILN_OP_ARITH_SHRSI : KILN_OP_ARITH_SHRUI;
    }
    return kiln_ir_binary(ir, kind, small,
                          kiln_ir_const_int(ir, mlirValueGetType(small), constant));
}

// Returns the same number in fewer bits; null if it is not known to fit.
static MlirValue narrow(const kiln_ir_t *ir, MlirValue value, bool *out_is_signed)
{
    MlirOperation op;
    int64_t constant;
    kiln_op_t kind = kiln_value_op(value, &op);
    switch (kind) {
    case KILN_OP_ARITH_EXTUI:
    case KILN_OP_ARITH_EXTSI: {
        MlirValue small = kiln_op_operand(op, 0);
        *out_is_signed = kind == KILN_OP_ARITH_EXTSI;
        return bits_of(small) > 1 && bits_of(small) <= MAX_BITS ? small : (MlirValue){NULL};
    }
    case KILN_OP_ARITH_ANDI:
    case KILN_OP_ARITH_SHRUI:
    case KILN_OP_ARITH_SHRSI:
        if (kiln_value_has_one_use(value) &&
            kiln_ir_constant_int(kiln_op_operand(op, 1), &constant)) {
            MlirValue small = narrow(ir, kiln_op_operand(op, 0), out_is_signed);
            return mlirValueIsNull(small) ? small
                                          : narrow_binary(ir, kind, small, constant, out_is_signed);
        }
        return (MlirValue){NULL};
    default:
        return (MlirValue){NULL};
    }
}

// Truncates to 32 bits; null if numbers are not known to fit.
static MlirValue narrow_to_word(const kiln_ir_t *ir, MlirValue value, bool is_signed)
{
    if (bits_of(value) <= WORD_BITS)
        return (MlirValue){NULL};
    const kiln_range_t range = kiln_range_nearby(value);
    const bool fits = is_signed ? range.signed_min >= INT32_MIN && range.signed_max <= INT32_MAX
                                : range.unsigned_max <= UINT32_MAX;
    if (!fits)
        return (MlirValue){NULL};
    MlirType word = mlirIntegerTypeGet(ir->context, WORD_BITS);
    return kiln_ir_unary(ir, KILN_OP_ARITH_TRUNCI,
                         kiln_type_with_element(mlirValueGetType(value), word), value);
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    (void)user;
    kiln_op_t kind = kiln_op_kind(op);
    if (kind != KILN_OP_ARITH_SITOFP && kind != KILN_OP_ARITH_UITOFP)
        return MlirWalkResultAdvance;
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue wide = kiln_op_operand(op, 0);
    bool is_signed = false;
    MlirValue small = narrow(&ir, wide, &is_signed);
    if (mlirValueIsNull(small) || (is_signed && kind == KILN_OP_ARITH_UITOFP)) {
        is_signed = kind == KILN_OP_ARITH_SITOFP;
        small = narrow_to_word(&ir, wide, is_signed);
    }
    if (mlirValueIsNull(small))
        return MlirWalkResultAdvance;
    MlirValue result = kiln_op_result(op, 0);
    kiln_value_replace(result,
                       kiln_ir_unary(&ir, is_signed ? KILN_OP_ARITH_SITOFP : KILN_OP_ARITH_UITOFP,
                                     mlirValueGetType(result), small));
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_narrow_conversions(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, visit, NULL);
    return KILN_OK;
}
