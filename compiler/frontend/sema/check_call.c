// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of helper functions, expanded inline: a helper is checked again for each call, so `auto`
// parameters, tile sizes and constexpr parameters are those of the call.
//
// A helper sees its own parameters and the file's constants, not its caller's variables.
#include "frontend/sema/check_builtin.h"

#include <string.h>

static const kiln_function_syntax_t *find_in(const kiln_unit_t *unit, const char *name)
{
    for (size_t i = 0; i < unit->function_count; i++)
        if (unit->functions[i]->name == name)
            return unit->functions[i];
    return NULL;
}

const kiln_function_syntax_t *kiln_function_find(kiln_checker_t *checker, const char *name)
{
    bool in_prelude = checker->frame && kiln_span_is_prelude(checker->frame->function->at);
    const kiln_function_syntax_t *function = in_prelude ? NULL : find_in(checker->unit, name);
    if (function)
        return function;
    if (!checker->prelude)
        checker->prelude = kiln_prelude_parse(checker->arena, checker->names);
    return checker->prelude ? find_in(checker->prelude, name) : NULL;
}

enum { RECURSION_LIMIT = 32 };

static unsigned depth_of(const kiln_checker_t *checker, const kiln_function_syntax_t *function)
{
    unsigned depth = 0;
    for (const kiln_frame_t *frame = checker->frame; frame; frame = frame->outer)
        depth += frame->function == function;
    return depth;
}

// Values of `constexpr` parameters are checked in the caller, before the helper's scope begins.
static bool bind_constant(kiln_checker_t *checker, const kiln_parameter_syntax_t *parameter,
                          const kiln_expr_t *argument, kiln_symbol_t *symbol)
{
    *symbol = (kiln_symbol_t){.kind = parameter->is_type ? KILN_SYMBOL_TYPE : KILN_SYMBOL_CONSTANT,
                              .name = parameter->name,
                              .at = parameter->at};
    if (parameter->is_type) {
        kiln_tile_type_t type = {0};
        if (argument->kind != KILN_EXPR_TYPE)
            kiln_check_fail(checker, argument->span, "parameter '%s' is a type", parameter->name);
        else if (kiln_resolve_element(checker, argument->type, &type) &&
                 (type.is_pointer || kiln_tile_is_struct(&type)))
            kiln_check_fail(checker, argument->span,
                            "parameter '%s' must be an element type, not a %s", parameter->name,
                            type.is_pointer ? "pointer" : "struct");
        if (kiln_tile_is_struct(&type))
            type.scalar = KILN_SCALAR_NONE;
        symbol->tile = kiln_tile_scalar(type.scalar);
        return type.scalar != KILN_SCALAR_NONE;
    }
    kiln_node_t *value = kiln_check_expr(checker, argument);
    if (kiln_node_is_error(value))
        return false;
    if (!kiln_node_is_constant(value)) {
        kiln_check_fail(checker, argument->span,
                        "parameter '%s' is constexpr, but this value is not known at compile time",
                        parameter->name);
        kiln_check_note_declaration(checker, value);
        return false;
    }
    symbol->constant = value->constant;
    return true;
}

// The declared type, once the constants are known. `auto` takes the argument's type.
static kiln_node_t *bind_argument(kiln_checker_t *checker, const kiln_parameter_syntax_t *parameter,
                                  kiln_node_t *value, kiln_span_t at, kiln_tile_type_t *out_type)
{
    *out_type = value->type;
    if (kiln_node_is_error(value))
        return value;
    if (parameter->type->is_auto && parameter->type->is_pointer && !value->type.is_pointer) {
        kiln_check_fail(checker, at,
                        "parameter '%s' is a pointer, got %s; write &name for a variable's address",
                        parameter->name, KILN_TYPE_TEXT(checker, &value->type));
        return kiln_node_error(checker, at);
    }
    if (parameter->type->is_auto) {
        if (value->type.scalar != KILN_SCALAR_VOID)
            return value;
        kiln_check_fail(checker, at, "this has no value");
        return kiln_node_error(checker, at);
    }
    if (!kiln_resolve_type(checker, parameter->type, &value->type, out_type))
        return kiln_node_error(checker, at);
    return kiln_convert_implicitly(checker, value, out_type, at, "pass this");
}

static bool check_constant_parameter(kiln_checker_t *checker,
                                     const kiln_parameter_syntax_t *parameter,
                                     kiln_symbol_t *symbol)
{
    kiln_tile_type_t type;
    if (parameter->is_type || parameter->type->is_auto)
        return true;
    if (!kiln_resolve_element(checker, parameter->type, &type) || type.is_pointer)
        return false;
    kiln_node_t *value =
        kiln_convert_implicitly(checker, kiln_node_constant(checker, symbol->constant, symbol->at),
                                &type, symbol->at, "pass this");
    if (kiln_node_is_error(value) || !kiln_node_is_constant(value))
        return false;
    symbol->constant = value->constant;
    return true;
}

