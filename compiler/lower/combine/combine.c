// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code shared by reductions and scans; see combine.h.
//
// The plan (analysis/plan/combine.h) determines place and size of the waves' partial results.
#include "combine.h"
#include "lower/emit.h"
#include "lower/layouts/convert.h"
#include "lower/lds/lds.h"
#include "lower/tile.h"

kiln_status_t kiln_combine(kiln_lowering_t *l, MlirOperation op, LLVMValueRef *first,
                           LLVMValueRef *second, LLVMValueRef *into)
{
    LLVMValueRef args[2 * KILN_MAX_COMBINED], results[KILN_MAX_COMBINED];
    int operands = (int)mlirOperationGetNumOperands(op);
    for (int i = 0; i < operands; i++) {
        args[i] = first[i];
        args[operands + i] = second[i];
    }
    KILN_TRY(kiln_lower_inline_region(l, mlirOperationGetRegion(op, 0), args, operands, results));
    for (int i = 0; i < operands; i++)
        into[i] = results[i];
    return KILN_OK;
}

// The operation by which a scan's region combines its two arguments; KILN_OP_COUNT if there is more
// than one.
static kiln_op_t only_operation(MlirOperation op)
{
    MlirBlock block = kiln_op_body(op, 0);
    MlirOperation first = mlirBlockGetFirstOperation(block), end = kiln_block_terminator(block);
    if (mlirOperationGetNumOperands(op) != 1 || mlirOperationGetNumOperands(first) != 2 ||
        kiln_op_kind(end) != KILN_OP_TT_SCAN_RETURN ||
        !mlirOperationEqual(mlirOperationGetNextInBlock(first), end) ||
        !mlirValueEqual(mlirOperationGetOperand(end, 0), mlirOperationGetResult(first, 0)))
        return KILN_OP_COUNT;
    MlirValue a = mlirOperationGetOperand(first, 0), b = mlirOperationGetOperand(first, 1);
    MlirValue x = mlirBlockGetArgument(block, 0), y = mlirBlockGetArgument(block, 1);
    bool takes_both = (mlirValueEqual(a, x) && mlirValueEqual(b, y)) ||
                      (mlirValueEqual(a, y) && mlirValueEqual(b, x));
    return takes_both ? kiln_op_kind(first) : KILN_OP_COUNT;
}

LLVMValueRef kiln_neutral_element(MlirOperation op, LLVMTypeRef type)
{
    const kiln_op_t kind = only_operation(op);
    if (LLVMGetTypeKind(type) !=
        LLVMIntegerTypeKind) // -inf is not neutral for llvm.maxnum, which turns a NaN into it
        return kind == KILN_OP_ARITH_ADDF   ? LLVMConstReal(type, -0.0)
               : kind == KILN_OP_ARITH_MULF ? LLVMConstReal(type, 1)
                                            : NULL;
    const unsigned bits = LLVMGetIntTypeWidth(type);
    switch (kind) {
    case KILN_OP_ARITH_ADDI:
    case KILN_OP_ARITH_ORI:
    case KILN_OP_ARITH_XORI:
    case KILN_OP_ARITH_MAXUI:
        return LLVMConstInt(type, 0, 0);
    case KILN_OP_ARITH_MULI:
        return LLVMConstInt(type, 1, 0);
    case KILN_OP_ARITH_ANDI:
    case KILN_OP_ARITH_MINUI:
        return LLVMConstAllOnes(type);
    case KILN_OP_ARITH_MAXSI:
        return LLVMConstInt(type, UINT64_C(1) << (bits - 1), 0);
    case KILN_OP_ARITH_MINSI:
        return LLVMConstInt(type, (UINT64_C(1) << (bits - 1)) - 1, 0);
    default:
        return NULL;
    }
}

