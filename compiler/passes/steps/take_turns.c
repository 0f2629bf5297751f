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
// A workgroup of four waves has one on each SIMD; the other waves there belong to another
// workgroup, and no barrier makes them alternate. Priorities do: a wave that has started to read
// keeps the memory units until it has its operands.
//
//     priority 0: %a = ttg.local_load   1: %x = tt.load, %b = ttg.local_load   0: %y = tt.load   1: tt.dot
#include "analysis/machine/co_residency.h"
#include "analysis/machine/loop_registers.h"
#include "analysis/plan/scratch.h"
#include "base/gfx942.h"
#include "builder/op_facts.h"
#include "passes/rewrite/clones.h"
#include "passes/rewrite/sched_barrier.h"
#include "passes/steps/dot_slices.h"
#include "passes/steps/policies.h"

enum {
    HALVED = 2 * KILN_GFX942_SIMDS, // waves of a workgroup that is split into halves
    WHOLE = KILN_GFX942_SIMDS,      // waves of a workgroup that is not
    MAX_STORES = 8,
    MAX_LOADS = 8,
};

// A loop of loads, one dot of two buffers, and stores to buffers. Operations are indices.
typedef struct turns {
    const kiln_step_kernel_t *kernel;
    kiln_step_schedule_t *step;
    int dot, reads[2];
    int stores[MAX_STORES], loads[MAX_LOADS]; // loads: those whose values are only stored
    int store_count, load_count;
} turns_t;

static MlirOperation op_at(const turns_t *turns, int op)
{
    return turns->step->ops[op].op;
}

static bool is_used_by(MlirOperation op, kiln_op_t kind)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(kiln_op_result(op, 0)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (kiln_op_kind(mlirOpOperandGetOwner(use)) != kind)
            return false;
    return true;
}

// Whether the operation, or one in it, needs LDS of its own.
static bool needs_lds(MlirOperation op, int waves)
{
    return kiln_largest_scratch(op, waves, NULL, NULL) > 0;
}

// Finds the loop's operations; false if it contains an operation of another kind.
static bool read_loop(turns_t *turns)
{
    int dots = 0, reads = 0;
    for (int i = 0; i < turns->step->count; i++) {
        MlirOperation op = op_at(turns, i);
        switch (kiln_op_kind(op)) {
        case KILN_OP_TT_DOT:
            turns->dot = i;
            dots++;
            break;
        case KILN_OP_TTG_LOCAL_LOAD:
            reads++;
            break;
        case KILN_OP_TTG_LOCAL_STORE:
            if (dots == 0 || turns->store_count == MAX_STORES)
                return false; // the dot may read what is stored before it
            turns->stores[turns->store_count++] = i;
            break;
        case KILN_OP_TT_LOAD:
        case KILN_OP_SCF_IF: // a load with a branch for negative remainders
            if (!kiln_op_loads_tensor(op) ||
                (kiln_op_effects(op) & ~KILN_CLAIMS) != KILN_READS_GLOBAL ||
                needs_lds(op, turns->kernel->waves))
                return false;
            if (turns->load_count < MAX_LOADS && is_used_by(op, KILN_OP_TTG_LOCAL_STORE))
                turns->loads[turns->load_count++] = i;
            break;
        default:
            if (mlirOperationGetNumRegions(op) || (kiln_op_effects(op) & ~KILN_CLAIMS) ||
                needs_lds(op, turns->kernel->waves))
                return false;
        }
    }
    return dots == 1 && reads == 2 && turns->store_count > 0;
}

static bool find_reads(turns_t *turns)
{
    MlirOperation reads[2];
    if (!kiln_dot_reads(op_at(turns, turns->dot), reads))
        return false;
    for (int o = 0; o < 2; o++)
        turns->reads[o] = kiln_step_find(turns->step, reads[o]);
    return true;
}

typedef struct fed_search {
    const kiln_clones_t *fed;
    bool found;
} fed_search_t;

static MlirWalkResult find_fed(MlirOperation op, void *user)
{
    fed_search_t *search = user;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !search->found; i++)
        search->found =
            !mlirValueIsNull(kiln_clones_find(search->fed, mlirOperationGetOperand(op, i)));
    return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether the operation, or one in it, depends on the dot; if so, its results are added to `fed`.
// Called for the operations after the dot in order.
static bool is_fed(MlirOperation op, kiln_clones_t *fed)
{
    fed_search_t search = {.fed = fed, .found = fed->out_of_memory};
    if (!search.found)
        kiln_walk(op, MlirWalkPreOrder, find_fed, &search);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && search.found; i++)
        kiln_clones_put(fed, mlirOperationGetResult(op, i), mlirOperationGetResult(op, i));
    return search.found;
}

// Puts the operations that depend on the dot into a cluster. Sets *out_stores_depend to whether
// stores are among them.
static kiln_status_t place_after_dot(const turns_t *turns, int cluster, bool *out_stores_depend)
{
    kiln_clones_t fed = {.out_of_memory = false};
    MlirOperation dot = op_at(turns, turns->dot);
    kiln_clones_put(&fed, kiln_op_result(dot, 0), kiln_op_result(dot, 0));
    *out_stores_depend = false;
    for (int i = turns->dot + 1; i < turns->step->count; i++) {
        if (!is_fed(op_at(turns, i), &fed))
            continue;
        turns->step->ops[i].cluster[0] = cluster;
        *out_stores_depend |= kiln_op_kind(op_at(turns, i)) == KILN_OP_TTG_LOCAL_STORE;
    }
    return kiln_clones_free(&fed) ? KILN_OK : kiln_status_out_of_memory();
}

