// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of Triton's AMD passes other than memory accesses: tokens of asynchronous copies,
// barriers and hints for the scheduler, parts of tensors in registers.
//
// Note that amdg.cond_barrier lets waves run a barrier apart from each other
// (analysis/waves/waves.h). The program's own barriers are emitted once; a barrier inside an
// operation is repeated once for every barrier that waves may be apart (l->skew).
#include "emit.h"
#include "layout/rearrange.h"
#include "tile.h"

#include <mlir-c/BuiltinAttributes.h>

// Tokens ------------------------------------------------------------------------------------------

// Copies are lowered synchronously, so there is nothing to wait for.
kiln_status_t kiln_lower_token(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *token = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!token)
        return KILN_OK;
    token->values[0] = kiln_emit_i1(l, false);
    kiln_lower_bind_result(l, op, 0, token);
    return KILN_OK;
}

// Threads and waves -------------------------------------------------------------------------------

static kiln_status_t bind_i32(kiln_lowering_t *l, MlirOperation op, kiln_sum_t value)
{
    kiln_tile_t *tile = kiln_tile_create_sums(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!tile)
        return KILN_OK;
    tile->sums[0] = value;
    kiln_lower_bind_result(l, op, 0, tile);
    return KILN_OK;
}

kiln_status_t kiln_lower_warp_id(kiln_lowering_t *l, MlirOperation op)
{
    return bind_i32(l, op, (kiln_sum_t){NULL, l->wave, 0});
}

kiln_status_t kiln_lower_thread_id(kiln_lowering_t *l, MlirOperation op)
{
    LLVMValueRef wave = NULL;
    if (l->wave)
        wave = LLVMBuildMul(l->builder, l->wave, kiln_emit_i32(l, KILN_GFX942_LANES), "");
    return bind_i32(l, op, (kiln_sum_t){l->lane, wave, 0});
}

// Barriers and hints ------------------------------------------------------------------------------

// The condition is uniform over a wave.
kiln_status_t kiln_lower_cond_barrier(kiln_lowering_t *l, MlirOperation op)
{
    LLVMValueRef condition = kiln_lower_scalar(l, op, 0);
    if (!condition)
        return KILN_OK;
    LLVMBasicBlockRef wait = kiln_emit_block(l, "wait"), after = kiln_emit_block(l, "waited");
    kiln_emit_no_sinking(l);
    LLVMBuildCondBr(l->builder, kiln_emit_uniform(l, condition), wait, after);
    LLVMPositionBuilderAtEnd(l->builder, wait);
    kiln_emit_wave_barrier(l);
    LLVMBuildBr(l->builder, after);
    LLVMPositionBuilderAtEnd(l->builder, after);
    return KILN_OK;
}

kiln_status_t kiln_lower_wave_barrier(kiln_lowering_t *l, MlirOperation op)
{
    (void)op;
    kiln_emit_no_sinking(l);
    kiln_emit_wave_barrier(l);
    return KILN_OK;
}

// s_waitcnt of gfx9: vmcnt in bits 3–0 and 15–14, expcnt in 6–4, lgkmcnt in 11–8; all ones: no
// wait. Loads and stores share vmcnt.
kiln_status_t kiln_lower_memory_counter_wait(kiln_lowering_t *l, MlirOperation op)
{
    enum { VM_MAX = 63, LGKM_MAX = 15, NO_EXP = 7 << 4 };
    int64_t load = kiln_ir_int_attr(op, "load", VM_MAX),
            store = kiln_ir_int_attr(op, "store", VM_MAX);
    int64_t ds = kiln_ir_int_attr(op, "ds", LGKM_MAX), vm = load < store ? load : store;
    vm = vm < 0 ? 0 : vm > VM_MAX ? VM_MAX : vm;
    ds = ds < 0 ? 0 : ds > LGKM_MAX ? LGKM_MAX : ds;
    LLVMValueRef counters = kiln_emit_i32(l, (vm & 15) | NO_EXP | ds << 8 | (vm >> 4) << 14);
    kiln_emit_no_sinking(l);
    kiln_emit_intrinsic(l, "llvm.amdgcn.s.waitcnt", NULL, 0, &counters, 1);
    return KILN_OK;
}

// Operations of rocdl that are an intrinsic with constant arguments, and nothing else.
static const struct {
    kiln_op_t kind;
    const char *intrinsic;
    const char *attributes[3];
    unsigned bits;
} hints[] = {
    {KILN_OP_ROCDL_S_SETPRIO, "llvm.amdgcn.s.setprio", {"priority"}, 16},
    {KILN_OP_ROCDL_SCHED_BARRIER, "llvm.amdgcn.sched.barrier", {"mask"}, 32},
    {KILN_OP_ROCDL_SCHED_GROUP_BARRIER,
     "llvm.amdgcn.sched.group.barrier",
     {"mask", "size", "groupId"},
     32},
    {KILN_OP_ROCDL_IGLP_OPT, "llvm.amdgcn.iglp.opt", {"variant"}, 32},
    {KILN_OP_ROCDL_S_WAITCNT, "llvm.amdgcn.s.waitcnt", {"bitfield"}, 32},
};