typedef struct bound {
    kiln_symbol_t symbol;       // of a constexpr parameter
    kiln_variable_t *reference; // if passed by address, else
    kiln_node_t *value;         // the value passed
    kiln_span_t at;
} bound_t;

// `T *name` refers to a variable of type T, `auto *name` to one of any type.
static void declare_reference(kiln_checker_t *checker, const kiln_parameter_syntax_t *parameter,
                              const bound_t *bound)
{
    const kiln_type_syntax_t *syntax = parameter->type;
    kiln_symbol_t symbol = {.kind = KILN_SYMBOL_REFERENCE,
                            .name = parameter->name,
                            .at = parameter->at,
                            .variable = bound->reference,
                            .is_const = syntax->is_const};
    kiln_tile_type_t type = {.scalar = KILN_SCALAR_NONE};
    kiln_tile_type_t *own = &bound->reference->type;
    if (!syntax->is_pointer || syntax->dim_count) {
        kiln_check_fail(checker, bound->at,
                        "parameter '%s' is not a pointer to a variable; declare it as auto *%s",
                        parameter->name, parameter->name);
        KILN_REPORT_NOTE(checker->reporter, parameter->at, "'%s' is declared here",
                         parameter->name);
        symbol.kind = KILN_SYMBOL_VARIABLE; // for recovery; the error was reported
        symbol.variable = kiln_variable_make(checker, parameter->name, &type, parameter->at);
    } else if (!syntax->is_auto) {
        kiln_type_syntax_t pointee = *syntax;
        pointee.is_pointer = pointee.is_const = false;
        if (kiln_resolve_type(checker, &pointee, own, &type) && !kiln_tile_type_is_error(own) &&
            !kiln_tile_type_equal(own, &type))
            kiln_check_fail(checker, bound->at,
                            "parameter '%s' points to %s, but this variable is %s", parameter->name,
                            KILN_TYPE_TEXT(checker, &type), KILN_TYPE_TEXT(checker, own));
    }
    kiln_symbol_declare(checker, &symbol);
}

static kiln_action_t *declare_parameters(kiln_checker_t *checker,
                                         const kiln_function_syntax_t *function, bound_t *bound)
{
    kiln_action_t *block = kiln_action_make(checker, KILN_ACTION_BLOCK, function->at);
    for (size_t i = 0; i < function->parameter_count; i++) {
        const kiln_parameter_syntax_t *parameter = &function->parameters[i];
        if (parameter->is_constexpr) {
            if (!check_constant_parameter(checker, parameter, &bound[i].symbol))
                bound[i].symbol.constant.scalar = KILN_SCALAR_NONE;
            kiln_symbol_declare(checker, &bound[i].symbol);
            continue;
        }
        if (bound[i].reference) {
            declare_reference(checker, parameter, &bound[i]);
            continue;
        }
        kiln_tile_type_t type;
        kiln_node_t *value = bind_argument(checker, parameter, bound[i].value, bound[i].at, &type);
        if (kiln_node_is_error(value))
            type = kiln_tile_scalar(KILN_SCALAR_NONE);
        kiln_variable_t *variable =
            kiln_variable_make(checker, parameter->name, &type, parameter->at);
        kiln_symbol_declare(checker, &(kiln_symbol_t){.kind = KILN_SYMBOL_VARIABLE,
                                                      .name = parameter->name,
                                                      .at = parameter->at,
                                                      .variable = variable});
        kiln_declare_variable(checker, block, variable, value);
    }
    return block;
}

static void declare_result(kiln_checker_t *checker, kiln_frame_t *frame)
{
    const kiln_type_syntax_t *syntax = frame->function->result;
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_NONE);
    frame->result_is_open = syntax->is_auto;
    if (syntax->is_auto || (syntax->scalar == KILN_SCALAR_VOID && !syntax->is_pointer))
        return;
    if (kiln_resolve_type(checker, syntax, NULL, &type) && kiln_tile_is_struct(&type) &&
        type.structure->is_open) {
        frame->result_is_open = true;
        frame->open_result = type;
        return;
    }
    frame->result = kiln_variable_make(checker, NULL, &type, syntax->span);
}

// The result's members are declared before the body, which assigns them.
static kiln_node_t *expand_to_struct(kiln_checker_t *checker, const kiln_expr_t *call,
                                     kiln_action_t *body, kiln_variable_t *result)
{
    kiln_tile_type_t nothing = kiln_tile_scalar(KILN_SCALAR_VOID);
    kiln_node_t *expansion =
        kiln_node_make(checker, KILN_NODE_EXPANSION, &nothing, call->span, call->at);
    expansion->body = kiln_action_make(checker, KILN_ACTION_BLOCK, body->span);
    kiln_declare_variable(checker, expansion->body, result, NULL);
    kiln_action_append(checker, expansion->body, body);
    kiln_node_t *node = kiln_node_variable(checker, result, call->span);
    node->a = expansion;
    return node;
}

