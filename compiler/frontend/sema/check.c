// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker's base: scopes, nodes, selection of the kernel, values of its constexpr
// parameters and hints of its arguments.
//
// Errors in the caller's options (an unknown -D, a missing value) are reported at the kernel's
// declaration, as this is the line to look at.
#include "frontend/sema/check_warn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { SCOPE_LIMIT = 32768 };

// Depth -------------------------------------------------------------------------------------------

bool kiln_check_enter(kiln_checker_t *checker, kiln_span_t at)
{
    if (checker->depth++ < KILN_CHECK_DEPTH_LIMIT)
        return !checker->is_exhausted;
    if (!checker->is_exhausted)
        kiln_check_fail(checker, at, "nesting is too deep here after expanding calls");
    checker->is_exhausted = true;
    return false;
}

void kiln_check_leave(kiln_checker_t *checker)
{
    checker->depth--;
}

// Scopes ------------------------------------------------------------------------------------------

size_t kiln_scope_open(kiln_checker_t *checker)
{
    size_t opened = checker->scope_begin;
    checker->scope_begin = checker->symbol_count;
    return opened;
}

void kiln_scope_close(kiln_checker_t *checker, size_t opened)
{
    checker->symbol_count = checker->scope_begin;
    checker->scope_begin = opened;
}

kiln_symbol_t *kiln_symbol_find(kiln_checker_t *checker, const char *name)
{
    size_t first = checker->frame ? checker->frame->first_symbol : 0;
    for (size_t i = checker->symbol_count; i > first; i--)
        if (checker->symbols[i - 1].name == name)
            return &checker->symbols[i - 1];
    for (size_t i = checker->global_count; i > 0; i--)
        if (checker->symbols[i - 1].name == name)
            return &checker->symbols[i - 1];
    return NULL;
}

void kiln_symbol_declare(kiln_checker_t *checker, const kiln_symbol_t *symbol)
{
    // Each name is compared with all earlier ones, so a scope has a limit.
    if (checker->symbol_count - checker->scope_begin >= SCOPE_LIMIT) {
        if (!checker->is_exhausted)
            kiln_check_fail(checker, symbol->at, "more than %d names in one scope", SCOPE_LIMIT);
        checker->is_exhausted = true;
        return;
    }
    for (size_t i = checker->symbol_count; i > checker->scope_begin; i--) {
        if (checker->symbols[i - 1].name != symbol->name)
            continue;
        kiln_check_fail(checker, symbol->at, "redeclaration of '%s' in the same scope",
                        symbol->name);
        KILN_REPORT_NOTE(checker->reporter, checker->symbols[i - 1].at,
                         "previous declaration is here");
        break;
    }
    KILN_ARENA_PUSH(checker->arena, checker->symbols, checker->symbol_count,
                    checker->symbol_capacity, *symbol);
}

void kiln_variable_rename(kiln_checker_t *checker, kiln_variable_t *variable, const char *name)
{
    variable->name = name;
    for (size_t i = 0; name && variable->members && i < variable->type.structure->member_count;
         i++) {
        const char *member = variable->type.structure->members[i].name;
        size_t length = strlen(name) + strlen(member) + 2;
        char *joined = KILN_ARENA_ARRAY(checker->arena, char, length);
        snprintf(joined, length, "%s.%s", name, member);
        kiln_variable_rename(checker, variable->members[i], joined);
    }
}

kiln_variable_t *kiln_variable_make(kiln_checker_t *checker, const char *name,
                                    const kiln_tile_type_t *type, kiln_span_t at)
{
    kiln_variable_t *variable = KILN_ARENA_NEW(checker->arena, kiln_variable_t);
    variable->name = name;
    variable->type = *type;
    variable->at = at;
    if (!kiln_tile_is_struct(type))
        return variable;
    variable->members =
        KILN_ARENA_ARRAY(checker->arena, kiln_variable_t *, type->structure->member_count + 1);
    for (size_t i = 0; i < type->structure->member_count; i++)
        variable->members[i] =
            kiln_variable_make(checker, NULL, &type->structure->members[i].type, at);
    kiln_variable_rename(checker, variable, name);
    return variable;
}

// Nodes -------------------------------------------------------------------------------------------

