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

typedef struct skew_search {
    int barriers;
    kiln_status_t failure;
} skew_search_t;

static int barriers_beside(MlirOperation op)
{
    int count = 0;
    for (MlirOperation at = mlirBlockGetFirstOperation(mlirOperationGetBlock(op)); !mlirOperationIsNull(at);
         at = mlirOperationGetNextInBlock(at))
        count += kiln_op_kind(at) == KILN_OP_AMDG_COND_BARRIER;
    return count;
}

static MlirWalkResult find_cond_barrier(MlirOperation op, void *user)
{
    skew_search_t *search = user;
    if (kiln_op_kind(op) != KILN_OP_AMDG_COND_BARRIER)
        return MlirWalkResultAdvance;
    search->barriers++;
    MlirOperation parent = kiln_op_parent(op);
    if (kiln_op_kind(parent) == KILN_OP_TT_FUNC || barriers_beside(op) % 2 == 0)
        return MlirWalkResultAdvance;
    search->failure = kiln_op_unsupported(op, "a barrier of some waves without one that brings them together in '%s'",
                                          kiln_op_name(kiln_op_kind(parent)));
    return MlirWalkResultInterrupt;
}

// All waves meet at the end, and at the end of each iteration and branch, so of the module's barriers half bring waves
// apart and half together.
kiln_status_t kiln_waves_skew(MlirModule module, int *out_skew)
{
    skew_search_t search = {0};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_cond_barrier, &search);
    *out_skew = (search.barriers + 1) / 2;
    return search.failure;
}