static kiln_node_t *expand(kiln_checker_t *checker, const kiln_function_syntax_t *function,
                           const kiln_expr_t *call, bound_t *bound)
{
    const kiln_call_site_t *outer_site = checker->site;
    kiln_call_site_t *site = KILN_ARENA_NEW(checker->arena, kiln_call_site_t);
    *site = (kiln_call_site_t){.span = call->span, .outer = outer_site, .function = function->name};
    kiln_frame_t frame = {
        .outer = checker->frame, .function = function, .first_symbol = checker->symbol_count};
    size_t opened = kiln_scope_open(checker), failures = checker->failures;
    checker->frame = &frame;
    checker->site = site;

    kiln_action_t *body = declare_parameters(checker, function, bound);
    declare_result(checker, &frame);
    kiln_action_t *inner = kiln_check_stmt(checker, function->body);
    kiln_action_append(checker, body, inner);
    bool has_result = frame.result
                          ? !kiln_tile_type_is_error(&frame.result->type)
                          : kiln_tile_is_struct(&frame.open_result) && frame.result_is_open;
    if (has_result && body && !body->always_exits) {
        kiln_span_t end = {function->body->span.end ? function->body->span.end - 1 : 0,
                           function->body->span.end};
        kiln_check_fail(checker, end, "'%s' does not return a value on all paths", function->name);
    }

    kiln_scope_close(checker, opened);
    checker->frame = frame.outer;
    checker->site = outer_site;
    if (checker->failures != failures)
        return kiln_node_error(checker, call->span);

    if (frame.result && kiln_tile_is_struct(&frame.result->type))
        return expand_to_struct(checker, call, body, frame.result);
    kiln_tile_type_t type = frame.result ? frame.result->type : kiln_tile_scalar(KILN_SCALAR_VOID);
    kiln_node_t *node = kiln_node_make(checker, KILN_NODE_EXPANSION, &type, call->span, call->at);
    node->body = body;
    node->variable = frame.result;
    return node;
}

// The arguments in the order of the parameters: positional ones, then named ones, then defaults.
// NULL after a report.
static const kiln_expr_t **arrange(kiln_checker_t *checker, const kiln_function_syntax_t *function,
                                   const kiln_expr_t *call)
{
    size_t count = function->parameter_count, given = 0;
    const kiln_expr_t **list =
        KILN_ARENA_ARRAY(checker->arena, const kiln_expr_t *, count + call->count + 1);
    for (size_t i = 0; i < call->count; i++) {
        const kiln_expr_t *item = call->list[i];
        if (item->kind != KILN_EXPR_DESIGNATED) {
            if (i && call->list[i - 1]->kind == KILN_EXPR_DESIGNATED) {
                kiln_check_fail(checker, item->span,
                                "positional arguments must precede named ones");
                return NULL;
            }
            list[i] = item;
            given++;
            continue;
        }
        size_t index = 0;
        while (index < count && function->parameters[index].name != item->name)
            index++;
        if (index < count && !list[index]) {
            list[index] = item->a;
            given++;
            continue;
        }
        kiln_check_fail(checker, item->at,
                        index < count ? "duplicate argument '%s'" : "'%s' has no parameter '%s'",
                        index < count ? item->name : function->name, item->name);
        KILN_REPORT_NOTE(checker->reporter, function->at, "'%s' is defined here", function->name);
        return NULL;
    }
    bool is_whole = given <= count;
    for (size_t i = 0; i < count && is_whole; i++)
        is_whole = list[i] || function->parameters[i].value;
    if (is_whole)
        return list;
    kiln_check_fail(checker, call->at, "'%s' takes %zu argument%s, got %zu", function->name, count,
                    count == 1 ? "" : "s", given);
    KILN_REPORT_NOTE(checker->reporter, function->at, "'%s' is defined here", function->name);
    return NULL;
}

// A default sees only the file's constants, not the caller's variables.
static bool bind_default(kiln_checker_t *checker, const kiln_function_syntax_t *function,
                         size_t index, kiln_symbol_t *symbol)
{
    const kiln_parameter_syntax_t *parameter = &function->parameters[index];
    kiln_frame_t frame = {
        .outer = checker->frame, .function = function, .first_symbol = checker->symbol_count};
    checker->frame = &frame;
    bool is_ok = bind_constant(checker, parameter, parameter->value, symbol);
    checker->frame = frame.outer;
    return is_ok;
}

