// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structured control flow and branches between blocks. All conditions and bounds are scalars, so
// whole workgroups branch together.
//
// scf.for becomes a rotated loop:   if (lower < upper) do { …; i += step; } while (i < upper);
// If i + step may overflow its type, `while` uses another condition (analysis/iterations.h).
// An iteration argument that only changes by amounts uniform over the tile (the pointers and
// offsets of nearly every loop) is carried as one scalar phi, which is added to the tile of its
// initial value; an argument that the loop returns unchanged isn't carried at all.
//
// Note that the values that a branch passes must be materialized before the block's terminator is
// built.
#include "analysis/axis/axis_info.h"
#include "analysis/iterations.h"
#include "builder/op_facts.h"
#include "functions.h"
#include "lower/emit.h"
#include "lower/tile.h"

#include <string.h>

enum { STEP_CHAIN = 16 };

// One value that is joined by phis.
typedef struct joint {
    kiln_carrier_t carrier;
    LLVMValueRef *phis;
    kiln_tile_t *init;           // stepped: the tile that the phi is added to
    MlirValue steps[STEP_CHAIN]; // stepped: what one iteration adds
    int64_t scales[STEP_CHAIN];  // stepped: bytes per unit for addptr, else 1
    int step_count;
    enum { JOINT_PHIS, JOINT_STEPPED, JOINT_INVARIANT } kind;
} joint_t;

static kiln_status_t create_phis(kiln_lowering_t *l, joint_t *joint)
{
    joint->phis = KILN_LOWER_ARRAY(l, LLVMValueRef, joint->carrier.count);
    for (uint32_t i = 0; i < joint->carrier.count; i++)
        joint->phis[i] = LLVMBuildPhi(l->builder, joint->carrier.part, "");
    return KILN_OK;
}

static void add_incoming(const joint_t *joint, LLVMValueRef *values, LLVMBasicBlockRef from)
{
    for (uint32_t i = 0; i < joint->carrier.count; i++)
        LLVMAddIncoming(joint->phis[i], &values[i], &from, 1);
}

static LLVMValueRef *pack(kiln_lowering_t *l, const joint_t *joint, kiln_tile_t *tile)
{
    LLVMValueRef *values = KILN_LOWER_ARRAY(l, LLVMValueRef, joint->carrier.count);
    kiln_carrier_pack(l, &joint->carrier, tile, values);
    return values;
}

// scf.for -----------------------------------------------------------------------------------------

// One value for all elements: a scalar, a splat, or a constant of one value.
static bool is_splat(MlirValue value)
{
    MlirOperation op;
    if (!kiln_type_is_tensor(mlirValueGetType(value)))
        return true;
    kiln_op_t kind = kiln_value_op(value, &op);
    return kind == KILN_OP_TT_SPLAT || (kind == KILN_OP_ARITH_CONSTANT &&
                                        mlirAttributeIsADenseElements(kiln_ir_attr(op, "value")) &&
                                        mlirDenseElementsAttrIsSplat(kiln_ir_attr(op, "value")));
}

// Returns whether `yielded` equals the iteration argument plus splats; if so, stores the steps in
// the joint.
static bool find_steps(MlirValue argument, MlirValue yielded, joint_t *joint)
{
    MlirValue value = yielded;
    for (joint->step_count = 0; !mlirValueEqual(value, argument); joint->step_count++) {
        MlirOperation op;
        kiln_op_t kind = kiln_value_op(value, &op);
        if (joint->step_count == STEP_CHAIN ||
            (kind != KILN_OP_TT_ADDPTR && kind != KILN_OP_ARITH_ADDI))
            return false;
        int step = 1;
        if (kind == KILN_OP_ARITH_ADDI && !is_splat(mlirOperationGetOperand(op, 1)))
            step = 0;
        if (!is_splat(mlirOperationGetOperand(op, step)))
            return false;
        value = mlirOperationGetOperand(op, 1 - step);
        joint->steps[joint->step_count] = mlirOperationGetOperand(op, step);
        joint->scales[joint->step_count] =
            kind == KILN_OP_TT_ADDPTR ? kiln_pointee_bytes(mlirValueGetType(value)) : 1;
    }
    return joint->step_count > 0;
}

