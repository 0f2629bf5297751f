// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes how many iterations a loop's loads can run ahead within the LDS of a compute unit. The
// scratch of the loop's operations is subtracted from the space for buffers.
#include "passes/pipelining/default_schedule.h"

#include "analysis/machine/co_residency.h"
#include "analysis/machine/loop_registers.h"
#include "analysis/plan/scratch.h"
#include "base/gfx942.h"
#include "builder/ir.h"

uint64_t kiln_schedule_buffer_bytes(const kiln_default_schedule_t *loop)
{
    uint64_t bytes = 0;
    for (int l = 0; l < loop->load_count; l++) {
        MlirType type = mlirValueGetType(kiln_op_result(loop->loads[l].op, 0));
        int bits = kiln_type_bits(type);
        unsigned buffers = mlirAttributeIsNull(loop->loads[l].second) ? 1 : 2;
        if (loop->loads[l].waiting == KILN_WAITS_IN_LDS)
            bytes +=
                buffers * (uint64_t)kiln_type_count(type) * (uint64_t)(bits <= 8 ? 1 : bits / 8);
    }
    return bytes;
}

// Whether the value is that of a load which waits in LDS, or its transposition: a conversion of it
// becomes a read of LDS.
static bool is_in_lds(const kiln_default_schedule_t *loop, MlirValue value)
{
    MlirOperation op;
    while (kiln_value_op(value, &op) == KILN_OP_TT_TRANS)
        value = kiln_op_operand(op, 0);
    for (int l = 0; l < loop->load_count; l++)
        if (loop->loads[l].waiting == KILN_WAITS_IN_LDS &&
            mlirValueEqual(kiln_op_result(loop->loads[l].op, 0), value))
            return true;
    return false;
}

// A conversion that becomes a read of LDS needs no scratch.
static bool becomes_read(MlirOperation op, void *loop)
{
    return kiln_op_kind(op) == KILN_OP_TTG_CONVERT_LAYOUT &&
           is_in_lds(loop, kiln_op_operand(op, 0));
}

uint64_t kiln_schedule_scratch_bytes(const kiln_default_schedule_t *loop, int num_warps)
{
    return kiln_largest_scratch(loop->op, num_warps, becomes_read, (void *)loop);
}

// Drops second buffers if they would reduce the workgroups on a compute unit below the number that
// registers allow.
void kiln_schedule_drop_second_buffers(kiln_default_schedule_t *loop, int num_stages, int num_warps)
{
    uint64_t stages = num_stages > 1 ? (uint64_t)num_stages - 1 : 1,
             bytes = kiln_schedule_buffer_bytes(loop) * stages +
                     kiln_schedule_scratch_bytes(loop, num_warps),
             workgroups = kiln_co_resident_workgroups(
                 kiln_loop_registers_with_operands(loop->op, num_warps), 0, num_warps);
    if (bytes * (workgroups ? workgroups : 1) <= KILN_GFX942_LDS_BYTES)
        return;
    for (int l = 0; l < loop->load_count; l++)
        loop->loads[l].second = (MlirAttribute){NULL};
}

// Returns how many iterations loads can run ahead at most within LDS.
int kiln_schedule_max_by_lds(const kiln_default_schedule_t *loop, int distance, int num_warps)
{
    uint64_t bytes = kiln_schedule_buffer_bytes(loop),
             scratch = kiln_schedule_scratch_bytes(loop, num_warps);
    while (distance > 0 && bytes * (uint64_t)distance + scratch > KILN_GFX942_LDS_BYTES)
        distance--;
    return distance;
}

static int max_by_trip_count(const kiln_default_schedule_t *loop, int distance)
{
    while (distance > 0 && loop->trip_count >= 0 && loop->trip_count <= distance)
        distance--;
    return distance;
}

// Returns how far loads run ahead: as requested, but limited by the trip count and LDS. 0: not at
// all.
int kiln_schedule_choose_distance(const kiln_default_schedule_t *loop, int num_stages,
                                  int num_warps)
{
    return max_by_trip_count(loop, kiln_schedule_max_by_lds(loop, num_stages - 1, num_warps));
}
