// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Overlaps iterations of loops with a schedule, either from schedule_loops or from the input text:
//
//   scf.for … {                                        prologue: operations that run ahead, for the first iterations
//     %a = tt.load … {loop.stage = 0, …}       →       scf.for: each stage for a different iteration
//     %d = tt.dot %a … {loop.stage = 1, …}             epilogue: the remaining operations, for the last iterations
//   } {tt.scheduled_max_stage = 1}
//
// Inner loops come first. If the outer loop has a schedule, too, the whole expansion of an inner
// loop belongs to the inner loop's stage.
#include <stdlib.h>

#include "builder/ir.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"
#include "passes/pipelining/expand.h"

static void inherit(MlirOperation op, const char *name, MlirAttribute value)
{
    if (mlirAttributeIsNull(kiln_ir_attr(op, name)) && !mlirAttributeIsNull(value))
        mlirOperationSetDiscardableAttributeByName(op, mlirStringRefCreateFromCString(name), value);
}

static kiln_status_t expand(MlirOperation loop, int *io_max_stages)
{
    MlirAttribute stage = kiln_ir_attr(loop, KILN_LOOP_STAGE),
                  cluster = kiln_ir_attr(loop, KILN_LOOP_CLUSTER);
    MlirOperation first = mlirBlockGetFirstOperation(mlirOperationGetBlock(loop)), before = {NULL};
    for (MlirOperation op = first; !mlirOperationEqual(op, loop);
         op = mlirOperationGetNextInBlock(op))
        before = op;
    MlirBlock block = mlirOperationGetBlock(loop);
    MlirOperation next = mlirOperationGetNextInBlock(loop);
    kiln_loop_schedule_t schedule;
    KILN_TRY(kiln_loop_schedule_read(loop, &schedule));
    kiln_status_t status = kiln_expand_loop(&schedule);
    if (io_max_stages && schedule.stages > *io_max_stages)
        *io_max_stages = schedule.stages;
    kiln_loop_schedule_free(&schedule);
    if (status || mlirAttributeIsNull(stage))
        return status;
    MlirOperation op = mlirOperationIsNull(before) ? mlirBlockGetFirstOperation(block)
                                                   : mlirOperationGetNextInBlock(before);
    for (; !mlirOperationEqual(op, next); op = mlirOperationGetNextInBlock(op)) {
        inherit(op, KILN_LOOP_STAGE, stage);
        inherit(op, KILN_LOOP_CLUSTER, cluster);
    }
    return KILN_OK;
}

kiln_status_t kiln_pipeline_loops(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_loops_t loops;
    kiln_status_t status =
        kiln_loops_collect(module, MlirWalkPostOrder, kiln_loop_is_scheduled, &loops);
    for (int i = 0; i < loops.count && !status; i++)
        status = expand(loops.ops[i], context->pipeline_stages);
    free(loops.ops);
    return status;
}