static kiln_status_t plan_iteration(kiln_lowering_t *l, MlirValue argument, MlirValue yielded,
                                    kiln_tile_t *init, joint_t *joint)
{
    joint->init = init;
    if (mlirValueEqual(argument, yielded)) {
        joint->kind = JOINT_INVARIANT;
        return KILN_OK;
    }
    bool is_scalar_int = !init->layout && !init->base;
    if (init->sums && init->sum_bits >= 32 && !is_scalar_int &&
        find_steps(argument, yielded, joint)) {
        joint->kind = JOINT_STEPPED;
        joint->carrier = (kiln_carrier_t){.type = init->type,
                                          .count = 1,
                                          .vector_width = 1,
                                          .part = init->sum_bits == 32 ? l->i32 : l->i64};
        return KILN_OK;
    }
    joint->kind = JOINT_PHIS;
    return kiln_carrier_plan(l, argument, &joint->carrier);
}

// The initial tile with a uniform value added to each register.
static kiln_tile_t *stepped_tile(kiln_lowering_t *l, kiln_tile_t *init, LLVMValueRef step)
{
    kiln_tile_t *tile = kiln_tile_like(l, init, init->type);
    if (!tile)
        return NULL;
    for (uint32_t r = 0; r < tile->count; r++) {
        tile->sums[r] = init->sums[r];
        uint32_t duplicate = 0;
        while (init->sums[duplicate].uniform != init->sums[r].uniform)
            duplicate++;
        tile->sums[r].uniform = duplicate < r ? tile->sums[duplicate].uniform
                                              : kiln_emit_add(l, init->sums[r].uniform, step);
    }
    return tile;
}

static LLVMValueRef next_step(kiln_lowering_t *l, const joint_t *joint)
{
    LLVMValueRef value = joint->phis[0];
    for (int i = 0; i < joint->step_count; i++) {
        kiln_tile_t *tile = kiln_lower_value(l, joint->steps[i]);
        if (!tile)
            return value;
        LLVMValueRef step = kiln_tile_value(l, tile, 0);
        step = LLVMBuildIntCast2(l->builder, step, joint->carrier.part, 1, "");
        if (joint->scales[i] != 1)
            step =
                LLVMBuildMul(l->builder, step,
                             LLVMConstInt(joint->carrier.part, (uint64_t)joint->scales[i], 0), "");
        value = LLVMBuildAdd(l->builder, value, step, "");
    }
    return value;
}

static kiln_tile_t *unpack_joint(kiln_lowering_t *l, const joint_t *joint)
{
    switch (joint->kind) {
    case JOINT_INVARIANT:
        return joint->init;
    case JOINT_STEPPED:
        return stepped_tile(l, joint->init, joint->phis[0]);
    case JOINT_PHIS:
        break;
    }
    return kiln_carrier_unpack(l, &joint->carrier, joint->phis);
}

// Loop metadata is attached to the back edge's branch. LLVM requires a distinct node for each loop,
// so the node refers to itself.
static void note_hints(kiln_lowering_t *l, MlirOperation loop, LLVMValueRef branch)
{
    kiln_loop_hints_t hints = kiln_loop_hints(loop);
    const struct {
        bool is_set;
        const char *name;
    } known[] = {{hints.disable_licm, "llvm.licm.disable"},
                 {hints.disable_licm_versioning, "llvm.loop.licm_versioning.disable"}};
    enum { KNOWN = sizeof known / sizeof *known };
    if (!hints.disable_licm && !hints.disable_licm_versioning)
        return;
    LLVMMetadataRef parts[1 + KNOWN] = {LLVMTemporaryMDNode(l->context, NULL, 0)};
    size_t count = 1;
    for (int i = 0; i < KNOWN; i++) {
        LLVMMetadataRef name =
            LLVMMDStringInContext2(l->context, known[i].name, strlen(known[i].name));
        if (known[i].is_set)
            parts[count++] = LLVMMDNodeInContext2(l->context, &name, 1);
    }
    LLVMMetadataRef node = LLVMMDNodeInContext2(l->context, parts, count);
    LLVMMetadataReplaceAllUsesWith(parts[0], node); // disposes of the temporary one
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->context, "llvm.loop", 9),
                    LLVMMetadataAsValue(l->context, node));
}

