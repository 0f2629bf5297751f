// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise operations with a body: inline assembly on packed elements, and tt.map_elementwise,
// whose region is lowered for each group of elements.
//
// Note that elements below 32 bits are packed into 32-bit registers, so that one assembly operand
// holds several.
#include "emit.h"
#include "tile.h"

#include <string.h>

#include <mlir-c/BuiltinAttributes.h>

#include "codegen/codegen.h"

enum { MAX_ASM_OPERANDS = KILN_MOST_ASSEMBLY_OPERANDS, MAX_VALUES = 16 };

// How `count` elements of a type are passed to assembly: `words` values of `type`, each with `each`
// elements.
typedef struct packing {
    LLVMTypeRef type;
    uint32_t each, words;
} packing_t;

static unsigned stored_bits(LLVMTypeRef element)
{
    unsigned bits = kiln_llvm_bits(element);
    return bits < 8 ? 8 : bits;
}

// Values smaller than a register are passed as the low bits of an i32: LLVM has 16-bit register
// classes, but none for bytes.
static packing_t packing_of(kiln_lowering_t *l, LLVMTypeRef element, uint32_t count)
{
    unsigned bits = stored_bits(element);
    if (bits >= 32 || (count == 1 && bits == 16))
        return (packing_t){element, 1, count};
    uint32_t each = 32 / bits < count ? 32 / bits : count;
    return (packing_t){l->i32, each, (count + each - 1) / each};
}

static LLVMValueRef pack(kiln_lowering_t *l, const packing_t *packing, LLVMValueRef *values,
                         uint32_t left)
{
    LLVMValueRef parts[4];
    for (uint32_t i = 0; i < packing->each; i++) {
        LLVMValueRef value = i < left ? values[i] : LLVMGetPoison(LLVMTypeOf(values[0]));
        parts[i] = kiln_llvm_bits(LLVMTypeOf(value)) < 8
                       ? LLVMBuildZExt(l->builder, value, l->i8, "")
                       : value;
    }
    if (packing->each == 1 && LLVMTypeOf(parts[0]) == packing->type)
        return parts[0];
    unsigned bits = packing->each * stored_bits(LLVMTypeOf(parts[0]));
    LLVMValueRef vector = kiln_emit_vector(l, LLVMTypeOf(parts[0]), parts, packing->each);
    vector = LLVMBuildBitCast(l->builder, vector, LLVMIntTypeInContext(l->context, bits), "");
    return LLVMBuildZExt(l->builder, vector, packing->type, "");
}

static void unpack(kiln_lowering_t *l, const packing_t *packing, LLVMValueRef word,
                   LLVMTypeRef element, LLVMValueRef *out, uint32_t left)
{
    LLVMTypeRef stored = kiln_llvm_bits(element) < 8 ? l->i8 : element;
    LLVMValueRef vector = word;
    if (LLVMTypeOf(word) != stored) {
        unsigned bits = packing->each * stored_bits(stored);
        vector = LLVMBuildTrunc(l->builder, word, LLVMIntTypeInContext(l->context, bits), "");
        if (packing->each > 1)
            vector =
                LLVMBuildBitCast(l->builder, vector, LLVMVectorType(stored, packing->each), "");
    }
    for (uint32_t i = 0; i < packing->each && i < left; i++) {
        LLVMValueRef value = kiln_emit_extract(l, vector, i);
        out[i] = stored == element ? value : LLVMBuildTrunc(l->builder, value, element, "");
    }
}

