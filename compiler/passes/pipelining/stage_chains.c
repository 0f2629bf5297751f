// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the dots of a chain, the arithmetic between them and their reads of LDS work on different
// iterations of a pipelined loop, so that none waits for another. For attention, which multiplies
// the softmax of the scores:
//
//   step i:                            step i:
//     k(i) = read                        scores(i + 2) = dot q, k(i + 2)      depth 1, first phase
//     scores(i) = dot q, k(i)            v(i) = read                                3
//     p(i) = softmax scores(i)     →     acc = dot p(i), v(i), acc                  3, second phase
//     v(i) = read                        p(i + 1) = softmax scores(i + 1)           2
//     acc = dot p(i), v(i), acc          k(i + 3) = read                            0
//
// An operation's depth is the number of stages by which it is moved. An operand from the same
// iteration has at most the depth of its user, and a smaller one if only one of the two is a dot,
// except for a dot's accumulator. An operand from the previous iteration has at most the depth of
// its user, too, since it is produced later in a step. So the depths are the least solution of
// these inequalities. Then operations are moved to the depth of their users if that takes no more
// registers; a load and its buffer go along with their reads.
//
// A step has two phases. The dots with which chains begin are in the first, the others in the
// second; each dot's operands are read in the phase before it. So the operands of the other dots
// take the registers that the first dots free.
//
// A loop is left alone if a chain closes over iterations (there is no solution), or if it has too
// few iterations.
#include <stdlib.h>

#include "analysis/machine/loop_registers.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pipelining/candidate.h"

enum { MAX_DEPTH = 6 };

// Clusters of a step. Loads run ahead, and are written to LDS at the end.
enum { LOADS = 0, FIRST, SECOND, STORES };

typedef struct chains {
    const kiln_loop_schedule_t *schedule;
    int num_warps, last; // stage of the operations that do not run ahead
    int *depth;          // of each operation
    int *cluster;        // …
} chains_t;

// The context of visits to uses; `result` is what they look for.
typedef struct search {
    chains_t *chains;
    int result;
} search_t;

static bool is_dot(const chains_t *c, int op)
{
    const kiln_op_t kind = kiln_op_kind(c->schedule->ops[op].op);
    return kind == KILN_OP_TT_DOT || kind == KILN_OP_TT_DOT_SCALED;
}

// Depths ------------------------------------------------------------------------------------------

// Whether the user is a dot that adds its product to the value, and has no other use for it.
static bool is_sum(const chains_t *c, int user, MlirValue value)
{
    MlirOperation op = c->schedule->ops[user].op;
    return is_dot(c, user) && mlirOperationGetNumOperands(op) > 2 &&
           mlirValueEqual(kiln_op_operand(op, 2), value) &&
           !mlirValueEqual(kiln_op_operand(op, 0), value) &&
           !mlirValueEqual(kiln_op_operand(op, 1), value);
}

static bool runs_ahead(const chains_t *c, int op)
{
    return c->schedule->ops[op].stage < c->last;
}

// The least number of stages by which a use in the same iteration comes after the operation.
static int distance(const chains_t *c, int op, int user, MlirValue value)
{
    if (runs_ahead(c, op) || is_dot(c, op) == is_dot(c, user))
        return 0;
    return is_dot(c, op) || !is_sum(c, user, value);
}

// Deepens the user; the result: whether anything changed.
static bool deepen(int op, int user, MlirValue value, bool is_later, void *context)
{
    search_t *changes = context;
    chains_t *c = changes->chains;
    if (runs_ahead(c, op))
        return true;
    const int least = c->depth[op] + (is_later ? 0 : distance(c, op, user, value));
    if (c->depth[user] < least) {
        c->depth[user] = least;
        changes->result = true;
    }
    return c->depth[user] <= MAX_DEPTH;
}

// Sets the least depths; false if there are none.
static bool set_depths(chains_t *c)
{
    for (search_t changes = {c, true}; changes.result;) {
        changes.result = false;
        for (int op = 0; op < c->schedule->count; op++)
            if (!kiln_loop_schedule_visit_uses(c->schedule, op, deepen, &changes))
                return false;
    }
    return true;
}

// The least and the greatest depth of a dot; arithmetic after the last dot does not justify moving
// anything. Returns false if the schedule has dots in several stages already.
static bool find_dots(const chains_t *c, int *out_first, int *out_last)
{
    *out_first = MAX_DEPTH;
    *out_last = 0;
    for (int op = 0; op < c->schedule->count; op++) {
        if (!is_dot(c, op))
            continue;
        if (runs_ahead(c, op))
            return false;
        *out_first = c->depth[op] < *out_first ? c->depth[op] : *out_first;
        *out_last = c->depth[op] > *out_last ? c->depth[op] : *out_last;
    }
    return true;
}

// Whether a chain begins with the operation: no other dot comes before it.
static bool is_first(const chains_t *c, int op)
{
    return is_dot(c, op) && c->depth[op] <= 1;
}

static bool reads_lds(const chains_t *c, int op)
{
    const kiln_op_t kind = kiln_op_kind(c->schedule->ops[op].op);
    return kind == KILN_OP_TTG_LOCAL_LOAD || kind == KILN_OP_TTG_LOCAL_GATHER;
}