kiln_status_t kiln_convert_operand(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *source,
                                   const kiln_layout_t *from, const kiln_layout_t *to,
                                   kiln_tile_t **out)
{
    kiln_tile_t *tile = kiln_lower_arena_alloc(l->arena, sizeof *tile);
    uint32_t registers = kiln_layout_registers(to);
    *tile = *source;
    tile->count = registers;
    tile->vectors = NULL;
    tile->values = KILN_LOWER_ARRAY(l, LLVMValueRef, registers);
    tile->sums = source->sums ? KILN_LOWER_ARRAY(l, kiln_sum_t, registers) : NULL;
    KILN_TRY(kiln_lower_convert(l, op, source, from, tile, to));
    tile->block = LLVMGetInsertBlock(l->builder);
    *out = tile;
    return KILN_OK;
}

// Between waves -----------------------------------------------------------------------------------

static MlirType operand_type(const kiln_wave_exchange_t *exchange, int operand)
{
    return mlirValueGetType(mlirOperationGetOperand(exchange->op, operand));
}

static kiln_status_t exchange_at_once(kiln_lowering_t *l, const kiln_wave_exchange_t *exchange,
                                      LLVMValueRef **own, LLVMValueRef **loaded)
{
    int operands = (int)mlirOperationGetNumOperands(exchange->op);
    uint32_t offset, written = kiln_layout_registers(&exchange->write),
                     read = kiln_layout_registers(&exchange->read);
    LLVMValueRef writer = kiln_emit_is_first_replica(l, &exchange->write);
    LLVMTypeRef types[KILN_MAX_COMBINED];
    kiln_lds_transfer_t transfers[KILN_MAX_COMBINED];
    kiln_layout_t write[KILN_MAX_COMBINED], into[KILN_MAX_COMBINED];
    KILN_TRY(kiln_lower_scratch(exchange->op, &offset));
    for (int i = 0; i < operands; i++) {
        types[i] = LLVMTypeOf(own[i][0]);
        // The layout of a conversion: neighbouring threads may read 128 bytes apart.
        kiln_conversion_t plan = kiln_layout_plan_conversion(
            &exchange->write, &exchange->read, kiln_type_bits(operand_type(exchange, i)));
        bool swizzles = plan.kind == KILN_CONVERSION_LDS && plan.repetitions_log2 == 0;
        write[i] = swizzles ? kiln_layout_to_lds(&exchange->write, &plan.lds) : exchange->write;
        into[i] = swizzles ? kiln_layout_to_lds(&exchange->read, &plan.lds) : exchange->read;
        transfers[i] = (kiln_lds_transfer_t){.map = &write[i],
                                             .base = {NULL, NULL, offset},
                                             .element = kiln_stored_type(l, types[i]),
                                             .predicate = writer};
        for (uint32_t r = 0; r < written; r++)
            own[i][r] = kiln_to_stored(l, own[i][r]);
        kiln_lds_store(l, &transfers[i], own[i]);
        offset += kiln_wave_exchange_operand_bytes(exchange, i);
    }
    kiln_emit_barrier(l);
    for (int i = 0; i < operands; i++) {
        transfers[i].map = &into[i];
        transfers[i].predicate = NULL;
        kiln_lds_load(l, &transfers[i], loaded[i]);
        for (uint32_t r = 0; r < read; r++)
            loaded[i][r] = kiln_from_stored(l, loaded[i][r], types[i]);
    }
    return KILN_OK;
}

kiln_status_t kiln_exchange_between_waves(kiln_lowering_t *l, const kiln_wave_exchange_t *exchange,
                                          LLVMValueRef **own, LLVMValueRef **loaded)
{
    if (kiln_wave_exchange_is_single_round(exchange))
        return exchange_at_once(l, exchange, own, loaded);
    for (int i = 0; i < mlirOperationGetNumOperands(exchange->op); i++) {
        if (i)
            kiln_emit_barrier(l);
        KILN_TRY(kiln_lower_convert_values(l, exchange->op, operand_type(exchange, i), own[i],
                                           &exchange->write, loaded[i], &exchange->read));
    }
    return KILN_OK;
}