kiln_node_t *kiln_node_make(kiln_checker_t *checker, kiln_node_kind_t kind,
                            const kiln_tile_type_t *type, kiln_span_t span, kiln_span_t at)
{
    kiln_node_t *node = KILN_ARENA_NEW(checker->arena, kiln_node_t);
    *node =
        (kiln_node_t){.kind = kind, .type = *type, .span = span, .at = at, .site = checker->site};
    if (++checker->node_count > KILN_CHECK_NODE_LIMIT && !checker->is_exhausted) {
        kiln_check_fail(checker, at,
                        "the program is too large after expanding its calls and constant loops");
        checker->is_exhausted = true;
    }
    return node;
}

kiln_node_t *kiln_node_error(kiln_checker_t *checker, kiln_span_t span)
{
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_NONE);
    return kiln_node_make(checker, KILN_NODE_CONSTANT, &type, span, span);
}

kiln_node_t *kiln_node_constant(kiln_checker_t *checker, kiln_constant_t constant, kiln_span_t span)
{
    kiln_tile_type_t type = kiln_tile_scalar(constant.scalar);
    kiln_node_t *node = kiln_node_make(checker, KILN_NODE_CONSTANT, &type, span, span);
    node->constant = constant;
    return node;
}

kiln_node_t *kiln_node_int(kiln_checker_t *checker, kiln_scalar_t scalar, int64_t value,
                           kiln_span_t span)
{
    return kiln_node_constant(checker, kiln_constant_int(scalar, value), span);
}

kiln_node_t *kiln_node_variable(kiln_checker_t *checker, kiln_variable_t *variable,
                                kiln_span_t span)
{
    kiln_node_kind_t kind =
        kiln_tile_is_struct(&variable->type) ? KILN_NODE_STRUCT : KILN_NODE_VARIABLE;
    kiln_node_t *node = kiln_node_make(checker, kind, &variable->type, span, span);
    node->variable = variable;
    return node;
}

kiln_node_t *kiln_node_sequence(kiln_checker_t *checker, kiln_node_t *a, kiln_node_t *b)
{
    if (kiln_node_is_error(a) || kiln_node_is_error(b))
        return kiln_node_error(checker, b->span);
    if (b->kind == KILN_NODE_STRUCT) {
        kiln_node_t *node = kiln_node_variable(checker, b->variable, b->span);
        node->a = b->a ? kiln_node_sequence(checker, a, b->a) : a;
        return node;
    }
    kiln_node_t *node = kiln_node_make(checker, KILN_NODE_SEQUENCE, &b->type, b->span, b->at);
    node->a = a;
    node->b = b;
    return node;
}

kiln_node_t *kiln_node_assign(kiln_checker_t *checker, kiln_variable_t *variable,
                              kiln_node_t *value, kiln_span_t at)
{
    if (kiln_tile_is_struct(&variable->type))
        return kiln_struct_assign(checker, variable, value, at);
    kiln_node_t *node = kiln_node_make(checker, KILN_NODE_ASSIGN, &variable->type, value->span, at);
    node->variable = variable;
    node->a = value;
    return node;
}

// The caller's options ----------------------------------------------------------------------------

static const kiln_setting_t *find_define(const kiln_checker_t *checker, const char *name)
{
    const kiln_setting_t *found = NULL; // the last of several takes precedence, as in C compilers
    for (size_t i = 0; i < checker->options->define_count; i++)
        if (!strcmp(checker->options->defines[i].name, name))
            found = &checker->options->defines[i];
    return found;
}

// Parses "64", "-1", "0x10", "1.5", "true" as a constant of a type.
static bool read_define(const char *text, kiln_scalar_t scalar, kiln_constant_t *out)
{
    kiln_tile_type_t type = kiln_tile_scalar(scalar);
    char *rest;
    errno = 0;
    if (!strcmp(text, "true") || !strcmp(text, "false")) {
        *out = kiln_constant_int(scalar, text[0] == 't');
        return kiln_tile_is_bool(&type);
    }
    if (kiln_tile_is_integer(&type)) {
        bool negative = text[0] == '-';
        int64_t value = negative || !kiln_tile_is_unsigned(&type)
                            ? strtoll(text, &rest, 0)
                            : (int64_t)strtoull(text, &rest, 0);
        *out = kiln_constant_int(scalar, value);
        return rest != text && !*rest && !errno && out->integer == value &&
               !(negative && kiln_tile_is_unsigned(&type));
    }
    int side;
    double value = kiln_real_parse_with_rest(text, &rest, &side);
    *out = kiln_constant_literal(scalar, value, side);
    return rest != text && !*rest;
}

