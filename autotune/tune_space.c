// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The axes and conditions of a space.
//
// A condition cannot use an axis with a value that is not an integer.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/condition.h"
#include "base/number.h"
#include "base/require.h"
#include "base/settings.h"
#include "base/string.h"
#include "kiln/tune_model.h"
#include "problem.h"
#include "space.h"
#include "steps.h"
#include "tune_space.h"

typedef struct axis {
    char *name;
    kiln_axis_values_t values;
    kiln_tune_origin_t origin;
} axis_t;

// A condition, and where the source declares it.
typedef struct condition {
    kiln_condition_t parsed;
    char *file; // NULL: given by the caller
    unsigned line, column;
} condition_t;

struct kiln_tune_space {
    axis_t *axes;
    kiln_tune_axis_t *views; // of the axes
    condition_t *conditions;
    char **texts;  // of the conditions
    char **scopes; // of the conditions: the kernel of a sequence that declares it, or NULL
    size_t axis_count, axis_capacity, view_capacity;
    size_t condition_count, condition_capacity, text_capacity, scope_capacity;
    kiln_setting_list_t *allowed; // configurations
    size_t allowed_count, allowed_capacity;
    const kiln_arguments_t *arguments; // NULL: none
    const kiln_setting_t *fixed;
    size_t fixed_count;
    kiln_setting_list_t defaults; // of what declared conditions use and nothing else sets
};

kiln_status_t kiln_tune_space_create(kiln_tune_space_t **out_space)
{
    KILN_REQUIRE_OUT(out_space);
    *out_space = calloc(1, sizeof **out_space);
    return *out_space ? KILN_OK : kiln_status_out_of_memory();
}

static void free_axis(axis_t *axis)
{
    free(axis->name);
    kiln_axis_values_free(&axis->values);
}

void kiln_tune_space_release(kiln_tune_space_t *space)
{
    if (!space)
        return;
    for (size_t i = 0; i < space->axis_count; i++)
        free_axis(&space->axes[i]);
    for (size_t i = 0; i < space->condition_count; i++) {
        kiln_condition_free(&space->conditions[i].parsed);
        free(space->conditions[i].file);
        free(space->texts[i]);
        free(space->scopes[i]);
    }
    for (size_t i = 0; i < space->allowed_count; i++)
        kiln_settings_free(&space->allowed[i]);
    kiln_settings_free(&space->defaults);
    free(space->allowed);
    free(space->texts);
    free(space->scopes);
    free(space->axes);
    free(space->views);
    free(space->conditions);
    free(space);
}

// Adding ------------------------------------------------------------------------------------------

bool kiln_tune_space_has(const kiln_tune_space_t *space, const char *name)
{
    for (size_t i = 0; i < space->axis_count; i++)
        if (strcmp(space->axes[i].name, name) == 0)
            return true;
    return false;
}

kiln_status_t kiln_tune_space_push(kiln_tune_space_t *space, const char *name,
                                   kiln_axis_values_t *values, kiln_tune_origin_t origin)
{
    axis_t axis = {.name = strdup(name), .values = *values, .origin = origin};
    kiln_status_t status = KILN_OK;
    *values = (kiln_axis_values_t){0};
    if (!axis.name)
        status = kiln_status_out_of_memory();
    else if (kiln_tune_space_has(space, name))
        status = kiln_status_make(KILN_STATUS_USAGE, "duplicate axis '%s'", name);
    else if (!KILN_ARRAY_RESERVE(&space->axes, &space->axis_capacity, space->axis_count + 1) ||
             !KILN_ARRAY_RESERVE(&space->views, &space->view_capacity, space->axis_count + 1))
        status = kiln_status_out_of_memory();
    if (status) {
        free_axis(&axis);
        return status;
    }
    space->axes[space->axis_count] = axis;
    space->views[space->axis_count++] =
        (kiln_tune_axis_t){axis.name, (const char *const *)axis.values.items, axis.values.count};
    return KILN_OK;
}

