// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Program ids and the size of the grid.
//
// For another order than that of the dispatch (analysis/program_order.h), the workgroup's number
// along the listed axes is decomposed again, in the wanted order:
//
//     number = x + nx · y              (axes 0 and 1, of nx and ny programs)
//     id 1   = number % ny             (array<i32: 1, 0>)
//     id 0   = number / ny             or nx − 1 − number / ny
//
// With kiln.xcds = 8 and ny > 8 the ids of a row are rotated first:
//
//     at     = number % ny             start = number − at
//     id 1   = (at + start % 8) % ny   by a subtraction, as 8 < ny
//
// All of this is 32-bit arithmetic. For a grid of 2^32 or more programs, whose numbers do not fit,
// the ids are those of the dispatch, and so they are for a grid of at most kiln.ordered_above.
#include "functions.h"
#include "lower/emit.h"
#include "lower/tile.h"

static LLVMValueRef dispatched_id(kiln_lowering_t *l, int axis)
{
    static const char *const intrinsics[] = {
        "llvm.amdgcn.workgroup.id.x", "llvm.amdgcn.workgroup.id.y", "llvm.amdgcn.workgroup.id.z"};
    l->features_used |= (uint32_t)KILN_FEATURE_WORKGROUP_ID_X << axis;
    return kiln_emit_intrinsic(l, intrinsics[axis], NULL, 0, NULL, 0);
}

// The grid's size is at the start of the hidden arguments of code object version 5.
static LLVMValueRef program_count(kiln_lowering_t *l, int axis)
{
    l->features_used |= KILN_FEATURE_IMPLICIT_ARGS;
    LLVMValueRef base = kiln_emit_intrinsic(l, "llvm.amdgcn.implicitarg.ptr", NULL, 0, NULL, 0);
    LLVMValueRef offset = kiln_emit_i64(l, 4 * axis);
    LLVMValueRef load = LLVMBuildLoad2(l->builder, l->i32,
                                       LLVMBuildGEP2(l->builder, l->i8, base, &offset, 1, ""), "");
    LLVMSetAlignment(load, 4);
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(l->context, "invariant.load", 14),
                    LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, NULL, 0)));
    return load;
}

typedef struct numbering {
    LLVMValueRef counts[KILN_PROGRAM_AXES], ids[KILN_PROGRAM_AXES]; // of the dispatch
    LLVMValueRef number;                                            // among the listed axes
    LLVMValueRef is_ordered; // whether the order is another one (NULL: always)
} numbering_t;

static void add_condition(kiln_lowering_t *l, numbering_t *numbering, LLVMValueRef condition)
{
    numbering->is_ordered = numbering->is_ordered
                                ? LLVMBuildAnd(l->builder, numbering->is_ordered, condition, "")
                                : condition;
}

static void number_program(kiln_lowering_t *l, numbering_t *out)
{
    const kiln_program_order_t *order = &l->program_order;
    LLVMValueRef total = NULL; // programs along the axes so far
    bool is_listed[KILN_PROGRAM_AXES] = {false};
    *out = (numbering_t){.number = NULL};
    for (int i = 0; i < order->count; i++)
        is_listed[order->axes[i]] = true;
    for (int axis = 0; axis < KILN_PROGRAM_AXES; axis++) {
        if (!is_listed[axis])
            continue;
        LLVMValueRef id = out->ids[axis] = dispatched_id(l, axis),
                     count = out->counts[axis] = program_count(l, axis),
                     wide = LLVMBuildZExt(l->builder, count, l->i64, "");
        if (!total) {
            out->number = id;
            total = wide;
            continue;
        }
        LLVMValueRef stride = LLVMBuildTrunc(l->builder, total, l->i32, "");
        out->number =
            LLVMBuildAdd(l->builder, out->number, LLVMBuildMul(l->builder, stride, id, ""), "");
        total = LLVMBuildMul(l->builder, LLVMBuildZExt(l->builder, stride, l->i64, ""), wide, "");
        LLVMValueRef fits =
            LLVMBuildICmp(l->builder, LLVMIntULE, total, kiln_emit_i64(l, UINT32_MAX), "");
        add_condition(l, out, fits);
    }
    if (order->above)
        add_condition(
            l, out,
            LLVMBuildICmp(l->builder, LLVMIntUGT, total, kiln_emit_i64(l, order->above), ""));
}

