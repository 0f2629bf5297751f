// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places what a pipelined loop computes by a modulo scheduler (modulo.h), so that its units work on
// different iterations at the same time. For attention, which multiplies the softmax of the scores:
//
//   step i:                            step i:                                     stage
//     k(i) = read                        scores(i + 1) = dot q, k(i + 1)             2
//     scores(i) = dot q, k(i)            p(i) = second half of the softmax           3
//     p(i) = softmax scores(i)     →     v(i) = read                                 3
//     v(i) = read                        acc = dot p(i), v(i), acc                   3
//     acc = dot p(i), v(i), acc          first half of the softmax of scores(i + 1)  2
//                                        k(i + 2) = read                             1
//
// For operands that are computed, as those of packed weights: their arithmetic a step ahead of the
// dot. What only depends on loads is placed as late as its uses permit; loads that run ahead, and
// their buffers in LDS, move along with their reads.
//
// Units are matrix, vector and LDS; an operation's cycles are those of step_cycles.h, its latency
// is of gfx942.def. While a wave waits for what others give it through LDS, none of its units
// works.
//
// Variants have longer intervals, of a 16th each: where there is more time, values wait for less.
//
// A value that lives for longer than a step is copied for the next one, and so takes time of the
// vector unit, and of registers, which may cost workgroups on a compute unit: candidate.h compares
// what the compute unit then achieves. A loop without arithmetic before a dot has nothing to do
// beside the dot; waves take turns there (steps/policies.def).
#include <limits.h>
#include <stdlib.h>

#include "analysis/dot_chain.h"
#include "analysis/machine/loop_registers.h"
#include "base/array.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pipelining/candidate.h"
#include "passes/pipelining/modulo.h"
#include "passes/pipelining/step_model.h"

typedef struct graph {
    const kiln_loop_schedule_t *schedule;
    int num_warps, last; // stage of the operations that do not run ahead
    kiln_modulo_op_t *ops;
    kiln_modulo_time_t *times;
    kiln_modulo_edge_t *edges;
    int edge_count;
    size_t edge_capacity;
    bool out_of_memory;
    int interval;
} graph_t;

static MlirOperation op_at(const graph_t *g, int op)
{
    return g->schedule->ops[op].op;
}

static bool runs_ahead(const graph_t *g, int op)
{
    return g->schedule->ops[op].stage < g->last;
}

static bool is_dot(const graph_t *g, int op)
{
    return kiln_op_kind(op_at(g, op)) == KILN_OP_TT_DOT;
}

// Whether the operation only renames registers.
static bool is_view(MlirOperation op)
{
    switch (kiln_op_kind(op)) {
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TT_SPLAT:
    case KILN_OP_TT_RESHAPE:
    case KILN_OP_TT_TRANS:
        return true;
    default:
        return false;
    }
}

// The graph ---------------------------------------------------------------------------------------

static bool add_edge(int op, int user, MlirValue value, bool is_later, void *context)
{
    graph_t *g = context;
    if (runs_ahead(g, op) || runs_ahead(g, user) || op == user)
        return true;
    if (!KILN_ARRAY_RESERVE(&g->edges, &g->edge_capacity, (size_t)g->edge_count + 1)) {
        g->out_of_memory = true;
        return false;
    }
    g->edges[g->edge_count++] = (kiln_modulo_edge_t){
        op, user, is_later, kiln_step_flows(g->schedule, op, &g->ops[op], user, value)};
    return true;
}

typedef struct operands {
    const graph_t *graph;
    unsigned registers; // of those that the operation uses last
    bool are_loaded;    // whether all come from operations that run ahead or are late
} operands_t;

static bool look_at_operand(MlirValue value, void *context)
{
    operands_t *operands = context;
    const graph_t *g = operands->graph;
    const bool is_carried = kiln_loop_schedule_carried(g->schedule, value) >= 0;
    MlirOperation from;
    kiln_value_op(value, &from);
    const int op = mlirOperationIsNull(from) ? -1 : kiln_loop_schedule_owner(g->schedule, from);
    if (is_carried || (op >= 0 && !runs_ahead(g, op) && !g->ops[op].is_late))
        operands->are_loaded = false;
    while (!mlirOperationIsNull(from) && is_view(from)) {
        value = kiln_op_operand(from, 0);
        kiln_value_op(value, &from);
    }
    if ((is_carried || op >= 0) && kiln_value_has_one_use(value))
        operands->registers += kiln_value_registers(value, g->num_warps);
    return true;
}

static unsigned result_registers(const graph_t *g, int op)
{
    unsigned registers = 0;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op_at(g, op)); r++)
        registers += kiln_value_registers(mlirOperationGetResult(op_at(g, op), r), g->num_warps);
    return registers;
}

