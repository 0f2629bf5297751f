// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warns of comparisons whose result is the same for all arguments, and of masks that are never
// true, based on integer ranges.
//
// A program is compiled with many settings, so a comparison that involves a constexpr parameter,
// the counter of a constant loop or a helper's arguments may be constant in this build only. No
// warning is given for these.
#include "frontend/sema/check_builtin.h"
#include "frontend/sema/check_warn.h"

#include <stdio.h>

// The values that an integer can have; the range of its type if nothing better is known.
typedef struct range {
    int64_t low, high;
    bool is_known;   // false: not an integer, or an unsigned one of 64 bits
    bool is_setting; // another build may have other bounds
} range_t;

static range_t range_of(kiln_checker_t *checker, const kiln_node_t *node);

static range_t of_type(const kiln_tile_type_t *type)
{
    if (!kiln_tile_is_integer(type))
        return (range_t){0};
    int bits = kiln_scalar_row(type->scalar)->bits;
    if (kiln_tile_is_unsigned(type))
        return bits < 64 ? (range_t){0, (int64_t)((1ull << bits) - 1), true, false} : (range_t){0};
    int64_t high = (int64_t)(UINT64_MAX >> (65 - bits));
    return (range_t){-high - 1, high, true, false};
}

// Values that do not fit wrap, so the result can be anything.
static range_t fit(range_t range, const kiln_tile_type_t *type)
{
    range_t all = of_type(type);
    return range.is_known && all.is_known && range.low >= all.low && range.high <= all.high ? range
                                                                                            : all;
}

static range_t truth(bool may_be_false, bool may_be_true, bool is_setting)
{
    return (range_t){!may_be_false, may_be_true, true, is_setting};
}

static range_t unite(range_t a, range_t b)
{
    return (range_t){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high,
                     a.is_known && b.is_known, a.is_setting || b.is_setting};
}

static range_t compare(kiln_operator_t op, range_t a, range_t b)
{
    bool is_setting = a.is_setting || b.is_setting;
    if (!a.is_known || !b.is_known)
        return truth(true, true, is_setting);
    bool apart = a.high < b.low || b.high < a.low,
         same = a.low == a.high && b.low == b.high && a.low == b.low;
    switch (op) {
    case KILN_OPERATOR_LT:
        return truth(a.high >= b.low, a.low < b.high, is_setting);
    case KILN_OPERATOR_LE:
        return truth(a.high > b.low, a.low <= b.high, is_setting);
    case KILN_OPERATOR_GT:
        return truth(a.low <= b.high, a.high > b.low, is_setting);
    case KILN_OPERATOR_GE:
        return truth(a.low < b.high, a.high >= b.low, is_setting);
    case KILN_OPERATOR_EQ:
        return truth(!same, !apart, is_setting);
    default:
        return truth(!apart, !same, is_setting);
    }
}

static range_t multiply(range_t a, range_t b)
{
    int64_t corners[4];
    range_t result = {.is_known = true};
    if (__builtin_mul_overflow(a.low, b.low, &corners[0]) ||
        __builtin_mul_overflow(a.low, b.high, &corners[1]) ||
        __builtin_mul_overflow(a.high, b.low, &corners[2]) ||
        __builtin_mul_overflow(a.high, b.high, &corners[3]))
        return (range_t){0};
    result.low = result.high = corners[0];
    for (int i = 1; i < 4; i++) {
        result.low = corners[i] < result.low ? corners[i] : result.low;
        result.high = corners[i] > result.high ? corners[i] : result.high;
    }
    return result;
}

static range_t combine(kiln_operator_t op, range_t a, range_t b)
{
    range_t result = {.is_known = true};
    bool by_positive = b.low == b.high && b.low > 0;
    switch (op) {
    case KILN_OPERATOR_ADD:
        result.is_known = !__builtin_add_overflow(a.low, b.low, &result.low) &&
                          !__builtin_add_overflow(a.high, b.high, &result.high);
        return result;
    case KILN_OPERATOR_SUB:
        result.is_known = !__builtin_sub_overflow(a.low, b.high, &result.low) &&
                          !__builtin_sub_overflow(a.high, b.low, &result.high);
        return result;
    case KILN_OPERATOR_MUL:
        return multiply(a, b);
    case KILN_OPERATOR_DIV:
        return by_positive ? (range_t){a.low / b.low, a.high / b.low, true, false} : (range_t){0};
    case KILN_OPERATOR_REM:
        return by_positive ? (range_t){a.low < 0 ? 1 - b.low : 0, b.low - 1, true, false}
                           : (range_t){0};
    case KILN_OPERATOR_AND:
        if (a.low < 0 && b.low < 0)
            return (range_t){0};
        result.high = a.low < 0 ? b.high : b.low < 0 ? a.high : a.high < b.high ? a.high : b.high;
        return result;
    default:
        return (range_t){0};
    }
}

static bool is_comparison(kiln_operator_t op)
{
    return op >= KILN_OPERATOR_LT && op <= KILN_OPERATOR_NE;
}

