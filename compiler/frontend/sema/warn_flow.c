// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warns of variables that are uninitialized on some path to a use. (Variables that are
// uninitialized on all paths are errors, found during emission.)
//
//   i32 x;
//   if (p) x = 1;
//   store(q, x);          'x' is uninitialized here if the condition is false
//
// A forward analysis over sets of variables that may be uninitialized. Branches join by union. A
// loop may run zero times, except counted loops over constants and loops that test last, which run
// at least once. A path that exits contributes only at the target of the exit.
#include "frontend/sema/check_warn.h"

// The set of variables that may be uninitialized. It is small, so it is a list.
typedef struct open {
    kiln_variable_t **list;
    size_t count, capacity;
} open_t;

// The target of an exit, and the variables that may be uninitialized there.
typedef struct target {
    open_t open;
    bool is_reached;
} target_t;

typedef struct flow {
    kiln_checker_t *checker;
    open_t open;      // may be uninitialized here
    open_t reported;  // report each only once
    bool unreachable; // no path leads here
    target_t *on_break, *on_continue, *on_return;
} flow_t;

static void flow_node(flow_t *flow, const kiln_node_t *node);
static void flow_action(flow_t *flow, const kiln_action_t *action);

static bool holds(const open_t *open, const kiln_variable_t *variable)
{
    for (size_t i = 0; i < open->count; i++)
        if (open->list[i] == variable)
            return true;
    return false;
}

static void add(flow_t *flow, open_t *open, kiln_variable_t *variable)
{
    if (!holds(open, variable))
        KILN_ARENA_PUSH(flow->checker->arena, open->list, open->count, open->capacity, variable);
}

static void drop(open_t *open, const kiln_variable_t *variable)
{
    for (size_t i = 0; i < open->count; i++)
        if (open->list[i] == variable)
            open->list[i--] = open->list[--open->count];
}

static open_t copy(flow_t *flow, const open_t *from)
{
    open_t to = {0};
    for (size_t i = 0; i < from->count; i++)
        add(flow, &to, from->list[i]);
    return to;
}

// Merges the variables that either path leaves uninitialized.
static void join(flow_t *flow, const open_t *other, bool other_unreachable)
{
    if (other_unreachable)
        return;
    if (flow->unreachable)
        flow->open.count = 0;
    flow->unreachable = false;
    for (size_t i = 0; i < other->count; i++)
        add(flow, &flow->open, other->list[i]);
}

static void leave_to(flow_t *flow, target_t *target)
{
    if (target && !flow->unreachable) {
        for (size_t i = 0; i < flow->open.count; i++)
            add(flow, &target->open, flow->open.list[i]);
        target->is_reached = true;
    }
    flow->unreachable = true;
}

static void read_variable(flow_t *flow, const kiln_node_t *node)
{
    kiln_variable_t *variable = node->variable;
    if (flow->unreachable || !variable->name || !holds(&flow->open, variable) ||
        holds(&flow->reported, variable))
        return;
    const kiln_call_site_t *site = flow->checker->site;
    flow->checker->site = node->site;
    if (kiln_check_warn(flow->checker, KILN_WARNING_CONDITIONAL_UNINITIALIZED, node->span,
                        "'%s' may be uninitialized here", variable->name))
        KILN_REPORT_NOTE(flow->checker->reporter, variable->at,
                         "'%s' is declared here without an initial value", variable->name);
    flow->checker->site = site;
    add(flow, &flow->reported, variable);
}

// Only one of the two operands is computed.
static void flow_choice(flow_t *flow, const kiln_node_t *node)
{
    flow_node(flow, node->a);
    open_t before = copy(flow, &flow->open);
    flow_node(flow, node->b);
    open_t after = flow->open;
    flow->open = before;
    flow_node(flow, node->c);
    join(flow, &after, false);
}

static void flow_expansion(flow_t *flow, const kiln_node_t *node)
{
    target_t end = {0}, *outer_break = flow->on_break, *outer_continue = flow->on_continue,
             *outer_return = flow->on_return;
    flow->on_break = flow->on_continue = NULL;
    flow->on_return = &end;
    flow_action(flow, node->body);
    flow->on_break = outer_break;
    flow->on_continue = outer_continue;
    flow->on_return = outer_return;
    join(flow, &end.open, !end.is_reached);
}

