// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates the operation declared in sched_barrier.h.
#include "passes/rewrite/sched_barrier.h"

void kiln_put_sched_barrier(const kiln_ir_t *ir, int may_cross)
{
    // Loaded here because few programs need it.
    mlirContextGetOrLoadDialect(ir->context, mlirStringRefCreateFromCString("rocdl"));
    kiln_ir_with_attr(ir, KILN_OP_ROCDL_SCHED_BARRIER, KILN_NO_RESULT, 0, NULL, "mask",
                      kiln_ir_i32_attr(ir->context, may_cross));
}
