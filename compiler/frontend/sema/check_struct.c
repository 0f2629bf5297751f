// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs as values. They do not exist in tt: a struct variable is one variable per member, so
// branches and loops carry members, and only those that they assign.
//
//   s = f(x)      →   f's body, whose result is a struct variable r; s.a = r.a; s.b = r.b
//   f(x).a        →   f's body; r.a
//
// A struct node is therefore a variable and the effects that precede reads of its members. The
// consumer copies the value immediately, so later assignments to the variable do not matter.
#include "frontend/sema/check.h"

#include <string.h>

// Types -------------------------------------------------------------------------------------------

static bool is_same(const kiln_struct_t *a, const kiln_struct_t *b)
{
    if (a->definition != b->definition || a->is_open != b->is_open ||
        a->member_count != b->member_count)
        return false;
    for (size_t i = 0; i < a->member_count; i++) {
        const kiln_struct_member_t *x = &a->members[i], *y = &b->members[i];
        if (x->is_open != y->is_open || !kiln_tile_type_equal(&x->type, &y->type) ||
            x->type.is_const != y->type.is_const)
            return false;
    }
    return true;
}

kiln_struct_t *kiln_struct_intern(kiln_checker_t *checker, const kiln_struct_t *structure)
{
    for (size_t i = 0; i < checker->struct_count; i++)
        if (is_same(checker->structs[i], structure) &&
            (!structure->origin || checker->structs[i]->origin == structure->origin))
            return checker->structs[i];
    kiln_struct_t *one = KILN_ARENA_NEW(checker->arena, kiln_struct_t);
    *one = *structure;
    if (!one->origin)
        one->origin = one;
    KILN_ARENA_PUSH(checker->arena, checker->structs, checker->struct_count,
                    checker->struct_capacity, one);
    return one;
}

// The struct type that results from completing an open one with these values.
static const kiln_struct_t *fill(kiln_checker_t *checker, const kiln_struct_t *open,
                                 kiln_node_t *const *values)
{
    kiln_struct_t filled = *open;
    filled.is_open = false;
    filled.origin = open;
    filled.leaf_count = 0;
    filled.members = KILN_ARENA_ARRAY(checker->arena, kiln_struct_member_t, open->member_count + 1);
    for (size_t i = 0; i < open->member_count; i++) {
        kiln_struct_member_t *member = &filled.members[i];
        *member = open->members[i];
        if (member->is_open)
            member->type = values[i]->type;
        member->is_open = member->is_auto = false;
        filled.leaf_count +=
            kiln_tile_is_struct(&member->type) ? member->type.structure->leaf_count : 1;
    }
    return kiln_struct_intern(checker, &filled);
}

// Values ------------------------------------------------------------------------------------------

static kiln_node_t *after(kiln_checker_t *checker, kiln_node_t *first, kiln_node_t *second)
{
    if (!first || !second)
        return first ? first : second;
    kiln_node_t *node =
        kiln_node_make(checker, KILN_NODE_SEQUENCE, &second->type, second->span, second->at);
    node->a = first;
    node->b = second;
    return node;
}

kiln_node_t *kiln_struct_member(kiln_checker_t *checker, kiln_node_t *node, size_t index,
                                kiln_span_t span)
{
    kiln_node_t *member = kiln_node_variable(checker, node->variable->members[index], span);
    if (member->kind == KILN_NODE_STRUCT)
        member->a = node->a;
    else
        member = after(checker, node->a, member);
    return member;
}

// Reads the member without the effects, which have been done.
static kiln_node_t *read_member(kiln_checker_t *checker, const kiln_node_t *node, size_t index)
{
    return kiln_node_variable(checker, node->variable->members[index], node->span);
}

kiln_node_t *kiln_struct_assign(kiln_checker_t *checker, kiln_variable_t *variable,
                                kiln_node_t *value, kiln_span_t at)
{
    if (kiln_node_is_error(value))
        return value;
    kiln_node_t *effects = value->a;
    for (size_t i = 0; i < variable->type.structure->member_count; i++) {
        kiln_node_t *assign =
            kiln_node_assign(checker, variable->members[i], read_member(checker, value, i), at);
        effects = after(checker, effects, assign);
    }
    kiln_node_t *node = kiln_node_variable(checker, variable, value->span);
    node->a = effects;
    return node;
}