// -D MODE=FAST, where FAST is a constant of an enum of the file.
static bool find_enumerator(const kiln_checker_t *checker, const char *text, kiln_scalar_t scalar,
                            kiln_constant_t *out)
{
    size_t count = checker->frame ? checker->global_count : checker->symbol_count;
    for (size_t i = 0; i < count; i++) {
        const kiln_symbol_t *symbol = &checker->symbols[i];
        if (symbol->kind == KILN_SYMBOL_CONSTANT && symbol->is_enumerator &&
            !strcmp(symbol->name, text))
            return kiln_fold_convert(symbol->constant, scalar, out);
    }
    return false;
}

bool kiln_check_reads(const kiln_checker_t *checker, const char *text, kiln_scalar_t scalar)
{
    kiln_constant_t value;
    return read_define(text, scalar, &value) || find_enumerator(checker, text, scalar, &value);
}

// The value of a constexpr parameter or global: from -D, else the default.
static bool set_constant(kiln_checker_t *checker, const char *name, kiln_span_t at,
                         const kiln_tile_type_t *type, const kiln_expr_t *value, const char *kernel,
                         kiln_symbol_t *symbol)
{
    const kiln_setting_t *define = find_define(checker, name);
    if (define) {
        if (read_define(define->value, type->scalar, &symbol->constant) ||
            find_enumerator(checker, define->value, type->scalar, &symbol->constant)) {
            symbol->constant.is_setting = true;
            return true;
        }
        kiln_check_fail(checker, at, "'%s', from the setting `%s`, is not a value of type %s",
                        define->value, name, KILN_TYPE_TEXT(checker, type));
        return false;
    }
    if (!value) {
        kiln_check_fail(
            checker, at,
            "constexpr parameter '%s' of kernel '%s' has no value; set it with the setting `%s`",
            name, kernel, name);
        return false;
    }
    kiln_node_t *node = kiln_convert_implicitly(checker, kiln_check_expr(checker, value), type,
                                                value->span, "initialise a constant");
    if (kiln_node_is_error(node))
        return false;
    if (!kiln_node_is_constant(node)) {
        kiln_check_fail(checker, value->span,
                        "the value of constant '%s' is not known at compile time", name);
        return false;
    }
    symbol->constant = node->constant;
    symbol->constant.is_setting = true;
    return true;
}

static void note_constant(kiln_checker_t *checker, const kiln_symbol_t *symbol)
{
    const kiln_program_constant_t noted = {
        .name = symbol->name,
        .constant = symbol->constant,
        .type = symbol->kind == KILN_SYMBOL_TYPE ? symbol->tile.scalar : KILN_SCALAR_NONE};
    KILN_ARENA_PUSH(checker->arena, checker->constants, checker->constant_count,
                    checker->constant_capacity, noted);
}

// Without a value the symbol is still declared, as an error, so that its uses are not reported too.
static void declare_constant(kiln_checker_t *checker, const char *name, kiln_span_t at,
                             const kiln_type_syntax_t *syntax, const kiln_expr_t *value,
                             const char *kernel)
{
    kiln_symbol_t symbol = {.kind = KILN_SYMBOL_CONSTANT, .name = name, .at = at};
    kiln_tile_type_t type;
    if (!kiln_resolve_element(checker, syntax, &type))
        ;
    else if (type.is_pointer || syntax->dim_count || !kiln_tile_is_arithmetic(&type) ||
             kiln_tile_is_float8(&type))
        kiln_check_fail(checker, syntax->span, "a constant must be an integer, a float or a bool");
    else if (!set_constant(checker, name, at, &type, value, kernel, &symbol))
        symbol.constant = (kiln_constant_t){.scalar = KILN_SCALAR_NONE};
    else
        note_constant(checker, &symbol);
    kiln_symbol_declare(checker, &symbol);
}

static void declare_type(kiln_checker_t *checker, const kiln_parameter_syntax_t *parameter,
                         const char *kernel)
{
    kiln_symbol_t symbol = {.kind = KILN_SYMBOL_TYPE, .name = parameter->name, .at = parameter->at};
    const kiln_setting_t *define = find_define(checker, parameter->name);
    if (define) {
        symbol.tile.scalar = kiln_scalar_of_caller(define->value);
        if (!symbol.tile.scalar)
            kiln_check_fail(checker, parameter->at, "'%s', from the setting `%s`, is not a type%s",
                            define->value, parameter->name, kiln_scalar_advice(define->value).text);
    } else if (parameter->value && parameter->value->kind == KILN_EXPR_TYPE) {
        kiln_resolve_scalar(checker, parameter->value->type, &symbol.tile);
    } else {
        kiln_check_fail(
            checker, parameter->at,
            "constexpr type '%s' of kernel '%s' has no value; set it with the setting `%s`",
            parameter->name, kernel, parameter->name);
    }
    note_constant(checker, &symbol);
    kiln_symbol_declare(checker, &symbol);
}