kiln_status_t kiln_lower_inline_asm(kiln_lowering_t *l, MlirOperation op)
{
    MlirStringRef text = mlirStringAttrGetValue(kiln_ir_attr(op, "asm_string")),
                  constraints = mlirStringAttrGetValue(kiln_ir_attr(op, "constraints"));
    uint32_t group = (uint32_t)kiln_ir_int_attr(op, "packed_element", 1);
    int operands = (int)mlirOperationGetNumOperands(op),
        results = (int)mlirOperationGetNumResults(op);
    if (operands > MAX_VALUES || results > MAX_VALUES || !results)
        return kiln_op_unsupported(op, "%d operands and %d results", operands, results);
    if (group > MAX_ASM_OPERANDS)
        return kiln_op_unsupported(op, "packed_element = %u", group);
    kiln_tile_t *sources[MAX_VALUES], *targets[MAX_VALUES];
    packing_t in[MAX_VALUES], out[MAX_VALUES];
    LLVMTypeRef arg_types[MAX_ASM_OPERANDS], result_types[MAX_ASM_OPERANDS];
    unsigned arg_count = 0, result_count = 0;
    for (int i = 0; i < operands; i++) {
        if (!(sources[i] = kiln_lower_operand(l, op, i)))
            return KILN_OK;
        in[i] = packing_of(l, sources[i]->element, group);
        if (arg_count + in[i].words > MAX_ASM_OPERANDS)
            return kiln_op_unsupported(op, "more than %d registers of operands",
                                       (int)MAX_ASM_OPERANDS);
        for (uint32_t w = 0; w < in[i].words; w++)
            arg_types[arg_count++] = in[i].type;
    }
    for (int i = 0; i < results; i++) {
        if (!(targets[i] = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, i)))))
            return KILN_OK;
        out[i] = packing_of(l, targets[i]->element, group);
        if (result_count + out[i].words > MAX_ASM_OPERANDS)
            return kiln_op_unsupported(op, "more than %d registers of results",
                                       (int)MAX_ASM_OPERANDS);
        for (uint32_t w = 0; w < out[i].words; w++)
            result_types[result_count++] = out[i].type;
    }
    LLVMTypeRef result = result_count == 1
                             ? result_types[0]
                             : LLVMStructTypeInContext(l->context, result_types, result_count, 0);
    LLVMTypeRef type = LLVMFunctionType(result, arg_types, arg_count, 0);
    kiln_status_t status = kiln_codegen_check_assembly(type, text.data, text.length,
                                                       constraints.data, constraints.length);
    if (status)
        return kiln_status_at_op(status, op);
    LLVMValueRef assembly =
        LLVMGetInlineAsm(type, text.data, text.length, constraints.data, constraints.length,
                         !kiln_ir_int_attr(op, "pure", 0), 0, LLVMInlineAsmDialectATT, 0);
    uint32_t count = targets[0]->count;
    for (uint32_t first = 0; first < count; first += group) {
        LLVMValueRef args[MAX_ASM_OPERANDS], *values = KILN_LOWER_ARRAY(l, LLVMValueRef, group);
        bool are_scalars[MAX_ASM_OPERANDS];
        unsigned n = 0;
        for (int i = 0; i < operands; i++) {
            for (uint32_t e = 0; e < group; e++) // a last, partial group repeats the last element
                values[e] = kiln_tile_value(
                    l, sources[i],
                    sources[i]->layout ? (first + e < count ? first + e : count - 1) : 0);
            for (uint32_t w = 0; w < in[i].words; w++) {
                are_scalars[n] = !sources[i]->layout && !sources[i]->divergent;
                args[n++] = pack(l, &in[i], values + w * in[i].each, group - w * in[i].each);
            }
        }
        LLVMValueRef call = LLVMBuildCall2(l->builder, type, assembly, args, n, "");
        kiln_codegen_place_assembly(call);
        kiln_codegen_mark_scalars(call, are_scalars, result_count);
        n = 0;
        for (int i = 0; i < results; i++) {
            for (uint32_t w = 0; w < out[i].words; w++) {
                LLVMValueRef word =
                    result_count == 1 ? call : LLVMBuildExtractValue(l->builder, call, n++, "");
                unpack(l, &out[i], word, targets[i]->element, values + w * out[i].each,
                       group - w * out[i].each);
            }
            for (uint32_t e = 0; e < group && first + e < count; e++)
                targets[i]->values[first + e] = values[e];
        }
    }
    for (int i = 0; i < results; i++)
        kiln_lower_bind_result(l, op, i, targets[i]);
    return KILN_OK;
}

