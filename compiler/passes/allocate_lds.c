// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns LDS offsets to buffers, to operations with scratch, and to calls of functions that need
// LDS:
//
//   module                                        module attributes {ttg.shared = 8192}
//   %b = ttg.local_alloc                     →    %b = ttg.local_alloc {allocation.offset = 0}
//   %y = ttg.convert_layout %x                    %y = ttg.convert_layout %x {allocation.offset = 4096}
//
// Offsets are bytes from the start of the function's LDS; ttg.shared is the need of the largest
// function, including its callees. Offsets that the input already has are computed anew: the
// scratch of an operation depends on its lowering, so the offsets of Triton's compiler do not fit
// Kiln's.
//
// Schedules that pipeline_loops or expand_steps has not executed, because it is disabled, are
// removed: offsets, and the barriers that follow from them, are those of the loop as it is.
#include "analysis/plan/allocation.h"
#include "analysis/waves/waves.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "passes/pass.h"
#include "passes/pipelining/schedule.h"
#include "passes/steps/step_schedule.h"

typedef struct places {
    const kiln_allocation_t *allocation;
    MlirContext context;
    MlirOperation largest; // uses most of the current function's LDS
    uint32_t bytes;
} places_t;

static void remove_schedule(MlirOperation op)
{
    static const char *const NAMES[] = {KILN_LOOP_STAGE, KILN_LOOP_LAST_STAGE};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        mlirOperationRemoveDiscardableAttributeByName(op, mlirStringRefCreateFromCString(NAMES[i]));
    kiln_step_remove_cluster(op);
    kiln_step_remove_clusters(op);
}

static MlirWalkResult place(MlirOperation op, void *user)
{
    static const char name[] = "allocation.offset";
    places_t *places = user;
    uint32_t offset, bytes;
    remove_schedule(op);
    if (!kiln_allocation_offset(places->allocation, op, &offset, &bytes)) {
        mlirOperationRemoveDiscardableAttributeByName(op, mlirStringRefCreateFromCString(name));
        return MlirWalkResultAdvance;
    }
    mlirOperationSetDiscardableAttributeByName(op, mlirStringRefCreateFromCString(name),
                                               kiln_ir_i32_attr(places->context, offset));
    if (bytes > places->bytes) {
        places->largest = op;
        places->bytes = bytes;
    }
    return MlirWalkResultAdvance;
}

// The error points to the operation that uses most.
static kiln_status_t too_much(MlirOperation func, uint32_t bytes, const places_t *places)
{
    MlirStringRef name = mlirStringAttrGetValue(kiln_ir_attr(func, "sym_name"));
    kiln_status_t status =
        kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES,
                         "function '%.*s' needs %u bytes of LDS, %u of them here, but the limit is "
                         "%d per workgroup; use smaller tiles or lower num_stages",
                         (int)name.length, name.data, bytes, places->bytes, KILN_GFX942_LDS_BYTES);
    kiln_status_exceeds(status, KILN_RESOURCE_LDS, bytes, KILN_GFX942_LDS_BYTES);
    return kiln_status_at_op(status, places->largest);
}

static kiln_status_t place_all(const kiln_pass_context_t *context, MlirModule module,
                               const kiln_allocation_t *allocation)
{
    MlirOperation root = mlirModuleGetOperation(module);
    uint32_t max = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        if (kiln_op_kind(op) != KILN_OP_TT_FUNC)
            continue;
        places_t places = {.allocation = allocation, .context = context->mlir, .largest = op};
        kiln_walk(op, MlirWalkPreOrder, place, &places);
        uint32_t bytes = kiln_allocation_size(allocation, op);
        if (bytes > KILN_GFX942_LDS_BYTES)
            return too_much(op, bytes, &places);
        max = bytes > max ? bytes : max;
    }
    mlirOperationSetDiscardableAttributeByName(root, mlirStringRefCreateFromCString("ttg.shared"),
                                               kiln_ir_i32_attr(context->mlir, max));
    return KILN_OK;
}

kiln_status_t kiln_allocate_lds(const kiln_pass_context_t *context, MlirModule module)
{
    int waves;
    kiln_allocation_t *allocation;
    KILN_TRY(kiln_waves_of_module(module, &waves));
    KILN_TRY(kiln_allocation_create(module, waves, &allocation));
    kiln_status_t status = place_all(context, module, allocation);
    kiln_allocation_destroy(allocation);
    return status;
}