// Note that operands are asked about before their users.
static void measure(graph_t *g, int op)
{
    kiln_modulo_op_t *own = &g->ops[op];
    *own = (kiln_modulo_op_t){.unit = KILN_NO_UNIT};
    if (runs_ahead(g, op))
        return;
    // A wave that exchanges values with others does nothing else: it stays beside what it is for.
    if (kiln_op_cycles(op_at(g, op), g->num_warps).waits == 0)
        *own = kiln_step_op(op_at(g, op), g->num_warps);
    operands_t operands = {g, 0, true};
    kiln_visit_operands(op_at(g, op), look_at_operand, &operands);
    own->is_late = operands.are_loaded && own->unit != KILN_UNIT_MATRIX &&
                   (kiln_op_effects(op_at(g, op)) & ~(KILN_CLAIMS | KILN_READS_LDS)) == 0;
    own->sinks = !is_dot(g, op) && operands.registers <= result_registers(g, op);
}

static kiln_status_t create(graph_t *g)
{
    const int count = g->schedule->count;
    g->ops = calloc((size_t)count + 1, sizeof *g->ops);
    g->times = calloc((size_t)count + 1, sizeof *g->times);
    if (!g->ops || !g->times)
        return kiln_status_out_of_memory();
    for (int op = 0; op < count; op++)
        measure(g, op);
    for (int op = 0; op < count; op++)
        kiln_loop_schedule_visit_uses(g->schedule, op, add_edge, g);
    return g->out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}

static void release(graph_t *g)
{
    free(g->ops);
    free(g->times);
    free(g->edges);
}

// Adds what is computed from these operations in the same iteration, up to the next dot.
static void add_computed(const graph_t *g, bool *is_computed)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int e = 0; e < g->edge_count; e++) {
            const kiln_modulo_edge_t *edge = &g->edges[e];
            if (edge->distance || !is_computed[edge->from] || is_computed[edge->to] ||
                is_dot(g, edge->to))
                continue;
            is_computed[edge->to] = changed = true;
        }
    }
}

// A chain of dots ends at a transposition: behind it, values move through LDS, whose barriers the
// schedule does not know.
static bool is_transposed(const graph_t *g, bool *is_computed)
{
    for (int op = 0; op < g->schedule->count; op++)
        is_computed[op] = is_dot(g, op);
    add_computed(g, is_computed);
    for (int op = 0; op < g->schedule->count; op++)
        if (is_computed[op] && kiln_op_kind(op_at(g, op)) == KILN_OP_TT_TRANS)
            return true;
    return false;
}

// Whether arithmetic of the iteration computes operands of a dot, and no dot runs ahead.
static bool has_chain(const graph_t *g, bool *is_computed)
{
    for (int op = 0; op < g->schedule->count; op++)
        if (kiln_has_dot(op_at(g, op)) && (runs_ahead(g, op) || !is_dot(g, op)))
            return false;
    if (is_transposed(g, is_computed))
        return false;
    for (int op = 0; op < g->schedule->count; op++)
        is_computed[op] = g->ops[op].unit == KILN_UNIT_VECTOR;
    add_computed(g, is_computed);
    for (int e = 0; e < g->edge_count; e++) {
        const kiln_modulo_edge_t *edge = &g->edges[e];
        if (!edge->distance && is_computed[edge->from] && is_dot(g, edge->to) && !edge->flows)
            return true;
    }
    return false;
}

// Cost --------------------------------------------------------------------------------------------

typedef struct lifetime {
    const graph_t *graph;
    int over; // cycles by which a value lives for longer than a step
} lifetime_t;

static bool find_longest(int op, int user, MlirValue value, bool is_later, void *context)
{
    lifetime_t *life = context;
    const graph_t *g = life->graph;
    if (runs_ahead(g, user) || op == user)
        return true;
    const kiln_modulo_time_t *from = &g->times[op], *to = &g->times[user];
    const int begin = to->begin - from->begin, end = to->end - from->end,
              // A part's register is free when it has been used.
        by_parts = begin > end ? begin : end,
              own = kiln_step_flows(g->schedule, op, &g->ops[op], user, value)
                        ? by_parts
                        : to->end - from->begin;
    const int over = own - (is_later ? 0 : g->interval);
    life->over = over > life->over ? over : life->over;
    return true;
}

// Cycles in which values that live for longer than a step are copied.
static int64_t copy_cycles(const graph_t *g)
{
    int64_t cycles = 0;
    for (int op = 0; op < g->schedule->count; op++) {
        lifetime_t life = {g, 0};
        if (runs_ahead(g, op) || is_view(op_at(g, op)))
            continue;
        kiln_loop_schedule_visit_uses(g->schedule, op, find_longest, &life);
        if (life.over > 0)
            cycles += (int64_t)KILN_GFX942_VALU_CYCLES * result_registers(g, op);
    }
    return cycles;
}

