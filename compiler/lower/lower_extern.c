// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of device-library functions on each element (tt.extern_elementwise), with those that LLVM knows as intrinsics
// replaced, so that no library is linked.
//
// The thing one gets wrong: ocml's predicates (isnan, isinf, …) return i32, while LLVM's class test gives i1.
#include "lowering.h"

#include <stdio.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>

#include "base/string.h"

// What LLVM expands as well as the library does. `arity` is checked, so that a user's own function of that name isn't
// mistaken.
typedef enum known_kind { KNOWN_INTRINSIC, KNOWN_RSQRT, KNOWN_CLASS, KNOWN_SCALED_EXP, KNOWN_FAST_DIVIDE } known_kind_t;
static const struct {
    const char *symbol;
    known_kind_t kind;
    unsigned arity;
    const char *intrinsic;
    int class_mask;
} known[] = {
    {"__ocml_exp_f32", KNOWN_INTRINSIC, 1, "llvm.exp", 0},
    {"__ocml_exp2_f32", KNOWN_INTRINSIC, 1, "llvm.exp2", 0},
    {"__ocml_log_f32", KNOWN_INTRINSIC, 1, "llvm.log", 0},
    {"__ocml_log2_f32", KNOWN_INTRINSIC, 1, "llvm.log2", 0},
    {"__ocml_log10_f32", KNOWN_INTRINSIC, 1, "llvm.log10", 0},
    {"__ocml_sqrt_f32", KNOWN_INTRINSIC, 1, "llvm.sqrt", 0},
    {"__ocml_sqrt_f64", KNOWN_INTRINSIC, 1, "llvm.sqrt", 0},
    {"__ocml_rsqrt_f32", KNOWN_RSQRT, 1, NULL, 0},
    {"__ocml_floor_f32", KNOWN_INTRINSIC, 1, "llvm.floor", 0},
    {"__ocml_floor_f64", KNOWN_INTRINSIC, 1, "llvm.floor", 0},
    {"__ocml_ceil_f32", KNOWN_INTRINSIC, 1, "llvm.ceil", 0},
    {"__ocml_ceil_f64", KNOWN_INTRINSIC, 1, "llvm.ceil", 0},
    {"__ocml_trunc_f32", KNOWN_INTRINSIC, 1, "llvm.trunc", 0},
    {"__ocml_trunc_f64", KNOWN_INTRINSIC, 1, "llvm.trunc", 0},
    {"__ocml_rint_f32", KNOWN_INTRINSIC, 1, "llvm.rint", 0},
    {"__ocml_rint_f64", KNOWN_INTRINSIC, 1, "llvm.rint", 0},
    {"__ocml_nearbyint_f32", KNOWN_INTRINSIC, 1, "llvm.nearbyint", 0},
    {"__ocml_round_f32", KNOWN_INTRINSIC, 1, "llvm.round", 0},
    {"__ocml_fabs_f32", KNOWN_INTRINSIC, 1, "llvm.fabs", 0},
    {"__ocml_fabs_f64", KNOWN_INTRINSIC, 1, "llvm.fabs", 0},
    {"__ocml_fma_f32", KNOWN_INTRINSIC, 3, "llvm.fma", 0},
    {"__ocml_fma_f64", KNOWN_INTRINSIC, 3, "llvm.fma", 0},
    {"__ocml_fmin_f32", KNOWN_INTRINSIC, 2, "llvm.minnum", 0},
    {"__ocml_fmax_f32", KNOWN_INTRINSIC, 2, "llvm.maxnum", 0},
    {"__ocml_copysign_f32", KNOWN_INTRINSIC, 2, "llvm.copysign", 0},
    {"__ocml_copysign_f64", KNOWN_INTRINSIC, 2, "llvm.copysign", 0},
    {"__ocml_isnan_f32", KNOWN_CLASS, 1, NULL, 0x003},
    {"__ocml_isnan_f64", KNOWN_CLASS, 1, NULL, 0x003},
    {"__ocml_isinf_f32", KNOWN_CLASS, 1, NULL, 0x204},
    {"__ocml_isinf_f64", KNOWN_CLASS, 1, NULL, 0x204},
    {"__ocml_isfinite_f32", KNOWN_CLASS, 1, NULL, 0x1f8},
    {"__ocml_signbit_f32", KNOWN_CLASS, 1, NULL, 0x03c},
    // Triton's own names.
    {"__triton_hip_fabs", KNOWN_INTRINSIC, 1, "llvm.fabs", 0},
    {"__triton_hip_rint", KNOWN_INTRINSIC, 1, "llvm.rint", 0},
    {"__triton_hip_fast_expf", KNOWN_SCALED_EXP, 1, NULL, 0},
    {"__triton_hip_fast_fdividef", KNOWN_FAST_DIVIDE, 2, NULL, 0},
};

