// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits control flow as scf: branches and loops with the variables that they modify, break,
// continue and return.
//
//   if (p) return;            if (p) { }                     for (…) { if (p) break; A; } B;
//   A; B;                →    else { A; B; }                 →  while (!broken && …) { if (p) broken = true; else A; }
//   B;
//
// The actions after one that may exit are its tail: if one side of an `if` always exits, the tail
// moves to the other side; otherwise it is guarded by the flags. A loop becomes scf.for if its
// header alone decides its trip count, else scf.while.
#include "frontend/emit/emit.h"

// The actions that remain after an action, innermost first.
typedef struct tail {
    kiln_action_t *const *list;
    size_t count;
    const struct tail *next;
} tail_t;

static void emit_list(kiln_emitter_t *emitter, kiln_action_t *const *list, size_t count,
                      const tail_t *tail);

// The variables of a region -----------------------------------------------------------------------

static void collect_tail(kiln_collection_t *collection, const tail_t *tail)
{
    for (; tail; tail = tail->next)
        for (size_t i = 0; i < tail->count; i++)
            kiln_collect_action(collection, tail->list[i]);
}

// The variables' values, where a region yields or receives them.
static kiln_value_t *take_values(kiln_emitter_t *emitter, const kiln_collection_t *variables,
                                 size_t extra)
{
    kiln_value_t *values =
        KILN_ARENA_ARRAY(emitter->arena, kiln_value_t, variables->count + extra + 1);
    for (size_t i = 0; i < variables->count; i++) {
        const kiln_variable_t *variable = variables->list[i];
        values[i] =
            variable->value.handle
                ? variable->value
                : kiln_build_undefined(emitter->builder, kiln_tile_to_value_type(&variable->type));
    }
    return values;
}

// The current location, named after a variable.
static MlirLocation named_location(kiln_emitter_t *emitter, const kiln_variable_t *variable)
{
    MlirLocation loc = emitter->builder->ir.loc;
    return variable->name ? mlirLocationNameGet(emitter->context,
                                                mlirStringRefCreateFromCString(variable->name), loc)
                          : loc;
}

// Names the next loop's carried values after their variables.
static void name_carried(kiln_emitter_t *emitter, const kiln_collection_t *variables)
{
    MlirLocation *locs = KILN_ARENA_ARRAY(emitter->arena, MlirLocation, variables->count + 1);
    for (size_t i = 0; i < variables->count; i++)
        locs[i] = named_location(emitter, variables->list[i]);
    emitter->builder->carried_locations = locs;
}

static void set_values(const kiln_collection_t *variables, const kiln_value_t *values)
{
    for (size_t i = 0; i < variables->count; i++)
        variables->list[i]->value = values[i];
}

// Branches ----------------------------------------------------------------------------------------

// One side of a branch: an expression, or an action (or none) with its tail.
typedef struct side {
    const kiln_node_t *node;
    const kiln_action_t *action;
    const tail_t *tail;
} side_t;

static void collect_side(kiln_collection_t *collection, const side_t *side)
{
    kiln_collect_node(collection, side->node);
    kiln_collect_action(collection, side->action);
    if (!side->action || !side->action->always_exits)
        collect_tail(collection, side->tail);
}

static bool is_empty(const side_t *side)
{
    return !side->node && !side->action && !side->tail;
}

static kiln_value_t emit_side(kiln_emitter_t *emitter, const side_t *side)
{
    kiln_action_t *action = (kiln_action_t *)side->action;
    if (side->node)
        return kiln_emit_node(emitter, side->node);
    emit_list(emitter, &action, action ? 1 : 0, side->tail);
    return (kiln_value_t){NULL};
}

