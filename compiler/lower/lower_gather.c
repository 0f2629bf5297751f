// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.gather and tt.histogram: operations whose places in LDS depend on data.
//
// A gather writes its source to LDS in row-major order and reads at (own coordinates, index along the axis). A
// histogram counts by atomic additions in LDS. The thing one gets wrong: copies of an element must not be counted
// twice.
#include "lowering.h"

// Bytes of LDS: a source of more goes window by window.
enum { GATHER_AT_ONCE = 64 << 10, GATHER_WINDOW = 32 << 10 };

// The layout of a large source whose registers take its highest bits, so that each belongs to one window of rows.
static kiln_layout_t window_layout(kiln_lowering_t *l, const kiln_layout_t *given)
{
    kiln_layout_t layout = *given;
    int bit = 0, total = 0;
    for (int d = 0; d < given->rank; d++)
        total += given->log2_shape[d];
    layout.bits[KILN_LANE] = 6;
    layout.bits[KILN_WARP] = (uint8_t)__builtin_ctz((unsigned)l->num_warps);
    layout.bits[KILN_REGISTER] = (uint8_t)(total - layout.bits[KILN_LANE] - layout.bits[KILN_WARP]);
    for (int p = KILN_LANE; p <= KILN_WARP; p++)
        for (int i = 0; i < layout.bits[p]; i++)
            layout.basis[p][i] = 1u << bit++;
    for (int i = 0; i < layout.bits[KILN_REGISTER]; i++)
        layout.basis[KILN_REGISTER][i] = 1u << bit++;
    return layout;
}

uint32_t kiln_lower_gather_scratch(kiln_lowering_t *l, MlirOperation op)
{
    MlirType source = mlirValueGetType(mlirOperationGetOperand(op, 0)),
             result = mlirValueGetType(mlirOperationGetResult(op, 0));
    if (kiln_op_kind(op) == KILN_OP_TT_HISTOGRAM)
        return (uint32_t)kiln_type_count(result) * (uint32_t)kiln_type_bits(result) / 8;
    LLVMTypeRef element = kiln_lower_element_type(l, source);
    const kiln_layout_t *layout = kiln_lower_layout(l, source);
    if (!element || !layout)
        return 0;
    uint64_t bytes = (uint64_t)kiln_type_count(source) * kiln_llvm_bits(kiln_stored_type(l, element)) / 8;
    if (bytes <= GATHER_AT_ONCE)
        return (uint32_t)bytes;
    kiln_layout_t rows = window_layout(l, layout);
    uint32_t before = kiln_lower_convert_scratch(l, layout, &rows, kiln_type_bits(source));
    return before > GATHER_WINDOW ? before : GATHER_WINDOW;
}

// The layout's elements at their row-major offsets.
static kiln_layout_t row_major(const kiln_layout_t *layout)
{
    kiln_layout_t map = *layout;
    map.rank = 1;
    for (int d = 1; d < layout->rank; d++)
        map.log2_shape[0] = (uint8_t)(map.log2_shape[0] + layout->log2_shape[d]);
    return map;
}

// The result's coordinates in the source's shape, without the axis.
static kiln_layout_t without_axis(const kiln_layout_t *indices, const kiln_layout_t *source, int axis)
{
    kiln_layout_t apart = *indices;
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < apart.bits[place]; i++) {
            uint32_t flat = 0;
            for (int d = 0; d < apart.rank; d++)
                if (d != axis)
                    flat |= kiln_layout_coord(indices, indices->basis[place][i], d) << kiln_layout_shift(source, d);
            apart.basis[place][i] = flat;
        }
    return apart;
}

