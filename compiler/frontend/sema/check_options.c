// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns a call's arguments: by position, by the name in the function's usage, or as options.
//
// An option's value is checked when it is read, so a check must read all options that its row
// lists.
#include "frontend/sema/check_builtin.h"

#include <stdio.h>
#include <string.h>

int kiln_builtin_parameter(const kiln_builtin_t *builtin, const char *name)
{
    const char *usage = builtin->usage, *at = strchr(usage, '(');
    size_t length = strlen(name);
    if (strstr(usage, " or "))
        return -1;
    for (int index = 0; at && *at && *at != ')'; index++) {
        at += 1 + (*at == ',' ? 1 : 0);
        size_t here = strcspn(at, ",)");
        if (here == length && !strncmp(at, name, length))
            return index;
        at += here;
    }
    return -1;
}

static int find_option(const kiln_builtin_t *builtin, const char *name)
{
    for (int i = 0; i < KILN_BUILTIN_OPTION_COUNT; i++)
        if ((builtin->options >> i & 1) &&
            !strcmp(kiln_builtin_option_row((kiln_builtin_option_t)i)->name, name))
            return i;
    return -1;
}

static void fail_unknown(const kiln_call_t *call, const kiln_expr_t *option)
{
    const char *names = "";
    for (int i = 0; i < KILN_BUILTIN_OPTION_COUNT; i++)
        if (call->builtin->options >> i & 1)
            names = kiln_arena_print(call->checker->arena, "%s%s.%s", names, *names ? ", " : "",
                                     kiln_builtin_option_row((kiln_builtin_option_t)i)->name);
    if (*names)
        kiln_check_fail(call->checker, option->at, "%s has no argument '%s': %s with %s",
                        call->builtin->name, option->name, call->builtin->usage, names);
    else
        kiln_check_fail(call->checker, option->at, "%s has no argument '%s': %s",
                        call->builtin->name, option->name, call->builtin->usage);
}

static bool fail_twice(const kiln_call_t *call, const kiln_expr_t *option)
{
    kiln_check_fail(call->checker, option->at, "duplicate argument '%s'", option->name);
    return false;
}

bool kiln_call_arrange(kiln_call_t *call, kiln_expr_t *arranged)
{
    const kiln_expr_t *written = call->expr;
    size_t room = written->count > call->builtin->max ? written->count : call->builtin->max;
    *arranged = *written;
    arranged->list = KILN_ARENA_ARRAY(call->checker->arena, kiln_expr_t *, room + 1);
    arranged->count = 0;
    call->expr = arranged;
    for (size_t i = 0; i < written->count; i++) {
        kiln_expr_t *item = written->list[i];
        if (item->kind != KILN_EXPR_DESIGNATED) {
            if (i && written->list[i - 1]->kind == KILN_EXPR_DESIGNATED) {
                kiln_check_fail(call->checker, item->span,
                                "positional arguments must precede named ones");
                return false;
            }
            arranged->list[arranged->count++] = item;
            continue;
        }
        int option = find_option(call->builtin, item->name),
            index = kiln_builtin_parameter(call->builtin, item->name);
        if (option >= 0) {
            if (call->options[option])
                return fail_twice(call, item);
            call->options[option] = item->a;
        } else if (index >= 0 && (size_t)index < call->builtin->max) {
            if (arranged->list[index])
                return fail_twice(call, item);
            arranged->list[index] = item->a;
            arranged->count =
                arranged->count > (size_t)index + 1 ? arranged->count : (size_t)index + 1;
        } else {
            fail_unknown(call, item);
            return false;
        }
    }
    bool is_whole = arranged->count >= call->builtin->min && arranged->count <= call->builtin->max;
    for (size_t i = 0; i < call->builtin->min; i++)
        is_whole = is_whole && arranged->list[i];
    if (!is_whole)
        kiln_check_fail(call->checker, written->at, "wrong number of arguments; expected %s",
                        call->builtin->usage);
    return is_whole;
}