static bool is_same_variable(const kiln_node_t *a, const kiln_node_t *b)
{
    return a->kind == KILN_NODE_VARIABLE && b->kind == KILN_NODE_VARIABLE &&
           a->variable == b->variable && !kiln_tile_is_float(&a->type) &&
           !kiln_tile_is_float8(&a->type); // x != x tests a float for NaN
}

static range_t range_of_binary(kiln_checker_t *checker, const kiln_node_t *node)
{
    if (is_comparison(node->op) && is_same_variable(node->a, node->b)) {
        bool holds = node->op == KILN_OPERATOR_EQ || node->op == KILN_OPERATOR_LE ||
                     node->op == KILN_OPERATOR_GE;
        return truth(!holds, holds, false);
    }
    range_t a = range_of(checker, node->a), b = range_of(checker, node->b);
    if (is_comparison(node->op))
        return compare(node->op, a, b);
    if (kiln_tile_is_bool(&node->type) && node->op == KILN_OPERATOR_OR)
        return truth(!a.low && !b.low, a.high || b.high, a.is_setting || b.is_setting);
    range_t result = a.is_known && b.is_known ? combine(node->op, a, b) : (range_t){0};
    result.is_setting = a.is_setting || b.is_setting;
    return fit(result, &node->type);
}

static range_t range_of_builtin(kiln_checker_t *checker, const kiln_node_t *node)
{
    range_t a, b;
    switch (node->builtin->id) {
    case KILN_BUILTIN_RANGE:
        return (range_t){node->start, node->end - 1, true, node->is_setting};
    case KILN_BUILTIN_PROGRAM_ID:
        return (range_t){0, INT32_MAX, true, false};
    case KILN_BUILTIN_NUM_PROGRAMS:
        return (range_t){1, INT32_MAX, true, false};
    case KILN_BUILTIN_MAXIMUM:
    case KILN_BUILTIN_MINIMUM:
        a = range_of(checker, node->arguments[0]);
        b = range_of(checker, node->arguments[1]);
        if (!a.is_known || !b.is_known)
            return of_type(&node->type);
        if (node->builtin->id == KILN_BUILTIN_MAXIMUM)
            return (range_t){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, true,
                             a.is_setting || b.is_setting};
        return (range_t){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high, true,
                         a.is_setting || b.is_setting};
    default:
        return of_type(&node->type);
    }
}

static range_t range_of(kiln_checker_t *checker, const kiln_node_t *node)
{
    range_t a;
    switch (node->kind) {
    case KILN_NODE_CONSTANT:
        if (!kiln_tile_is_integer(&node->type) || !of_type(&node->type).is_known)
            return (range_t){.is_setting = node->constant.is_setting};
        return (range_t){node->constant.integer, node->constant.integer, true,
                         node->constant.is_setting};
    case KILN_NODE_VARIABLE:
        if (node->variable->assignments == 1 && node->variable->has_range)
            return (range_t){node->variable->low, node->variable->high, true,
                             node->variable->is_setting};
        return of_type(&node->type);
    case KILN_NODE_CONVERT:
        a = range_of(checker, node->a);
        if (kiln_tile_is_bool(&node->type) && a.is_known)
            return compare(KILN_OPERATOR_NE, a, (range_t){.is_known = true});
        return fit(a, &node->type);
    case KILN_NODE_BROADCAST:
    case KILN_NODE_EXPAND:
    case KILN_NODE_ASSIGN:
        return fit(range_of(checker, node->a), &node->type);
    case KILN_NODE_SEQUENCE:
        return range_of(checker, node->b);
    case KILN_NODE_SELECT:
    case KILN_NODE_CONDITIONAL:
        if (node->type.scalar == KILN_SCALAR_VOID)
            return (range_t){0};
        // && and || are conditional nodes too.
        a = range_of(checker, node->a);
        if (a.is_known && a.low == a.high && !a.is_setting)
            return range_of(checker, a.low ? node->b : node->c);
        return fit(unite(range_of(checker, node->b), range_of(checker, node->c)), &node->type);
    case KILN_NODE_UNARY:
        a = range_of(checker, node->a);
        if (node->op == KILN_OPERATOR_NOT)
            return truth(a.high, !a.low, a.is_setting);
        return of_type(&node->type);
    case KILN_NODE_BINARY:
        return range_of_binary(checker, node);
    case KILN_NODE_BUILTIN:
        return range_of_builtin(checker, node);
    default:
        return of_type(&node->type);
    }
}

// Reporting ---------------------------------------------------------------------------------------

typedef void (*visit_fn)(kiln_checker_t *checker, const kiln_node_t *node);

static void visit_action(kiln_checker_t *checker, const kiln_action_t *action, visit_fn visit);

static void visit_node(kiln_checker_t *checker, const kiln_node_t *node, visit_fn visit)
{
    if (!node)
        return;
    visit_node(checker, node->a, visit);
    visit_node(checker, node->b, visit);
    visit_node(checker, node->c, visit);
    bool is_promise = node->kind == KILN_NODE_BUILTIN && node->builtin->id == KILN_BUILTIN_ASSUME;
    for (size_t i = 0; i < sizeof node->arguments / sizeof *node->arguments && !is_promise; i++)
        visit_node(checker, node->arguments[i], visit);
    for (size_t i = 0; i < node->input_count; i++)
        visit_node(checker, node->inputs[i], visit);
    visit_action(checker, node->body, visit);
    visit(checker, node);
}