// Stages ------------------------------------------------------------------------------------------

typedef struct users {
    const graph_t *graph;
    const int *depth;
    int least;
} users_t;

static bool find_least(int op, int user, MlirValue value, bool is_later, void *context)
{
    (void)value;
    (void)is_later;
    users_t *users = context;
    if (user != op && users->depth[user] < users->least)
        users->least = users->depth[user];
    return true;
}

// Sets the number of stages by which each operation moves: operations that run ahead move with the
// first of their users. Returns the largest.
static int set_depths(const graph_t *g, int *depth)
{
    int first = INT_MAX, last = 0;
    for (int op = 0; op < g->schedule->count; op++) {
        depth[op] = runs_ahead(g, op) ? INT_MAX : kiln_modulo_step(g->times[op].begin, g->interval);
        first = depth[op] < first ? depth[op] : first;
    }
    for (int op = 0; op < g->schedule->count; op++)
        if (!runs_ahead(g, op)) {
            depth[op] -= first;
            last = depth[op] > last ? depth[op] : last;
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (int op = 0; op < g->schedule->count; op++) {
            users_t users = {g, depth, INT_MAX};
            if (!runs_ahead(g, op))
                continue;
            kiln_loop_schedule_visit_uses(g->schedule, op, find_least, &users);
            changed |= users.least < depth[op];
            depth[op] = users.least < depth[op] ? users.least : depth[op];
        }
    }
    for (int op = 0; op < g->schedule->count; op++)
        depth[op] = depth[op] == INT_MAX ? 0 : depth[op]; // unused
    return last;
}

typedef struct placed {
    int time, op;
} placed_t;

static int by_time(const void *a, const void *b)
{
    const placed_t *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1) : x->op - y->op;
}

// Gives each operation its own cluster, in the order of their times in a step. Loads that run ahead
// come first, and are written to LDS at the end.
static kiln_status_t set_clusters(const graph_t *g, int *cluster)
{
    const int count = g->schedule->count;
    placed_t *order = calloc((size_t)count + 1, sizeof *order);
    if (!order)
        return kiln_status_out_of_memory();
    for (int op = 0; op < count; op++) {
        const int time = g->times[op].begin, step = kiln_modulo_step(time, g->interval);
        const bool writes = kiln_op_kind(op_at(g, op)) == KILN_OP_TTG_LOCAL_ALLOC;
        order[op] = (placed_t){!runs_ahead(g, op) ? time - step * g->interval
                               : writes           ? INT_MAX
                                                  : -1,
                               op};
    }
    qsort(order, (size_t)count, sizeof *order, by_time);
    for (int i = 0; i < count; i++)
        cluster[order[i].op] = i;
    free(order);
    return KILN_OK;
}

// The policy --------------------------------------------------------------------------------------

static kiln_status_t place(graph_t *g, kiln_candidate_t *io, bool *out_applies)
{
    const kiln_loop_schedule_t *schedule = g->schedule;
    const int64_t trips = kiln_loop_trip_count(schedule->loop);
    const kiln_modulo_loop_t loop = {g->ops, g->edges, schedule->count, g->edge_count};
    int length;
    KILN_TRY(kiln_modulo_length(&loop, &length));
    KILN_TRY(kiln_modulo_schedule(&loop, io->variant, length, g->times, &g->interval));
    if (g->interval == 0)
        return KILN_OK;
    int *depth = calloc((size_t)schedule->count + 1, sizeof *depth);
    if (!depth)
        return kiln_status_out_of_memory();
    const int last = set_depths(g, depth);
    if (last > 0 && (trips < 0 || trips > g->last + last)) {
        for (int op = 0; op < schedule->count; op++)
            io->stage[op] += depth[op];
        io->last_stage += last;
        io->vector_cycles = copy_cycles(g);
        *out_applies = true;
    }
    free(depth);
    return *out_applies ? set_clusters(g, io->cluster) : KILN_OK;
}

kiln_status_t kiln_modulo_stages(const kiln_loop_schedule_t *schedule, kiln_candidate_t *io,
                                 bool *out_applies)
{
    graph_t g = {.schedule = schedule, .num_warps = io->num_warps, .last = schedule->stages - 1};
    bool *is_computed = calloc((size_t)schedule->count + 1, sizeof *is_computed);
    *out_applies = false;
    kiln_status_t status = is_computed ? create(&g) : kiln_status_out_of_memory();
    if (!status && has_chain(&g, is_computed))
        status = place(&g, io, out_applies);
    free(is_computed);
    release(&g);
    return status;
}