kiln_status_t kiln_tune_space_add(kiln_tune_space_t *space, const char *text)
{
    KILN_REQUIRE(space);
    KILN_REQUIRE(text);
    const size_t length = strcspn(text, "=");
    if (length == 0 || !text[length])
        return kiln_status_make(KILN_STATUS_USAGE, "expected NAME=V1,V2,… as an axis, got '%s'",
                                text);
    char *name = strndup(text, length);
    kiln_axis_values_t values = {0};
    kiln_status_t status =
        name ? kiln_axis_values_add_all(&values, text + length + 1) : kiln_status_out_of_memory();
    if (status)
        status = kiln_status_annotate(status, "in the axis '%s'", text);
    else
        status = kiln_tune_space_push(space, name, &values, KILN_TUNE_GIVEN);
    kiln_axis_values_free(&values);
    free(name);
    return status;
}

// Takes `file`, from malloc. `scope` may be NULL.
static kiln_status_t require_in(kiln_tune_space_t *space, const char *condition, const char *scope,
                                char *file, unsigned line, unsigned column)
{
    const size_t count = space->condition_count;
    kiln_condition_t parsed = {0};
    char *text = strdup(condition), *copy = scope ? strdup(scope) : NULL;
    kiln_status_t status =
        text && (copy || !scope) &&
                KILN_ARRAY_RESERVE(&space->conditions, &space->condition_capacity, count + 1) &&
                KILN_ARRAY_RESERVE(&space->texts, &space->text_capacity, count + 1) &&
                KILN_ARRAY_RESERVE(&space->scopes, &space->scope_capacity, count + 1)
            ? kiln_condition_parse(condition, &parsed)
            : kiln_status_out_of_memory();
    if (status) {
        kiln_condition_free(&parsed);
        free(text);
        free(copy);
        free(file);
        return kiln_status_annotate(status, "in the condition '%s'", condition);
    }
    space->conditions[count] = (condition_t){parsed, file, line, column};
    space->texts[count] = text;
    space->scopes[count] = copy;
    space->condition_count++;
    return KILN_OK;
}

kiln_status_t kiln_tune_space_require(kiln_tune_space_t *space, const char *condition)
{
    KILN_REQUIRE(space);
    KILN_REQUIRE(condition);
    return require_in(space, condition, NULL, NULL, 0, 0);
}

// Declared axes -----------------------------------------------------------------------------------

bool kiln_tune_is_set(const char *name, const kiln_compile_options_t *options,
                      const kiln_setting_t *fixed, size_t fixed_count)
{
    const kiln_option_t *option = kiln_compile_option_find(name, strlen(name));
    for (size_t i = 0; i < fixed_count; i++)
        if (strcmp(fixed[i].name, name) == 0)
            return true;
    for (size_t i = 0; options && i < options->define_count; i++)
        if (strcmp(options->defines[i].name, name) == 0)
            return true;
    return option && options && kiln_compile_option_get(options, option) != option->initial;
}

static kiln_status_t take_declared(kiln_tune_space_t *space, const kiln_tune_axis_t *declared,
                                   const char *name)
{
    kiln_axis_values_t values = {0};
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < declared->value_count && !status; i++)
        status = kiln_axis_values_add(&values, declared->values[i], strlen(declared->values[i]));
    if (!status)
        status = kiln_tune_space_push(space, name, &values, KILN_TUNE_DECLARED);
    kiln_axis_values_free(&values);
    return status;
}

kiln_status_t kiln_tune_space_default(kiln_tune_space_t *space, const char *name, const char *value)
{
    return kiln_settings_put(&space->defaults, name, strlen(name), value, strlen(value));
}

// Adds the values of declared options, which hold where they are not varied. `scope` may be NULL.
static kiln_status_t add_options(kiln_tune_space_t *space, const kiln_tuning_t *tuning,
                                 const kiln_compile_options_t *options, const char *scope)
{
    size_t count;
    const kiln_tune_axis_t *axes = kiln_tuning_axes(tuning, &count);
    for (size_t i = 0; i < count; i++) {
        const kiln_option_t *option = kiln_compile_option_find(axes[i].name, strlen(axes[i].name));
        if (!option)
            continue;
        char *name =
            kiln_string_print("%s%s%s", scope ? scope : "", scope ? "." : "", option->name);
        char *value = kiln_string_print("%d", kiln_compile_option_get(options, option));
        kiln_status_t status = name && value ? kiln_tune_space_default(space, name, value)
                                             : kiln_status_out_of_memory();
        free(name);
        free(value);
        KILN_TRY(status);
    }
    return KILN_OK;
}