// Whether another iteration follows that of `index`.
static LLVMValueRef emit_for_test(kiln_lowering_t *l, MlirOperation op, LLVMValueRef index,
                                  LLVMValueRef next, LLVMValueRef upper, LLVMValueRef step)
{
    switch (kiln_for_test(op)) {
    case KILN_FOR_TESTS_NEXT:
        return LLVMBuildICmp(l->builder, kiln_for_is_unsigned(op) ? LLVMIntULT : LLVMIntSLT, next,
                             upper, "");
    case KILN_FOR_TESTS_NEXT_UNSIGNED:
        return LLVMBuildICmp(l->builder, LLVMIntULT, next, upper, "");
    case KILN_FOR_TESTS_REST:
        break;
    }
    return LLVMBuildICmp(l->builder, LLVMIntUGT, LLVMBuildSub(l->builder, upper, index, ""), step,
                         "");
}

kiln_status_t kiln_lower_for(kiln_lowering_t *l, MlirOperation op)
{
    LLVMValueRef lower = kiln_lower_scalar(l, op, 0), upper = kiln_lower_scalar(l, op, 1),
                 step = kiln_lower_scalar(l, op, 2);
    MlirBlock block = kiln_op_body(op, 0);
    MlirOperation yield = kiln_block_terminator(block);
    intptr_t count = mlirOperationGetNumResults(op);
    if (l->failure)
        return KILN_OK;
    LLVMIntPredicate less = kiln_for_is_unsigned(op) ? LLVMIntULT : LLVMIntSLT;

    joint_t *joints = KILN_LOWER_ARRAY(l, joint_t, count);
    LLVMValueRef **initial = KILN_LOWER_ARRAY(l, LLVMValueRef *, count);
    for (intptr_t i = 0; i < count; i++) {
        kiln_tile_t *init = kiln_lower_operand(l, op, (int)(3 + i));
        if (!init)
            return KILN_OK;
        KILN_TRY(plan_iteration(l, mlirBlockGetArgument(block, 1 + i),
                                mlirOperationGetOperand(yield, i), init, &joints[i]));
        if (joints[i].kind == JOINT_PHIS)
            initial[i] = pack(l, &joints[i], init);
        else if (joints[i].kind == JOINT_STEPPED) {
            initial[i] = KILN_LOWER_ARRAY(l, LLVMValueRef, 1);
            initial[i][0] = LLVMConstNull(joints[i].carrier.part);
        }
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder), body = kiln_emit_block(l, "loop"),
                      after = kiln_emit_block(l, "after.loop");
    LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, less, lower, upper, ""), body, after);

    LLVMPositionBuilderAtEnd(l->builder, body);
    kiln_tile_t *induction =
        kiln_tile_create_sums(l, mlirValueGetType(mlirBlockGetArgument(block, 0)));
    if (!induction)
        return KILN_OK;
    LLVMValueRef index = LLVMBuildPhi(l->builder, LLVMTypeOf(lower), "i");
    LLVMAddIncoming(index, &lower, &before, 1);
    induction->values[0] = index;
    induction->sums[0] = kiln_sum_of(index, true);
    int64_t multiple = kiln_axis_info(l->axis, mlirBlockGetArgument(block, 0)).divisibility[0];
    if (multiple > 1 && !kiln_lower_map_set(l->multiples, index,
                                            (void *)(intptr_t)__builtin_ctzll((uint64_t)multiple)))
        return kiln_status_out_of_memory();
    kiln_lower_bind(l, mlirBlockGetArgument(block, 0), induction);
    for (intptr_t i = 0; i < count; i++)
        if (joints[i].kind != JOINT_INVARIANT) {
            KILN_TRY(create_phis(l, &joints[i]));
            add_incoming(&joints[i], initial[i], before);
        }
    for (intptr_t i = 0; i < count; i++)
        kiln_lower_bind(l, mlirBlockGetArgument(block, 1 + i), unpack_joint(l, &joints[i]));
    KILN_TRY(kiln_lower_block(l, block));

    LLVMValueRef **next = KILN_LOWER_ARRAY(l, LLVMValueRef *, count);
    for (intptr_t i = 0; i < count; i++) {
        if (joints[i].kind == JOINT_PHIS) {
            kiln_tile_t *tile = kiln_lower_operand(l, yield, (int)i);
            if (!tile)
                return KILN_OK;
            next[i] = pack(l, &joints[i], tile);
        } else if (joints[i].kind == JOINT_STEPPED) {
            next[i] = KILN_LOWER_ARRAY(l, LLVMValueRef, 1);
            next[i][0] = next_step(l, &joints[i]);
        }
    }
    LLVMValueRef next_index = LLVMBuildAdd(l->builder, index, step, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->builder);
    note_hints(l, op,
               LLVMBuildCondBr(l->builder, emit_for_test(l, op, index, next_index, upper, step),
                               body, after));
    LLVMAddIncoming(index, &next_index, &latch, 1);
    for (intptr_t i = 0; i < count; i++)
        if (joints[i].kind != JOINT_INVARIANT)
            add_incoming(&joints[i], next[i], latch);

    LLVMPositionBuilderAtEnd(l->builder, after);
    for (intptr_t i = 0; i < count; i++)
        if (joints[i].kind != JOINT_INVARIANT) {
            KILN_TRY(create_phis(l, &joints[i])); // the results; the loop's own phis are complete
            add_incoming(&joints[i], initial[i], before);
            add_incoming(&joints[i], next[i], latch);
        }
    for (intptr_t i = 0; i < count; i++)
        kiln_lower_bind_result(l, op, (int)i, unpack_joint(l, &joints[i]));
    return KILN_OK;
}