// Emits `if (condition) a else b`; with has_value, both sides are expressions and the result is the
// selected one.
static kiln_value_t emit_branch(kiln_emitter_t *emitter, kiln_value_t condition, const side_t *a,
                                const side_t *b, bool has_value)
{
    kiln_collection_t variables = kiln_collection_begin(emitter);
    collect_side(&variables, a);
    collect_side(&variables, b);
    size_t count = variables.count + (has_value ? 1 : 0);
    kiln_value_t *before = KILN_ARENA_ARRAY(emitter->arena, kiln_value_t, count + 1);
    for (size_t i = 0; i < variables.count; i++)
        before[i] = variables.list[i]->value;

    kiln_build_if_begin(emitter->builder, condition);
    kiln_value_t value = emit_side(emitter, a);
    kiln_value_t *results = take_values(emitter, &variables, 1);
    results[variables.count] = value;
    if (count || !is_empty(b)) {
        kiln_build_if_else(emitter->builder, results, count);
        set_values(&variables, before);
        value = emit_side(emitter, b);
        results = take_values(emitter, &variables, 1);
        results[variables.count] = value;
    }
    kiln_value_t *merged = KILN_ARENA_ARRAY(emitter->arena, kiln_value_t, count + 1);
    kiln_build_if_end(emitter->builder, results, count, merged);
    set_values(&variables, merged);
    return has_value ? merged[variables.count] : (kiln_value_t){NULL};
}

// The cost of computing a node speculatively; a large number if that is not possible.
static unsigned cost_of_speculation(const kiln_node_t *node)
{
    const unsigned never = 1000;
    if (!node || node->kind == KILN_NODE_CONSTANT || node->kind == KILN_NODE_VARIABLE)
        return 0;
    if (node->kind == KILN_NODE_ASSIGN || node->kind == KILN_NODE_EXPANSION ||
        node->kind == KILN_NODE_SEQUENCE || node->kind == KILN_NODE_STRUCT)
        return never;
    bool divides = node->kind == KILN_NODE_BINARY &&
                   (node->op == KILN_OPERATOR_DIV || node->op == KILN_OPERATOR_REM) &&
                   !kiln_tile_is_float(&node->type);
    bool rounds_up = node->kind == KILN_NODE_BUILTIN && node->builtin->id == KILN_BUILTIN_CDIV;
    const kiln_node_t *divisor = divides ? node->b : rounds_up ? node->arguments[1] : NULL;
    if (divisor && (divisor->kind != KILN_NODE_CONSTANT || divisor->constant.integer == -1))
        return never; // possibly by zero
    if (node->kind == KILN_NODE_BUILTIN) {
        kiln_builtin_id_t id = node->builtin->id;
        bool is_pure = id == KILN_BUILTIN_PROGRAM_ID || id == KILN_BUILTIN_NUM_PROGRAMS ||
                       id == KILN_BUILTIN_MAXIMUM || id == KILN_BUILTIN_MINIMUM ||
                       id == KILN_BUILTIN_ABS || rounds_up;
        if (!is_pure)
            return never;
    }
    unsigned cost = 1 + cost_of_speculation(node->a) + cost_of_speculation(node->b) +
                    cost_of_speculation(node->c);
    for (int i = 0; i < 3; i++)
        cost += cost_of_speculation(node->arguments[i]);
    return cost > never ? never : cost;
}

