// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a kernel's tuning declarations: [[tune(BLOCK = 64..1024*2, num_warps = 4, 8)]] and
// [[where(BLOCK >= 64 * num_warps)]].
//
// An axis is a compile option or a constexpr. The tuner sees only axes and scalar arguments when it
// evaluates a condition, so conditions may use nothing else.
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/condition.h"
#include "base/string.h"
#include "frontend/core/tuning.h"
#include "frontend/sema/check.h"

// Axes --------------------------------------------------------------------------------------------

static kiln_status_t check_option_values(const kiln_option_t *option,
                                         const kiln_axis_values_t *values)
{
    kiln_compile_options_t any;
    kiln_compile_options_initialize(&any);
    for (size_t i = 0; i < values->count; i++)
        KILN_TRY(kiln_compile_option_set(&any, option, values->items[i]));
    return KILN_OK;
}

// What the values of an axis must be.
typedef struct kind {
    bool is_type; // names of types
    kiln_tile_type_t
        element; // else; scalar KILN_SCALAR_NONE: unknown, an error that is reported elsewhere
} kind_t;

static kind_t kind_of(kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                      const char *name)
{
    kind_t kind = {.element = kiln_tile_scalar(KILN_SCALAR_NONE)};
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        const kiln_parameter_syntax_t *parameter = &kernel->parameters[i];
        if (!parameter->name || strcmp(parameter->name, name) != 0 || !parameter->is_constexpr)
            continue;
        kind.is_type = parameter->is_type;
        if (kind.is_type)
            return kind;
        kind.element = kiln_tile_scalar(parameter->type->scalar);
        if (kind.element.scalar == KILN_SCALAR_NONE && // an enum's name, for example
            (checker->reporter->error_count ||
             !kiln_resolve_element(checker, parameter->type, &kind.element)))
            kind.element = kiln_tile_scalar(KILN_SCALAR_NONE);
        return kind;
    }
    const kiln_symbol_t *symbol = kiln_check_global_constant(checker, name);
    if (symbol)
        kind.element = kiln_tile_scalar(symbol->constant.scalar);
    return kind;
}

static kiln_status_t check_constant_values(kiln_checker_t *checker, const char *name,
                                           const kind_t *kind, const kiln_axis_values_t *values)
{
    for (size_t i = 0; i < values->count; i++) {
        const char *value = values->items[i];
        if (kind->is_type && !kiln_scalar_of_caller(value))
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' is not a type, as '%s' is%s",
                                    value, name, kiln_scalar_advice(value).text);
        if (!kind->is_type && kind->element.scalar != KILN_SCALAR_NONE &&
            !kiln_check_reads(checker, value, kind->element.scalar))
            return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                    "'%s' is not a value of type %s, as '%s' is", value,
                                    KILN_TYPE_TEXT(checker, &kind->element), name);
    }
    return KILN_OK;
}

static void check_axis(kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                       const kiln_tune_syntax_t *axis)
{
    const kiln_option_t *option = kiln_compile_option_find(axis->name, strlen(axis->name));
    if (!option && !kiln_check_has_parameter(kernel, axis->name, true) &&
        !kiln_check_is_global_constant(checker, axis->name))
        kiln_check_fail(checker, axis->at,
                        "'%s' is neither a constexpr parameter of kernel '%s' nor a compile "
                        "option%s",
                        axis->name, kernel->name,
                        kiln_suggest_parameter(checker, kernel, axis->name, true).text);
    for (const kiln_tune_syntax_t *other = kernel->tune; other < axis; other++)
        if (strcmp(other->name, axis->name) == 0)
            kiln_check_fail(checker, axis->at, "duplicate axis '%s'", axis->name);
    size_t count = 0;
    const kind_t kind = kind_of(checker, kernel, axis->name);
    for (size_t i = 0; i < axis->value_count; i++) {
        kiln_axis_values_t values = {0};
        kiln_status_t status =
            kiln_axis_values_add(&values, axis->values[i].text, strlen(axis->values[i].text));
        if (!status && option)
            status = check_option_values(option, &values);
        else if (!status)
            status = check_constant_values(checker, axis->name, &kind, &values);
        if (!status && (count += values.count) > KILN_AXIS_MAX_VALUES)
            status = kiln_status_make(KILN_STATUS_USAGE, "an axis has at most %d values",
                                      KILN_AXIS_MAX_VALUES);
        kiln_axis_values_free(&values);
        if (status)
            kiln_check_fail_status(checker, axis->values[i].span, status);
    }
}

// Conditions --------------------------------------------------------------------------------------

static const char UNKNOWN_NAME[] = "the kernel has no axis or scalar argument with this name";

static bool is_axis(const kiln_function_syntax_t *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->tune_count; i++)
        if (strcmp(kernel->tune[i].name, name) == 0)
            return true;
    return false;
}

static bool is_visible(const kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                       const char *name)
{
    (void)checker;
    return is_axis(kernel, name) || kiln_check_has_parameter(kernel, name, false) ||
           kiln_condition_fact(name, strlen(name)) < KILN_FACT_COUNT;
}