// scf.if, scf.while -------------------------------------------------------------------------------

// Positions in tiles are computed in each version of a kernel by itself: in a block that both have
// in common they would be live throughout either, also where only the other uses them so late.
static void begin_version(kiln_lowering_t *l)
{
    LLVMBasicBlockRef start = kiln_emit_block(l, "version");
    LLVMPositionBuilderBefore(l->positions, LLVMBuildBr(l->builder, start));
    LLVMPositionBuilderAtEnd(l->builder, start);
    l->linear_memo = NULL;
}

static void end_versions(kiln_lowering_t *l, LLVMBasicBlockRef positions,
                         struct kiln_linear_memo *memo)
{
    LLVMPositionBuilderBefore(l->positions, LLVMGetBasicBlockTerminator(positions));
    l->linear_memo = memo;
}

kiln_status_t kiln_lower_if(kiln_lowering_t *l, MlirOperation op)
{
    const bool are_versions = !mlirAttributeIsNull(kiln_ir_attr(op, KILN_IF_HAS_VERSIONS));
    LLVMBasicBlockRef positions = LLVMGetInsertBlock(l->positions);
    struct kiln_linear_memo *memo = l->linear_memo;
    LLVMValueRef condition = kiln_lower_scalar(l, op, 0);
    intptr_t count = mlirOperationGetNumResults(op);
    bool has_else = !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1)));
    if (!condition)
        return KILN_OK;
    joint_t *joints = KILN_LOWER_ARRAY(l, joint_t, count);
    for (intptr_t i = 0; i < count; i++)
        KILN_TRY(kiln_carrier_plan(l, mlirOperationGetResult(op, i), &joints[i].carrier));

    LLVMBasicBlockRef merge = kiln_emit_block(l, "endif"),
                      entries[2] = {kiln_emit_block(l, "then"),
                                    has_else ? kiln_emit_block(l, "else") : merge},
                      ends[2];
    LLVMValueRef **values[2] = {KILN_LOWER_ARRAY(l, LLVMValueRef *, count),
                                KILN_LOWER_ARRAY(l, LLVMValueRef *, count)};
    LLVMBuildCondBr(l->builder, condition, entries[0], entries[1]);
    for (int branch = 0; branch < (has_else ? 2 : 1); branch++) {
        LLVMPositionBuilderAtEnd(l->builder, entries[branch]);
        if (are_versions)
            begin_version(l);
        MlirBlock block = kiln_op_body(op, branch);
        KILN_TRY(kiln_lower_block(l, block));
        MlirOperation yield = kiln_block_terminator(block);
        for (intptr_t i = 0; i < count; i++) {
            kiln_tile_t *tile = kiln_lower_operand(l, yield, (int)i);
            if (!tile)
                return KILN_OK;
            values[branch][i] = pack(l, &joints[i], tile);
        }
        ends[branch] = LLVMGetInsertBlock(l->builder);
        LLVMBuildBr(l->builder, merge);
    }
    if (are_versions)
        end_versions(l, positions, memo);
    LLVMMoveBasicBlockAfter(merge, LLVMGetLastBasicBlock(l->function));
    LLVMPositionBuilderAtEnd(l->builder, merge);
    for (intptr_t i = 0; i < count; i++) {
        KILN_TRY(create_phis(l, &joints[i]));
        add_incoming(&joints[i], values[0][i], ends[0]);
        add_incoming(&joints[i], values[1][i], ends[1]);
    }
    for (intptr_t i = 0; i < count; i++)
        kiln_lower_bind_result(l, op, (int)i, unpack_joint(l, &joints[i]));
    return KILN_OK;
}

