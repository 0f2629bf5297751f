// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts the arguments of a search into fixed ones and those that depend on an axis.
#include "arguments.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/string.h"
#include "cli/launch/key.h"
#include "cli/launch/sequence.h"
#include "problem.h"
#include "runner.h"

// Contents ----------------------------------------------------------------------------------------

// Whether a word is "NAME=TYPE[...]" of floats, without contents.
static bool is_blank(const char *word)
{
    char name[16];
    kiln_element_type_t type;
    const char *equals = strchr(word, '='), *bracket = equals ? strchr(equals, '[') : NULL;
    const size_t length = bracket ? (size_t)(bracket - equals - 1) : 0;
    if (length == 0 || length >= sizeof name || !kiln_string_ends_with(word, "]"))
        return false;
    memcpy(name, equals + 1, length);
    name[length] = '\0';
    return kiln_element_type_parse(name, &type) && kiln_element_is_float(type);
}

kiln_status_t kiln_tune_words_fill(char **words, size_t count, char ***out_words)
{
    char **filled = *out_words = calloc(count + 1, sizeof *filled);
    bool is_whole = filled != NULL;
    for (size_t i = 0; i < count && is_whole; i++) {
        filled[i] = is_blank(words[i]) ? kiln_string_print("%s:random:%zu", words[i], i + 1)
                                       : strdup(words[i]);
        is_whole = filled[i] != NULL;
    }
    if (is_whole)
        return KILN_OK;
    kiln_tune_words_release(filled, count);
    *out_words = NULL;
    return kiln_status_out_of_memory();
}

void kiln_tune_words_release(char **words, size_t count)
{
    for (size_t i = 0; words && i < count; i++)
        free(words[i]);
    free(words);
}

// Sorting -----------------------------------------------------------------------------------------

static bool is_word_char(char c)
{
    return kiln_is_alphanumeric(c) || c == '_' || c == '.'; // KERNEL.NAME of a sequence
}

// Whether the value of a word names `name`, of `length` characters.
static bool names(const char *word, const char *name, size_t length)
{
    const char *at = strchr(word, '=');
    const size_t end = at ? strcspn(at, "@") : 0; // a file's name does not count
    for (size_t i = 1; i < end; i++) {
        const bool begins = is_word_char(at[i]) && !is_word_char(at[i - 1]);
        if (begins && i + length <= end && strncmp(at + i, name, length) == 0 &&
            !is_word_char(at[i + length]))
            return true;
    }
    return false;
}

static bool depends(const char *word, const kiln_tune_problem_t *problem,
                    const kiln_setting_list_t *defaults, const kiln_tune_words_t *sorted)
{
    for (size_t i = 0; i < problem->axis_count; i++)
        if (names(word, problem->axes[i].name, strlen(problem->axes[i].name)))
            return true;
    for (size_t i = 0; i < defaults->count; i++)
        if (names(word, defaults->items[i].name, strlen(defaults->items[i].name)))
            return true;
    for (size_t i = 0; i < sorted->varying_count; i++)
        if (names(word, sorted->varying[i], strcspn(sorted->varying[i], "=")))
            return true;
    return false;
}

kiln_status_t kiln_tune_words_sort(char **words, size_t count, const kiln_tune_problem_t *problem,
                                   const kiln_setting_list_t *defaults,
                                   kiln_tune_words_t *out_words)
{
    *out_words = (kiln_tune_words_t){.fixed = calloc(count + 1, sizeof *out_words->fixed),
                                     .varying = calloc(count + 1, sizeof *out_words->varying)};
    if (!out_words->fixed || !out_words->varying)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++)
        if (depends(words[i], problem, defaults, out_words))
            out_words->varying[out_words->varying_count++] = words[i];
        else
            out_words->fixed[out_words->fixed_count++] = words[i];
    return KILN_OK;
}

void kiln_tune_words_free(kiln_tune_words_t *words)
{
    free(words->fixed);
    free(words->varying);
    *words = (kiln_tune_words_t){0};
}