// The number, with the programs of its row rotated.
static LLVMValueRef rotate(kiln_lowering_t *l, const numbering_t *numbering)
{
    const kiln_program_order_t *order = &l->program_order;
    LLVMBuilderRef b = l->builder;
    LLVMValueRef row = numbering->counts[order->axes[0]], xcds = kiln_emit_i32(l, order->xcds);
    for (int i = 1; i + 1 < order->count; i++)
        row = LLVMBuildMul(b, row, numbering->counts[order->axes[i]], "");
    LLVMValueRef at = LLVMBuildURem(b, numbering->number, row, ""),
                 start = LLVMBuildSub(b, numbering->number, at, "");
    LLVMValueRef sum = LLVMBuildAdd(b, at, LLVMBuildURem(b, start, xcds, ""), "");
    LLVMValueRef wrapped = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGE, sum, row, ""),
                                           LLVMBuildSub(b, sum, row, ""), sum, "");
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, row, xcds, ""),
                           LLVMBuildAdd(b, start, wrapped, ""), numbering->number, "");
}

// Computes the ids of all listed axes, in the entry block.
static void order_ids(kiln_lowering_t *l)
{
    const kiln_program_order_t *order = &l->program_order;
    numbering_t numbering;
    LLVMBuilderRef builder = l->builder;
    l->builder = l->entry;
    number_program(l, &numbering);
    LLVMValueRef rest = order->xcds && order->count > 1 ? rotate(l, &numbering) : numbering.number;
    for (int i = 0; i < order->count; i++) {
        const int axis = order->axes[i];
        const bool is_last = i + 1 == order->count;
        LLVMValueRef count = numbering.counts[axis],
                     id = is_last ? rest : LLVMBuildURem(l->builder, rest, count, "");
        if (is_last && order->last_descends)
            id = LLVMBuildSub(l->builder, LLVMBuildSub(l->builder, count, kiln_emit_i32(l, 1), ""),
                              id, "");
        if (!is_last)
            rest = LLVMBuildUDiv(l->builder, rest, count, "");
        if (numbering.is_ordered)
            id = LLVMBuildSelect(l->builder, numbering.is_ordered, id, numbering.ids[axis], "");
        l->program_ids[axis] = id;
    }
    l->builder = builder;
}

LLVMValueRef kiln_lower_program_id(kiln_lowering_t *l, int axis)
{
    if (l->program_order.count > 0 && !l->has_program_ids)
        order_ids(l);
    l->has_program_ids = true;
    return l->program_ids[axis] ? l->program_ids[axis] : dispatched_id(l, axis);
}

static kiln_status_t bind_uniform(kiln_lowering_t *l, MlirOperation op, LLVMValueRef value)
{
    kiln_tile_t *tile = kiln_tile_create_sums(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!tile)
        return KILN_OK;
    tile->values[0] = value;
    tile->sums[0] = kiln_sum_of(value, true);
    kiln_lower_bind_result(l, op, 0, tile);
    return KILN_OK;
}

kiln_status_t kiln_lower_get_program_id(kiln_lowering_t *l, MlirOperation op)
{
    const int64_t axis = kiln_ir_int_attr(op, "axis", 0);
    if (axis < 0 || axis >= KILN_PROGRAM_AXES)
        return kiln_op_unsupported(op, "program id of dimension %d", (int)axis);
    return bind_uniform(l, op, kiln_lower_program_id(l, (int)axis));
}

kiln_status_t kiln_lower_get_num_programs(kiln_lowering_t *l, MlirOperation op)
{
    const int64_t axis = kiln_ir_int_attr(op, "axis", 0);
    if (axis < 0 || axis >= KILN_PROGRAM_AXES)
        return kiln_op_unsupported(op, "number of programs in dimension %d", (int)axis);
    return bind_uniform(l, op, program_count(l, (int)axis));
}
