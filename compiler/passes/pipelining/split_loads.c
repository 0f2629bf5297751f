// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives each tensor that a branch in a loop loads a branch of its own, so that it can run ahead by
// itself. MLIR's canonicalizer combines adjacent branches of one condition, such as those that
// linear_remainders creates for loads with the same index:
//
//   %a, %b = scf.if %c {            %a = scf.if %c {             %b = scf.if %c {
//     load, load                →     load                         load
//   } else {                        } else {                     } else {
//     load, load                      load                         load
//   }                               }                            }
//
// After pipelining, the canonicalizer combines again what has stayed together.
#include "analysis/dot_chain.h"
#include "builder/erase_unused.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pipelining/schedule.h"
#include "passes/rewrite/branch.h"
#include "passes/rewrite/clones.h"

typedef struct split {
    int count;
    bool out_of_memory;
} split_t;

// Clones a branch's block; returns the clone of what it yields as that result.
static MlirValue clone_block(const kiln_ir_t *ir, MlirBlock block, int result, split_t *split)
{
    kiln_clones_t clones = {0};
    MlirOperation yield = kiln_block_terminator(block);
    MlirOperation op = mlirBlockGetFirstOperation(block);
    for (; !mlirOperationEqual(op, yield); op = mlirOperationGetNextInBlock(op))
        kiln_clone(ir, op, &clones);
    MlirValue value = kiln_clones_get(&clones, kiln_op_operand(yield, result));
    split->out_of_memory |= !kiln_clones_free(&clones);
    return value;
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    split_t *split = user;
    const int results = (int)mlirOperationGetNumResults(op);
    const MlirOperation loop = kiln_op_parent(op);
    if (results < 2 || kiln_op_kind(op) != KILN_OP_SCF_IF || !kiln_op_loads_tensors(op) ||
        kiln_op_kind(loop) != KILN_OP_SCF_FOR || !kiln_has_dot(loop) ||
        kiln_loop_is_scheduled(loop))
        return MlirWalkResultAdvance;
    const kiln_ir_t ir = kiln_ir_before(op);
    for (int i = 0; i < results; i++) {
        kiln_branch_t branch;
        split->out_of_memory |= !kiln_branch_open(&branch, &ir, kiln_op_operand(op, 0), 1);
        if (split->out_of_memory)
            return MlirWalkResultInterrupt;
        MlirValue then_value = clone_block(&branch.then_ir, kiln_op_body(op, 0), i, split);
        MlirValue else_value = clone_block(&branch.else_ir, kiln_op_body(op, 1), i, split);
        kiln_branch_yield(&branch, then_value, else_value);
        const MlirOperation made = kiln_branch_close(&branch, &ir);
        if (split->out_of_memory) // its clones may use values inside `op`
            return MlirWalkResultInterrupt;
        kiln_value_replace(kiln_op_result(op, i), kiln_op_result(made, 0));
    }
    kiln_op_erase(op);
    split->count++;
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_schedule_split_loads(MlirModule module)
{
    split_t split = {0};
    const MlirOperation root = mlirModuleGetOperation(module);
    kiln_walk(root, MlirWalkPostOrder, visit, &split);
    if (split.count && !split.out_of_memory)
        split.out_of_memory = !kiln_erase_unused(root);
    return split.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}