kiln_node_t *kiln_struct_pack(kiln_checker_t *checker, const kiln_struct_t *structure,
                              kiln_node_t **values, const size_t *order, kiln_span_t span)
{
    for (size_t i = 0; i < structure->member_count; i++)
        if (kiln_node_is_error(values[i]))
            return kiln_node_error(checker, span);
    kiln_tile_type_t type = {.scalar = KILN_SCALAR_STRUCT,
                             .structure =
                                 structure->is_open ? fill(checker, structure, values) : structure};
    if (type.structure->leaf_count > KILN_STRUCT_LEAF_LIMIT) {
        kiln_check_fail(checker, span,
                        "a struct has at most %d members, including those of nested structs",
                        KILN_STRUCT_LEAF_LIMIT);
        return kiln_node_error(checker, span);
    }
    kiln_variable_t *variable = kiln_variable_make(checker, NULL, &type, span);
    kiln_node_t *effects = NULL;
    for (size_t i = 0; i < structure->member_count; i++) {
        size_t index = order ? order[i] : i;
        kiln_node_t *assign =
            kiln_node_assign(checker, variable->members[index], values[index], values[index]->at);
        effects = after(checker, effects, assign);
    }
    kiln_node_t *node = kiln_node_variable(checker, variable, span);
    node->a = effects;
    return node;
}

void kiln_declare_variable(kiln_checker_t *checker, kiln_action_t *block, kiln_variable_t *variable,
                           kiln_node_t *value)
{
    if (!kiln_tile_is_struct(&variable->type) || (value && kiln_node_is_error(value))) {
        kiln_action_t *declare = kiln_action_make(checker, KILN_ACTION_DECLARE, variable->at);
        declare->variable = variable;
        declare->value = value;
        kiln_action_append(checker, block, declare);
        return;
    }
    if (value && value->a) {
        if (!value->variable->name) // also names the values on their way into the variable
            kiln_variable_rename(checker, value->variable, variable->name);
        kiln_action_t *evaluate = kiln_action_make(checker, KILN_ACTION_EVALUATE, value->span);
        evaluate->value = value->a;
        kiln_action_append(checker, block, evaluate);
    }
    for (size_t i = 0; i < variable->type.structure->member_count; i++)
        kiln_declare_variable(checker, block, variable->members[i],
                              value ? read_member(checker, value, i) : NULL);
}

// condition ? b : c. Only one side is computed, into a variable shared by both.
kiln_node_t *kiln_struct_choose(kiln_checker_t *checker, kiln_node_t *condition, kiln_node_t *b,
                                kiln_node_t *c, kiln_span_t span, kiln_span_t at)
{
    if (condition->type.rank) {
        kiln_check_fail(checker, at,
                        "where on a tile of conditions selects between tiles, not structs; select "
                        "each member separately");
        return kiln_node_error(checker, span);
    }
    kiln_variable_t *variable = kiln_variable_make(checker, NULL, &b->type, span);
    kiln_tile_type_t nothing = kiln_tile_scalar(KILN_SCALAR_VOID);
    kiln_node_t *choice = kiln_node_make(checker, KILN_NODE_CONDITIONAL, &nothing, span, at);
    choice->a = condition;
    choice->b = kiln_struct_assign(checker, variable, b, at);
    choice->c = kiln_struct_assign(checker, variable, c, at);
    kiln_node_t *begin = kiln_node_make(checker, KILN_NODE_EXPANSION, &nothing, span, at);
    begin->body = kiln_action_make(checker, KILN_ACTION_BLOCK, span);
    kiln_declare_variable(checker, begin->body, variable, NULL);
    kiln_node_t *node = kiln_node_variable(checker, variable, span);
    node->a = after(checker, begin, choice);
    return node;
}

// Lists -------------------------------------------------------------------------------------------

// The value that a list gives a member: converted to its type, or of a type that matches an open
// member.
static kiln_node_t *check_item(kiln_checker_t *checker, const kiln_struct_member_t *member,
                               const kiln_expr_t *expr)
{
    if (expr->kind == KILN_EXPR_LIST) {
        if (!member->is_auto)
            return kiln_check_struct_list(checker, &member->type, expr);
        kiln_check_fail(checker, expr->span,
                        "member 'auto %s' needs a typed value, as in (struct pair){…}",
                        member->name);
        return kiln_node_error(checker, expr->span);
    }
    kiln_node_t *value = kiln_check_expr(checker, expr);
    kiln_tile_type_t type = member->is_auto ? value->type : member->type;
    for (int i = 0; member->is_open && i < type.rank; i++) {
        if (type.shape[i])
            continue;
        if (value->type.rank != type.rank) {
            if (!kiln_node_is_error(value))
                kiln_check_fail(checker, expr->span,
                                "the size of dimension %d of member '%s' is not known", i,
                                member->name);
            return kiln_node_error(checker, expr->span);
        }
        type.shape[i] = value->type.shape[i];
    }
    return kiln_convert_implicitly(checker, value, &type, expr->span, "initialise the member");
}

