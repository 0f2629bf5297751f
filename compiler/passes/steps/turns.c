// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the loops in which waves may take turns; see turns.h.
#include "passes/steps/turns.h"

#include "analysis/plan/scratch.h"
#include "builder/op_facts.h"
#include "passes/rewrite/clones.h"
#include "passes/steps/dot_slices.h"

MlirOperation kiln_turns_op(const kiln_turns_t *turns, int op)
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
static bool read_loop(kiln_turns_t *turns)
{
    int dots = 0, reads = 0;
    for (int i = 0; i < turns->step->count; i++) {
        MlirOperation op = kiln_turns_op(turns, i);
        switch (kiln_op_kind(op)) {
        case KILN_OP_TT_DOT:
            turns->dot = i;
            dots++;
            break;
        case KILN_OP_TTG_LOCAL_LOAD:
            reads++;
            break;
        case KILN_OP_TTG_LOCAL_STORE:
            if (dots == 0 || turns->store_count == KILN_MAX_TURN_STORES)
                return false; // the dot may read what is stored before it
            turns->stores[turns->store_count++] = i;
            break;
        case KILN_OP_TT_LOAD:
        case KILN_OP_SCF_IF: // a load with a branch for negative remainders
            if (!kiln_op_loads_tensor(op) ||
                (kiln_op_effects(op) & ~KILN_CLAIMS) != KILN_READS_GLOBAL ||
                needs_lds(op, turns->kernel->waves))
                return false;
            if (turns->load_count < KILN_MAX_TURN_LOADS && is_used_by(op, KILN_OP_TTG_LOCAL_STORE))
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

static bool find_reads(kiln_turns_t *turns)
{
    MlirOperation reads[2];
    if (!kiln_dot_reads(kiln_turns_op(turns, turns->dot), reads))
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

kiln_status_t kiln_turns_place_after_dot(const kiln_turns_t *turns, int cluster,
                                         bool *out_stores_depend)
{
    kiln_clones_t fed = {.out_of_memory = false};
    MlirOperation dot = kiln_turns_op(turns, turns->dot);
    kiln_clones_put(&fed, kiln_op_result(dot, 0), kiln_op_result(dot, 0));
    *out_stores_depend = false;
    for (int i = turns->dot + 1; i < turns->step->count; i++) {
        if (!is_fed(kiln_turns_op(turns, i), &fed))
            continue;
        turns->step->ops[i].cluster[0] = cluster;
        *out_stores_depend |= kiln_op_kind(kiln_turns_op(turns, i)) == KILN_OP_TTG_LOCAL_STORE;
    }
    return kiln_clones_free(&fed) ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_turns_find(const kiln_step_kernel_t *kernel, kiln_step_schedule_t *step,
                              kiln_turns_t *out, bool *out_found)
{
    enum { FIRST };
    bool stores_depend = false;
    *out = (kiln_turns_t){.kernel = kernel, .step = step};
    *out_found = !kernel->is_apart && read_loop(out) && find_reads(out);
    if (*out_found)
        KILN_TRY(kiln_turns_place_after_dot(out, FIRST, &stores_depend));
    *out_found = *out_found && !stores_depend;
    return KILN_OK;
}
