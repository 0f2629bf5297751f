// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of helper functions, expanded where they stand: a helper is checked anew for each call, so `auto` parameters,
// tile sizes and constexpr parameters are those of the call.
//
// A helper sees its own parameters and the file's constants, not its caller's variables.
#include "check.h"

static bool is_active(const kiln_checker_t *checker, const kiln_function_syntax_t *function)
{
    for (const kiln_frame_t *frame = checker->frame; frame; frame = frame->outer)
        if (frame->function == function)
            return true;
    return false;
}

// Values of `constexpr` parameters are checked in the caller, before the helper's own scope begins.
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
            kiln_check_fail(checker, argument->span, "parameter '%s' is an element type, not a %s", parameter->name,
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
                        "parameter '%s' is constexpr, and this value is not known when compiling", parameter->name);
        kiln_check_note_declaration(checker, value);
        return false;
    }
    symbol->constant = value->constant;
    return true;
}

// The declared type, once the constants are known. `auto` takes the argument's.
static kiln_node_t *bind_argument(kiln_checker_t *checker, const kiln_parameter_syntax_t *parameter, kiln_node_t *value,
                                  kiln_span_t at, kiln_tile_type_t *out_type)
{
    *out_type = value->type;
    if (kiln_node_is_error(value))
        return value;
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

static bool check_constant_parameter(kiln_checker_t *checker, const kiln_parameter_syntax_t *parameter,
                                     kiln_symbol_t *symbol)
{
    kiln_tile_type_t type;
    if (parameter->is_type || parameter->type->is_auto)
        return true;
    if (!kiln_resolve_element(checker, parameter->type, &type) || type.is_pointer)
        return false;
    kiln_node_t *value = kiln_convert_implicitly(checker, kiln_node_constant(checker, symbol->constant, symbol->at),
                                                 &type, symbol->at, "pass this");
    if (kiln_node_is_error(value) || !kiln_node_is_constant(value))
        return false;
    symbol->constant = value->constant;
    return true;
}

typedef struct bound {
    kiln_symbol_t symbol; // of a constexpr parameter
    kiln_node_t *value;   // of another
    kiln_span_t at;
} bound_t;

static kiln_action_t *declare_parameters(kiln_checker_t *checker, const kiln_function_syntax_t *function,
                                         bound_t *bound)
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
        kiln_tile_type_t type;
        kiln_node_t *value = bind_argument(checker, parameter, bound[i].value, bound[i].at, &type);
        if (kiln_node_is_error(value))
            type = kiln_tile_scalar(KILN_SCALAR_NONE);
        kiln_variable_t *variable = kiln_variable_make(checker, parameter->name, &type, parameter->at);
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
    if (kiln_resolve_type(checker, syntax, NULL, &type) && kiln_tile_is_struct(&type) && type.structure->is_open) {
        frame->result_is_open = true;
        frame->open_result = type;
        return;
    }
    frame->result = kiln_variable_make(checker, NULL, &type, syntax->span);
}

// The result's members begin before the body, which assigns them.
static kiln_node_t *expand_to_struct(kiln_checker_t *checker, const kiln_expr_t *call, kiln_action_t *body,
                                     kiln_variable_t *result)
{
    kiln_tile_type_t nothing = kiln_tile_scalar(KILN_SCALAR_VOID);
    kiln_node_t *expansion = kiln_node_make(checker, KILN_NODE_EXPANSION, &nothing, call->span, call->at);
    expansion->body = kiln_action_make(checker, KILN_ACTION_BLOCK, body->span);
    kiln_declare_variable(checker, expansion->body, result, NULL);
    kiln_action_append(checker, expansion->body, body);
    kiln_node_t *node = kiln_node_variable(checker, result, call->span);
    node->a = expansion;
    return node;
}

static kiln_node_t *expand(kiln_checker_t *checker, const kiln_function_syntax_t *function, const kiln_expr_t *call,
                           bound_t *bound)
{
    const kiln_call_site_t *outer_site = checker->site;
    kiln_call_site_t *site = KILN_ARENA_NEW(checker->arena, kiln_call_site_t);
    *site = (kiln_call_site_t){.span = call->span, .outer = outer_site, .function = function->name};
    kiln_frame_t frame = {.outer = checker->frame, .function = function, .first_symbol = checker->symbol_count};
    size_t opened = kiln_scope_open(checker);
    checker->frame = &frame;
    checker->site = site;

    kiln_action_t *body = declare_parameters(checker, function, bound);
    declare_result(checker, &frame);
    kiln_action_t *inner = kiln_check_stmt(checker, function->body);
    kiln_action_append(checker, body, inner);
    bool has_result = frame.result ? !kiln_tile_type_is_error(&frame.result->type)
                                   : kiln_tile_is_struct(&frame.open_result) && frame.result_is_open;
    if (has_result && body && !body->never_ends) {
        kiln_span_t end = {function->body->span.end ? function->body->span.end - 1 : 0, function->body->span.end};
        kiln_check_fail(checker, end, "'%s' can end without returning a value", function->name);
    }

    kiln_scope_close(checker, opened);
    checker->frame = frame.outer;
    checker->site = outer_site;

    if (frame.result && kiln_tile_is_struct(&frame.result->type))
        return expand_to_struct(checker, call, body, frame.result);
    kiln_tile_type_t type = frame.result ? frame.result->type : kiln_tile_scalar(KILN_SCALAR_VOID);
    kiln_node_t *node = kiln_node_make(checker, KILN_NODE_EXPANSION, &type, call->span, call->at);
    node->body = body;
    node->variable = frame.result;
    return node;
}

kiln_node_t *kiln_check_expansion(kiln_checker_t *checker, const kiln_function_syntax_t *function,
                                  const kiln_expr_t *call)
{
    if (is_active(checker, function)) {
        kiln_check_fail(checker, call->at,
                        "'%s' calls itself: helpers are expanded where they are called, so they cannot",
                        function->name);
        return kiln_node_error(checker, call->span);
    }
    if (call->count != function->parameter_count) {
        kiln_check_fail(checker, call->at, "'%s' takes %zu argument%s, not %zu", function->name,
                        function->parameter_count, function->parameter_count == 1 ? "" : "s", call->count);
        KILN_REPORT_NOTE(checker->reporter, function->at, "'%s' is defined here", function->name);
        return kiln_node_error(checker, call->span);
    }
    bound_t *bound = KILN_ARENA_ARRAY(checker->arena, bound_t, call->count + 1);
    bool is_ok = true;
    for (size_t i = 0; i < call->count; i++) {
        const kiln_parameter_syntax_t *parameter = &function->parameters[i];
        bound[i].at = call->list[i]->span;
        if (parameter->is_constexpr) {
            is_ok = bind_constant(checker, parameter, call->list[i], &bound[i].symbol) && is_ok;
        } else {
            bound[i].value = kiln_check_expr(checker, call->list[i]);
            is_ok = !kiln_node_is_error(bound[i].value) && is_ok;
        }
    }
    return is_ok ? expand(checker, function, call, bound) : kiln_node_error(checker, call->span);
}