kiln_status_t kiln_lower_rocdl_hint(kiln_lowering_t *l, MlirOperation op)
{
    kiln_op_t kind = kiln_op_kind(op);
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        if (hints[i].kind != kind)
            continue;
        LLVMValueRef args[3];
        unsigned count = 0;
        for (; count < 3 && hints[i].attributes[count]; count++)
            args[count] = LLVMConstInt(
                LLVMIntTypeInContext(l->context, hints[i].bits),
                (unsigned long long)kiln_ir_int_attr(op, hints[i].attributes[count], 0), 0);
        kiln_emit_intrinsic(l, hints[i].intrinsic, NULL, 0, args, count);
    }
    return KILN_OK;
}

// A hint for a whole loop, which Triton's LLVM passes implement; Kiln schedules by its own rules
// and ignores it.
kiln_status_t kiln_lower_no_hint(kiln_lowering_t *l, MlirOperation op)
{
    (void)l, (void)op;
    return KILN_OK;
}

// Parts of tensors --------------------------------------------------------------------------------

// The coordinates of a flat index of `part`, moved by `offsets`, as a flat index of `whole`.
static uint32_t index_in_whole(const kiln_layout_t *part, const kiln_layout_t *whole, uint32_t flat,
                               const int64_t *offsets)
{
    uint32_t moved = 0;
    for (int d = 0; d < part->rank; d++)
        moved |= (kiln_layout_coord(part, flat, d) + (uint32_t)(offsets ? offsets[d] : 0))
                 << kiln_layout_shift(whole, d);
    return moved;
}

// The register of `whole` that holds register `reg` of the part at `offsets`, in every thread.
static kiln_status_t register_in_whole(MlirOperation op, const kiln_layout_t *part,
                                       const kiln_layout_t *whole, uint32_t reg,
                                       const int64_t *offsets, uint32_t *out)
{
    uint32_t lane, wave;
    kiln_layout_locate(whole,
                       index_in_whole(part, whole, kiln_layout_apply(part, reg, 0, 0), offsets),
                       out, &lane, &wave);
    bool same = lane == 0 && wave == 0;
    for (kiln_place_t place = KILN_LANE; place <= KILN_WARP; place++)
        for (int i = 0; i < part->bits[place]; i++)
            same &=
                whole->basis[place][i] == index_in_whole(part, whole, part->basis[place][i], NULL);
    return same ? KILN_OK : kiln_op_unsupported(op, "a part of a tensor held by other threads");
}

kiln_status_t kiln_lower_extract_slice(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *source = kiln_lower_operand(l, op, 0);
    kiln_tile_t *result =
        source ? kiln_tile_like(l, source, mlirValueGetType(mlirOperationGetResult(op, 0))) : NULL;
    MlirAttribute attribute = kiln_ir_attr(op, "static_offsets");
    int64_t offsets[KILN_MAX_RANK];
    if (!result)
        return KILN_OK;
    for (int d = 0; d < result->layout->rank; d++)
        offsets[d] = mlirDenseI64ArrayGetElement(attribute, d);
    for (uint32_t r = 0; r < result->count; r++) {
        uint32_t reg;
        KILN_TRY(register_in_whole(op, result->layout, source->layout, r, offsets, &reg));
        if (!source->sums)
            kiln_tile_value(l, source, reg);
        kiln_tile_copy_register(result, r, source, reg);
    }
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

// Parts are in row-major order.
kiln_status_t kiln_lower_concat(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *result = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!result)
        return KILN_OK;
    for (int i = 0; i < (int)mlirOperationGetNumOperands(op); i++) {
        kiln_tile_t *part = kiln_lower_operand(l, op, i);
        if (!part)
            return KILN_OK;
        int64_t offsets[KILN_MAX_RANK], rest = i;
        for (int d = part->layout->rank - 1; d >= 0; d--) {
            int64_t size = kiln_type_dim(part->type, d),
                    parts = kiln_type_dim(result->type, d) / size;
            offsets[d] = rest % parts * size;
            rest /= parts;
        }
        for (uint32_t r = 0; r < part->count; r++) {
            uint32_t reg;
            KILN_TRY(register_in_whole(op, part->layout, result->layout, r, offsets, &reg));
            result->values[reg] = kiln_tile_value(l, part, r);
        }
    }
    for (uint32_t r = 0; r < result->count; r++) // copies that a layout holds of its own elements
        if (!result->values[r])
            result->values[r] = result->values[kiln_layout_canonical_register(result->layout, r)];
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}