static void flow_node(flow_t *flow, const kiln_node_t *node)
{
    if (!node)
        return;
    if (node->kind == KILN_NODE_CONDITIONAL) {
        flow_choice(flow, node);
        return;
    }
    flow_node(flow, node->a);
    flow_node(flow, node->b);
    flow_node(flow, node->c);
    for (size_t i = 0; i < sizeof node->arguments / sizeof *node->arguments; i++)
        flow_node(flow, node->arguments[i]);
    for (size_t i = 0; i < node->input_count; i++)
        flow_node(flow, node->inputs[i]);
    for (size_t i = 0; i < node->output_count; i++)
        drop(&flow->open, node->outputs[i]);
    if (node->kind == KILN_NODE_VARIABLE)
        read_variable(flow, node);
    else if (node->kind == KILN_NODE_ASSIGN)
        drop(&flow->open, node->variable);
    else if (node->kind == KILN_NODE_EXPANSION)
        flow_expansion(flow, node);
}

// Actions -----------------------------------------------------------------------------------------

static void flow_if(flow_t *flow, const kiln_action_t *action)
{
    flow_node(flow, action->value);
    open_t before = copy(flow, &flow->open);
    bool was_unreachable = flow->unreachable;
    flow_action(flow, action->body);
    open_t after = flow->open;
    bool body_unreachable = flow->unreachable;
    flow->open = before;
    flow->unreachable = was_unreachable;
    flow_action(flow, action->otherwise);
    join(flow, &after, body_unreachable);
}

// Whether for (T i = a; i < b; …) has constant bounds with which it runs at least once.
static bool runs_once(const kiln_action_t *loop, const kiln_node_t *first)
{
    kiln_constant_t truth;
    const kiln_node_t *condition = loop->value;
    return condition && condition->kind == KILN_NODE_BINARY && first &&
           kiln_node_is_constant(first) && condition->a->kind == KILN_NODE_VARIABLE &&
           condition->a->variable == loop->counter && kiln_node_is_constant(condition->b) &&
           first->constant.scalar == condition->b->constant.scalar &&
           kiln_fold_binary(condition->op, first->constant, condition->b->constant, &truth) &&
           truth.integer;
}

static void flow_loop(flow_t *flow, const kiln_action_t *loop, const kiln_node_t *first)
{
    target_t broken = {0}, continued = {0}, *outer_break = flow->on_break,
             *outer_continue = flow->on_continue;
    bool body_runs = loop->tests_last || !loop->value || runs_once(loop, first);
    if (!loop->tests_last)
        flow_node(flow, loop->value);
    open_t before = copy(flow, &flow->open);
    bool was_unreachable = flow->unreachable;
    flow->on_break = &broken;
    flow->on_continue = &continued;
    flow_action(flow, loop->body);
    flow->on_break = outer_break;
    flow->on_continue = outer_continue;
    join(flow, &continued.open, !continued.is_reached);
    flow_node(flow, loop->step);
    if (loop->tests_last)
        flow_node(flow, loop->value);
    if (!loop->value) // left only by break
        flow->unreachable = true;
    if (!body_runs)
        join(flow, &before, was_unreachable);
    join(flow, &broken.open, !broken.is_reached);
}

static void flow_action(flow_t *flow, const kiln_action_t *action)
{
    if (!action)
        return;
    const kiln_node_t *first = NULL; // the initial value of a counter
    switch (action->kind) {
    case KILN_ACTION_EVALUATE:
        flow_node(flow, action->value);
        break;
    case KILN_ACTION_DECLARE:
        flow_node(flow, action->value);
        if (action->value)
            drop(&flow->open, action->variable);
        else
            add(flow, &flow->open, action->variable);
        break;
    case KILN_ACTION_BLOCK:
        for (size_t i = 0; i < action->count; i++) {
            const kiln_action_t *one = action->list[i];
            if (one->kind == KILN_ACTION_LOOP)
                flow_loop(flow, one, first);
            else
                flow_action(flow, one);
            first = one->kind == KILN_ACTION_DECLARE ? one->value : NULL;
        }
        break;
    case KILN_ACTION_IF:
        flow_if(flow, action);
        break;
    case KILN_ACTION_LOOP:
        flow_loop(flow, action, NULL);
        break;
    case KILN_ACTION_EXIT:
        leave_to(flow, action->exit == KILN_EXIT_BREAK      ? flow->on_break
                       : action->exit == KILN_EXIT_CONTINUE ? flow->on_continue
                                                            : flow->on_return);
        break;
    }
}

void kiln_warn_uninitialized(kiln_checker_t *checker, kiln_program_t *program)
{
    if (!kiln_warning_is_enabled(&checker->reporter->warnings,
                                 KILN_WARNING_CONDITIONAL_UNINITIALIZED))
        return;
    flow_t flow = {.checker = checker};
    flow_action(&flow, program->body);
}