kiln_status_t kiln_tune_words_runner(const kiln_launch_flags_t *launch,
                                     const kiln_tune_words_t *sorted,
                                     const kiln_setting_list_t *defaults,
                                     kiln_arguments_t *arguments, kiln_tune_runner_t **out_runner)
{
    KILN_TRY(kiln_tune_runner_create(arguments, launch->grid, launch->settings,
                                     launch->setting_count, out_runner));
    KILN_TRY(kiln_runner_define(*out_runner, defaults));
    for (size_t i = 0; i < launch->then_count; i++)
        KILN_TRY(kiln_tune_runner_add_step(*out_runner, launch->then[i].grid));
    for (size_t i = 0; i < sorted->varying_count; i++)
        KILN_TRY(kiln_tune_runner_add(*out_runner, sorted->varying[i]));
    return KILN_OK;
}

// Hints -------------------------------------------------------------------------------------------

static bool is_varying(const kiln_tune_words_t *sorted, const char *name)
{
    for (size_t i = 0; i < sorted->varying_count; i++)
        if (strncmp(sorted->varying[i], name, strlen(name)) == 0 &&
            sorted->varying[i][strlen(name)] == '=')
            return true;
    return false;
}

static kiln_status_t hint_all(const kiln_arguments_t *arguments, const kiln_tune_words_t *sorted,
                              kiln_arg_hint_t **out_hints, size_t *out_count)
{
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, out_count);
    kiln_arg_hint_t *hints = *out_hints = calloc(*out_count + 1, sizeof *hints);
    if (!hints)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < *out_count; i++) {
        hints[i] = kiln_jit_argument_hint(&values[i]);
        if (values[i].kind != KILN_JIT_POINTER && is_varying(sorted, values[i].name))
            hints[i].divisibility = 0;
    }
    return KILN_OK;
}

// Names of hints are borrowed from arguments that are released; the words contain the same names.
static kiln_status_t own_names(kiln_arg_hint_t *hints, size_t count, char **words)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(words[i], "=");
        words[i][length] = '\0';
        hints[i].name = strdup(words[i]);
        words[i][length] = '=';
        if (!hints[i].name)
            return kiln_status_out_of_memory();
    }
    return KILN_OK;
}

// Creates the arguments with one value of each axis, the value of this number or an earlier one of
// an axis with fewer values, and the defaults of other constants.
static kiln_status_t make_with(const kiln_launch_flags_t *launch,
                               const kiln_tune_problem_t *problem,
                               const kiln_setting_list_t *defaults, char **words, size_t count,
                               size_t number, kiln_arguments_t **out_arguments)
{
    kiln_launch_flags_t own = *launch;
    for (size_t i = 0; i < problem->axis_count; i++) {
        const kiln_tune_axis_t *axis = &problem->axes[i];
        const kiln_setting_t chosen = {axis->name, axis->values[number % axis->value_count]};
        KILN_TRY(kiln_launch_add_setting(&own, &chosen));
    }
    for (size_t i = 0; i < defaults->count; i++)
        KILN_TRY(kiln_launch_add_setting(&own, &defaults->items[i]));
    return kiln_launch_arguments(&own, problem->device, words, count, out_arguments);
}

// With the first values, or, if something is out of range with these, with others.
static kiln_status_t make_some(const kiln_launch_flags_t *launch,
                               const kiln_tune_problem_t *problem,
                               const kiln_setting_list_t *defaults, char **words, size_t count,
                               kiln_arguments_t **out_arguments)
{
    size_t value_count = 1;
    for (size_t i = 0; i < problem->axis_count; i++)
        if (problem->axes[i].value_count > value_count)
            value_count = problem->axes[i].value_count;
    kiln_status_t first = make_with(launch, problem, defaults, words, count, 0, out_arguments);
    for (size_t n = 1; n < value_count && kiln_status_code(first) == KILN_STATUS_INVALID_INPUT;
         n++) {
        kiln_status_t status = make_with(launch, problem, defaults, words, count, n, out_arguments);
        kiln_status_t spare = status ? status : first;
        first = status ? first : KILN_OK;
        kiln_status_free(spare);
    }
    return first;
}