// Adds the conditions that a kernel declares. `scope` is its name in a sequence, or NULL.
static kiln_status_t require_declared(kiln_tune_space_t *space, const kiln_tuning_t *tuning,
                                      const kiln_compile_options_t *options, const char *scope)
{
    size_t count;
    const char *const *conditions = kiln_tuning_conditions(tuning, &count);
    for (size_t i = 0; i < count; i++) {
        unsigned line, column;
        char *file = strdup(kiln_tuning_condition_place(tuning, i, &line, &column));
        if (!file)
            return kiln_status_out_of_memory();
        KILN_TRY(require_in(space, conditions[i], scope, file, line, column));
    }
    return count ? add_options(space, tuning, options, scope) : KILN_OK;
}

kiln_status_t kiln_tune_space_declare(kiln_tune_space_t *space, const kiln_source_t *source,
                                      const kiln_compile_options_t *options,
                                      const kiln_setting_t *fixed, size_t fixed_count,
                                      kiln_diagnostic_handler_t handler, void *user,
                                      size_t *out_count)
{
    KILN_REQUIRE(space);
    KILN_REQUIRE(source);
    KILN_REQUIRE_ARRAY(source->text, source->length);
    KILN_REQUIRE_ARRAY(fixed, fixed_count);
    kiln_tuning_t *tuning;
    size_t axis_count, count = 0;
    if (out_count)
        *out_count = 0;
    KILN_TRY(kiln_tuning_read(source, options, handler, user, &tuning));
    const kiln_tune_axis_t *axes = kiln_tuning_axes(tuning, &axis_count);
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < axis_count && !status; i++) {
        if (kiln_tune_space_has(space, axes[i].name) ||
            kiln_tune_is_set(axes[i].name, options, fixed, fixed_count))
            continue;
        status = take_declared(space, &axes[i], axes[i].name);
        count++;
    }
    if (!status)
        status = require_declared(space, tuning, options, NULL);
    kiln_tuning_release(tuning);
    if (!status && out_count)
        *out_count = count;
    return status;
}

// The declarations of one kernel of a sequence.
static kiln_status_t declare_step(kiln_tune_space_t *space, const kiln_tune_problem_t *problem,
                                  const kiln_step_t *step, size_t *io_count)
{
    const char *kernel = kiln_tuning_kernel(step->signature);
    size_t axis_count;
    const kiln_tune_axis_t *axes = kiln_tuning_axes(step->signature, &axis_count);
    for (size_t i = 0; i < axis_count; i++) {
        const char *name = axes[i].name;
        char *own = kiln_string_print("%s.%s", kernel, name);
        if (!own)
            return kiln_status_out_of_memory();
        const bool is_known =
            kiln_tune_space_has(space, name) || kiln_tune_space_has(space, own) ||
            kiln_tune_is_set(name, &step->options, problem->fixed, problem->fixed_count) ||
            kiln_tune_is_set(own, NULL, problem->fixed, problem->fixed_count);
        kiln_status_t status =
            is_known ? KILN_OK
                     : take_declared(space, &axes[i],
                                     kiln_compile_option_find(name, strlen(name)) ? own : name);
        *io_count += !is_known;
        free(own);
        KILN_TRY(status);
    }
    return require_declared(space, step->signature, &step->options, kernel);
}

kiln_status_t kiln_tune_space_declare_steps(kiln_tune_space_t *space,
                                            const kiln_tune_problem_t *problem, size_t *out_count)
{
    KILN_REQUIRE(space);
    kiln_tune_problem_t taken;
    kiln_compile_options_t options;
    kiln_steps_t steps;
    size_t count = 0;
    if (out_count)
        *out_count = 0;
    KILN_TRY(kiln_tune_take(__func__, problem, &taken, &options));
    KILN_REQUIRE_THAT(taken.then_count, "problem->then_count is %d", 0);
    kiln_status_t status = kiln_steps_make(__func__, &taken, &steps);
    for (size_t i = 0; i < steps.count && !status; i++)
        status = declare_step(space, &taken, &steps.items[i], &count);
    kiln_steps_free(&steps);
    if (!status && out_count)
        *out_count = count;
    return status;
}