static const kiln_arg_hint_t *find_hint(const kiln_checker_t *checker, const char *name)
{
    for (size_t i = 0; i < checker->options->arg_count; i++)
        if (!strcmp(checker->options->args[i].name, name))
            return &checker->options->args[i];
    return NULL;
}

// "*f16" or "i32".
static bool read_hint_type(const char *text, kiln_tile_type_t *out)
{
    *out = (kiln_tile_type_t){.is_pointer = text[0] == '*'};
    out->scalar = kiln_scalar_of_caller(text + out->is_pointer);
    return out->scalar != KILN_SCALAR_NONE;
}

static void check_argument(kiln_checker_t *checker, const kiln_parameter_syntax_t *syntax,
                           kiln_parameter_t *out)
{
    const kiln_arg_hint_t *hint = find_hint(checker, syntax->name);
    kiln_tile_type_t type = {0}, hinted = {0};
    bool is_open = syntax->type->is_auto;
    if (hint && hint->type && (is_open || !hint->type_is_offered) &&
        !read_hint_type(hint->type, &hinted))
        kiln_check_fail(checker, syntax->at, "argument '%s': '%s' is not a valid argument type%s",
                        syntax->name, hint->type,
                        kiln_scalar_advice(hint->type + (hint->type[0] == '*')).text);
    if (syntax->type->is_auto && hinted.scalar) {
        type = hinted;
        type.is_const = syntax->type->is_const;
        if (syntax->type->is_pointer && !hinted.is_pointer)
            kiln_check_fail(checker, syntax->at,
                            "argument '%s' is a pointer, but the caller passes %s", syntax->name,
                            hint->type);
    } else if (syntax->type->is_auto) {
        kiln_check_fail(checker, syntax->at,
                        "argument '%s' is 'auto', so the caller must give its type (the hint `%s`)",
                        syntax->name, syntax->name);
    } else if (kiln_resolve_element(checker, syntax->type, &type) && hinted.scalar) {
        // tt is signless: u32 and i32 are the same argument type.
        if (type.is_pointer != hinted.is_pointer ||
            kiln_scalar_row(type.scalar)->element != kiln_scalar_row(hinted.scalar)->element)
            kiln_check_fail(checker, syntax->at, "argument '%s' is %s, but the caller passes %s",
                            syntax->name, KILN_TYPE_TEXT(checker, &type), hint->type);
    }
    if (kiln_tile_is_struct(&type)) {
        kiln_check_fail(
            checker, syntax->at,
            "a kernel's parameters must be scalars and pointers; pass the members of %s separately",
            KILN_TYPE_TEXT(checker, &type));
        type = kiln_tile_scalar(KILN_SCALAR_NONE);
    }
    if (syntax->type->dim_count)
        kiln_check_fail(checker, syntax->at,
                        "a kernel's parameters must be scalars and pointers, not tiles");
    if (type.scalar == KILN_SCALAR_VOID)
        kiln_check_fail(checker, syntax->type->span, "a parameter cannot be void");
    if (!type.is_pointer && kiln_tile_is_float8(&type))
        kiln_check_fail(checker, syntax->type->span,
                        "a kernel parameter cannot be an 8-bit float; pass a pointer or an f32");
    out->variable = kiln_variable_make(checker, syntax->name, &type, syntax->at);
    bool is_typedef_pointer = syntax->type->name && type.is_pointer && !syntax->type->is_pointer;
    out->variable->is_const = syntax->type->is_const && (!type.is_pointer || is_typedef_pointer);
    if (hint) {
        out->divisibility = hint->divisibility;
        out->pointer_range_32 = hint->pointer_range_32;
        if (hint->pointer_range_32 && !type.is_pointer && hint->type_is_offered)
            kiln_check_fail(checker, syntax->at,
                            "argument '%s' is %s, but the caller passes a pointer", syntax->name,
                            KILN_TYPE_TEXT(checker, &type));
        else if (hint->pointer_range_32 && !type.is_pointer)
            kiln_check_fail(checker, syntax->type->span,
                            "'%s' is promised a buffer below 2 GiB, but it is not a pointer",
                            syntax->name);
    }
    kiln_symbol_declare(checker, &(kiln_symbol_t){.kind = KILN_SYMBOL_VARIABLE,
                                                  .name = syntax->name,
                                                  .at = syntax->at,
                                                  .variable = out->variable});
}