// Options of each kind ----------------------------------------------------------------------------

bool kiln_call_number(const kiln_call_t *call, kiln_builtin_option_t option, int64_t otherwise,
                      int64_t *out)
{
    *out = otherwise;
    if (!call->options[option])
        return true;
    char what[64];
    snprintf(what, sizeof what, "option '%s'", kiln_builtin_option_row(option)->name);
    return kiln_check_constant_int(call->checker, call->options[option], what, out);
}

bool kiln_call_flag(const kiln_call_t *call, kiln_builtin_option_t option, bool otherwise,
                    bool *out)
{
    const kiln_expr_t *expr = call->options[option];
    *out = otherwise;
    if (!expr)
        return true;
    kiln_node_t *node = kiln_convert_to_bool(call->checker, kiln_check_expr(call->checker, expr));
    if (kiln_node_is_error(node))
        return false;
    if (!kiln_node_is_constant(node)) {
        kiln_check_fail(call->checker, expr->span, "option '%s' is not known at compile time",
                        kiln_builtin_option_row(option)->name);
        return false;
    }
    *out = kiln_constant_is_true(node->constant);
    return true;
}

bool kiln_call_word(const kiln_call_t *call, kiln_builtin_option_t option, int otherwise, int *out)
{
    const kiln_expr_t *expr = call->options[option];
    size_t count;
    const kiln_builtin_option_word_t *words = kiln_builtin_option_words(option, &count);
    const char *names = "";
    *out = otherwise;
    if (!expr)
        return true;
    const char *given = expr->kind == KILN_EXPR_NAME ? expr->name : "";
    if (expr->kind == KILN_EXPR_TYPE && expr->type->scalar) // f16 is always the name of a type
        given = kiln_scalar_row(expr->type->scalar)->spelling;
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(given, words[i].word)) {
            *out = words[i].value;
            return true;
        }
        names =
            kiln_arena_print(call->checker->arena, "%s%s%s", names, i ? ", " : "", words[i].word);
    }
    kiln_check_fail(call->checker, expr->span, "option '%s' must be one of %s",
                    kiln_builtin_option_row(option)->name, names);
    return false;
}

// Results -----------------------------------------------------------------------------------------

kiln_variable_t *kiln_check_address(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    const kiln_symbol_t *symbol = NULL;
    if (expr->kind == KILN_EXPR_NAME) { // a reference passed on
        symbol = kiln_symbol_find(checker, expr->name);
        if (symbol && symbol->kind == KILN_SYMBOL_REFERENCE)
            return symbol->variable;
    } else if (expr->kind == KILN_EXPR_ADDRESS) {
        kiln_variable_t *variable = kiln_check_target(checker, expr->a, expr->span);
        return variable;
    }
    kiln_check_fail(checker, expr->span, "a result needs a variable, as in &name");
    return NULL;
}

kiln_node_t *kiln_check_results(kiln_checker_t *checker, kiln_node_t *call,
                                kiln_node_t *const *values, kiln_variable_t *const *targets,
                                const kiln_span_t *places, size_t count)
{
    kiln_node_t *all = call;
    for (size_t i = 0; i < count; i++) {
        kiln_node_t *value = kiln_convert_implicitly(
            checker, values[i], &targets[i]->type, places[i], "assign this result to the variable");
        if (kiln_node_is_error(value))
            return value;
        all = kiln_node_sequence(checker, all,
                                 kiln_node_assign(checker, targets[i], value, places[i]));
    }
    all->type = kiln_tile_scalar(KILN_SCALAR_VOID);
    return all;
}

void kiln_call_outputs(const kiln_call_t *call, kiln_node_t *node, const kiln_tile_type_t *types,
                       size_t count)
{
    node->output_count = count;
    node->outputs = KILN_ARENA_ARRAY(call->checker->arena, kiln_variable_t *, count);
    for (size_t i = 0; i < count; i++)
        node->outputs[i] = kiln_variable_make(call->checker, NULL, &types[i], call->expr->span);
}