// The compiler's hints about all arguments, in the order of the words. An argument that depends on
// an axis has the hints of the first value of each axis, but a scalar has no divisibility.
static kiln_status_t make_hints(const kiln_launch_flags_t *launch,
                                const kiln_tune_problem_t *problem, char **words, size_t count,
                                kiln_tune_input_t *input)
{
    const kiln_tune_words_t *sorted = &input->sorted;
    if (sorted->varying_count == 0)
        return hint_all(input->arguments, sorted, &input->hints, &input->hint_count);
    kiln_arguments_t *all = NULL;
    KILN_TRY(make_some(launch, problem, &input->defaults, words, count, &all));
    kiln_status_t status = hint_all(all, sorted, &input->hints, &input->hint_count);
    if (!status)
        status = own_names(input->hints, input->hint_count, words);
    kiln_arguments_release(all);
    return status;
}

// Constants ---------------------------------------------------------------------------------------

static bool is_set(const kiln_tune_problem_t *problem, const char *name)
{
    for (size_t i = 0; i < problem->axis_count; i++)
        if (strcmp(problem->axes[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < problem->fixed_count; i++)
        if (strcmp(problem->fixed[i].name, name) == 0)
            return true;
    return false;
}

// Adds the constants that are not set.
static kiln_status_t add_unset(const kiln_tune_problem_t *problem,
                               const kiln_setting_list_t *constants, kiln_setting_list_t *defaults)
{
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < constants->count && !status; i++) {
        const kiln_setting_t *c = &constants->items[i];
        if (!is_set(problem, c->name))
            status =
                kiln_settings_put(defaults, c->name, strlen(c->name), c->value, strlen(c->value));
    }
    return status;
}

// Hints about all arguments, by their texts.
static kiln_status_t hint_words(char **words, size_t count, kiln_arg_hint_t *hints)
{
    for (size_t i = 0; i < count; i++)
        KILN_TRY(kiln_launch_word_hint(words, i, NULL, &hints[i]));
    return own_names(hints, count, words);
}

// The constants with the first value of each axis.
static kiln_status_t read_constants(const kiln_tune_problem_t *given, char **words, size_t count,
                                    kiln_setting_list_t *constants)
{
    kiln_compile_options_t options = *given->options;
    kiln_tune_problem_t problem = *given;
    kiln_setting_t *firsts = calloc(given->axis_count + 1, sizeof *firsts);
    kiln_arg_hint_t *hints = calloc(count + 1, sizeof *hints);
    kiln_status_t status =
        firsts && hints ? hint_words(words, count, hints) : kiln_status_out_of_memory();
    for (size_t i = 0; i < given->axis_count && !status; i++)
        firsts[i] = (kiln_setting_t){given->axes[i].name, given->axes[i].values[0]};
    const kiln_tune_candidate_t first = {.settings = firsts, .setting_count = given->axis_count};
    options.args = hints;
    options.arg_count = count;
    problem.options = &options;
    problem.diagnostic = NULL; // the search reports them
    if (!status)
        status = kiln_tune_constants(&problem, &first, constants);
    for (size_t i = 0; hints && i < count; i++)
        free((char *)(uintptr_t)hints[i].name);
    free(hints);
    free(firsts);
    return status;
}

// A program that cannot be compiled has none; *out_unread says why.
static kiln_status_t find_defaults(const kiln_launch_flags_t *launch,
                                   const kiln_tune_problem_t *problem, char **words, size_t count,
                                   kiln_tune_input_t *input, kiln_status_t *out_unread)
{
    kiln_setting_list_t constants = {0}, *defaults = &input->defaults;
    if (!input->reads_defaults && !kiln_launch_has_open(launch, words, count))
        return KILN_OK;
    kiln_status_t status = read_constants(problem, words, count, &constants);
    if (!status)
        status = add_unset(problem, &constants, defaults);
    kiln_settings_free(&constants);
    if (kiln_status_is_out_of_memory(status))
        return status;
    *out_unread = status;
    return KILN_OK;
}

// The whole ---------------------------------------------------------------------------------------

kiln_status_t kiln_tune_input_make(const kiln_launch_flags_t *launch,
                                   const kiln_tune_problem_t *problem, char **words, size_t count,
                                   kiln_tune_input_t *input)
{
    kiln_device_t *device = problem->device;
    kiln_status_t unread = KILN_OK;
    KILN_TRY(find_defaults(launch, problem, words, count, input, &unread));
    kiln_status_t status =
        kiln_tune_words_sort(words, count, problem, &input->defaults, &input->sorted);
    if (!status)
        status = kiln_launch_arguments(launch, device, input->sorted.fixed,
                                       input->sorted.fixed_count, &input->arguments);
    KILN_TRY(kiln_launch_choose_error(status, unread));
    KILN_TRY(make_hints(launch, problem, words, count, input));
    KILN_TRY(kiln_launch_key(launch, problem, input->arguments, &input->key));
    return kiln_tune_words_runner(launch, &input->sorted, &input->defaults, input->arguments,
                                  &input->runner);
}

void kiln_tune_input_free(kiln_tune_input_t *input)
{
    kiln_tune_runner_release(input->runner);
    kiln_arguments_release(input->arguments);
    for (size_t i = 0; input->sorted.varying_count && i < input->hint_count; i++)
        free((char *)(uintptr_t)input->hints[i].name);
    kiln_tune_words_free(&input->sorted);
    kiln_settings_free(&input->defaults);
    free(input->hints);
    free(input->key);
}

// Conditions --------------------------------------------------------------------------------------

// Appends a word and, if it names a file, the file's version.
static void append_word(kiln_string_t *text, const char *word, const char *file)
{
    struct stat info;
    kiln_string_appendf(text, "%s%s", text->length ? " " : "", word);
    if (file && stat(file, &info) == 0)
        kiln_string_appendf(text, "(%" PRId64 ",%" PRId64 ".%09ld)", (int64_t)info.st_size,
                            (int64_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

char *kiln_tune_conditions(char **words, size_t count, const char *const *expected,
                           size_t expected_count, const char *reference)
{
    static const char *const without_effect[] = {"threads", "variant",  "devices", "report",
                                                 "trace",   "timeline", "stalls",  "profile"};
    kiln_string_t text = {0};
    size_t setting_count;
    const kiln_sim_setting_t *settings = kiln_simulator_settings(&setting_count);
    const char *library = kiln_environment("KILN_HIP_LIBRARY");
    kiln_string_append(&text, "");
    for (size_t i = 0; i < count; i++) {
        const char *file = strchr(words[i], '@');
        append_word(&text, words[i], file ? file + 1 : NULL);
    }
    for (size_t i = 0; i < expected_count; i++) {
        const char *file = strchr(expected[i], '=');
        append_word(&text, "expect:", NULL);
        append_word(&text, expected[i], file ? file + 1 : NULL);
    }
    if (reference)
        kiln_string_appendf(&text, " reference:'%s'", reference);
    if (library && *library) { // a simulator of another build predicts other times
        append_word(&text, "library:", NULL);
        append_word(&text, library, library);
    }
    for (size_t i = 0; i < setting_count; i++) {
        bool has_effect = true;
        for (size_t n = 0; n < sizeof without_effect / sizeof *without_effect; n++)
            has_effect &= strcmp(settings[i].name, without_effect[n]) != 0;
        if (has_effect)
            kiln_string_appendf(&text, " %s:%s", settings[i].name, settings[i].value);
    }
    return kiln_string_take(&text);
}
