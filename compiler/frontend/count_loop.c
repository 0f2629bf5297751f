// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does a loop's header alone decide how often it runs? Only then can it be scf.for, which is what passes pipeline.
//
// Signed counters only: C lets them not overflow, so the number of turns is known before the loop; unsigned ones wrap.
#include "emit.h"

static bool touches_memory(kiln_builtin_id_t id)
{
    return id == KILN_BUILTIN_LOAD || id == KILN_BUILTIN_STORE || id == KILN_BUILTIN_BARRIER ||
           id == KILN_BUILTIN_ASSUME || (id >= KILN_BUILTIN_ATOMIC_ADD && id <= KILN_BUILTIN_ATOMIC_CAS);
}

static bool is_invariant(const kiln_emitter_t *emitter, const kiln_node_t *node);

// A helper's body: no loops, and nothing but what is the same each time.
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

// Has this the same value in every iteration, and no effect? The variables that the body assigns carry the current
// mark; those that are not declared yet belong to the expression itself.
static bool is_invariant(const kiln_emitter_t *emitter, const kiln_node_t *node)
{
    if (!node)
        return true;
    if (node->kind == KILN_NODE_VARIABLE)
        return node->variable->mark != emitter->mark;
    if ((node->kind == KILN_NODE_ASSIGN && node->variable->is_declared) ||
        (node->kind == KILN_NODE_BUILTIN && touches_memory(node->builtin->id)))
        return false;
    for (int i = 0; i < 3; i++)
        if (!is_invariant(emitter, node->arguments[i]))
            return false;
    return is_invariant(emitter, node->a) && is_invariant(emitter, node->b) && is_invariant(emitter, node->c) &&
           is_invariant_action(emitter, node->body);
}

static const kiln_node_t *without_conversion(const kiln_node_t *node)
{
    return node->kind == KILN_NODE_CONVERT ? node->a : node;
}

static bool is_counter(const kiln_node_t *node, const kiln_variable_t *counter)
{
    node = without_conversion(node);
    return node->kind == KILN_NODE_VARIABLE && node->variable == counter;
}

static bool is_signed_word(const kiln_tile_type_t *type)
{
    return !type->rank && !type->is_pointer && (type->scalar == KILN_SCALAR_I32 || type->scalar == KILN_SCALAR_I64);
}

// i += step, i = i + step, i -= step.
static bool find_step(const kiln_action_t *loop, kiln_counted_t *out)
{
    const kiln_node_t *assign = loop->step;
    if (!assign || assign->kind != KILN_NODE_ASSIGN || assign->variable != loop->counter)
        return false;
    const kiln_node_t *value = without_conversion(assign->a);
    bool is_sum = value->kind == KILN_NODE_BINARY && (value->op == KILN_OPERATOR_ADD || value->op == KILN_OPERATOR_SUB);
    if (!is_sum || !is_counter(value->a, loop->counter) || !is_signed_word(&value->type))
        return false;
    out->step = value->b;
    out->is_downward = value->op == KILN_OPERATOR_SUB;
    if (out->step->kind == KILN_NODE_CONSTANT) {
        out->constant_step = out->step->constant.integer;
        if (out->constant_step < 0) {
            if (out->constant_step < -INT32_MAX)
                return false;
            out->constant_step = -out->constant_step;
            out->is_downward = !out->is_downward;
        }
        return out->constant_step != 0;
    }
    return true;
}

bool kiln_loop_is_counted(kiln_emitter_t *emitter, const kiln_action_t *loop, kiln_counted_t *out)
{
    const kiln_node_t *condition = loop->value;
    *out = (kiln_counted_t){0};
    if (!loop->counter || loop->tests_last || !condition || !is_signed_word(&loop->counter->type) ||
        (loop->body->exits & (KILN_EXIT_BREAK | KILN_EXIT_RETURN)) || condition->kind != KILN_NODE_BINARY ||
        condition->op < KILN_OPERATOR_LT || condition->op > KILN_OPERATOR_GE ||
        !is_counter(condition->a, loop->counter) || !is_signed_word(&condition->a->type) || !find_step(loop, out))
        return false;
    out->comparison = condition->op;
    out->bound = condition->b;
    out->type = condition->a->type;
    bool goes_up = out->comparison == KILN_OPERATOR_LT || out->comparison == KILN_OPERATOR_LE;
    if (goes_up == out->is_downward)
        return false;
    kiln_collection_t assigned = kiln_collection_begin(emitter);
    kiln_collect_action(&assigned, loop->body);
    return loop->counter->mark != emitter->mark && is_invariant(emitter, out->bound) &&
           is_invariant(emitter, out->step);
}