static const kiln_function_syntax_t *choose_kernel(kiln_checker_t *checker)
{
    const kiln_function_syntax_t *chosen = NULL;
    const char *names = "";
    size_t kernels = 0;
    for (size_t i = 0; i < checker->unit->function_count; i++) {
        const kiln_function_syntax_t *function = checker->unit->functions[i];
        if (!function->is_kernel)
            continue;
        kernels++;
        names =
            kiln_arena_print(checker->arena, "%s%s'%s'", names, *names ? ", " : "", function->name);
        if (!checker->options->kernel || !strcmp(checker->options->kernel, function->name))
            chosen = chosen ? chosen : function;
    }
    kiln_span_t start = {0, 0};
    if (!kernels)
        KILN_REPORT_ERROR(checker->reporter, start,
                          "the file has no kernel; mark a function with 'kernel'");
    else if (!chosen)
        kiln_report_status(
            checker->reporter,
            kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s has no kernel '%s'; it has %s%s",
                             checker->reporter->source->name, checker->options->kernel, names,
                             kiln_suggest_kernel(checker, checker->options->kernel).text));
    else if (!checker->options->kernel && kernels > 1)
        kiln_report_status(checker->reporter,
                           kiln_status_make(KILN_STATUS_USAGE,
                                            "%s has several kernels, %s; choose one (`kernel`)",
                                            checker->reporter->source->name, names));
    return checker->options->kernel || kernels == 1 ? chosen : NULL;
}

static void check_function_names(kiln_checker_t *checker)
{
    for (size_t i = 0; i < checker->unit->function_count; i++) {
        const kiln_function_syntax_t *function = checker->unit->functions[i];
        if (kiln_builtin_find(function->name))
            KILN_REPORT_ERROR(checker->reporter, function->at, "'%s' is a built-in function",
                              function->name);
        for (size_t j = 0; j < i; j++) {
            if (checker->unit->functions[j]->name != function->name)
                continue;
            KILN_REPORT_ERROR(checker->reporter, function->at, "redefinition of function '%s'",
                              function->name);
            KILN_REPORT_NOTE(checker->reporter, checker->unit->functions[j]->at,
                             "previous definition is here");
            break;
        }
    }
}

const kiln_symbol_t *kiln_check_global_constant(const kiln_checker_t *checker, const char *name)
{
    for (size_t i = 0; i < checker->global_count; i++)
        if (checker->symbols[i].kind == KILN_SYMBOL_CONSTANT &&
            !checker->symbols[i].is_enumerator && !strcmp(checker->symbols[i].name, name))
            return &checker->symbols[i];
    return NULL;
}

bool kiln_check_is_global_constant(const kiln_checker_t *checker, const char *name)
{
    return kiln_check_global_constant(checker, name) != NULL;
}

bool kiln_check_has_parameter(const kiln_function_syntax_t *kernel, const char *name,
                              bool is_constexpr)
{
    for (size_t i = 0; i < kernel->parameter_count; i++)
        if (kernel->parameters[i].name && !strcmp(kernel->parameters[i].name, name) &&
            kernel->parameters[i].is_constexpr == is_constexpr)
            return true;
    return false;
}

static bool is_macro(const kiln_checker_t *checker, size_t define)
{
    return checker->reporter->expanded && checker->reporter->expanded->is_macro[define];
}

static void check_option_names(kiln_checker_t *checker, const kiln_function_syntax_t *kernel)
{
    for (size_t i = 0; i < checker->options->define_count; i++) {
        const char *name = checker->options->defines[i].name;
        if (!kiln_check_has_parameter(kernel, name, true) &&
            !kiln_check_is_global_constant(checker, name) && !is_macro(checker, i))
            kiln_check_fail(checker, kernel->at, "kernel '%s' has no constexpr parameter '%s'%s",
                            kernel->name, name,
                            kiln_suggest_parameter(checker, kernel, name, true).text);
    }
    for (size_t i = 0; i < checker->options->arg_count; i++) {
        const char *name = checker->options->args[i].name;
        if (!kiln_check_has_parameter(kernel, name, false))
            kiln_check_fail(checker, kernel->at, "kernel '%s' has no argument '%s'%s", kernel->name,
                            name, kiln_suggest_parameter(checker, kernel, name, false).text);
    }
}