kiln_value_t kiln_emit_conditional(kiln_emitter_t *emitter, const kiln_node_t *node)
{
    const unsigned limit = node->type.rank ? 0 : 8;
    kiln_value_t condition = kiln_emit_node(emitter, node->a);
    kiln_emit_locate(emitter, node->at, node->site);
    if (cost_of_speculation(node->b) > limit || cost_of_speculation(node->c) > limit ||
        node->type.scalar == KILN_SCALAR_VOID) {
        side_t a = {.node = node->b}, b = {.node = node->c};
        return emit_branch(emitter, condition, &a, &b, node->type.scalar != KILN_SCALAR_VOID);
    }
    // && and || have a constant on the side that is decided.
    bool is_bool = kiln_tile_is_bool(&node->type);
    if (is_bool && node->c->kind == KILN_NODE_CONSTANT && !node->c->constant.integer) {
        kiln_value_t b = kiln_emit_node(emitter, node->b);
        kiln_emit_locate(emitter, node->at, node->site);
        return kiln_build_binary(emitter->builder, KILN_BINARY_ANDI, condition, b);
    }
    if (is_bool && node->b->kind == KILN_NODE_CONSTANT && node->b->constant.integer) {
        kiln_value_t c = kiln_emit_node(emitter, node->c);
        kiln_emit_locate(emitter, node->at, node->site);
        return kiln_build_binary(emitter->builder, KILN_BINARY_ORI, condition, c);
    }
    kiln_value_t b = kiln_emit_node(emitter, node->b), c = kiln_emit_node(emitter, node->c);
    kiln_emit_locate(emitter, node->at, node->site);
    return kiln_build_select(emitter->builder, condition, b, c);
}

// Early exits -------------------------------------------------------------------------------------

static kiln_value_t negate(kiln_emitter_t *emitter, kiln_value_t value)
{
    return kiln_build_binary(emitter->builder, KILN_BINARY_XORI, value,
                             kiln_emit_bool(emitter, true));
}

// "None of these exits was taken"; the null value if none is possible.
static kiln_value_t emit_no_exit(kiln_emitter_t *emitter, unsigned exits)
{
    const kiln_variable_t *flags[] = {exits & KILN_EXIT_BREAK ? emitter->broken : NULL,
                                      exits & KILN_EXIT_CONTINUE ? emitter->continued : NULL,
                                      exits & KILN_EXIT_RETURN ? emitter->returned : NULL};
    kiln_value_t left = {NULL};
    for (int i = 0; i < 3; i++) {
        if (!flags[i])
            continue;
        left = left.handle
                   ? kiln_build_binary(emitter->builder, KILN_BINARY_ORI, left, flags[i]->value)
                   : flags[i]->value;
    }
    return left.handle ? negate(emitter, left) : left;
}

static void emit_exit(kiln_emitter_t *emitter, const kiln_action_t *action)
{
    kiln_variable_t *flag = action->exit == KILN_EXIT_BREAK      ? emitter->broken
                            : action->exit == KILN_EXIT_CONTINUE ? emitter->continued
                                                                 : emitter->returned;
    kiln_emit_locate(emitter, action->span, action->site);
    if (flag)
        flag->value = kiln_emit_bool(emitter, true);
}

static void emit_if(kiln_emitter_t *emitter, const kiln_action_t *action, const tail_t *tail)
{
    kiln_value_t condition = kiln_emit_node(emitter, action->value);
    side_t a = {.action = action->body}, b = {.action = action->otherwise};
    if (!action->body->always_exits)
        a.tail = tail;
    if (!action->otherwise || !action->otherwise->always_exits)
        b.tail = tail;
    kiln_emit_locate(emitter, action->span, action->site);
    emit_branch(emitter, condition, &a, &b, false);
}

static void emit_list(kiln_emitter_t *emitter, kiln_action_t *const *list, size_t count,
                      const tail_t *tail)
{
    for (size_t i = 0; i < count; i++) {
        const kiln_action_t *action = list[i];
        tail_t rest = {list + i + 1, count - i - 1, tail};
        const tail_t *after = rest.count ? &rest : tail;
        if (action->always_exits) {
            kiln_emit_action(emitter, action);
            return;
        }
        if (!action->exits || !after) {
            kiln_emit_action(emitter, action);
            continue;
        }
        bool one_side_leaves =
            action->kind == KILN_ACTION_IF &&
            (action->body->always_exits || (action->otherwise && action->otherwise->always_exits));
        if (action->kind == KILN_ACTION_BLOCK) {
            emit_list(emitter, action->list, action->count, after);
        } else if (one_side_leaves) {
            emit_if(emitter, action, after);
        } else {
            kiln_emit_action(emitter, action);
            kiln_emit_locate(emitter, action->span, action->site);
            kiln_value_t no_exit = emit_no_exit(emitter, action->exits);
            side_t a = {.tail = after}, b = {0};
            emit_branch(emitter, no_exit, &a, &b, false);
        }
        return;
    }
    if (tail)
        emit_list(emitter, tail->list, tail->count, tail->next);
}