static void check_condition(kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                            const kiln_text_syntax_t *where)
{
    kiln_condition_t condition;
    kiln_status_t status = kiln_condition_parse(where->text, &condition);
    if (!status)
        status = kiln_check_names(checker, kernel, &condition.left, is_visible, UNKNOWN_NAME);
    if (!status)
        status = kiln_check_names(checker, kernel, &condition.right, is_visible, UNKNOWN_NAME);
    kiln_condition_free(&condition);
    if (status)
        kiln_check_fail_status(checker, where->span, status);
}

void kiln_check_tune(kiln_checker_t *checker, const kiln_function_syntax_t *kernel)
{
    for (size_t i = 0; i < kernel->tune_count; i++)
        check_axis(checker, kernel, &kernel->tune[i]);
    for (size_t i = 0; i < kernel->where_count; i++)
        check_condition(checker, kernel, &kernel->where[i]);
}

// The result --------------------------------------------------------------------------------------

static char *join_values(const kiln_tune_syntax_t *axis)
{
    size_t size = 1;
    for (size_t i = 0; i < axis->value_count; i++)
        size += strlen(axis->values[i].text) + 1;
    char *text = calloc(1, size), *to = text;
    for (size_t i = 0; i < axis->value_count && text; i++)
        to = stpcpy(stpcpy(to, i ? "," : ""), axis->values[i].text);
    return text;
}

// Copies the names of the kernel's arguments or constants, and then further ones.
static kiln_status_t copy_names(const kiln_function_syntax_t *kernel, bool is_constexpr,
                                const char *const *further, char ***out_names)
{
    size_t count = kernel->parameter_count, used = 0;
    for (size_t i = 0; further && further[i]; i++)
        count++;
    char **names = *out_names = calloc(count + 1, sizeof *names);
    if (!names)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        const kiln_parameter_syntax_t *parameter = &kernel->parameters[i];
        if (parameter->name && parameter->is_constexpr == is_constexpr &&
            !(names[used++] = strdup(parameter->name)))
            return kiln_status_out_of_memory();
    }
    for (size_t i = 0; further && further[i]; i++)
        if (!(names[used++] = strdup(further[i])))
            return kiln_status_out_of_memory();
    return KILN_OK;
}

// The declared arguments as "NAME=VALUE".
static kiln_status_t copy_words(const kiln_function_syntax_t *kernel, char ***out_words)
{
    char **words = *out_words = calloc(kernel->argument_count + 1, sizeof *words);
    for (size_t i = 0; i < kernel->argument_count && words; i++) {
        const kiln_argument_syntax_t *argument = &kernel->arguments[i];
        words[i] = kiln_string_print("%s=%s", argument->name, argument->value.text);
        if (!words[i])
            return kiln_status_out_of_memory();
    }
    return words ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_declared_tuning_make(const kiln_reporter_t *reporter,
                                        const kiln_function_syntax_t *kernel,
                                        const char *const *globals, kiln_declared_tuning_t *out)
{
    *out = (kiln_declared_tuning_t){.axes = calloc(kernel->tune_count + 1, sizeof *out->axes),
                                    .conditions =
                                        calloc(kernel->where_count + 1, sizeof *out->conditions),
                                    .places = calloc(kernel->where_count + 1, sizeof *out->places),
                                    .kernel = strdup(kernel->name)};
    if (!out->axes || !out->conditions || !out->places || !out->kernel)
        return kiln_status_out_of_memory();
    if (kernel->grid && !(out->grid = strdup(kernel->grid)))
        return kiln_status_out_of_memory();
    KILN_TRY(copy_names(kernel, false, NULL, &out->arguments));
    KILN_TRY(copy_names(kernel, true, globals, &out->constants));
    KILN_TRY(copy_words(kernel, &out->words));
    for (size_t i = 0; i < kernel->tune_count; i++) {
        kiln_declared_axis_t *axis = &out->axes[out->axis_count++];
        axis->name = strdup(kernel->tune[i].name);
        axis->values = join_values(&kernel->tune[i]);
        if (!axis->name || !axis->values)
            return kiln_status_out_of_memory();
    }
    for (size_t i = 0; i < kernel->where_count; i++) {
        kiln_declared_place_t *place = &out->places[i];
        const char *file = kiln_reporter_locate(reporter, kernel->where[i].span.begin, &place->line,
                                                &place->column);
        place->file = strdup(file);
        out->conditions[out->condition_count++] = strdup(kernel->where[i].text);
        if (!place->file || !out->conditions[i])
            return kiln_status_out_of_memory();
    }
    return KILN_OK;
}

static void free_names(char **names)
{
    for (size_t i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
}

void kiln_declared_tuning_free(kiln_declared_tuning_t *tuning)
{
    free(tuning->kernel);
    free(tuning->grid);
    free_names(tuning->words);
    free_names(tuning->arguments);
    free_names(tuning->constants);
    for (size_t i = 0; i < tuning->axis_count; i++) {
        free(tuning->axes[i].name);
        free(tuning->axes[i].values);
    }
    for (size_t i = 0; i < tuning->condition_count; i++) {
        free(tuning->conditions[i]);
        free(tuning->places[i].file);
    }
    free(tuning->axes);
    free(tuning->conditions);
    free(tuning->places);
    *tuning = (kiln_declared_tuning_t){0};
}
