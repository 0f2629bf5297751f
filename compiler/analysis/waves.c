// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See waves.h.
//
// The thing one gets wrong: a module without "ttg.num-warps" is no ttg, however many layouts it has.
#include "analysis/waves.h"

#include "base/gfx942.h"
#include "builder/ir.h"

enum { MAX_WAVES = 16 };

kiln_status_t kiln_waves_of_module(MlirModule module, int *out_count)
{
    MlirOperation op = mlirModuleGetOperation(module);
    int64_t waves = kiln_ir_int_attr(op, "ttg.num-warps", 0),
            lanes = kiln_ir_int_attr(op, "ttg.threads-per-warp", KILN_GFX942_LANES);
    if (waves < 1 || waves > MAX_WAVES || (waves & (waves - 1)))
        return kiln_status_at_op(
            kiln_status_make(KILN_STATUS_INVALID_INPUT,
                             "the module's attribute \"ttg.num-warps\" is %d; it must be a power of two from 1 to 16%s",
                             (int)waves, waves ? "" : " (a tt program has none: say so by its `stage`)"),
            op);
    if (lanes != KILN_GFX942_LANES)
        return kiln_status_at_op(
            kiln_status_make(KILN_STATUS_INVALID_INPUT,
                             "the module's attribute \"ttg.threads-per-warp\" is %d; gfx942 has waves of 64 lanes",
                             (int)lanes),
            op);
    *out_count = (int)waves;
    return KILN_OK;
}

// What one waits for that the others don't: a comparison whose opposite brings waves together again.
static bool are_opposite(MlirValue a, MlirValue b)
{
    static const int8_t opposite[] = {1, 0, 5, 4, 3, 2, 9, 8, 7, 6}; // of arith.cmpi's predicates
    MlirOperation first, second;
    if (kiln_value_op(a, &first) != KILN_OP_ARITH_CMPI || kiln_value_op(b, &second) != KILN_OP_ARITH_CMPI)
        return false;
    int64_t predicate = kiln_ir_int_attr(first, "predicate", 0);
    return opposite[predicate] == kiln_ir_int_attr(second, "predicate", 0) &&
           mlirValueEqual(kiln_op_operand(first, 0), kiln_op_operand(second, 0)) &&
           mlirValueEqual(kiln_op_operand(first, 1), kiln_op_operand(second, 1));
}

static int skew_of_block(MlirBlock block);

// Of the operation's regions the most; blocks of one may follow each other before waves meet.
static int skew_of_regions(MlirOperation op)
{
    int most = 0;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r) {
        int skew = 0;
        for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
             block = mlirBlockGetNextInRegion(block))
            skew += skew_of_block(block);
        most = skew > most ? skew : most;
    }
    return most;
}

// By how many barriers a block brings waves apart: one for each of its conditional barriers until its opposite follows;
// half of all where some have none, for waves meet at the block's end. With what is in its operations, at the most.
static int skew_of_block(MlirBlock block)
{
    enum { MOST_OPEN = 8 };
    MlirValue open[MOST_OPEN];
    int opened = 0, most = 0, inside = 0, count = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        int skew = skew_of_regions(op);
        inside = skew > inside ? skew : inside;
        if (kiln_op_kind(op) != KILN_OP_AMDG_COND_BARRIER)
            continue;
        MlirValue condition = kiln_op_operand(op, 0);
        count++;
        if (opened > 0 && opened <= MOST_OPEN && are_opposite(open[opened - 1], condition)) {
            opened--;
            continue;
        }
        if (opened < MOST_OPEN)
            open[opened] = condition;
        most = ++opened > most ? opened : most;
    }
    return inside + (opened == 0 ? most : (count + 1) / 2);
}

static int barriers_beside(MlirOperation op)
{
    int count = 0;
    for (MlirOperation at = mlirBlockGetFirstOperation(mlirOperationGetBlock(op)); !mlirOperationIsNull(at);
         at = mlirOperationGetNextInBlock(at))
        count += kiln_op_kind(at) == KILN_OP_AMDG_COND_BARRIER;
    return count;
}

static MlirWalkResult find_lone_barrier(MlirOperation op, void *user)
{
    kiln_status_t *failure = user;
    if (kiln_op_kind(op) != KILN_OP_AMDG_COND_BARRIER)
        return MlirWalkResultAdvance;
    MlirOperation parent = kiln_op_parent(op);
    if (kiln_op_kind(parent) == KILN_OP_TT_FUNC || barriers_beside(op) % 2 == 0)
        return MlirWalkResultAdvance;
    *failure = kiln_op_unsupported(op, "a barrier of some waves without one that brings them together in '%s'",
                                   kiln_op_name(kiln_op_kind(parent)));
    return MlirWalkResultInterrupt;
}

static MlirWalkResult find_call(MlirOperation op, void *user)
{
    bool *found = user;
    *found |= kiln_op_kind(op) == KILN_OP_TT_CALL;
    return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Functions count together where one may call another.
kiln_status_t kiln_waves_skew(MlirModule module, int *out_skew)
{
    kiln_status_t failure = KILN_OK;
    MlirOperation root = mlirModuleGetOperation(module);
    kiln_walk(root, MlirWalkPreOrder, find_lone_barrier, &failure);
    bool calls = false;
    kiln_walk(root, MlirWalkPreOrder, find_call, &calls);
    *out_skew = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        int skew = skew_of_regions(op);
        *out_skew = calls ? *out_skew + skew : skew > *out_skew ? skew : *out_skew;
    }
    return failure;
}