// Loops -------------------------------------------------------------------------------------------

static void set_loop_attributes(kiln_emitter_t *emitter, const kiln_action_t *loop)
{
    if (loop->num_stages)
        kiln_build_for_attribute(emitter->builder, "tt.num_stages", loop->num_stages);
    if (loop->unroll)
        kiln_build_for_attribute(emitter->builder, "tt.loop_unroll_factor", loop->unroll);
}

// Emits the body, with the flag that `continue` sets; `broken` is the loop's own or NULL.
static void emit_body(kiln_emitter_t *emitter, const kiln_action_t *loop, kiln_variable_t *broken)
{
    kiln_variable_t *outer_broken = emitter->broken, *outer_continued = emitter->continued;
    emitter->broken = broken;
    emitter->continued = loop->body->exits & KILN_EXIT_CONTINUE ? kiln_emit_flag(emitter) : NULL;
    kiln_emit_action(emitter, loop->body);
    emitter->broken = outer_broken;
    emitter->continued = outer_continued;
}

static void emit_for(kiln_emitter_t *emitter, const kiln_action_t *loop,
                     const kiln_counted_t *counted)
{
    kiln_builder_t *builder = emitter->builder;
    kiln_collection_t variables = kiln_collection_begin(emitter);
    // The exits of the body belong to this loop.
    variables.loops = 1;
    kiln_collect_action(&variables, loop->body);

    kiln_counted_for_t counted_for = kiln_emit_counted_for(emitter, loop, counted);
    kiln_value_t *initial = take_values(emitter, &variables, 0), induction;
    kiln_value_t *carried = KILN_ARENA_ARRAY(emitter->arena, kiln_value_t, variables.count + 1);
    MlirLocation here = builder->ir.loc, counter = named_location(emitter, loop->counter);
    name_carried(emitter, &variables);
    builder->induction_location = counted_for.is_counter ? counter : here;
    kiln_build_for_begin(builder, counted_for.low, counted_for.high, counted_for.step, initial,
                         variables.count, &induction, carried);
    if (counted_for.is_unsigned)
        kiln_builder_for_is_unsigned(builder);
    set_loop_attributes(emitter, loop);
    set_values(&variables, carried);
    builder->ir.loc = counter;
    induction = kiln_emit_counter(emitter, counted, &counted_for, induction);
    builder->ir.loc = here;
    loop->counter->value =
        kiln_emit_convert(emitter, induction, &counted->type, &loop->counter->type);
    emit_body(emitter, loop, NULL);
    kiln_build_for_end(builder, take_values(emitter, &variables, 0), carried);
    set_values(&variables, carried);
}

// The condition of the next iteration: not exited, and the loop's own condition.
static kiln_value_t emit_condition(kiln_emitter_t *emitter, const kiln_action_t *loop,
                                   unsigned exits)
{
    kiln_value_t no_exit = emit_no_exit(emitter, exits);
    if (!loop->value)
        return no_exit.handle ? no_exit : kiln_emit_bool(emitter, true);
    if (!no_exit.handle)
        return kiln_emit_node(emitter, loop->value);
    if (cost_of_speculation(loop->value) < 16) {
        kiln_value_t condition = kiln_emit_node(emitter, loop->value);
        return kiln_build_binary(emitter->builder, KILN_BINARY_ANDI, no_exit, condition);
    }
    kiln_node_t no = {
        .kind = KILN_NODE_CONSTANT, .type = kiln_tile_scalar(KILN_SCALAR_BOOL), .at = loop->span};
    no.constant.scalar = KILN_SCALAR_BOOL;
    side_t a = {.node = loop->value}, b = {.node = &no};
    return emit_branch(emitter, no_exit, &a, &b, true);
}