static kiln_status_t require_steps(kiln_tune_space_t *space, const kiln_tune_problem_t *problem)
{
    kiln_steps_t steps;
    KILN_TRY(kiln_steps_make(__func__, problem, &steps));
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < steps.count && !status; i++) {
        const kiln_step_t *step = &steps.items[i];
        status = require_declared(space, step->signature, &step->options,
                                  kiln_tuning_kernel(step->signature));
    }
    kiln_steps_free(&steps);
    return status;
}

kiln_status_t kiln_tune_space_require_declared(kiln_tune_space_t *space,
                                               const kiln_tune_problem_t *problem,
                                               kiln_diagnostic_handler_t handler, void *user)
{
    kiln_tune_problem_t taken;
    kiln_compile_options_t options;
    kiln_tuning_t *tuning;
    KILN_TRY(kiln_tune_take(__func__, problem, &taken, &options));
    if (taken.then_count)
        return require_steps(space, &taken);
    KILN_TRY(kiln_tuning_read(&taken.source, &options, handler, user, &tuning));
    kiln_status_t status = require_declared(space, tuning, &options, NULL);
    kiln_tuning_release(tuning);
    return status;
}

// Reading -----------------------------------------------------------------------------------------

const kiln_tune_axis_t *kiln_tune_space_axes(const kiln_tune_space_t *space, size_t *out_count)
{
    if (out_count)
        *out_count = space ? space->axis_count : 0;
    return space ? space->views : NULL;
}

kiln_tune_origin_t kiln_tune_space_origin(const kiln_tune_space_t *space, size_t index)
{
    return space && index < space->axis_count ? space->axes[index].origin : KILN_TUNE_GIVEN;
}

const char *const *kiln_tune_space_conditions(const kiln_tune_space_t *space, size_t *out_count)
{
    if (out_count)
        *out_count = space ? space->condition_count : 0;
    return space ? (const char *const *)space->texts : NULL;
}

void kiln_tune_space_bind(kiln_tune_space_t *space, const kiln_arguments_t *arguments,
                          const kiln_setting_t *fixed, size_t fixed_count)
{
    if (!space)
        return;
    space->arguments = arguments;
    space->fixed = fixed;
    space->fixed_count = fixed ? fixed_count : 0;
}

// Allowed configurations --------------------------------------------------------------------------

kiln_status_t kiln_tune_space_allow(kiln_tune_space_t *space, const char *config)
{
    KILN_REQUIRE(space);
    KILN_REQUIRE(config);
    if (!KILN_ARRAY_RESERVE(&space->allowed, &space->allowed_capacity, space->allowed_count + 1))
        return kiln_status_out_of_memory();
    kiln_setting_list_t *list = &space->allowed[space->allowed_count];
    *list = (kiln_setting_list_t){0};
    kiln_status_t status = kiln_settings_put_text(list, config);
    if (status)
        kiln_settings_free(list);
    else
        space->allowed_count++;
    return status;
}

static bool equals(const kiln_tune_candidate_t *candidate, const kiln_setting_list_t *config)
{
    size_t found = 0;
    for (size_t i = 0; i < config->count; i++)
        for (size_t k = 0; k < candidate->setting_count; k++)
            found += strcmp(candidate->settings[k].name, config->items[i].name) == 0 &&
                     strcmp(candidate->settings[k].value, config->items[i].value) == 0;
    return found == config->count;
}

static bool is_allowed(const kiln_tune_space_t *space, const kiln_tune_candidate_t *candidate)
{
    for (size_t i = 0; i < space->allowed_count; i++)
        if (equals(candidate, &space->allowed[i]))
            return true;
    return space->allowed_count == 0;
}

bool kiln_tune_space_is_limited(const kiln_tune_space_t *space)
{
    return space->allowed_count > 0;
}

typedef struct numbers {
    size_t *items;
    size_t count, capacity;
} numbers_t;

