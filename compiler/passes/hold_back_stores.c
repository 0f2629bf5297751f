// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a loop's stores to LDS after the arithmetic that precedes them. In a pipelined loop the
// stored values were loaded at the top, so that arithmetic hides the wait for them; LLVM would
// hoist the packing of those values into the arithmetic, and the wait with it. The scheduler moves
// nothing across the barrier that is inserted before such a store:
//
//   scf.for … {                                   scf.for … {
//     ttg.local_store %x, %b                 →      rocdl.sched.barrier 0
//   }                                               ttg.local_store %x, %b
//                                                 }
//
// Adjacent stores share one barrier: LLVM merges two stores whose addresses differ by a constant.
//
// Note that the scheduling barrier precedes the store's workgroup barrier, so the search for an
// existing one looks past workgroup barriers.
#include "analysis/memory/effects.h"
#include "builder/ir.h"
#include "passes/pass.h"
#include "passes/rewrite/sched_barrier.h"

static MlirWalkResult hold_back(MlirOperation loop, void *user)
{
    (void)user;
    if (kiln_op_kind(loop) != KILN_OP_SCF_FOR)
        return MlirWalkResultAdvance;
    bool is_held_back = false; // whether a scheduling barrier precedes `op`
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(loop, 0));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        switch (kiln_op_kind(op)) {
        case KILN_OP_ROCDL_SCHED_BARRIER:
            is_held_back = kiln_ir_int_attr(op, "mask", -1) == KILN_MAY_CROSS_NOTHING;
            break;
        case KILN_OP_TTG_BARRIER:
        case KILN_OP_TTG_LOCAL_BARRIER:
        case KILN_OP_GPU_BARRIER:
            break;
        case KILN_OP_TTG_LOCAL_STORE:
            if (!is_held_back) {
                const kiln_ir_t ir = kiln_ir_before(op);
                kiln_put_sched_barrier(&ir, KILN_MAY_CROSS_NOTHING);
            }
            is_held_back = true; // also for adjacent stores, which may share an instruction with it
            break;
        default:
            is_held_back = is_held_back && kiln_op_is_view(kiln_op_kind(op));
            break;
        }
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_hold_back_stores(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, hold_back, NULL);
    return KILN_OK;
}