static void emit_step(kiln_emitter_t *emitter, const kiln_action_t *loop, unsigned exits)
{
    if (!loop->step)
        return;
    kiln_value_t no_exit = emit_no_exit(emitter, exits);
    side_t a = {.node = loop->step}, b = {0};
    if (no_exit.handle)
        emit_branch(emitter, no_exit, &a, &b, false);
    else
        kiln_emit_node(emitter, loop->step);
}

static void emit_while(kiln_emitter_t *emitter, const kiln_action_t *loop)
{
    kiln_builder_t *builder = emitter->builder;
    unsigned exits = loop->body->exits & (KILN_EXIT_BREAK | KILN_EXIT_RETURN);
    kiln_variable_t *outer_broken = emitter->broken;
    kiln_emit_locate(emitter, loop->span, loop->site);
    if (loop->num_stages || loop->unroll)
        KILN_REPORT_ERROR(emitter->reporter, loop->span,
                          "loop attributes need a counted loop: for (i32 i = a; i < b; i += c), "
                          "whose body neither "
                          "changes i, b or c nor leaves the loop");
    emitter->broken = exits & KILN_EXIT_BREAK ? kiln_emit_flag(emitter) : NULL;

    kiln_collection_t variables = kiln_collection_begin(emitter);
    kiln_collect_variable(&variables, emitter->broken);
    kiln_collect_node(&variables, loop->value);
    kiln_collect_node(&variables, loop->step);
    variables.loops = 1;
    kiln_collect_action(&variables, loop->body);
    size_t count = variables.count;
    kiln_value_t *values = KILN_ARENA_ARRAY(emitter->arena, kiln_value_t, count + 1);
    kiln_value_t *initial = take_values(emitter, &variables, 0);
    name_carried(emitter, &variables);
    kiln_build_while_begin(builder, initial, count, values);
    set_values(&variables, values);
    if (loop->tests_last) {
        emit_body(emitter, loop, emitter->broken);
        emit_step(emitter, loop, exits);
    }
    kiln_value_t condition = emit_condition(emitter, loop, exits);
    kiln_emit_locate(emitter, loop->span, loop->site);
    kiln_build_while_condition(builder, condition, take_values(emitter, &variables, 0), count,
                               values);
    set_values(&variables, values);
    if (!loop->tests_last) {
        emit_body(emitter, loop, emitter->broken);
        emit_step(emitter, loop, exits);
    }
    kiln_emit_locate(emitter, loop->span, loop->site);
    kiln_build_while_end(builder, take_values(emitter, &variables, 0), values);
    set_values(&variables, values);
    emitter->broken = outer_broken;
}

void kiln_emit_action(kiln_emitter_t *emitter, const kiln_action_t *action)
{
    kiln_counted_t counted;
    switch (action->kind) {
    case KILN_ACTION_EVALUATE:
        kiln_emit_node(emitter, action->value);
        break;
    case KILN_ACTION_DECLARE: {
        const char *outer = emitter->name;
        emitter->name = action->variable->name;
        kiln_value_t value =
            action->value ? kiln_emit_node(emitter, action->value) : (kiln_value_t){NULL};
        emitter->name = outer;
        action->variable->value = value;
        action->variable->is_declared = true;
        break;
    }
    case KILN_ACTION_BLOCK:
        emit_list(emitter, action->list, action->count, NULL);
        break;
    case KILN_ACTION_IF:
        emit_if(emitter, action, NULL);
        break;
    case KILN_ACTION_LOOP:
        if (kiln_loop_is_counted(emitter, action, &counted))
            emit_for(emitter, action, &counted);
        else
            emit_while(emitter, action);
        break;
    case KILN_ACTION_EXIT:
        emit_exit(emitter, action);
        break;
    }
}