kiln_status_t kiln_lower_map_elementwise(kiln_lowering_t *l, MlirOperation op)
{
    uint32_t pack_size = (uint32_t)kiln_ir_int_attr(op, "pack", 1);
    int operands = (int)mlirOperationGetNumOperands(op),
        results = (int)mlirOperationGetNumResults(op);
    if (operands > MAX_VALUES || results > MAX_VALUES || !results || !pack_size)
        return kiln_op_unsupported(op, "%d operands and %d results", operands, results);
    kiln_tile_t *sources[MAX_VALUES], *targets[MAX_VALUES];
    for (int i = 0; i < operands; i++)
        if (!(sources[i] = kiln_lower_operand(l, op, i)))
            return KILN_OK;
    for (int i = 0; i < results; i++)
        if (!(targets[i] = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, i)))))
            return KILN_OK;
    LLVMValueRef *args = KILN_LOWER_ARRAY(l, LLVMValueRef, (uint32_t)operands * pack_size),
                 *values = KILN_LOWER_ARRAY(l, LLVMValueRef, (uint32_t)results * pack_size);
    // Arguments and results are ordered by operand, with the elements of a pack side by side. A
    // last, partial pack repeats the last element.
    uint32_t count = targets[0]->count;
    for (uint32_t first = 0; first < count; first += pack_size) {
        for (int i = 0; i < operands; i++)
            for (uint32_t e = 0; e < pack_size; e++)
                args[(uint32_t)i * pack_size + e] =
                    kiln_tile_value(l, sources[i],
                                    !sources[i]->layout ? 0
                                    : first + e < count ? first + e
                                                        : count - 1);
        KILN_TRY(kiln_lower_inline_region(l, mlirOperationGetRegion(op, 0), args,
                                          results * (int)pack_size, values));
        for (int i = 0; i < results; i++)
            for (uint32_t e = 0; e < pack_size && first + e < count; e++)
                targets[i]->values[first + e] = values[(uint32_t)i * pack_size + e];
    }
    for (int i = 0; i < results; i++) {
        targets[i]->block = LLVMGetInsertBlock(l->builder);
        kiln_lower_bind_result(l, op, i, targets[i]);
    }
    return KILN_OK;
}

// Integer operations with two results: the low and the high half of a product, or a sum and its
// carry.
kiln_status_t kiln_lower_extended(kiln_lowering_t *l, MlirOperation op)
{
    kiln_op_t kind = kiln_op_kind(op);
    kiln_tile_t *a = kiln_lower_operand(l, op, 0), *b = kiln_lower_operand(l, op, 1);
    kiln_tile_t *low = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    kiln_tile_t *high = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 1)));
    if (!a || !b || !low || !high)
        return KILN_OK;
    unsigned bits = LLVMGetIntTypeWidth(low->element);
    LLVMTypeRef wide = LLVMIntTypeInContext(l->context, 2 * bits);
    for (uint32_t r = 0; r < low->count; r++) {
        LLVMValueRef x = kiln_tile_value(l, a, r), y = kiln_tile_value(l, b, r);
        if (kind == KILN_OP_ARITH_ADDUI_EXTENDED) {
            low->values[r] = LLVMBuildAdd(l->builder, x, y, "");
            high->values[r] = LLVMBuildICmp(l->builder, LLVMIntULT, low->values[r], x, "");
            continue;
        }
        int is_signed = kind == KILN_OP_ARITH_MULSI_EXTENDED;
        LLVMValueRef product =
            LLVMBuildMul(l->builder, LLVMBuildIntCast2(l->builder, x, wide, is_signed, ""),
                         LLVMBuildIntCast2(l->builder, y, wide, is_signed, ""), "");
        low->values[r] = LLVMBuildTrunc(l->builder, product, low->element, "");
        high->values[r] = LLVMBuildTrunc(
            l->builder, LLVMBuildLShr(l->builder, product, LLVMConstInt(wide, bits, 0), ""),
            low->element, "");
    }
    kiln_lower_bind_result(l, op, 0, low);
    kiln_lower_bind_result(l, op, 1, high);
    return KILN_OK;
}
