// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of device-library functions on each element (tt.extern_elementwise). Functions that LLVM
// has as intrinsics are replaced by these, so that no library is linked.
//
// Where ocml is wrong on gfx942, another of its functions is used: sin of f16 gives NaN for every
// finite argument in Debian's library of 2022, and the native functions of f64 are intrinsics that
// the hardware lacks. i1 of f64 gives NaN below -8, so it is called with the magnitude.
//
// Note that ocml's predicates (isnan, isinf, …) return i32, while LLVM's class test gives i1.
#include "elements.h"
#include "lower/emit.h"

#include <stdio.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>

#include "base/string.h"

static const double LOG2_E = 1.44269504088896340736;

// Functions that LLVM expands as well as the library. `arity` is checked so that a user's function
// of the same name is not mistaken for one of them.
typedef enum known_kind {
    KNOWN_INTRINSIC,
    KNOWN_RSQRT,
    KNOWN_CLASS,
    KNOWN_SCALED_EXP,
    KNOWN_FAST_DIVIDE,
    KNOWN_FAST_TANH,
    KNOWN_ROUND_TO_INT,
    KNOWN_INT_ABS,
    KNOWN_ODD,    // f(-x) = -f(x)
    KNOWN_LIBRARY // another function, of f32 or f64
} known_kind_t;
static const struct {
    const char *symbol;
    known_kind_t kind;
    unsigned arity;
    const char *name; // of the intrinsic or the other function
    int class_mask;
} known[] = {
#define KILN_OCML_INTRINSIC(function, arity, intrinsic)                                            \
    {function, KNOWN_INTRINSIC, arity, intrinsic, 0},
#include "codegen/libraries/ocml_intrinsics.def"
#undef KILN_OCML_INTRINSIC
    {"__ocml_rsqrt_f32", KNOWN_RSQRT, 1, NULL, 0},
    {"__ocml_isnan_f32", KNOWN_CLASS, 1, NULL, 0x003},
    {"__ocml_isnan_f64", KNOWN_CLASS, 1, NULL, 0x003},
    {"__ocml_isinf_f32", KNOWN_CLASS, 1, NULL, 0x204},
    {"__ocml_isinf_f64", KNOWN_CLASS, 1, NULL, 0x204},
    {"__ocml_isfinite_f32", KNOWN_CLASS, 1, NULL, 0x1f8},
    {"__ocml_signbit_f32", KNOWN_CLASS, 1, NULL, 0x03c},
    {"__ocml_i1_f64", KNOWN_ODD, 1, "__ocml_i1_f64", 0},
    {"__ocml_sin_f16", KNOWN_LIBRARY, 1, "__ocml_sin_f32", 0},
    {"__ocml_native_sin_f64", KNOWN_LIBRARY, 1, "__ocml_sin_f64", 0},
    {"__ocml_native_cos_f64", KNOWN_LIBRARY, 1, "__ocml_cos_f64", 0},
    {"__ocml_native_exp_f64", KNOWN_LIBRARY, 1, "__ocml_exp_f64", 0},
    {"__ocml_native_exp2_f64", KNOWN_LIBRARY, 1, "__ocml_exp2_f64", 0},
    {"__ocml_native_log_f64", KNOWN_LIBRARY, 1, "__ocml_log_f64", 0},
    {"__ocml_native_log2_f64", KNOWN_LIBRARY, 1, "__ocml_log2_f64", 0},
    {"__ocml_native_log10_f64", KNOWN_LIBRARY, 1, "__ocml_log10_f64", 0},
    // Triton's own names.
    {"__triton_hip_fabs", KNOWN_INTRINSIC, 1, "llvm.fabs", 0},
    {"__triton_hip_rint", KNOWN_INTRINSIC, 1, "llvm.rint", 0},
    {"__triton_hip_fast_expf", KNOWN_SCALED_EXP, 1, NULL, 0},
    {"__triton_hip_fast_fdividef", KNOWN_FAST_DIVIDE, 2, NULL, 0},
    {"__triton_hip_fast_tanhf", KNOWN_FAST_TANH, 1, NULL, 0},
    {"__triton_hip_llrint", KNOWN_ROUND_TO_INT, 1, NULL, 0},
    {"__triton_hip_iabs", KNOWN_INT_ABS, 1, NULL, 0},
};