kiln_status_t kiln_lower_while(kiln_lowering_t *l, MlirOperation op)
{
    MlirBlock before = kiln_op_body(op, 0), after = kiln_op_body(op, 1);
    intptr_t count = mlirOperationGetNumOperands(op), results = mlirOperationGetNumResults(op);
    joint_t *joints = KILN_LOWER_ARRAY(l, joint_t, count);
    LLVMValueRef **values = KILN_LOWER_ARRAY(l, LLVMValueRef *, count);
    for (intptr_t i = 0; i < count; i++) {
        kiln_tile_t *tile = kiln_lower_operand(l, op, (int)i);
        if (!tile)
            return KILN_OK;
        KILN_TRY(kiln_carrier_plan(l, mlirBlockGetArgument(before, i), &joints[i].carrier));
        values[i] = pack(l, &joints[i], tile);
    }
    LLVMBasicBlockRef origin = LLVMGetInsertBlock(l->builder), header = kiln_emit_block(l, "while");
    LLVMBuildBr(l->builder, header);
    LLVMPositionBuilderAtEnd(l->builder, header);
    for (intptr_t i = 0; i < count; i++) {
        KILN_TRY(create_phis(l, &joints[i]));
        add_incoming(&joints[i], values[i], origin);
    }
    for (intptr_t i = 0; i < count; i++)
        kiln_lower_bind(l, mlirBlockGetArgument(before, i), unpack_joint(l, &joints[i]));
    KILN_TRY(kiln_lower_block(l, before));

    MlirOperation condition = kiln_block_terminator(before);
    LLVMValueRef continues = kiln_lower_scalar(l, condition, 0);
    if (!continues)
        return KILN_OK;
    LLVMBasicBlockRef body = kiln_emit_block(l, "do"), end = kiln_emit_block(l, "after.while");
    for (intptr_t i = 0; i < results; i++) {
        kiln_tile_t *tile = kiln_lower_operand(l, condition, (int)(1 + i));
        kiln_lower_bind(l, mlirBlockGetArgument(after, i), tile);
        kiln_lower_bind_result(l, op, (int)i, tile);
    }
    LLVMBuildCondBr(l->builder, continues, body, end);

    LLVMPositionBuilderAtEnd(l->builder, body);
    KILN_TRY(kiln_lower_block(l, after));
    MlirOperation yield = kiln_block_terminator(after);
    for (intptr_t i = 0; i < count; i++) {
        kiln_tile_t *tile = kiln_lower_operand(l, yield, (int)i);
        if (!tile)
            return KILN_OK;
        values[i] = pack(l, &joints[i], tile);
    }
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->builder);
    note_hints(l, op, LLVMBuildBr(l->builder, header));
    for (intptr_t i = 0; i < count; i++)
        add_incoming(&joints[i], values[i], latch);
    LLVMMoveBasicBlockAfter(end, LLVMGetLastBasicBlock(l->function));
    LLVMPositionBuilderAtEnd(l->builder, end);
    return KILN_OK;
}

// Blocks ------------------------------------------------------------------------------------------

typedef struct block_info {
    LLVMBasicBlockRef block;
    joint_t *joints; // of its arguments
} block_info_t;

static kiln_status_t branch_operands(kiln_lowering_t *l, MlirOperation op, intptr_t first,
                                     MlirBlock target)
{
    block_info_t *info = kiln_lower_map_get(l->blocks, target.ptr);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(target); i++) {
        kiln_tile_t *tile = kiln_lower_operand(l, op, (int)(first + i));
        if (!tile)
            return KILN_OK;
        add_incoming(&info->joints[i], pack(l, &info->joints[i], tile),
                     LLVMGetInsertBlock(l->builder));
    }
    return KILN_OK;
}