static LLVMValueRef emit_known(kiln_lowering_t *l, size_t i, LLVMTypeRef type, LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef operand = LLVMTypeOf(args[0]);
    switch (known[i].kind) {
    case KNOWN_INTRINSIC:
        return kiln_emit_intrinsic(l, known[i].intrinsic, &type, 1, args, count);
    case KNOWN_RSQRT:
        return kiln_lower_reciprocal_root(l, args[0]);
    case KNOWN_CLASS: {
        LLVMValueRef operands[2] = {args[0], kiln_emit_i32(l, known[i].class_mask)};
        return LLVMBuildZExtOrBitCast(l->builder, kiln_emit_intrinsic(l, "llvm.is.fpclass", &operand, 1, operands, 2),
                                      type, "");
    }
    case KNOWN_SCALED_EXP: {
        LLVMValueRef scaled = LLVMBuildFMul(l->builder, args[0], LLVMConstReal(type, 1.44269504088896340736), "");
        return kiln_emit_intrinsic(l, "llvm.amdgcn.exp2", &type, 1, &scaled, 1);
    }
    case KNOWN_FAST_DIVIDE: {
        LLVMValueRef reciprocal = kiln_emit_intrinsic(l, "llvm.amdgcn.rcp", &type, 1, &args[1], 1);
        return LLVMBuildFMul(l->builder, args[0], reciprocal, "");
    }
    }
    return NULL;
}

// Whether the call has the types that the symbol stands for; where it has not, the library tells what it wants.
static bool has_known_types(kiln_lowering_t *l, size_t i, LLVMTypeRef type, LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef operand = LLVMTypeOf(args[0]);
    bool is_double = kiln_string_ends_with(known[i].symbol, "_f64");
    bool either = known[i].kind == KNOWN_INTRINSIC && kiln_string_starts_with(known[i].symbol, "__triton_");
    if (operand != (is_double ? l->f64 : l->f32) && !(either && operand == l->f64))
        return false;
    for (unsigned a = 1; a < count; a++)
        if (LLVMTypeOf(args[a]) != operand)
            return false;
    return known[i].kind == KNOWN_CLASS ? LLVMGetTypeKind(type) == LLVMIntegerTypeKind : type == operand;
}

LLVMValueRef kiln_lower_extern_call(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type, LLVMValueRef *args)
{
    MlirStringRef symbol = mlirStringAttrGetValue(kiln_ir_attr(op, "symbol"));
    unsigned count = (unsigned)mlirOperationGetNumOperands(op);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].symbol) == symbol.length && !memcmp(known[i].symbol, symbol.data, symbol.length) &&
            known[i].arity == count && has_known_types(l, i, type, args, count))
            return emit_known(l, i, type, args, count);
    char *name = KILN_LOWER_ARRAY(l, char, symbol.length + 1);
    memcpy(name, symbol.data, symbol.length);
    return kiln_emit_call(l, name, type, args, count, kiln_ir_int_attr(op, "pure", 0) != 0);
}
