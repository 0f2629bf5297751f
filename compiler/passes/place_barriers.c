// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserts a barrier before each operation whose memory access conflicts with one that other waves
// may still be executing:
//
//   ttg.local_store %x, %b                        ttg.local_store %x, %b
//                                            →    ttg.barrier local
//   %y = ttg.local_load %b                        %y = ttg.local_load %b
//
//   %v = tt.load %p                               %v = tt.load %p
//                                            →    ttg.barrier local|global_read|global_write
//   tt.store %p, %w                               tt.store %p, %w
//
// In global memory only accesses that may conflict with other waves are ordered
// (analysis/memory/global_access.h). The conflicts come from analysis/barriers/membar.h, with the
// offsets assigned by allocate_lds. Existing barriers count, so the pass is idempotent.
//
// A barrier that only some waves would execute is an error: it orders nothing, and those waves
// would wait for others.
//
// Note that operations with scratch contain barriers of their own, which this pass does not place.
#include "analysis/barriers/module_barriers.h"
#include "builder/ir.h"
#include "passes/pass.h"

typedef struct placement {
    MlirContext context;
    const kiln_membar_t *membar;
    const kiln_uniformity_t *uniformity;
    int rounds;
    kiln_status_t failure;
} placement_t;

static MlirWalkResult place(MlirOperation op, void *user)
{
    enum { LOCAL = 1, GLOBAL_READ = 2, GLOBAL_WRITE = 4 };
    placement_t *placement = user;
    unsigned spaces = kiln_membar_before(placement->membar, op);
    int64_t named = spaces & KILN_SPACE_GLOBAL ? LOCAL | GLOBAL_READ | GLOBAL_WRITE : LOCAL;
    if (!spaces)
        return MlirWalkResultAdvance;
    if (!kiln_is_executed_by_all_waves(placement->uniformity, op)) {
        placement->failure = kiln_op_unsupported(
            op, "an access that needs a barrier, in control flow that not all waves execute,");
        return MlirWalkResultInterrupt;
    }
    kiln_ir_t ir = kiln_ir_before(op);
    MlirNamedAttribute attributes[] = {
        kiln_ir_named(ir.context, "addrSpace", kiln_ir_i32_attr(ir.context, named)),
        kiln_ir_named(ir.context, "kiln.rounds", kiln_ir_i32_attr(ir.context, placement->rounds)),
    };
    kiln_ir_create(&ir, &(kiln_ir_op_t){.kind = KILN_OP_TTG_BARRIER,
                                        .attribute_count = placement->rounds > 1 ? 2 : 1,
                                        .attributes = attributes});
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_place_barriers(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_module_barriers_t barriers;
    KILN_TRY(kiln_module_barriers_create(module, &barriers));
    placement_t placement = {context->mlir, barriers.membar, barriers.uniformity, barriers.rounds,
                             KILN_OK};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, place, &placement);
    kiln_module_barriers_destroy(&barriers);
    return placement.failure;
}