static void note_value(kiln_checker_t *checker, kiln_variable_t *variable, const kiln_node_t *value)
{
    range_t range = range_of(checker, value);
    variable->has_range = range.is_known;
    variable->low = range.low;
    variable->high = range.high;
    variable->is_setting = range.is_setting;
}

// A variable that is assigned only by its declaration has the range of that value.
static void visit_action(kiln_checker_t *checker, const kiln_action_t *action, visit_fn visit)
{
    if (!action)
        return;
    visit_node(checker, action->value, visit);
    if (action->kind == KILN_ACTION_DECLARE && action->value)
        note_value(checker, action->variable, action->value);
    visit_action(checker, action->body, visit);
    visit_action(checker, action->otherwise, visit);
    for (size_t i = 0; i < action->count; i++)
        visit_action(checker, action->list[i], visit);
    visit_node(checker, action->step, visit);
}

static void count_declarations(const kiln_action_t *action)
{
    if (!action)
        return;
    if (action->kind == KILN_ACTION_DECLARE && action->value)
        action->variable->assignments++;
    count_declarations(action->body);
    count_declarations(action->otherwise);
    for (size_t i = 0; i < action->count; i++)
        count_declarations(action->list[i]);
}

static const kiln_node_t *bare(const kiln_node_t *node)
{
    while (node->kind == KILN_NODE_BROADCAST || node->kind == KILN_NODE_CONVERT ||
           node->kind == KILN_NODE_EXPAND)
        node = node->a;
    return node;
}

typedef struct range_text {
    char text[48];
} range_text_t;

static range_text_t print_range(range_t range)
{
    range_text_t result;
    if (range.low == range.high)
        snprintf(result.text, sizeof result.text, "%lld", (long long)range.low);
    else
        snprintf(result.text, sizeof result.text, "%lld to %lld", (long long)range.low,
                 (long long)range.high);
    return result;
}

static void report_comparison(kiln_checker_t *checker, const kiln_node_t *node)
{
    range_t result = range_of_binary(checker, node), a = range_of(checker, node->a),
            b = range_of(checker, node->b);
    if (result.low != result.high || result.is_setting || node->a->type.is_pointer)
        return;
    const char *word = result.low ? "true" : "false";
    if (is_same_variable(node->a, node->b))
        kiln_check_warn(checker, KILN_WARNING_TAUTOLOGICAL_COMPARE, node->at,
                        "self-comparison is always %s", word);
    else if (bare(node->a)->kind != KILN_NODE_CONSTANT || bare(node->b)->kind != KILN_NODE_CONSTANT)
        kiln_check_warn(checker, KILN_WARNING_TAUTOLOGICAL_COMPARE, node->at,
                        "'%s' is always %s: the left side is %s, the right side %s",
                        kiln_operator_spelling(node->op), word, print_range(a).text,
                        print_range(b).text);
}

static void report_mask(kiln_checker_t *checker, const kiln_node_t *mask, const char *what)
{
    range_t range = mask ? range_of(checker, mask) : (range_t){0};
    if (range.is_known && !range.high && !range.is_setting)
        kiln_check_warn(checker, KILN_WARNING_MASK_NEVER_TRUE, mask->span,
                        "this mask is always false: nothing is %s", what);
}

static void check_node(kiln_checker_t *checker, const kiln_node_t *node)
{
    if (node->site) // in a helper: its arguments depend on the caller
        return;
    if (node->kind == KILN_NODE_BINARY && is_comparison(node->op))
        report_comparison(checker, node);
    if (node->kind != KILN_NODE_BUILTIN)
        return;
    kiln_builtin_id_t id = node->builtin->id;
    if (id == KILN_BUILTIN_LOAD)
        report_mask(checker, node->arguments[1], "loaded");
    else if (id == KILN_BUILTIN_STORE)
        report_mask(checker, node->arguments[2], "stored");
    else if ((node->builtin->options >> KILN_BUILTIN_OPTION_ORDER & 1) &&
             kiln_builtin_parameter(node->builtin, "mask") >= 0)
        report_mask(checker, node->arguments[kiln_builtin_parameter(node->builtin, "mask")],
                    "done");
}

static void count(kiln_checker_t *checker, const kiln_node_t *node)
{
    (void)checker;
    if (node->kind == KILN_NODE_ASSIGN)
        node->variable->assignments++;
    else if (node->kind == KILN_NODE_EXPANSION)
        count_declarations(node->body);
    for (size_t i = 0; i < node->output_count; i++)
        node->outputs[i]->assignments += 2;
}

void kiln_warn_values(kiln_checker_t *checker, kiln_program_t *program)
{
    // First count assignments; a parameter gets its value from the caller.
    for (size_t i = 0; i < program->parameter_count; i++)
        program->parameters[i].variable->assignments = 2;
    count_declarations(program->body);
    visit_action(checker, program->body, count);
    visit_action(checker, program->body, check_node);
}
