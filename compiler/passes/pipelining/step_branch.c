// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches around clones that must not run if their iteration does not exist. Consecutive clones
// share a branch where possible; values used outside become its results.
#include <stdlib.h>
#include <string.h>

#include "passes/pipelining/step.h"
#include "passes/rewrite/tile_ops.h"

enum { FIRST_CARRIED = 3 }; // operand of scf.for, after lower, upper and step

size_t kiln_step_remembered(const kiln_step_t *s)
{
    return (size_t)s->schedule->stages * (size_t)(s->schedule->buffer_count + 1);
}

void kiln_step_open_branch(kiln_step_t *s, int stage)
{
    s->is_open = true;
    s->open_stage = stage;
    s->outside = s->ir;
    s->then_block = mlirBlockCreate(0, NULL, NULL);
    s->ir = kiln_ir_at_end(s->then_block, s->ir.loc);
    memset(s->is_inside, 0, (size_t)s->schedule->count);
    memset(s->is_passed, 0, (size_t)s->schedule->carried_count);
    memcpy(s->kept, s->inductions, kiln_step_remembered(s) * sizeof *s->kept);
}

// Whether an operation outside the branch uses the value.
static bool is_needed_outside(const kiln_step_t *s, MlirValue value)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        int user = kiln_loop_schedule_owner(s->schedule, mlirOpOperandGetOwner(use));
        if (user >= 0 && !s->is_inside[user])
            return true;
    }
    return false;
}

static void create_yield(const kiln_ir_t *ir, int count, const MlirValue *values)
{
    kiln_ir_op_t yield = {.kind = KILN_OP_SCF_YIELD, .operand_count = count, .operands = values};
    kiln_ir_create(ir, &yield);
}

typedef struct results {
    MlirValue *of; // values of the old loop; null for carried ones that are passed on
    int *carried;  // indices, or −1
    MlirValue *values, *otherwise;
    MlirType *types;
    int count;
} results_t;

static bool make_room(const kiln_step_t *s, results_t *r)
{
    size_t room = (size_t)s->schedule->carried_count + 1;
    for (int i = 0; i < s->schedule->count; i++)
        room += s->is_inside[i] ? (size_t)mlirOperationGetNumResults(s->schedule->ops[i].op) : 0;
    r->of = calloc(room, sizeof *r->of);
    r->carried = calloc(room, sizeof *r->carried);
    r->values = calloc(room, sizeof *r->values);
    r->otherwise = calloc(room, sizeof *r->otherwise);
    r->types = calloc(room, sizeof *r->types);
    return r->of && r->carried && r->values && r->otherwise && r->types;
}

static void add_result(results_t *r, MlirValue of, int carried, MlirValue value,
                       MlirValue otherwise)
{
    int at = r->count++;
    r->of[at] = of;
    r->carried[at] = carried;
    r->values[at] = value;
    r->otherwise[at] = otherwise;
    r->types[at] = mlirValueGetType(value);
}

static int inside_operation(const kiln_step_t *s, MlirValue value)
{
    int op = mlirValueIsABlockArgument(value)
                 ? -1
                 : kiln_pointer_map_get(&s->schedule->index_of, mlirOpResultGetOwner(value).ptr);
    return op >= 0 && s->is_inside[op] ? op : -1;
}

static bool is_carried_on(const kiln_step_t *s, int carried) // by another loop
{
    MlirValue result = kiln_op_result(s->schedule->loop, carried);
    for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (kiln_op_kind(mlirOpOperandGetOwner(use)) == KILN_OP_SCF_FOR)
            return true;
    return false;
}

// The carried value if the open branch's iteration does not exist. If that is the loop's first
// iteration, no other one exists either, and the value is the initial one. A constant needs no
// registers beside those of the new value; the value before the branch does if another loop
// determines in which registers both must arrive.
static MlirValue unchanged(const kiln_step_t *s, int carried)
{
    MlirValue initial = kiln_op_operand(s->schedule->loop, FIRST_CARRIED + carried);
    MlirOperation op;
    return kiln_step_iteration(s, s->open_stage) == 0 &&
                   kiln_value_op(initial, &op) == KILN_OP_ARITH_CONSTANT &&
                   is_carried_on(s, carried)
               ? initial
               : s->before[carried];
}

// Collects the results of the branch: first the carried values, which stay unchanged if the
// iteration does not exist, then others.
static void collect_results(kiln_step_t *s, const kiln_ir_t *otherwise, results_t *r)
{
    const kiln_loop_schedule_t *schedule = s->schedule;
    for (int i = 0; i < schedule->carried_count; i++)
        if (s->is_passed[i] || inside_operation(s, kiln_loop_schedule_yield(schedule, i)) >= 0)
            add_result(r, (MlirValue){NULL}, i, kiln_step_next(s, i), unchanged(s, i));
    for (int p = 0; p < schedule->count; p++) {
        int i = schedule->order[p];
        MlirOperation op = schedule->ops[i].op;
        for (intptr_t k = 0; s->is_inside[i] && k < mlirOperationGetNumResults(op); k++) {
            MlirValue value = mlirOperationGetResult(op, k),
                      made = kiln_clones_find(&s->made, value);
            if (!mlirValueIsNull(made) && is_needed_outside(s, value))
                add_result(r, value, -1, made,
                           kiln_tile_nothing(otherwise, mlirValueGetType(made)));
        }
    }
}

void kiln_step_close_branch(kiln_step_t *s)
{
    if (!s->is_open)
        return;
    results_t results = {0};
    MlirBlock otherwise = mlirBlockCreate(0, NULL, NULL);
    kiln_ir_t inside = s->ir, other = kiln_ir_at_end(otherwise, s->ir.loc);
    bool fits = make_room(s, &results);
    s->e->out_of_memory |= !fits;
    if (fits)
        collect_results(s, &other, &results);
    create_yield(&inside, results.count, results.values);
    create_yield(&other, results.count, results.otherwise);
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    mlirRegionAppendOwnedBlock(regions[0], s->then_block);
    mlirRegionAppendOwnedBlock(regions[1], otherwise);
    kiln_ir_op_t branch = {.kind = KILN_OP_SCF_IF,
                           .operand_count = 1,
                           .operands = &s->guards[s->open_stage],
                           .result_count = results.count,
                           .results = results.types,
                           .region_count = 2,
                           .regions = regions};
    s->ir = s->outside;
    MlirOperation made = kiln_ir_create(&s->ir, &branch);
    for (int i = 0; i < results.count; i++) {
        if (results.carried[i] >= 0)
            s->next[results.carried[i]] = mlirOperationGetResult(made, i);
        else
            kiln_clones_put(&s->made, results.of[i], mlirOperationGetResult(made, i));
    }
    memcpy(s->inductions, s->kept, kiln_step_remembered(s) * sizeof *s->kept);
    s->is_open = false;
    free(results.of);
    free(results.carried);
    free(results.values);
    free(results.otherwise);
    free(results.types);
}