kiln_status_t kiln_lower_br(kiln_lowering_t *l, MlirOperation op)
{
    MlirBlock target = mlirOperationGetSuccessor(op, 0);
    KILN_TRY(branch_operands(l, op, 0, target));
    LLVMBuildBr(l->builder, ((block_info_t *)kiln_lower_map_get(l->blocks, target.ptr))->block);
    return KILN_OK;
}

kiln_status_t kiln_lower_cond_br(kiln_lowering_t *l, MlirOperation op)
{
    LLVMValueRef condition = kiln_lower_scalar(l, op, 0);
    if (!condition)
        return KILN_OK;
    // Each edge gets a block of its own: both may lead to one block with different arguments.
    LLVMBasicBlockRef edges[2] = {kiln_emit_block(l, "true"), kiln_emit_block(l, "false")};
    LLVMBuildCondBr(l->builder, condition, edges[0], edges[1]);
    intptr_t first = 1;
    for (intptr_t s = 0; s < 2; s++) {
        MlirBlock target = mlirOperationGetSuccessor(op, s);
        LLVMPositionBuilderAtEnd(l->builder, edges[s]);
        KILN_TRY(branch_operands(l, op, first, target));
        LLVMBuildBr(l->builder, ((block_info_t *)kiln_lower_map_get(l->blocks, target.ptr))->block);
        first += mlirBlockGetNumArguments(target);
    }
    return KILN_OK;
}

// Blocks in an order in which definitions come before uses: reverse post-order. Unreachable ones
// are left out.
static size_t order_blocks(kiln_lowering_t *l, MlirBlock entry, size_t count, MlirBlock *order)
{
    MlirBlock *stack = KILN_LOWER_ARRAY(l, MlirBlock, count);
    intptr_t *next = KILN_LOWER_ARRAY(l, intptr_t, count);
    size_t depth = 1, left = count;
    stack[0] = entry;
    kiln_lower_map_set(l->blocks, entry.ptr,
                       kiln_lower_arena_alloc(l->arena, sizeof(block_info_t)));
    while (depth) {
        MlirOperation terminator = mlirBlockGetTerminator(stack[depth - 1]);
        if (next[depth - 1] < mlirOperationGetNumSuccessors(terminator)) {
            MlirBlock successor = mlirOperationGetSuccessor(terminator, next[depth - 1]++);
            if (kiln_lower_map_get(l->blocks, successor.ptr))
                continue;
            kiln_lower_map_set(l->blocks, successor.ptr,
                               kiln_lower_arena_alloc(l->arena, sizeof(block_info_t)));
            stack[depth] = successor;
            next[depth++] = 0;
            continue;
        }
        order[--left] = stack[--depth];
    }
    size_t reached = count - left;
    memmove(order, order + left, reached * sizeof *order);
    return reached;
}

// Lowers all blocks of a region whose entry's arguments are bound. `leave` is called for the blocks
// without successors.
typedef kiln_status_t (*leave_t)(kiln_lowering_t *l, MlirOperation terminator, void *user);

