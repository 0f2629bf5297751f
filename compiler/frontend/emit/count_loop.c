// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines whether a loop's header alone decides its trip count. Only then can the loop become
// scf.for, and only scf.for can be pipelined. Iterations are counted in exact integers: as
// docs/tile-c.md specifies, a counted loop also ends where the counter would leave its type.
//
// Only signed counters qualify; unsigned ones wrap, as in C.
//
// Pitfalls: a narrowing conversion of the counter is a different number. The bound is evaluated
// once instead of in each iteration, so it must be proved invariant; constructs that are not listed
// here are not proved.
#include "frontend/emit/emit.h"

// Invariance --------------------------------------------------------------------------------------

static bool is_invariant(const kiln_emitter_t *emitter, const kiln_node_t *node);

// A helper's body: no loops, and only invariant operations.
static bool is_invariant_action(const kiln_emitter_t *emitter, const kiln_action_t *action)
{
    if (!action)
        return true;
    if (action->kind == KILN_ACTION_LOOP)
        return false;
    for (size_t i = 0; i < action->count; i++)
        if (!is_invariant_action(emitter, action->list[i]))
            return false;
    return is_invariant(emitter, action->value) && is_invariant_action(emitter, action->body) &&
           is_invariant_action(emitter, action->otherwise);
}

static bool are_invariant(const kiln_emitter_t *emitter, const kiln_node_t *node)
{
    for (size_t i = 0; i < sizeof node->arguments / sizeof *node->arguments; i++)
        if (!is_invariant(emitter, node->arguments[i]))
            return false;
    for (size_t i = 0; i < node->input_count; i++)
        if (!is_invariant(emitter, node->inputs[i]))
            return false;
    return !node->region && is_invariant(emitter, node->a) && is_invariant(emitter, node->b) &&
           is_invariant(emitter, node->c) && is_invariant_action(emitter, node->body);
}

// Whether the node has the same value in every iteration, and no effect. The variables that the
// body assigns carry the current mark; those not declared yet belong to the expression itself.
static bool is_invariant(const kiln_emitter_t *emitter, const kiln_node_t *node)
{
    if (!node)
        return true;
    switch (node->kind) {
    case KILN_NODE_CONSTANT:
        return true;
    case KILN_NODE_VARIABLE:
        return node->variable->mark != emitter->mark;
    case KILN_NODE_ASSIGN:
        return !node->variable->is_declared && are_invariant(emitter, node);
    case KILN_NODE_BUILTIN:
        return node->builtin->is_pure && are_invariant(emitter, node);
    case KILN_NODE_UNARY:
    case KILN_NODE_BINARY:
    case KILN_NODE_CONVERT:
    case KILN_NODE_BITCAST:
    case KILN_NODE_BROADCAST:
    case KILN_NODE_EXPAND:
    case KILN_NODE_SELECT:
    case KILN_NODE_CONDITIONAL:
    case KILN_NODE_SEQUENCE:
    case KILN_NODE_STRUCT: // its members are variables
    case KILN_NODE_EXPANSION:
        return are_invariant(emitter, node);
    }
    return false;
}

// The header --------------------------------------------------------------------------------------

static bool is_signed_word(const kiln_tile_type_t *type)
{
    return !type->rank && !type->is_pointer &&
           (type->scalar == KILN_SCALAR_I32 || type->scalar == KILN_SCALAR_I64);
}

static int bits_of(const kiln_tile_type_t *type)
{
    return kiln_scalar_row(type->scalar)->bits;
}

// The counter, or the same number in a wider type.
static bool is_counter(const kiln_node_t *node, const kiln_variable_t *counter)
{
    while (node->kind == KILN_NODE_CONVERT && is_signed_word(&node->type) &&
           is_signed_word(&node->a->type) && bits_of(&node->type) >= bits_of(&node->a->type))
        node = node->a;
    return node->kind == KILN_NODE_VARIABLE && node->variable == counter;
}

// i += step, i = i + step, i -= step: computed in the counter's type, or with a constant that the
// type can represent.
static bool find_step(const kiln_action_t *loop, kiln_counted_t *out)
{
    const kiln_node_t *assign = loop->step;
    const kiln_tile_type_t *type = &loop->counter->type;
    const int64_t max = bits_of(type) == 32 ? INT32_MAX : INT64_MAX;
    if (!assign || assign->kind != KILN_NODE_ASSIGN || assign->variable != loop->counter)
        return false;
    const kiln_node_t *value = assign->a->kind == KILN_NODE_CONVERT ? assign->a->a : assign->a;
    bool is_sum = value->kind == KILN_NODE_BINARY &&
                  (value->op == KILN_OPERATOR_ADD || value->op == KILN_OPERATOR_SUB);
    if (!is_sum || !is_counter(value->a, loop->counter) || !is_signed_word(&value->type))
        return false;
    out->step = value->b;
    out->is_downward = value->op == KILN_OPERATOR_SUB;
    if (out->step->kind != KILN_NODE_CONSTANT)
        return value->type.scalar == type->scalar;
    int64_t step = out->step->constant.integer;
    if (step == 0 || step < -max || step > max)
        return false;
    out->constant_step = step < 0 ? -step : step;
    out->is_downward ^= step < 0;
    return true;
}

bool kiln_loop_is_counted(kiln_emitter_t *emitter, const kiln_action_t *loop, kiln_counted_t *out)
{
    const kiln_node_t *condition = loop->value;
    *out = (kiln_counted_t){0};
    if (!loop->counter || loop->tests_last || !condition || !is_signed_word(&loop->counter->type) ||
        (loop->body->exits & (KILN_EXIT_BREAK | KILN_EXIT_RETURN)) ||
        condition->kind != KILN_NODE_BINARY || condition->op < KILN_OPERATOR_LT ||
        condition->op > KILN_OPERATOR_GE || !is_counter(condition->a, loop->counter) ||
        !is_signed_word(&condition->a->type) || !find_step(loop, out))
        return false;
    out->comparison = condition->op;
    out->bound = condition->b;
    out->type = condition->a->type;
    bool is_upward = out->comparison == KILN_OPERATOR_LT || out->comparison == KILN_OPERATOR_LE;
    if (is_upward == out->is_downward)
        return false;
    kiln_collection_t assigned = kiln_collection_begin(emitter);
    kiln_collect_action(&assigned, loop->body);
    bool is_changed = loop->counter->mark == emitter->mark;
    // The loop itself modifies the counter: neither bound nor step may read it.
    loop->counter->mark = emitter->mark;
    return !is_changed && is_invariant(emitter, out->bound) && is_invariant(emitter, out->step);
}