static void check_global(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    if (stmt->kind == KILN_STMT_GROUP)
        for (size_t i = 0; i < stmt->count; i++)
            check_global(checker, stmt->list[i]);
    else if (stmt->kind == KILN_STMT_DECLARE)
        declare_constant(checker, stmt->name, stmt->at, stmt->type, stmt->value, NULL);
    else
        kiln_check_stmt(checker, stmt);
}

static void check_globals(kiln_checker_t *checker)
{
    for (size_t i = 0; i < checker->unit->global_count; i++)
        check_global(checker, checker->unit->globals[i]);
    checker->global_count = checker->scope_begin = checker->symbol_count;
}

static kiln_checker_t *begin(kiln_reporter_t *reporter, kiln_names_t *names,
                             const kiln_unit_t *unit, const kiln_compile_options_t *options)
{
    kiln_checker_t *checker = KILN_ARENA_NEW(reporter->arena, kiln_checker_t);
    *checker = (kiln_checker_t){.reporter = reporter,
                                .arena = reporter->arena,
                                .names = names,
                                .unit = unit,
                                .options = options};
    check_function_names(checker);
    check_globals(checker);
    return checker;
}

static const char *const *global_constants(const kiln_checker_t *checker)
{
    const char **globals =
        KILN_ARENA_ARRAY(checker->arena, const char *, checker->global_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < checker->global_count; i++)
        if (checker->symbols[i].kind == KILN_SYMBOL_CONSTANT && !checker->symbols[i].is_enumerator)
            globals[count++] = checker->symbols[i].name;
    return globals;
}

const kiln_function_syntax_t *kiln_check_declarations(kiln_reporter_t *reporter,
                                                      kiln_names_t *names, const kiln_unit_t *unit,
                                                      const kiln_compile_options_t *options,
                                                      const char *const **out_globals)
{
    kiln_checker_t *checker = begin(reporter, names, unit, options);
    *out_globals = global_constants(checker);
    const kiln_function_syntax_t *kernel = choose_kernel(checker);
    if (kernel) {
        kiln_check_arguments(checker, kernel);
        kiln_check_tune(checker, kernel);
    }
    return reporter->error_count ? NULL : kernel;
}

kiln_program_t *kiln_check(kiln_reporter_t *reporter, kiln_names_t *names, const kiln_unit_t *unit,
                           const kiln_compile_options_t *options)
{
    kiln_checker_t *checker = begin(reporter, names, unit, options);
    const kiln_function_syntax_t *kernel = choose_kernel(checker);
    if (!kernel)
        return NULL;
    check_option_names(checker, kernel);

    kiln_program_t *program = KILN_ARENA_NEW(checker->arena, kiln_program_t);
    kiln_frame_t frame = {.function = kernel, .first_symbol = checker->symbol_count};
    program->name = kernel->name;
    program->at = kernel->at;
    program->checker = checker;
    program->parameters =
        KILN_ARENA_ARRAY(checker->arena, kiln_parameter_t, kernel->parameter_count + 1);
    checker->frame = &frame;
    if (kernel->result->scalar != KILN_SCALAR_VOID || kernel->result->is_pointer)
        kiln_check_fail(checker, kernel->result->span,
                        "a kernel must return void; write 'kernel void %s'", kernel->name);
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        const kiln_parameter_syntax_t *parameter = &kernel->parameters[i];
        if (parameter->is_type)
            declare_type(checker, parameter, kernel->name);
        else if (parameter->is_constexpr)
            declare_constant(checker, parameter->name, parameter->at, parameter->type,
                             parameter->value, kernel->name);
        else
            check_argument(checker, parameter, &program->parameters[program->parameter_count++]);
    }
    program->grid = kiln_check_grid(checker, kernel);
    kiln_check_arguments(checker, kernel);
    kiln_check_tune(checker, kernel);
    program->constants = checker->constants;
    program->constant_count = checker->constant_count;
    program->body = kiln_check_stmt(checker, kernel->body);
    checker->frame = NULL;
    return reporter->error_count ? NULL : program;
}

void kiln_check_warnings(kiln_program_t *program)
{
    kiln_warn_values(program->checker, program);
    kiln_warn_uninitialized(program->checker, program);
    kiln_warn_unused(program->checker);
}
