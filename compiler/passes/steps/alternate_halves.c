// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the two waves of a SIMD take turns: while one multiplies, the other reads LDS and loads the
// next operands.
//
// The halves of a workgroup of eight waves alternate by barriers. The dot is cut along K, each
// slice with the reads of its own operands:
//
//     cluster      of one half                         the other half meanwhile
//     0            loads; reads of slice 0             the last slice (from the second step on)
//     1            slice 0, of higher priority         loads; reads of slice 0
//     2            reads of slice 1                    slice 0
//     …
//     2·last       stores                              …
//     2·last + 1   the last slice
//
// A barrier is between any two clusters. Two lie between the reads and the stores of a buffer, in
// both directions: place_barriers requires two for waves that may be one barrier apart, so it adds
// none. The last two slices are read together, because the stores come between their dots.
//
// Variants have twice as many slices each: every slice costs two barriers, and its operands take
// fewer registers.
#include "base/gfx942.h"
#include "passes/rewrite/sched_barrier.h"
#include "passes/steps/dot_slices.h"
#include "passes/steps/turns.h"

static kiln_status_t alternate(const kiln_turns_t *turns, int slices)
{
    kiln_step_op_t *ops = turns->step->ops;
    const int last = slices - 1;
    bool stores_depend;
    KILN_TRY(kiln_turns_place_after_dot(turns, 2 * slices, &stores_depend));
    for (int c = 1; c <= 2 * slices; c++)
        KILN_TRY(kiln_step_add_cluster(turns->step,
                                       (kiln_step_cluster_t){c % 2, KILN_MAY_CROSS_NOTHING, true}));
    turns->step->wave_groups = 2;
    ops[turns->dot].slices = slices;
    for (int s = 0; s < slices; s++) {
        ops[turns->dot].cluster[s] = 2 * s + 1;
        for (int o = 0; o < 2; o++) {
            ops[turns->reads[o]].slices = slices;
            ops[turns->reads[o]].cluster[s] = 2 * (s < last ? s : last - 1);
        }
    }
    // Distributes the loads over the slices; the rest stay in the first one.
    for (int s = 1; s < last && s < turns->load_count; s++)
        ops[turns->loads[s]].cluster[0] = 2 * s;
    for (int i = 0; i < turns->store_count; i++)
        ops[turns->stores[i]].cluster[0] = 2 * last;
    return KILN_OK;
}

kiln_status_t kiln_alternate_halves(const kiln_step_kernel_t *kernel, int variant,
                                    kiln_step_schedule_t *io, bool *out_applies)
{
    const int slices = 2 << variant;
    kiln_turns_t turns;
    kiln_dot_measure_t dot;
    *out_applies = false;
    if (kernel->waves != 2 * KILN_GFX942_SIMDS)
        return KILN_OK;
    KILN_TRY(kiln_turns_find(kernel, io, &turns, out_applies));
    *out_applies = *out_applies &&
                   kiln_dot_measure(kiln_turns_op(&turns, turns.dot), kernel->waves, &dot) &&
                   kiln_dot_may_be_cut(&dot, slices);
    return *out_applies ? alternate(&turns, slices) : KILN_OK;
}