static bool is_reference(kiln_checker_t *checker, const kiln_expr_t *argument)
{
    if (argument->kind != KILN_EXPR_NAME)
        return argument->kind == KILN_EXPR_ADDRESS && !kiln_is_memory_address(checker, argument);
    const kiln_symbol_t *symbol = kiln_symbol_find(checker, argument->name);
    return symbol && symbol->kind == KILN_SYMBOL_REFERENCE;
}

kiln_node_t *kiln_check_expansion(kiln_checker_t *checker, const kiln_function_syntax_t *function,
                                  const kiln_expr_t *call)
{
    if (depth_of(checker, function) == RECURSION_LIMIT) {
        kiln_check_fail(checker, call->at,
                        "recursion of '%s' exceeds %d levels; functions are expanded at each call, "
                        "so 'if constexpr' "
                        "must end the recursion",
                        function->name, RECURSION_LIMIT);
        return kiln_node_error(checker, call->span);
    }
    const kiln_expr_t **list = arrange(checker, function, call);
    if (!list)
        return kiln_node_error(checker, call->span);
    bound_t *bound = KILN_ARENA_ARRAY(checker->arena, bound_t, function->parameter_count + 1);
    bool is_ok = true;
    for (size_t i = 0; i < function->parameter_count; i++) {
        const kiln_parameter_syntax_t *parameter = &function->parameters[i];
        bound[i].at = list[i] ? list[i]->span : call->span;
        if (!list[i]) {
            is_ok = bind_default(checker, function, i, &bound[i].symbol) && is_ok;
        } else if (parameter->is_constexpr) {
            is_ok = bind_constant(checker, parameter, list[i], &bound[i].symbol) && is_ok;
        } else if (is_reference(checker, list[i])) {
            bound[i].reference = kiln_check_address(checker, list[i]);
            is_ok = bound[i].reference && is_ok;
        } else {
            bound[i].value = kiln_check_expr(checker, list[i]);
            is_ok = !kiln_node_is_error(bound[i].value) && is_ok;
        }
    }
    return is_ok ? expand(checker, function, call, bound) : kiln_node_error(checker, call->span);
}

kiln_node_t *kiln_check_call_of(kiln_checker_t *checker, const char *function,
                                const kiln_expr_t *at, kiln_variable_t *const *variables,
                                size_t first_reference, size_t reference_count, size_t count)
{
    kiln_expr_t call = {
        .kind = KILN_EXPR_CALL, .span = at->span, .at = at->at, .name = function, .count = count};
    size_t opened = kiln_scope_open(checker);
    call.list = KILN_ARENA_ARRAY(checker->arena, kiln_expr_t *, count + 1);
    for (size_t i = 0; i < count; i++) {
        // Differs from all names of the text, as those are interned.
        char *name = kiln_arena_copy(checker->arena, "value", 5);
        kiln_expr_t *expr = KILN_ARENA_NEW(checker->arena, kiln_expr_t);
        *expr = (kiln_expr_t){.kind = KILN_EXPR_NAME, .span = at->span, .at = at->at, .name = name};
        kiln_symbol_declare(checker, &(kiln_symbol_t){.kind = KILN_SYMBOL_VARIABLE,
                                                      .name = name,
                                                      .at = at->span,
                                                      .variable = variables[i]});
        call.list[i] = expr;
        if (i >= first_reference && i < first_reference + reference_count) {
            call.list[i] = KILN_ARENA_NEW(checker->arena, kiln_expr_t);
            *call.list[i] =
                (kiln_expr_t){.kind = KILN_EXPR_ADDRESS, .span = at->span, .at = at->at, .a = expr};
        }
    }
    kiln_node_t *node = kiln_check_expr(checker, &call);
    kiln_scope_close(checker, opened);
    return node;
}

kiln_node_t *kiln_call_prelude(const kiln_call_t *call, const char *function,
                               kiln_node_t *const *values, size_t count)
{
    kiln_checker_t *checker = call->checker;
    kiln_variable_t **variables = KILN_ARENA_ARRAY(checker->arena, kiln_variable_t *, count + 1);
    kiln_node_t *kept = NULL;
    for (size_t i = 0; i < count; i++) {
        if (kiln_node_is_error(values[i]))
            return values[i];
        variables[i] = kiln_variable_make(checker, NULL, &values[i]->type, values[i]->span);
        kiln_node_t *assign = kiln_node_assign(checker, variables[i], values[i], values[i]->at);
        kept = kept ? kiln_node_sequence(checker, kept, assign) : assign;
    }
    const char *name = kiln_names_intern(checker->names, function, strlen(function));
    kiln_node_t *node = kiln_check_call_of(checker, name, call->expr, variables, 0, 0, count);
    return kept ? kiln_node_sequence(checker, kept, node) : node;
}