// Whether a wave's multiplication of one slice is at least as long as the reads of the next slice
// by the other wave of each SIMD.
static bool hides_reads(const kiln_dot_measure_t *dot, int slices)
{
    return dot->cycles / slices >= dot->read_cycles / slices + KILN_GFX942_LDS_LATENCY;
}

// Halves ------------------------------------------------------------------------------------------

// Returns the number of slices of a dot whose waves alternate by barriers. Each slice costs two
// barriers, so it is the least that registers permit: they hold the operands of two slices. Returns
// 0 if a slice would not hide the reads of another, or would be narrower than the matrix
// instruction's operands.
static int choose_slices(const turns_t *turns, const kiln_dot_measure_t *dot)
{
    const unsigned other_registers = kiln_loop_registers(turns->step->loop, turns->kernel->waves),
                   limit = KILN_GFX942_SIMD_VGPRS * KILN_GFX942_SIMDS / HALVED;
    int slices = 2;
    while (other_registers + 2 * dot->operand_registers / (unsigned)slices > limit &&
           slices * dot->min_k <= dot->k)
        slices *= 2;
    return kiln_dot_may_be_cut(dot, slices) && hides_reads(dot, slices) ? slices : 0;
}

static kiln_status_t add_cluster(const turns_t *turns, int priority, int may_cross,
                                 bool has_barrier)
{
    return kiln_step_add_cluster(turns->step,
                                 (kiln_step_cluster_t){priority, may_cross, has_barrier});
}

static kiln_status_t alternate_halves(const turns_t *turns, int slices)
{
    kiln_step_op_t *ops = turns->step->ops;
    const int last = slices - 1;
    bool stores_depend;
    KILN_TRY(place_after_dot(turns, 2 * slices, &stores_depend));
    for (int c = 1; c <= 2 * slices; c++)
        KILN_TRY(add_cluster(turns, c % 2, KILN_MAY_CROSS_NOTHING, true));
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

// Priorities --------------------------------------------------------------------------------------

// Whether priorities make the waves of two workgroups alternate. With one workgroup on a compute
// unit there is nothing to alternate with; among three or more, the wave that holds the memory
// units delays several that could multiply.
static bool is_one_of_two(const turns_t *turns, const kiln_dot_measure_t *dot)
{
    const unsigned registers =
        kiln_loop_registers(turns->step->loop, turns->kernel->waves) + dot->operand_registers;
    return kiln_co_resident_workgroups(registers, turns->kernel->lds_bytes, turns->kernel->waves) ==
           2;
}

// Alternates reads and loads. The first reads exclude other waves, and the dot has higher priority.
// The last load lets another wave run between the reads and the dot. Loads in branches come before
// all reads: LLVM would sink reads before a branch to the block of the dot, across changes of the
// priority.
static kiln_status_t prioritize_reads(const turns_t *turns)
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
    KILN_TRY(place_after_dot(turns, AFTER_DOT, &stores_depend));
    for (int c = 1; c < CLUSTERS; c++)
        KILN_TRY(kiln_step_add_cluster(turns->step, clusters[c]));
    int branches = 0, others = 0;
    for (int i = 0; i < turns->load_count; i++)
        branches += mlirOperationGetNumRegions(op_at(turns, turns->loads[i])) > 0;
    for (int i = 0; i < turns->load_count; i++) {
        const bool is_branch = mlirOperationGetNumRegions(op_at(turns, turns->loads[i])) > 0;
        ops[turns->loads[i]].cluster[0] = is_branch ? BRANCHES
                                          : others++ < (turns->load_count - branches) / 2
                                              ? FIRST_LOADS
                                              : LAST_LOADS;
    }
    ops[turns->reads[0]].cluster[0] = FIRST_READ;
    ops[turns->reads[1]].cluster[0] = SECOND_READ;
    ops[turns->dot].cluster[0] = DOT;
    for (int i = 0; i < turns->store_count; i++)
        ops[turns->stores[i]].cluster[0] = AFTER_DOT;
    return KILN_OK;
}

kiln_status_t kiln_take_turns(const kiln_step_kernel_t *kernel, kiln_step_schedule_t *io)
{
    enum { FIRST };
    turns_t turns = {.kernel = kernel, .step = io};
    kiln_dot_measure_t dot;
    bool stores_depend;
    if ((kernel->waves != HALVED && kernel->waves != WHOLE) || kernel->is_apart ||
        !read_loop(&turns) || !find_reads(&turns) ||
        !kiln_dot_measure(op_at(&turns, turns.dot), kernel->waves, &dot))
        return KILN_OK;
    KILN_TRY(place_after_dot(&turns, FIRST, &stores_depend));
    if (stores_depend)
        return KILN_OK;
    if (kernel->waves == HALVED) {
        const int slices = choose_slices(&turns, &dot);
        return slices ? alternate_halves(&turns, slices) : KILN_OK;
    }
    return hides_reads(&dot, 1) && is_one_of_two(&turns, &dot) ? prioritize_reads(&turns) : KILN_OK;
}
