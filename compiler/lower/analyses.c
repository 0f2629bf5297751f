// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lowering asks of the analyses: vector widths of memory accesses, places in LDS, barriers.
//
// The thing one gets wrong: a barrier that membar gives to an operation stands before it, not inside.
#include "lowering.h"

#include "analysis/allocation.h"
#include "analysis/axis_info.h"
#include "analysis/membar.h"

struct kiln_lower_analyses {
    kiln_axis_analysis_t *axis;
    kiln_allocation_t *allocation;
    kiln_membar_t *membar;
};

typedef struct largest {
    const kiln_allocation_t *allocation;
    MlirOperation op;
    uint32_t bytes;
} largest_t;

static MlirWalkResult find_largest(MlirOperation op, void *user)
{
    largest_t *largest = user;
    uint32_t offset, bytes;
    if (kiln_allocation_offset(largest->allocation, op, &offset, &bytes) && bytes > largest->bytes) {
        largest->op = op;
        largest->bytes = bytes;
    }
    return MlirWalkResultAdvance;
}

// The error points to the operation that takes most.
static kiln_status_t too_much_lds(const kiln_allocation_t *allocation, MlirOperation func, uint32_t bytes)
{
    largest_t largest = {allocation, func, 0};
    kiln_walk(func, MlirWalkPreOrder, find_largest, &largest);
    MlirStringRef name = kiln_lower_function_name(func);
    return kiln_status_at_op(
        kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES,
                         "function '%.*s' needs %u bytes of LDS, %u of them here; a workgroup on gfx942 has %d: make "
                         "tiles smaller or lower num_stages",
                         (int)name.length, name.data, bytes, largest.bytes, KILN_GFX942_LDS_BYTES),
        largest.op);
}

kiln_status_t kiln_lower_analyse(kiln_lowering_t *l)
{
    MlirOperation module = mlirModuleGetOperation(l->ttg);
    kiln_lower_analyses_t *analyses = kiln_lower_arena_alloc(l->arena, sizeof *analyses);
    l->analyses = analyses;
    KILN_TRY(kiln_axis_analysis_create(module, &analyses->axis));
    KILN_TRY(kiln_allocation_create(l->ttg, l->num_warps, &analyses->allocation));
    KILN_TRY(kiln_membar_create(l->ttg, analyses->allocation, &analyses->membar));
    MlirBlock body = mlirModuleGetBody(l->ttg);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (kiln_op_kind(op) != KILN_OP_TT_FUNC)
            continue;
        uint32_t bytes = kiln_allocation_size(analyses->allocation, op);
        if (bytes > KILN_GFX942_LDS_BYTES)
            return too_much_lds(analyses->allocation, op, bytes);
        l->lds_bytes = bytes > l->lds_bytes ? bytes : l->lds_bytes;
    }
    return KILN_OK;
}

void kiln_lower_analyses_release(kiln_lowering_t *l)
{
    if (!l->analyses)
        return;
    kiln_membar_destroy(l->analyses->membar);
    kiln_allocation_destroy(l->analyses->allocation);
    kiln_axis_analysis_destroy(l->analyses->axis);
}

// In a pipelined loop the values that local_store writes were loaded at the top, so that arithmetic hides the wait for
// them. LLVM would move the packing of those values up into the arithmetic, and the wait with it; nothing is scheduled
// across this point.
static void hold_back_stores(kiln_lowering_t *l, MlirOperation op)
{
    if (kiln_op_kind(op) != KILN_OP_TTG_LOCAL_STORE || kiln_op_kind(kiln_op_parent(op)) != KILN_OP_SCF_FOR)
        return;
    LLVMValueRef nothing = LLVMConstInt(LLVMInt32TypeInContext(l->context), 0, 0);
    kiln_emit_intrinsic(l, "llvm.amdgcn.sched.barrier", NULL, 0, &nothing, 1);
}

kiln_status_t kiln_lower_barrier_before(kiln_lowering_t *l, MlirOperation op)
{
    hold_back_stores(l, op);
    if (l->analyses->membar && kiln_membar_before(l->analyses->membar, op))
        kiln_emit_barrier(l);
    return KILN_OK;
}

int kiln_lower_access_vector(kiln_lowering_t *l, MlirValue pointers, MlirValue mask)
{
    return kiln_axis_access_vector(l->analyses->axis, pointers, mask, l->num_warps, NULL);
}

uint32_t kiln_lower_call_lds(kiln_lowering_t *l, MlirOperation op)
{
    uint32_t offset, bytes;
    return kiln_allocation_offset(l->analyses->allocation, op, &offset, &bytes) ? offset : 0;
}

kiln_status_t kiln_lower_scratch(kiln_lowering_t *l, MlirOperation op, uint32_t *out_offset)
{
    uint32_t bytes;
    if (!kiln_allocation_offset(l->analyses->allocation, op, out_offset, &bytes))
        return kiln_status_make(KILN_STATUS_INTERNAL, "no LDS was allocated for this operation");
    return KILN_OK;
}
