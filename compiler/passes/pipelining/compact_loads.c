// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads whose values are read in layouts with copies, such as the sums of a tile's rows beside a
// result of a matrix instruction, where each lane holds 16 of 32 elements. To run ahead, such a
// load takes a layout without copies, and its value waits in LDS, as those for dots do:
//
//   %s = tt.load %p : #slice                     %s1 = tt.load %p1 : #compact
//   %b = expand_dims %s                    →     %s  = ttg.convert_layout %s1 : #compact -> #slice
//                                                %b  = expand_dims %s
//
// In the schedule the conversion becomes a read of LDS. Otherwise the copies would wait in
// registers, and one value would take several accesses of global memory.
#include "passes/pipelining/default_schedule.h"

#include "analysis/machine/co_residency.h"
#include "analysis/machine/loop_registers.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "passes/layouts/rematerialise.h"

enum { ACCESS = 4 }; // registers of the widest access

static bool is_row(MlirType type)
{
    return kiln_type_is_tensor(type) && kiln_type_rank(type) == 1 &&
           !kiln_type_is_ptr(kiln_type_element(type));
}

static MlirAttribute compact_layout(MlirContext context, int num_warps)
{
    const kiln_blocked_t compact = {.rank = 1,
                                    .size_per_thread = {1},
                                    .threads_per_warp = {KILN_GFX942_LANES},
                                    .warps_per_cta = {num_warps},
                                    .order = {0}};
    return kiln_blocked_attr(context, &compact);
}

static bool holds_copies(MlirOperation load, int num_warps)
{
    if (kiln_op_kind(load) != KILN_OP_TT_LOAD)
        return false;
    const MlirValue value = kiln_op_result(load, 0);
    const MlirType type = mlirValueGetType(value);
    return is_row(type) && kiln_type_count(type) <= (int64_t)KILN_GFX942_LANES * num_warps &&
           kiln_value_registers(value, num_warps) > ACCESS;
}

static MlirAttribute row_buffer(MlirContext context)
{
    const kiln_swizzled_shared_t plain = {
        .rank = 1, .vec = 1, .per_phase = 1, .max_phase = 1, .order = {0}};
    return kiln_swizzled_shared_attr(context, &plain);
}

static bool is_read_with_copies(MlirOperation load, int num_warps)
{
    const MlirValue value = kiln_op_result(load, 0);
    if (!is_row(mlirValueGetType(value)))
        return false;
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (kiln_op_kind(user) != KILN_OP_TTG_CONVERT_LAYOUT ||
            kiln_value_registers(kiln_op_result(user, 0), num_warps) <= ACCESS)
            return false;
    }
    return kiln_value_has_uses(value);
}

static kiln_status_t compact(MlirOperation load, int num_warps)
{
    enum { MAX_OPERANDS = 3 };
    kiln_layout_names_t names = {.num_warps = num_warps};
    kiln_rematerialiser_t rematerialiser = {.names = &names};
    const MlirType type = mlirValueGetType(kiln_op_result(load, 0));
    const MlirAttribute compact = compact_layout(mlirTypeGetContext(type), num_warps);
    const kiln_ir_t before = kiln_ir_before(load), after = kiln_ir_after(load);
    const intptr_t count = mlirOperationGetNumOperands(load);
    MlirValue operands[MAX_OPERANDS];
    bool fits = count <= MAX_OPERANDS;
    for (intptr_t i = 0; i < count && fits; i++) {
        operands[i] = mlirOperationGetOperand(load, i);
        const MlirType own = mlirValueGetType(operands[i]);
        if (!kiln_type_is_tensor(own))
            continue;
        const MlirValue moved = kiln_ir_unary(&before, KILN_OP_TTG_CONVERT_LAYOUT,
                                              kiln_type_with_encoding(own, compact), operands[i]);
        operands[i] = kiln_rematerialise(&rematerialiser, mlirOpResultGetOwner(moved));
        fits = !mlirValueIsNull(operands[i]);
        kiln_op_erase(mlirOpResultGetOwner(moved));
    }
    if (fits) {
        for (intptr_t i = 0; i < count; i++)
            mlirOperationSetOperand(load, i, operands[i]);
        const MlirValue value = kiln_op_result(load, 0);
        mlirValueSetType(value, kiln_type_with_encoding(type, compact));
        const MlirValue back = kiln_ir_unary(&after, KILN_OP_TTG_CONVERT_LAYOUT, type, value);
        MlirOperation conversion = mlirOpResultGetOwner(back);
        mlirValueReplaceAllUsesExcept(value, back, 1, &conversion);
    }
    const bool out_of_memory = rematerialiser.out_of_memory;
    kiln_rematerialiser_free(&rematerialiser);
    kiln_names_free(&names);
    return out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}

bool kiln_schedule_has_copies(MlirOperation loop, int num_warps)
{
    MlirBlock body = kiln_op_body(loop, 0);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (holds_copies(op, num_warps))
            return true;
    return false;
}

static kiln_ahead_load_t in_lds(kiln_ahead_load_t load)
{
    load.waiting = KILN_WAITS_IN_LDS;
    load.shared = row_buffer(mlirOperationGetContext(load.op));
    return load;
}

// Whether the loop's loads run as far ahead, in as many workgroups of a compute unit, if this one
// waits in LDS, too.
static bool may_wait_in_lds(const kiln_default_schedule_t *loop, int num_warps,
                            kiln_ahead_load_t load)
{
    kiln_default_schedule_t more = *loop;
    const unsigned registers = kiln_loop_registers_with_operands(more.op, num_warps);
    const uint64_t scratch = kiln_schedule_scratch_bytes(&more, num_warps),
                   before = kiln_schedule_buffer_bytes(&more) * (uint64_t)loop->distance + scratch;
    kiln_ahead_load_t only = in_lds(load);
    more.loads = &only;
    more.load_count = 1;
    const uint64_t after = before + kiln_schedule_buffer_bytes(&more) * (uint64_t)loop->distance;
    return after <= KILN_GFX942_LDS_BYTES &&
           kiln_co_resident_workgroups(registers, after, num_warps) >=
               kiln_co_resident_workgroups(registers, before, num_warps);
}

void kiln_schedule_wait_with_copies(kiln_default_schedule_t *io_loop, int num_warps)
{
    for (int l = 0; l < io_loop->load_count && io_loop->distance > 0; l++) {
        kiln_ahead_load_t *load = &io_loop->loads[l];
        if (load->waiting == KILN_WAITS_IN_REGISTERS && is_read_with_copies(load->op, num_warps) &&
            may_wait_in_lds(io_loop, num_warps, *load))
            *load = in_lds(*load);
    }
}

kiln_status_t kiln_schedule_compact_loads(const kiln_default_schedule_t *loop, int num_warps)
{
    for (int l = 0; l < loop->load_count; l++) {
        const kiln_ahead_load_t *load = &loop->loads[l];
        if (load->waiting == KILN_WAITS_IN_REGISTERS && holds_copies(load->op, num_warps) &&
            may_wait_in_lds(loop, num_warps, *load))
            KILN_TRY(compact(load->op, num_warps));
    }
    return KILN_OK;
}