static kiln_status_t add_number(numbers_t *numbers, size_t number)
{
    if (numbers->count == KILN_SPACE_MAX)
        return kiln_status_make(
            KILN_STATUS_USAGE, "the configurations have more than %d combinations", KILN_SPACE_MAX);
    if (!KILN_ARRAY_RESERVE(&numbers->items, &numbers->capacity, numbers->count + 1))
        return kiln_status_out_of_memory();
    numbers->items[numbers->count++] = number;
    return KILN_OK;
}

// Index of an axis's value; value_count if it is not one.
static size_t find_value(const kiln_tune_axis_t *axis, const char *value)
{
    size_t i = 0;
    while (i < axis->value_count && strcmp(axis->values[i], value) != 0)
        i++;
    return i;
}

// Whether each setting of a configuration is a value of an axis.
static bool is_of_axes(const kiln_tune_space_t *space, const kiln_setting_list_t *config)
{
    for (size_t i = 0; i < config->count; i++) {
        size_t a = 0;
        while (a < space->axis_count && strcmp(space->views[a].name, config->items[i].name) != 0)
            a++;
        if (a == space->axis_count ||
            find_value(&space->views[a], config->items[i].value) == space->views[a].value_count)
            return false;
    }
    return true;
}

// Adds the combinations of the first `axis_count` axes that equal a configuration; axes that it
// does not name vary. `number` is that of the values of the other axes, `weight` the number of
// their combinations.
static kiln_status_t number_axes(const kiln_tune_space_t *space, const kiln_setting_list_t *config,
                                 size_t axis_count, size_t number, size_t weight,
                                 numbers_t *numbers)
{
    if (axis_count == 0)
        return add_number(numbers, number);
    const kiln_tune_axis_t *axis = &space->views[axis_count - 1];
    size_t first = 0, end = axis->value_count;
    for (size_t i = 0; i < config->count; i++)
        if (strcmp(config->items[i].name, axis->name) == 0) {
            first = find_value(axis, config->items[i].value);
            end = first + 1;
        }
    for (size_t i = first; i < end; i++)
        KILN_TRY(number_axes(space, config, axis_count - 1, number + i * weight,
                             weight * axis->value_count, numbers));
    return KILN_OK;
}

