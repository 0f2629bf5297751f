// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts a barrier before each operation whose access of memory meets one that other waves may still be at:
//
//   ttg.local_store %x, %b                        ttg.local_store %x, %b
//                                            →    ttg.barrier local
//   %y = ttg.local_load %b                        %y = ttg.local_load %b
//
//   %v = tt.load %p                               %v = tt.load %p
//                                            →    ttg.barrier local|global_read|global_write
//   tt.store %p, %w                               tt.store %p, %w
//
// In global memory only what other waves may touch is ordered (analysis/global_access.h).
// Which ones is membar's answer (analysis/membar.h), from the places that allocate_lds gave. A barrier that is there
// counts, so on its own result this pass does nothing.
//
// The thing one gets wrong: barriers inside an operation that goes through scratch are no business of this pass.
#include <stdlib.h>

#include "analysis/membar.h"
#include "analysis/waves.h"
#include "builder/ir.h"
#include "passes/pass.h"

typedef struct placement {
    MlirContext context;
    const kiln_membar_t *membar;
    int rounds;
} placement_t;

static MlirWalkResult place(MlirOperation op, void *user)
{
    enum { LOCAL = 1, GLOBAL_READ = 2, GLOBAL_WRITE = 4 };
    const placement_t *placement = user;
    unsigned spaces = kiln_membar_before(placement->membar, op);
    int64_t named = spaces & KILN_SPACE_GLOBAL ? LOCAL | GLOBAL_READ | GLOBAL_WRITE : LOCAL;
    if (!spaces)
        return MlirWalkResultAdvance;
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
    int waves, skew;
    kiln_allocation_t *allocation;
    kiln_global_accesses_t *accesses = NULL;
    kiln_membar_t *membar;
    KILN_TRY(kiln_waves_of_module(module, &waves));
    KILN_TRY(kiln_waves_skew(module, &skew));
    KILN_TRY(kiln_allocation_create(module, waves, &allocation));
    kiln_status_t status = kiln_allocation_read_offsets(allocation);
    if (!status)
        status = kiln_global_accesses_create(module, waves, &accesses);
    if (!status)
        status = kiln_membar_create(module, allocation, accesses, skew + 1, &membar);
    if (!status) {
        placement_t placement = {context->mlir, membar, skew + 1};
        kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, place, &placement);
        kiln_membar_destroy(membar);
    }
    kiln_global_accesses_destroy(accesses);
    kiln_allocation_destroy(allocation);
    return status;
}