// As in C, members omitted in a list are zero.
static kiln_node_t *make_zero(kiln_checker_t *checker, const kiln_struct_t *structure, size_t index,
                              kiln_span_t span)
{
    const kiln_struct_member_t *member = &structure->members[index];
    if (member->is_open || member->type.is_pointer) {
        kiln_check_fail(checker, span, "member '%s' needs a value: %s", member->name,
                        member->is_open ? "its type is 'auto'" : "it is a pointer");
        return kiln_node_error(checker, span);
    }
    if (kiln_tile_is_struct(&member->type)) {
        kiln_expr_t empty = {.kind = KILN_EXPR_LIST, .span = span, .at = span};
        return kiln_check_struct_list(checker, &member->type, &empty);
    }
    kiln_node_t *zero = kiln_node_int(checker, KILN_SCALAR_I32, 0, span);
    return kiln_convert_implicitly(checker, zero, &member->type, span, "initialise the member");
}

static bool find_index(kiln_checker_t *checker, const kiln_struct_t *structure,
                       const kiln_expr_t *expr, size_t *out)
{
    for (*out = 0; *out < structure->member_count; ++*out)
        if (structure->members[*out].name == expr->name)
            return true;
    kiln_check_fail(checker, expr->at, "%s has no member '%s'", structure->name, expr->name);
    const kiln_stmt_t *definition = structure->definition;
    KILN_REPORT_NOTE(checker->reporter, definition->at, "%s is defined here", structure->name);
    return false;
}

// Finds the member that the next item of a list initializes. Returns false after a report.
static bool place_item(kiln_checker_t *checker, const kiln_struct_t *structure,
                       const kiln_expr_t *item, kiln_node_t *const *values, size_t *index)
{
    if (item->kind == KILN_EXPR_DESIGNATED) {
        if (!find_index(checker, structure, item, index))
            return false;
    } else if (*index == structure->member_count) {
        kiln_check_fail(checker, item->span, "%s has only %zu member%s", structure->name,
                        structure->member_count, structure->member_count == 1 ? "" : "s");
        return false;
    }
    if (!values[*index])
        return true;
    kiln_check_fail(checker, item->span, "duplicate value of member '%s'",
                    structure->members[*index].name);
    KILN_REPORT_NOTE(checker->reporter, values[*index]->span, "previous value is here");
    return false;
}

static kiln_node_t *check_list(kiln_checker_t *checker, const kiln_struct_t *structure,
                               const kiln_expr_t *list)
{
    kiln_node_t **values =
        KILN_ARENA_ARRAY(checker->arena, kiln_node_t *, structure->member_count + 1);
    size_t *order = KILN_ARENA_ARRAY(checker->arena, size_t, structure->member_count + 1),
           count = 0, index = 0;
    for (size_t i = 0; i < list->count; i++, index++) {
        const kiln_expr_t *item = list->list[i];
        if (!place_item(checker, structure, item, values, &index))
            return kiln_node_error(checker, list->span);
        values[index] = check_item(checker, &structure->members[index],
                                   item->kind == KILN_EXPR_DESIGNATED ? item->a : item);
        order[count++] = index;
    }
    for (size_t i = 0; i < structure->member_count; i++) {
        if (values[i])
            continue;
        values[i] = make_zero(checker, structure, i, list->span);
        order[count++] = i;
    }
    return kiln_struct_pack(checker, structure, values, order, list->span);
}

kiln_node_t *kiln_check_struct_list(kiln_checker_t *checker, const kiln_tile_type_t *type,
                                    const kiln_expr_t *list)
{
    if (kiln_tile_type_is_error(type))
        return kiln_node_error(checker, list->span);
    if (!kiln_tile_is_struct(type)) {
        kiln_check_fail(checker, list->span, "%s cannot be initialized by a list; %s",
                        KILN_TYPE_TEXT(checker, type),
                        type->rank ? "all elements of a tile are initialized by one expression"
                                   : "write the value without braces");
        return kiln_node_error(checker, list->span);
    }
    kiln_node_t *node = kiln_check_enter(checker, list->at)
                            ? check_list(checker, type->structure, list)
                            : kiln_node_error(checker, list->span);
    kiln_check_leave(checker);
    return node;
}

// Members -----------------------------------------------------------------------------------------

static bool needs_struct(kiln_checker_t *checker, const kiln_tile_type_t *type,
                         const kiln_expr_t *expr)
{
    if (kiln_tile_is_struct(type))
        return true;
    if (!kiln_tile_type_is_error(type))
        kiln_check_fail(checker, expr->at, "%s has no members; only structs do",
                        KILN_TYPE_TEXT(checker, type));
    return false;
}

kiln_node_t *kiln_check_member(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    kiln_node_t *base = kiln_check_expr(checker, expr->a);
    size_t index;
    if (!needs_struct(checker, &base->type, expr) ||
        !find_index(checker, base->type.structure, expr, &index))
        return kiln_node_error(checker, expr->span);
    return kiln_struct_member(checker, base, index, expr->span);
}

kiln_variable_t *kiln_find_member(kiln_checker_t *checker, const kiln_variable_t *variable,
                                  const kiln_expr_t *expr)
{
    size_t index;
    if (!needs_struct(checker, &variable->type, expr) ||
        !find_index(checker, variable->type.structure, expr, &index))
        return NULL;
    return variable->members[index];
}