// The greatest depth that the uses of an operation allow. Operands of dots that are not the first
// are read in the same step.
static bool find_least(int op, int user, MlirValue value, bool is_later, void *context)
{
    search_t *least = context;
    const chains_t *c = least->chains;
    const bool is_same_step = reads_lds(c, op) && is_dot(c, user) && !is_first(c, user);
    const int own = c->depth[user] - (is_later || is_same_step ? 0 : distance(c, op, user, value));
    if (user != op && (least->result < 0 || own < least->result))
        least->result = own;
    return true;
}

typedef struct operands {
    const chains_t *chains;
    unsigned registers;
} operands_t;

static bool add_operand(MlirValue value, void *context)
{
    operands_t *operands = context;
    const chains_t *c = operands->chains;
    MlirOperation from;
    kiln_value_op(value, &from);
    const bool is_inside = mlirValueIsABlockArgument(value)
                               ? kiln_loop_schedule_carried(c->schedule, value) >= 0
                               : kiln_loop_schedule_owner(c->schedule, from) >= 0;
    if (is_inside)
        operands->registers += kiln_value_registers(value, c->num_warps);
    return true;
}

// Moves operations to the depth of their users if waiting values then take no more registers.
static void sink(chains_t *c)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int op = c->schedule->count - 1; op >= 0; op--) {
            MlirOperation operation = c->schedule->ops[op].op;
            search_t least = {c, -1};
            kiln_loop_schedule_visit_uses(c->schedule, op, find_least, &least);
            if (least.result <= c->depth[op] || is_dot(c, op))
                continue;
            operands_t operands = {c, 0};
            kiln_visit_operands(operation, add_operand, &operands);
            unsigned results = 0;
            for (intptr_t r = 0; r < mlirOperationGetNumResults(operation); r++)
                results += kiln_value_registers(mlirOperationGetResult(operation, r), c->num_warps);
            if (operands.registers <= results || kiln_op_loads_tensor(operation) ||
                kiln_op_kind(operation) == KILN_OP_TTG_LOCAL_ALLOC) {
                c->depth[op] = least.result;
                changed = true;
            }
        }
    }
}

// Clusters ----------------------------------------------------------------------------------------

// Moves an operation to the cluster of a user that needs it earlier in a step; the result: whether
// anything changed.
static bool move_forward(int op, int user, MlirValue value, bool is_later, void *context)
{
    (void)value;
    search_t *changes = context;
    chains_t *c = changes->chains;
    const bool is_same_step = c->depth[op] == c->depth[user] + (is_later ? 1 : 0);
    if (!runs_ahead(c, op) && is_same_step && c->cluster[op] > c->cluster[user]) {
        c->cluster[op] = c->cluster[user];
        changes->result = true;
    }
    return true;
}

static bool feeds_dot_of_step(int op, int user, MlirValue value, bool is_later, void *context)
{
    (void)value;
    search_t *feeds = context;
    const chains_t *c = feeds->chains;
    if (is_dot(c, user) && !is_first(c, user) && !is_later && c->depth[op] == c->depth[user])
        feeds->result = true;
    return true;
}

static void set_clusters(chains_t *c)
{
    for (int op = 0; op < c->schedule->count; op++) {
        search_t feeds = {c, false};
        if (reads_lds(c, op))
            kiln_loop_schedule_visit_uses(c->schedule, op, feeds_dot_of_step, &feeds);
        if (runs_ahead(c, op))
            c->cluster[op] = c->schedule->ops[op].cluster > FIRST ? STORES : LOADS;
        else
            c->cluster[op] = is_first(c, op) || feeds.result ? FIRST : SECOND;
    }
    for (search_t changes = {c, true}; changes.result;) {
        changes.result = false;
        for (int op = 0; op < c->schedule->count; op++)
            kiln_loop_schedule_visit_uses(c->schedule, op, move_forward, &changes);
    }
}

// The policy --------------------------------------------------------------------------------------

kiln_status_t kiln_stage_chains(const kiln_loop_schedule_t *schedule, kiln_candidate_t *io,
                                bool *out_applies)
{
    const int64_t trips = kiln_loop_trip_count(schedule->loop);
    chains_t c = {schedule, io->num_warps, schedule->stages - 1, NULL, io->cluster};
    int first, last;
    *out_applies = false;
    c.depth = calloc((size_t)schedule->count + 1, sizeof *c.depth);
    if (!c.depth)
        return kiln_status_out_of_memory();
    if (set_depths(&c) && find_dots(&c, &first, &last) && last > first &&
        (trips < 0 || trips > c.last + last)) {
        for (int op = 0; op < schedule->count; op++)
            if (c.depth[op] > last)
                c.depth[op] = last;
        sink(&c);
        set_clusters(&c);
        for (int op = 0; op < schedule->count; op++)
            io->stage[op] += c.depth[op];
        io->last_stage += last;
        io->is_tight = true; // the values that wait leave just enough registers
        *out_applies = true;
    }
    free(c.depth);
    return KILN_OK;
}