static kiln_status_t lower_blocks(kiln_lowering_t *l, MlirRegion region, leave_t leave, void *user)
{
    size_t count = 0;
    MlirBlock entry = mlirRegionGetFirstBlock(region);
    for (MlirBlock block = entry; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
        count++;
    MlirBlock *order = KILN_LOWER_ARRAY(l, MlirBlock, count);
    count = order_blocks(l, entry, count, order);
    // All phis are created first, since branches fill them. Only roots that are function arguments
    // are known by then; all pointers come from them.
    LLVMBasicBlockRef start = LLVMGetInsertBlock(l->builder);
    for (size_t b = 0; b < count; b++) {
        block_info_t *info = kiln_lower_map_get(l->blocks, order[b].ptr);
        info->block = b ? kiln_emit_block(l, "block") : start;
        if (!b)
            continue;
        LLVMPositionBuilderAtEnd(l->builder, info->block);
        intptr_t arguments = mlirBlockGetNumArguments(order[b]);
        info->joints = KILN_LOWER_ARRAY(l, joint_t, arguments);
        for (intptr_t i = 0; i < arguments; i++) {
            KILN_TRY(
                kiln_carrier_plan(l, mlirBlockGetArgument(order[b], i), &info->joints[i].carrier));
            KILN_TRY(create_phis(l, &info->joints[i]));
        }
    }
    for (size_t b = 0; b < count; b++) {
        block_info_t *info = kiln_lower_map_get(l->blocks, order[b].ptr);
        LLVMPositionBuilderAtEnd(l->builder, info->block);
        for (intptr_t i = 0; b && i < mlirBlockGetNumArguments(order[b]); i++)
            kiln_lower_bind(l, mlirBlockGetArgument(order[b], i),
                            unpack_joint(l, &info->joints[i]));
        KILN_TRY(kiln_lower_block(l, order[b]));
        MlirOperation terminator = mlirBlockGetTerminator(order[b]);
        if (leave && mlirOperationGetNumSuccessors(terminator) == 0)
            KILN_TRY(leave(l, terminator, user));
        KILN_TRY(kiln_lower_take_failure(l));
    }
    return KILN_OK;
}

kiln_status_t kiln_lower_function_body(kiln_lowering_t *l, MlirRegion body)
{
    MlirBlock entry = mlirRegionGetFirstBlock(body);
    if (mlirBlockIsNull(mlirBlockGetNextInRegion(entry))) {
        kiln_lower_find_guard(l, entry);
        return kiln_lower_guarded_block(l, entry);
    }
    kiln_lower_map_clear(l->blocks);
    return lower_blocks(l, body, NULL, NULL);
}

// Where the paths through a region of scalars join.
typedef struct merge_point {
    LLVMBasicBlockRef block;
    LLVMValueRef *phis; // one for each result; NULL until the first path arrives
    int count;
} merge_point_t;

static kiln_status_t leave_region(kiln_lowering_t *l, MlirOperation terminator, void *user)
{
    merge_point_t *merge_point = user;
    LLVMValueRef *values = KILN_LOWER_ARRAY(l, LLVMValueRef, merge_point->count);
    for (int i = 0; i < merge_point->count; i++)
        if (!(values[i] = kiln_lower_scalar(l, terminator, i)))
            return KILN_OK;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->builder);
    LLVMBuildBr(l->builder, merge_point->block);
    LLVMPositionBuilderAtEnd(l->builder, merge_point->block);
    for (int i = 0; i < merge_point->count; i++) {
        if (!merge_point->phis[i])
            merge_point->phis[i] = LLVMBuildPhi(l->builder, LLVMTypeOf(values[i]), "");
        LLVMAddIncoming(merge_point->phis[i], &values[i], &from, 1);
    }
    return KILN_OK;
}

kiln_status_t kiln_lower_scalar_blocks(kiln_lowering_t *l, MlirRegion region, int result_count,
                                       LLVMValueRef *results)
{
    kiln_lower_map_t *outer = l->blocks;
    l->blocks = kiln_lower_map_create(); // the region is lowered several times, and inside of a
                                         // function's block
    if (!l->blocks) {
        l->blocks = outer;
        return kiln_status_out_of_memory();
    }
    for (int i = 0; i < result_count; i++)
        results[i] = NULL;
    merge_point_t merge_point = {kiln_emit_block(l, "met"), results, result_count};
    kiln_status_t status = lower_blocks(l, region, leave_region, &merge_point);
    kiln_lower_map_release(l->blocks);
    l->blocks = outer;
    LLVMPositionBuilderAtEnd(l->builder, merge_point.block);
    for (int i = 0; i < result_count && !status; i++)
        if (!results[i])
            status =
                kiln_op_unsupported(mlirBlockGetParentOperation(mlirRegionGetFirstBlock(region)),
                                    "a region without a terminator that returns");
    return status;
}

kiln_status_t kiln_lower_execute_region(kiln_lowering_t *l, MlirOperation op)
{
    MlirRegion region = mlirOperationGetRegion(op, 0);
    MlirBlock block = mlirRegionGetFirstBlock(region);
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
        return kiln_op_unsupported(op, "scf.execute_region with several blocks");
    KILN_TRY(kiln_lower_block(l, block));
    MlirOperation yield = kiln_block_terminator(block);
    for (int i = 0; i < mlirOperationGetNumResults(op); i++)
        kiln_lower_bind_result(l, op, i, kiln_lower_operand(l, yield, i));
    return KILN_OK;
}