static LLVMValueRef scaled_exp(kiln_lowering_t *l, LLVMValueRef x, double scale)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef scaled = LLVMBuildFMul(l->builder, x, LLVMConstReal(type, scale), "");
    return kiln_emit_intrinsic(l, "llvm.amdgcn.exp2", &type, 1, &scaled, 1);
}

// sign(x) * (1 - 2 / (exp(2 |x|) + 1)), which neither overflows nor cancels for large x
static LLVMValueRef fast_tanh(kiln_lowering_t *l, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef one = LLVMConstReal(type, 1),
                 size = kiln_emit_intrinsic(l, "llvm.fabs", &type, 1, &x, 1);
    LLVMValueRef below = LLVMBuildFAdd(l->builder, scaled_exp(l, size, 2 * LOG2_E), one, "");
    LLVMValueRef part = kiln_emit_intrinsic(l, "llvm.amdgcn.rcp", &type, 1, &below, 1);
    part = LLVMBuildFMul(l->builder, part, LLVMConstReal(type, 2), "");
    LLVMValueRef signed_by[2] = {LLVMBuildFSub(l->builder, one, part, ""), x};
    return kiln_emit_intrinsic(l, "llvm.copysign", &type, 1, signed_by, 2);
}

static LLVMValueRef emit_known(kiln_lowering_t *l, size_t i, LLVMTypeRef type, LLVMValueRef *args,
                               unsigned count)
{
    LLVMTypeRef operand = LLVMTypeOf(args[0]);
    switch (known[i].kind) {
    case KNOWN_INTRINSIC:
        return kiln_emit_intrinsic(l, known[i].name, &type, 1, args, count);
    case KNOWN_RSQRT:
        return kiln_lower_reciprocal_root(l, args[0]);
    case KNOWN_CLASS: {
        LLVMValueRef operands[2] = {args[0], kiln_emit_i32(l, known[i].class_mask)};
        return LLVMBuildZExtOrBitCast(
            l->builder, kiln_emit_intrinsic(l, "llvm.is.fpclass", &operand, 1, operands, 2), type,
            "");
    }
    case KNOWN_SCALED_EXP:
        return scaled_exp(l, args[0], LOG2_E);
    case KNOWN_FAST_TANH:
        return fast_tanh(l, args[0]);
    case KNOWN_ROUND_TO_INT:
        return LLVMBuildFPToSI(l->builder,
                               kiln_emit_intrinsic(l, "llvm.rint", &operand, 1, args, 1), type, "");
    case KNOWN_INT_ABS: {
        LLVMValueRef operands[2] = {args[0], LLVMConstInt(l->i1, 0, 0)};
        return kiln_emit_intrinsic(l, "llvm.abs", &operand, 1, operands, 2);
    }
    case KNOWN_FAST_DIVIDE: {
        LLVMValueRef reciprocal = kiln_emit_intrinsic(l, "llvm.amdgcn.rcp", &type, 1, &args[1], 1);
        return LLVMBuildFMul(l->builder, args[0], reciprocal, "");
    }
    case KNOWN_ODD: {
        LLVMValueRef size = kiln_emit_intrinsic(l, "llvm.fabs", &type, 1, args, 1);
        LLVMValueRef signed_by[2] = {kiln_emit_call(l, known[i].name, type, &size, 1, true),
                                     args[0]};
        return kiln_emit_intrinsic(l, "llvm.copysign", &type, 1, signed_by, 2);
    }
    case KNOWN_LIBRARY: {
        LLVMTypeRef work = type == l->f64 ? l->f64 : l->f32;
        LLVMValueRef wide = LLVMBuildFPCast(l->builder, args[0], work, "");
        return LLVMBuildFPCast(l->builder, kiln_emit_call(l, known[i].name, work, &wide, 1, true),
                               type, "");
    }
    }
    return NULL;
}

