// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans the use of registers; see register_plan.h.
//
// Operands of matrix instructions count half, since some of their registers are read only when they
// are needed.
#include "analysis/machine/register_plan.h"

#include "analysis/machine/loop_registers.h"
#include "analysis/pointer_map.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "layout/layout.h"

enum { TOO_LARGE_TILE = 2 * KILN_GFX942_SIMD_VGPRS };

typedef struct tally {
    int num_warps;
    uint64_t largest_tile, largest_pointers, largest_sum;
    unsigned loops;
    kiln_pointer_map_t registers; // of a tensor type, in elements
    bool out_of_memory;
} tally_t;

// Number of registers of a lane, one for each element that it holds; 0 if the type has no layout,
// which the lowering reports.
static uint64_t elements_of(tally_t *tally, MlirType type)
{
    int known = kiln_pointer_map_get(&tally->registers, type.ptr);
    if (known >= 0)
        return (uint64_t)known;
    kiln_layout_t layout;
    kiln_status_t status = kiln_layout_of_type(type, tally->num_warps, &layout);
    uint64_t count = status ? 0 : kiln_layout_registers(&layout);
    kiln_status_free(status);
    tally->out_of_memory |= !kiln_pointer_map_put(&tally->registers, type.ptr, (int)count);
    return count;
}

static void count_value(tally_t *tally, MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    if (!kiln_type_is_tensor(type))
        return;
    uint64_t dwords = elements_of(tally, type) * (kiln_type_bits(type) > 32 ? 2 : 1);
    uint64_t *largest =
        kiln_type_is_ptr(kiln_type_element(type)) ? &tally->largest_pointers : &tally->largest_tile;
    *largest = dwords > *largest ? dwords : *largest;
}

static uint64_t packed_dwords(tally_t *tally, MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    return elements_of(tally, type) * (uint64_t)kiln_type_bits(type) / 32;
}

static void count_sum(tally_t *tally, MlirOperation dot)
{
    MlirValue result = kiln_op_result(dot, 0);
    if (kiln_encoding_kind(kiln_type_encoding(mlirValueGetType(result))) != KILN_ENCODING_MFMA)
        return;
    uint64_t sum = packed_dwords(tally, result),
             operands = packed_dwords(tally, kiln_op_operand(dot, 0)) +
                        packed_dwords(tally, kiln_op_operand(dot, 1)),
             half = (sum + operands) / 2, needed = sum > half ? sum : half;
    tally->largest_sum = needed > tally->largest_sum ? needed : tally->largest_sum;
}

static void count_loop(tally_t *tally, MlirOperation loop)
{
    if (kiln_op_kind(loop) != KILN_OP_SCF_FOR)
        return;
    const unsigned needed = kiln_loop_registers_with_operands(loop, tally->num_warps);
    tally->loops = needed > tally->loops ? needed : tally->loops;
}

static MlirWalkResult count_operation(MlirOperation op, void *user)
{
    tally_t *tally = user;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        count_value(tally, mlirOperationGetResult(op, i));
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
             !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
            for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
                count_value(tally, mlirBlockGetArgument(block, i));
    if (kiln_op_kind(op) == KILN_OP_TT_DOT) {
        count_sum(tally, op);
        count_loop(tally, kiln_op_parent(op));
    }
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_plan_registers(MlirModule module, int num_warps, int waves_per_eu,
                                  kiln_register_plan_t *out)
{
    tally_t tally = {.num_warps = num_warps};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, count_operation, &tally);
    kiln_pointer_map_free(&tally.registers);
    bool pointers_decide = !tally.largest_sum && tally.largest_pointers > tally.largest_tile;
    uint64_t largest = pointers_decide ? tally.largest_pointers : tally.largest_tile;
    // If each wave of a workgroup has its own SIMD, a wave may use more than the architectural
    // registers.
    bool has_more = num_warps <= KILN_GFX942_SIMDS && waves_per_eu <= 1;
    *out = (kiln_register_plan_t){
        .largest_tile = largest,
        .largest_sum = tally.largest_sum,
        .loops = tally.loops,
        .exceeds_registers = largest >= TOO_LARGE_TILE,
        .sums_begin_in_vgprs = !(has_more && tally.largest_sum >= KILN_GFX942_ARCH_VGPRS),
        .sums_may_be_anywhere = has_more,
    };
    return tally.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}