// Each window of the source is written to LDS, and every register that may find its element there reads it.
static kiln_status_t gather_by_windows(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *source, kiln_tile_t *indices,
                                       kiln_tile_t *result, uint32_t offset)
{
    LLVMTypeRef stored = kiln_stored_type(l, source->element);
    unsigned bytes = kiln_llvm_bits(stored) / 8;
    uint32_t window = GATHER_WINDOW / bytes, windows = (uint32_t)kiln_type_count(source->type) / window,
             shift = (uint32_t)__builtin_ctz(window);
    kiln_layout_t rows = window_layout(l, source->layout);
    uint32_t registers = kiln_layout_registers(&rows);
    LLVMValueRef *given = KILN_LOWER_ARRAY(l, LLVMValueRef, source->count),
                 *values = KILN_LOWER_ARRAY(l, LLVMValueRef, registers);
    for (uint32_t r = 0; r < source->count; r++)
        given[r] = kiln_tile_value(l, source, r);
    KILN_TRY(kiln_lower_convert_values(l, op, source->type, given, source->layout, values, &rows));
    for (uint32_t r = 0; r < registers; r++)
        values[r] = kiln_to_stored(l, values[r]);
    kiln_layout_t write = row_major(&rows);
    kiln_lds_transfer_t transfer = {.map = &write, .base = {NULL, NULL, offset}, .element = stored, .window = window};
    kiln_lds_begin(l, &transfer);

    int axis = (int)kiln_ir_int_attr(op, "axis", 0);
    kiln_layout_t apart = without_axis(indices->layout, source->layout, axis);
    kiln_sum_t *sums = KILN_LOWER_ARRAY(l, kiln_sum_t, indices->count);
    kiln_emit_layout_sums(l, &apart, 1, sums);
    int64_t stride = INT64_C(1) << kiln_layout_shift(source->layout, axis);
    // Bits of the row-major index that the register alone doesn't decide.
    uint32_t open = ((1u << source->layout->log2_shape[axis]) - 1) << kiln_layout_shift(source->layout, axis);
    for (int p = KILN_LANE; p <= KILN_WARP; p++)
        for (int i = 0; i < apart.bits[p]; i++)
            open |= apart.basis[p][i];
    for (uint32_t w = 0; w < windows; w++) {
        transfer.window_index = w;
        kiln_emit_barrier(l);
        kiln_lds_store(l, &transfer, values);
        kiln_emit_barrier(l);
        for (uint32_t r = 0; r < result->count; r++) {
            if (((kiln_layout_apply(&apart, r, 0, 0) ^ w << shift) & ~open) >> shift)
                continue;
            LLVMValueRef index = LLVMBuildIntCast2(l->builder, kiln_tile_value(l, indices, r), l->i32, 1, "");
            kiln_sum_t sum = kiln_sum_add(l, sums[r], kiln_sum_scale(l, kiln_sum_of(index, false), stride, l->i32), 32);
            LLVMValueRef place = kiln_sum_value(l, sum, l->i32),
                         in = LLVMBuildAnd(l->builder, place, kiln_emit_i32(l, window - 1), "");
            kiln_sum_t at = kiln_sum_scale(l, kiln_sum_of(in, false), bytes, l->i32);
            at.imm += offset;
            LLVMValueRef load = LLVMBuildLoad2(l->builder, stored, kiln_lds_pointer(l, at), "");
            LLVMSetAlignment(load, bytes);
            LLVMValueRef hit =
                LLVMBuildICmp(l->builder, LLVMIntEQ, LLVMBuildLShr(l->builder, place, kiln_emit_i32(l, shift), ""),
                              kiln_emit_i32(l, w), "");
            LLVMValueRef value = kiln_from_stored(l, load, result->element);
            result->values[r] =
                result->values[r] ? LLVMBuildSelect(l->builder, hit, value, result->values[r], "") : value;
        }
    }
    result->block = LLVMGetInsertBlock(l->builder);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

kiln_status_t kiln_lower_gather(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *source = kiln_lower_operand(l, op, 0), *indices = kiln_lower_operand(l, op, 1);
    kiln_tile_t *result = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    uint32_t offset;
    if (!source || !indices || !result)
        return KILN_OK;
    KILN_TRY(kiln_lower_scratch(l, op, &offset));
    LLVMTypeRef stored = kiln_stored_type(l, source->element);
    unsigned bytes = kiln_llvm_bits(stored) / 8;
    if ((uint64_t)kiln_type_count(source->type) * bytes > GATHER_AT_ONCE)
        return gather_by_windows(l, op, source, indices, result, offset);
    kiln_layout_t write = row_major(source->layout);
    kiln_lds_transfer_t transfer = {.map = &write,
                                    .base = {NULL, NULL, offset},
                                    .element = stored,
                                    .predicate = kiln_lds_writer(l, source->layout)};
    LLVMValueRef *values = KILN_LOWER_ARRAY(l, LLVMValueRef, source->count);
    for (uint32_t r = 0; r < source->count; r++)
        values[r] = kiln_to_stored(l, kiln_tile_value(l, source, r));
    kiln_lds_store(l, &transfer, values);
    kiln_emit_barrier(l);

    int axis = (int)kiln_ir_int_attr(op, "axis", 0);
    kiln_layout_t apart = without_axis(indices->layout, source->layout, axis);
    kiln_sum_t *sums = KILN_LOWER_ARRAY(l, kiln_sum_t, indices->count);
    kiln_emit_layout_sums(l, &apart, bytes, sums);
    int64_t stride = (INT64_C(1) << kiln_layout_shift(source->layout, axis)) * bytes;
    for (uint32_t r = 0; r < result->count; r++) {
        LLVMValueRef index = LLVMBuildIntCast2(l->builder, kiln_tile_value(l, indices, r), l->i32, 1, "");
        kiln_sum_t place = kiln_sum_add(l, sums[r], kiln_sum_scale(l, kiln_sum_of(index, false), stride, l->i32), 32);
        place.imm += offset;
        LLVMValueRef load = LLVMBuildLoad2(l->builder, stored, kiln_lds_pointer(l, place), "");
        LLVMSetAlignment(load, bytes);
        result->values[r] = kiln_from_stored(l, load, result->element);
    }
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

static void add_to_bin(kiln_lowering_t *l, LLVMValueRef bin, LLVMValueRef value, uint32_t offset)
{
    unsigned bytes = kiln_llvm_bits(LLVMTypeOf(value)) / 8, scope = LLVMGetSyncScopeID(l->context, "workgroup", 9);
    kiln_sum_t place = kiln_sum_scale(l, kiln_sum_of(bin, false), bytes, l->i32);
    place.imm += offset;
    LLVMBuildAtomicRMWSyncScope(l->builder, LLVMAtomicRMWBinOpAdd, kiln_lds_pointer(l, place), value,
                                LLVMAtomicOrderingMonotonic, scope);
}

// LLVM's time for a branch grows with how many there are.
enum { MANY_BRANCHES = 32 };

kiln_status_t kiln_lower_histogram(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *source = kiln_lower_operand(l, op, 0),
                *mask = mlirOperationGetNumOperands(op) > 1 ? kiln_lower_operand(l, op, 1) : NULL;
    kiln_tile_t *result = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    uint32_t offset;
    if (l->failure || !source || !result)
        return KILN_OK;
    KILN_TRY(kiln_lower_scratch(l, op, &offset));
    kiln_layout_t map = row_major(result->layout);
    kiln_lds_transfer_t transfer = {.map = &map,
                                    .base = {NULL, NULL, offset},
                                    .element = result->element,
                                    .predicate = kiln_lds_writer(l, result->layout)};
    LLVMValueRef *zeros = KILN_LOWER_ARRAY(l, LLVMValueRef, result->count);
    for (uint32_t r = 0; r < result->count; r++)
        zeros[r] = LLVMConstNull(result->element);
    kiln_lds_store(l, &transfer, zeros);
    kiln_emit_barrier(l);

    LLVMValueRef first = kiln_emit_is_first_replica(l, source->layout),
                 bins = kiln_emit_i32(l, kiln_type_count(result->type));
    uint32_t copies = kiln_layout_free_bits(source->layout, KILN_REGISTER);
    for (uint32_t r = 0; r < source->count; r++) {
        if (r & copies)
            continue;
        LLVMValueRef bin = LLVMBuildIntCast2(l->builder, kiln_tile_value(l, source, r), l->i32, 0, "");
        LLVMValueRef counts = LLVMBuildICmp(l->builder, LLVMIntULT, bin, bins, "");
        if (first)
            counts = LLVMBuildAnd(l->builder, counts, first, "");
        if (mask)
            counts = LLVMBuildAnd(l->builder, counts, kiln_tile_value(l, mask, r), "");
        if (source->count > MANY_BRANCHES) { // lanes that don't count add nothing, to counters apart
            LLVMValueRef idle =
                LLVMBuildAnd(l->builder, l->lane, kiln_emit_i32(l, kiln_type_count(result->type) - 1), "");
            bin = LLVMBuildSelect(l->builder, counts, bin, idle, "");
            add_to_bin(l, bin, LLVMBuildZExt(l->builder, counts, result->element, ""), offset);
            continue;
        }
        LLVMBasicBlockRef body = kiln_emit_block(l, "count"), after = kiln_emit_block(l, "counted");
        LLVMBuildCondBr(l->builder, counts, body, after);
        LLVMPositionBuilderAtEnd(l->builder, body);
        add_to_bin(l, bin, LLVMConstInt(result->element, 1, 0), offset);
        LLVMBuildBr(l->builder, after);
        LLVMPositionBuilderAtEnd(l->builder, after);
    }
    kiln_emit_barrier(l);
    transfer.predicate = NULL;
    kiln_lds_load(l, &transfer, result->values);
    result->block = LLVMGetInsertBlock(l->builder);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}