// Whether the call has the types of the symbol; if not, it stays a call to the library.
static bool has_known_types(kiln_lowering_t *l, size_t i, LLVMTypeRef type, LLVMValueRef *args,
                            unsigned count)
{
    LLVMTypeRef operand = LLVMTypeOf(args[0]);
    bool returns_int = LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
    if (known[i].kind == KNOWN_INT_ABS)
        return returns_int && type == operand;
    if (known[i].kind == KNOWN_ROUND_TO_INT)
        return returns_int && (operand == l->f32 || operand == l->f64);
    LLVMTypeRef wanted = kiln_string_ends_with(known[i].symbol, "_f64") ? l->f64
                         : kiln_string_ends_with(known[i].symbol, "_f16")
                             ? LLVMHalfTypeInContext(l->context)
                             : l->f32;
    bool either =
        known[i].kind == KNOWN_INTRINSIC && kiln_string_starts_with(known[i].symbol, "__triton_");
    if (operand != wanted && !(either && operand == l->f64))
        return false;
    for (unsigned a = 1; a < count; a++)
        if (LLVMTypeOf(args[a]) != operand)
            return false;
    return known[i].kind == KNOWN_CLASS ? returns_int : type == operand;
}

static LLVMTypeRef call_type(kiln_lowering_t *l, LLVMTypeRef result, LLVMValueRef *args,
                             unsigned count)
{
    LLVMTypeRef *types = KILN_LOWER_ARRAY(l, LLVMTypeRef, count + 1);
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    return LLVMFunctionType(result, types, count, 0);
}

// Whether a declaration is of a function of the program (kiln_lower_declare_function), not of a
// library.
static bool is_of_program(LLVMValueRef function)
{
    return LLVMGetLinkage(function) == LLVMInternalLinkage ||
           LLVMGetFunctionCallConv(function) == LLVMAMDGPUKERNELCallConv;
}

LLVMValueRef kiln_lower_extern_call(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                    LLVMValueRef *args)
{
    MlirStringRef symbol = mlirStringAttrGetValue(kiln_ir_attr(op, "symbol"));
    unsigned count = (unsigned)mlirOperationGetNumOperands(op);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].symbol) == symbol.length &&
            !memcmp(known[i].symbol, symbol.data, symbol.length) && known[i].arity == count &&
            has_known_types(l, i, type, args, count))
            return emit_known(l, i, type, args, count);
    char *name = KILN_LOWER_ARRAY(l, char, symbol.length + 1);
    if (symbol.length)
        memcpy(name, symbol.data, symbol.length);
    bool in_library =
        kiln_string_starts_with(name, "__ocml_") || kiln_string_starts_with(name, "__ockl_");
    bool may_be_linked = in_library || l->options->bitcode_count > 0;
    LLVMValueRef same = LLVMGetNamedFunction(l->module, name);
    if (same && is_of_program(same)) {
        kiln_lower_fail(
            l, kiln_status_at_op(
                   kiln_status_make(
                       KILN_STATUS_INVALID_INPUT,
                       "'%s' is also a function of the program; call it with tt.call or rename it",
                       name),
                   op));
        return LLVMGetPoison(type);
    }
    if (!may_be_linked ||
        (same && LLVMGlobalGetValueType(same) != call_type(l, type, args, count))) {
        kiln_status_t status =
            may_be_linked
                ? kiln_status_make(KILN_STATUS_INVALID_INPUT, "calls of '%s' have different types",
                                   name)
                : kiln_status_make(
                      KILN_STATUS_INVALID_INPUT,
                      "no function '%s' in ocml (__ocml_*), ockl (__ockl_*) or the linked bitcode",
                      name);
        kiln_lower_fail(l, kiln_status_at_op(status, op));
        return LLVMGetPoison(type);
    }
    if (!kiln_string_starts_with(name, "__ocml_"))
        l->features_used |= KILN_FEATURE_CALLS; // it may use ids, the dispatch or hidden arguments
    return kiln_emit_call(l, name, type, args, count, kiln_ir_int_attr(op, "pure", 0) != 0);
}