static int by_number(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

kiln_status_t kiln_tune_space_number(const kiln_tune_space_t *space, size_t **out_numbers,
                                     size_t *out_count)
{
    numbers_t numbers = {0};
    kiln_status_t status = KILN_OK;
    *out_numbers = NULL;
    *out_count = 0;
    for (size_t i = 0; i < space->allowed_count && !status; i++)
        if (is_of_axes(space, &space->allowed[i]))
            status = number_axes(space, &space->allowed[i], space->axis_count, 0, 1, &numbers);
    if (status) {
        free(numbers.items);
        return status;
    }
    if (numbers.count)
        qsort(numbers.items, numbers.count, sizeof *numbers.items, by_number);
    for (size_t i = 0; i < numbers.count; i++)
        if (i == 0 || numbers.items[i] != numbers.items[*out_count - 1])
            numbers.items[(*out_count)++] = numbers.items[i];
    *out_numbers = numbers.items;
    return KILN_OK;
}

// Conditions --------------------------------------------------------------------------------------

typedef struct names {
    const kiln_tune_space_t *space;
    const kiln_tune_candidate_t *candidate;
    const char *scope; // NULL: none
    bool is_declared;  // defaults count
} names_t;

// Whether a setting is called NAME or, with a scope, SCOPE.NAME.
static bool is_called(const char *setting, const char *scope, const char *name, size_t length)
{
    const size_t skipped = scope ? strlen(scope) : 0;
    if (scope && (strncmp(setting, scope, skipped) != 0 || setting[skipped] != '.'))
        return false;
    setting += scope ? skipped + 1 : 0;
    return strncmp(setting, name, length) == 0 && !setting[length];
}

static const char *find(const names_t *names, const char *scope, const char *name, size_t length)
{
    const kiln_setting_t *lists[] = {names->candidate->settings, names->space->fixed};
    const size_t counts[] = {names->candidate->setting_count, names->space->fixed_count};
    for (size_t list = 0; list < 2; list++)
        for (size_t i = 0; i < counts[list]; i++)
            if (is_called(lists[list][i].name, scope, name, length))
                return lists[list][i].value;
    return NULL;
}

static const char *find_default(const names_t *names, const char *name, size_t length)
{
    const kiln_setting_list_t *defaults = &names->space->defaults;
    const char *value = NULL;
    for (size_t i = 0; i < defaults->count && names->scope && !value; i++)
        if (is_called(defaults->items[i].name, names->scope, name, length))
            value = defaults->items[i].value;
    for (size_t i = 0; i < defaults->count && !value; i++)
        if (is_called(defaults->items[i].name, NULL, name, length))
            value = defaults->items[i].value;
    return value;
}

static bool fact_of(const kiln_device_t *device, const char *name, size_t length,
                    int64_t *out_value)
{
    const kiln_condition_fact_t fact = kiln_condition_fact(name, length);
    if (!device || fact == KILN_FACT_COUNT)
        return false;
    const kiln_device_properties_t *properties = kiln_device_properties(device);
    unsigned dies, units;
    kiln_tune_device_dies(properties, &dies, &units);
    const int64_t facts[KILN_FACT_COUNT] = {[KILN_FACT_COMPUTE_UNITS] = properties->compute_units,
                                            [KILN_FACT_XCDS] = dies,
                                            [KILN_FACT_LDS_BYTES] =
                                                (int64_t)properties->lds_bytes_per_group};
    *out_value = facts[fact];
    return true;
}

static bool elements_of(const kiln_arguments_t *arguments, const char *name, size_t length,
                        int64_t *out_value)
{
    char *text = strndup(name, length);
    kiln_status_t status =
        text ? kiln_arguments_evaluate(arguments, text, out_value) : kiln_status_out_of_memory();
    free(text);
    kiln_status_free(status);
    return !status;
}

static bool value_of(const char *name, size_t length, void *user, int64_t *out_value)
{
    const names_t *names = user;
    const char *buffer;
    size_t count, buffer_length;
    const char *value = names->scope ? find(names, names->scope, name, length) : NULL;
    if (!value)
        value = find(names, NULL, name, length);
    if (!value && names->is_declared)
        value = find_default(names, name, length);
    if (value && kiln_integer_parse_all(value, 0, out_value))
        return true;
    if (!names->space->arguments)
        return false;
    if (kiln_expression_buffer(name, length, &buffer, &buffer_length))
        return elements_of(names->space->arguments, name, length, out_value);
    const kiln_jit_argument_t *values = kiln_arguments_values(names->space->arguments, &count);
    for (size_t i = 0; i < count; i++)
        if (values[i].kind == KILN_JIT_INTEGER && strncmp(values[i].name, name, length) == 0 &&
            !values[i].name[length]) {
            *out_value = values[i].integer;
            return true;
        }
    return fact_of(kiln_arguments_device(names->space->arguments), name, length, out_value);
}

kiln_status_t kiln_tune_space_evaluate(const kiln_tune_space_t *space,
                                       const kiln_tune_candidate_t *candidate, const char *text,
                                       int64_t *out_value)
{
    names_t names = {space, candidate, NULL, false};
    return kiln_expression_evaluate(text, value_of, &names, out_value);
}

kiln_status_t kiln_tune_space_admits(const kiln_tune_candidate_t *candidate, bool *out_admits,
                                     void *user)
{
    KILN_REQUIRE(candidate);
    KILN_REQUIRE(out_admits);
    KILN_REQUIRE(user);
    const kiln_tune_space_t *space = user;
    names_t names = {space, candidate, NULL, false};
    *out_admits = is_allowed(space, candidate);
    for (size_t i = 0; i < space->condition_count && *out_admits; i++) {
        const condition_t *condition = &space->conditions[i];
        names.scope = space->scopes[i];
        names.is_declared = condition->file != NULL;
        kiln_status_t status = kiln_condition_run(&condition->parsed, value_of, &names, out_admits);
        if (!status)
            continue;
        if (condition->file)
            status = kiln_status_at(status, condition->file, condition->line, condition->column);
        status = kiln_status_annotate(status, "in the condition '%s'", space->texts[i]);
        return candidate->config ? kiln_status_annotate(status, "for %s", candidate->config)
                                 : status;
    }
    return KILN_OK;
}
