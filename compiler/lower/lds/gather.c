// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.gather: writes the source to LDS in row-major order and reads it at (own coordinates, index
// along the axis). A source larger than LDS is written window by window.
//
// Note that an index is known only at run time, so every register that may find its element in a
// window reads that window and uses the result only if the index lies in it.
#include "analysis/plan/index.h"
#include "layout/rearrange.h"
#include "lds.h"
#include "lower/emit.h"
#include "lower/layouts/convert.h"
#include "lower/tile.h"

// The result's coordinates in the source's shape, without the axis.
static kiln_layout_t without_axis(const kiln_layout_t *indices, const kiln_layout_t *source,
                                  int axis)
{
    kiln_layout_t apart = *indices;
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < apart.bits[place]; i++) {
            uint32_t flat = 0;
            for (int d = 0; d < apart.rank; d++)
                if (d != axis)
                    flat |= kiln_layout_coord(indices, indices->basis[place][i], d)
                            << kiln_layout_shift(source, d);
            apart.basis[place][i] = flat;
        }
    return apart;
}

// Writes each window of the source to LDS, where every register whose element may be in it reads
// it.
static kiln_status_t gather_by_windows(kiln_lowering_t *l, MlirOperation op,
                                       const kiln_gather_plan_t *plan, kiln_tile_t *source,
                                       kiln_tile_t *indices, kiln_tile_t *result, uint32_t offset)
{
    LLVMTypeRef stored = kiln_stored_type(l, source->element);
    unsigned bytes = plan->element_bytes;
    uint32_t window = plan->window / bytes,
             windows = (uint32_t)kiln_type_count(source->type) / window,
             shift = (uint32_t)__builtin_ctz(window);
    uint32_t registers = kiln_layout_registers(&plan->rows);
    LLVMValueRef *given = KILN_LOWER_ARRAY(l, LLVMValueRef, source->count),
                 *values = KILN_LOWER_ARRAY(l, LLVMValueRef, registers);
    for (uint32_t r = 0; r < source->count; r++)
        given[r] = kiln_tile_value(l, source, r);
    KILN_TRY(
        kiln_lower_convert_values(l, op, source->type, given, source->layout, values, &plan->rows));
    for (uint32_t r = 0; r < registers; r++)
        values[r] = kiln_to_stored(l, values[r]);
    kiln_layout_t write = kiln_layout_row_major(&plan->rows);
    kiln_lds_transfer_t transfer = {
        .map = &write, .base = {NULL, NULL, offset}, .element = stored, .window = window};
    kiln_lds_begin(l, &transfer);

    int axis = (int)kiln_ir_int_attr(op, "axis", 0);
    kiln_layout_t apart = without_axis(indices->layout, source->layout, axis);
    kiln_sum_t *sums = KILN_LOWER_ARRAY(l, kiln_sum_t, indices->count);
    kiln_emit_layout_sums(l, &apart, 1, sums);
    int64_t stride = INT64_C(1) << kiln_layout_shift(source->layout, axis);
    // Bits of the row-major index that the register alone does not determine.
    uint32_t open = ((1u << source->layout->log2_shape[axis]) - 1)
                    << kiln_layout_shift(source->layout, axis);
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
            LLVMValueRef index =
                LLVMBuildIntCast2(l->builder, kiln_tile_value(l, indices, r), l->i32, 1, "");
            kiln_sum_t sum = kiln_sum_add(
                l, sums[r], kiln_sum_scale(l, kiln_sum_of(index, false), stride, l->i32), 32);
            LLVMValueRef place = kiln_sum_value(l, sum, l->i32),
                         in = LLVMBuildAnd(l->builder, place, kiln_emit_i32(l, window - 1), "");
            kiln_sum_t at = kiln_sum_scale(l, kiln_sum_of(in, false), bytes, l->i32);
            at.imm += offset;
            LLVMValueRef load = LLVMBuildLoad2(l->builder, stored, kiln_lds_pointer(l, at), "");
            LLVMSetAlignment(load, bytes);
            LLVMValueRef hit =
                LLVMBuildICmp(l->builder, LLVMIntEQ,
                              LLVMBuildLShr(l->builder, place, kiln_emit_i32(l, shift), ""),
                              kiln_emit_i32(l, w), "");
            LLVMValueRef value = kiln_from_stored(l, load, result->element);
            result->values[r] = result->values[r]
                                    ? LLVMBuildSelect(l->builder, hit, value, result->values[r], "")
                                    : value;
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
    kiln_gather_plan_t plan;
    uint32_t offset;
    if (!source || !indices || !result)
        return KILN_OK;
    KILN_TRY(kiln_plan_gather(op, l->num_waves, &plan));
    KILN_TRY(kiln_lower_scratch(op, &offset));
    if (plan.window)
        return gather_by_windows(l, op, &plan, source, indices, result, offset);
    LLVMTypeRef stored = kiln_stored_type(l, source->element);
    unsigned bytes = plan.element_bytes;
    kiln_layout_t write = kiln_layout_row_major(source->layout);
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
        LLVMValueRef index =
            LLVMBuildIntCast2(l->builder, kiln_tile_value(l, indices, r), l->i32, 1, "");
        kiln_sum_t place = kiln_sum_add(
            l, sums[r], kiln_sum_scale(l, kiln_sum_of(index, false), stride, l->i32), 32);
        place.imm += offset;
        LLVMValueRef load = LLVMBuildLoad2(l->builder, stored, kiln_lds_pointer(l, place), "");
        LLVMSetAlignment(load, bytes);
        result->values[r] = kiln_from_stored(l, load, result->element);
    }
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}
