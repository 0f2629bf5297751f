// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the waves of a SIMD that belong to different workgroups take turns: while one multiplies,
// the other reads LDS and loads. No barrier makes them alternate, but priorities do: a wave that
// has started to read keeps the memory units until it has its operands.
//
//     priority 0: %a = ttg.local_load   1: %x = tt.load, %b = ttg.local_load   0: %y = tt.load   1: tt.dot
//
// The first reads exclude other waves, and the dot has higher priority. The last load lets another
// wave run between the reads and the dot. Loads in branches come before all reads: LLVM would sink
// reads before a branch to the block of the dot, across changes of the priority.
#include "base/gfx942.h"
#include "builder/ir.h"
#include "passes/rewrite/sched_barrier.h"
#include "passes/steps/turns.h"

static bool is_branch(const kiln_turns_t *turns, int op)
{
    return mlirOperationGetNumRegions(kiln_turns_op(turns, op)) > 0;
}

static kiln_status_t prioritize(const kiln_turns_t *turns)
{
    enum {
        OTHERS,
        BRANCHES,
        FIRST_READ,
        FIRST_LOADS,
        SECOND_READ,
        LAST_LOADS,
        DOT,
        AFTER_DOT,
        CLUSTERS
    };
    static const kiln_step_cluster_t clusters[CLUSTERS] = {
        [BRANCHES] = {0, KILN_NO_FENCE, false},
        [FIRST_READ] = {0, KILN_NO_FENCE, false},
        [FIRST_LOADS] = {1, KILN_NO_FENCE, false},
        [SECOND_READ] = {1, KILN_MAY_CROSS_NOTHING, false},
        [LAST_LOADS] = {0, KILN_NO_FENCE, false},
        [DOT] = {1, KILN_MAY_CROSS_ARITHMETIC, false},
        [AFTER_DOT] = {0, KILN_NO_FENCE, false},
    };
    kiln_step_op_t *ops = turns->step->ops;
    bool stores_depend;
    KILN_TRY(kiln_turns_place_after_dot(turns, AFTER_DOT, &stores_depend));
    for (int c = 1; c < CLUSTERS; c++)
        KILN_TRY(kiln_step_add_cluster(turns->step, clusters[c]));
    int branches = 0, others = 0;
    for (int i = 0; i < turns->load_count; i++)
        branches += is_branch(turns, turns->loads[i]);
    for (int i = 0; i < turns->load_count; i++)
        ops[turns->loads[i]].cluster[0] = is_branch(turns, turns->loads[i]) ? BRANCHES
                                          : others++ < (turns->load_count - branches) / 2
                                              ? FIRST_LOADS
                                              : LAST_LOADS;
    ops[turns->reads[0]].cluster[0] = FIRST_READ;
    ops[turns->reads[1]].cluster[0] = SECOND_READ;
    ops[turns->dot].cluster[0] = DOT;
    for (int i = 0; i < turns->store_count; i++)
        ops[turns->stores[i]].cluster[0] = AFTER_DOT;
    return KILN_OK;
}

kiln_status_t kiln_prioritize_reads(const kiln_step_kernel_t *kernel, int variant,
                                    kiln_step_schedule_t *io, bool *out_applies)
{
    (void)variant;
    kiln_turns_t turns;
    *out_applies = false;
    if (kernel->waves > KILN_GFX942_SIMDS) // barriers keep the waves of a workgroup together
        return KILN_OK;
    KILN_TRY(kiln_turns_find(kernel, io, &turns, out_applies));
    return *out_applies ? prioritize(&turns) : KILN_OK;
}
