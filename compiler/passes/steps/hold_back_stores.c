// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps stores to LDS after the arithmetic that precedes them. In a pipelined loop the stored
// values were loaded at the top, so that arithmetic hides the wait for them; LLVM would hoist the
// packing of those values into the arithmetic, and the wait with it. Nothing moves across the
// beginning of the stores' cluster. Adjacent stores share one: LLVM merges two stores whose
// addresses differ by a constant.
//
// Note that the fence precedes the store's workgroup barrier, so the search for an existing one
// looks past workgroup barriers.
#include <stdlib.h>

#include "analysis/memory/effects.h"
#include "passes/rewrite/sched_barrier.h"
#include "passes/steps/policies.h"

// What LLVM may move across the place before an item: KILN_NO_FENCE if nothing is there.
// `io_cluster` is the cluster of the item before; a change of the priority counts, too.
static int fence_before(const kiln_step_schedule_t *s, kiln_step_item_t item, int *io_cluster)
{
    const int cluster = s->ops[item.op].cluster[item.slice];
    int fence = KILN_NO_FENCE;
    for (int c = *io_cluster + 1; c <= cluster; c++) {
        const bool moves_priority = s->clusters[c].priority != s->clusters[c - 1].priority;
        if (s->clusters[c].may_cross != KILN_NO_FENCE || moves_priority)
            fence = s->clusters[c].may_cross;
    }
    *io_cluster = cluster;
    return fence;
}

// Whether a fence is needed before the operation. `io_is_held_back`: whether a fence, or a store
// behind one, precedes.
static bool needs_fence(MlirOperation op, int fence_before, bool *io_is_held_back)
{
    bool is_held_back = fence_before == KILN_NO_FENCE ? *io_is_held_back
                                                      : fence_before == KILN_MAY_CROSS_NOTHING,
         needs = false;
    switch (kiln_op_kind(op)) {
    case KILN_OP_ROCDL_SCHED_BARRIER:
        is_held_back = kiln_ir_int_attr(op, "mask", -1) == KILN_MAY_CROSS_NOTHING;
        break;
    case KILN_OP_TTG_BARRIER:
    case KILN_OP_TTG_LOCAL_BARRIER:
    case KILN_OP_GPU_BARRIER:
        break;
    case KILN_OP_TTG_LOCAL_STORE:
        needs = !is_held_back;
        is_held_back = true; // also for adjacent stores, which may share an instruction with it
        break;
    default:
        is_held_back = is_held_back && kiln_op_is_view(kiln_op_kind(op));
        break;
    }
    *io_is_held_back = is_held_back;
    return needs;
}

kiln_status_t kiln_hold_back_stores(kiln_step_schedule_t *io)
{
    kiln_step_item_t *items;
    int count, cluster = 0;
    bool is_held_back = false;
    KILN_TRY(kiln_step_list(io, &items, &count));
    kiln_status_t status = KILN_OK;
    for (int i = 0; i < count && !status; i++) {
        const int fence = fence_before(io, items[i], &cluster);
        if (!needs_fence(io->ops[items[i].op].op, fence, &is_held_back))
            continue;
        status = kiln_step_split(io, items[i].op, KILN_MAY_CROSS_NOTHING);
        cluster++;
    }
    free(items);
    return status;
}
