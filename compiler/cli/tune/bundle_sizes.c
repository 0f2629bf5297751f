// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a variant of a kernel for each line of a file of sizes, and one for all other sizes.
//
// A variant demands the sizes of its line, as ranges, and what the tuned code promised about other
// arguments: the loader (kiln/load.h) takes it only for calls that meet this. With --by=M a line is
// also for all smaller M down to the next line with otherwise equal sizes, and the last of them for
// all larger ones. Of the code for such a range nothing is known about arguments that are computed
// from M, and M may not be a multiple of 16, as it may have been when it was tuned; so there is a
// second variant without this promise.
//
// Pitfall: settings are verified for the sizes of their line only. For a range, the conditions that
// the source declares must hold at both ends, or the variant is for the line's sizes only.
#include "bundle_sizes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/settings.h"
#include "base/string.h"
#include "cli/input.h"
#include "cli/launch/complete.h"
#include "cli/launch/sequence.h"
#include "cli/option_flags.h"
#include "kiln/compile_program.h"
#include "kiln/tune.h"
#include "kiln/tune_space.h"
#include "size_rows.h"
#include "store.h"

// A unit of the program with what its options point to. Hints and settings have own strings.
typedef struct variant {
    kiln_compile_options_t options;
    kiln_arg_hint_t *hints;
    kiln_arg_range_t *ranges; // names are the rows'
    kiln_setting_list_t settings;
    kiln_setting_t *defines;
} variant_t;

typedef struct maker {
    const kiln_bundle_sizes_t *given;
    kiln_device_t *device;
    kiln_source_t source;
    kiln_compile_options_t base;
    kiln_tune_store_t *store;
    kiln_size_rows_t rows;
    kiln_launch_words_t all; // of the first row
    char **words;            // those that are not of rows
    size_t word_count;
    size_t by; // column; rows.name_count: none
    variant_t *variants;
    size_t count, capacity;
    bool *out_shown;
} maker_t;

static void free_variant(variant_t *variant)
{
    for (size_t i = 0; variant->hints && i < variant->options.arg_count; i++)
        free((char *)(uintptr_t)variant->hints[i].name);
    free(variant->hints);
    free(variant->ranges);
    free(variant->defines);
    kiln_settings_free(&variant->settings);
}

// Ranges ------------------------------------------------------------------------------------------

typedef struct range {
    int64_t min, max;
} range_t;

static bool is_same_but_by(const maker_t *maker, size_t a, size_t b)
{
    for (size_t i = 0; i < maker->rows.name_count; i++)
        if (i != maker->by &&
            kiln_size_rows_value(&maker->rows, a, i) != kiln_size_rows_value(&maker->rows, b, i))
            return false;
    return true;
}

// The values of --by that a row is for: those above the next smaller row's.
static range_t range_of(const maker_t *maker, size_t row)
{
    const int64_t own = kiln_size_rows_value(&maker->rows, row, maker->by);
    range_t range = {INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < maker->rows.row_count; i++) {
        const int64_t other = kiln_size_rows_value(&maker->rows, i, maker->by);
        if (i == row || !is_same_but_by(maker, row, i))
            continue;
        if (other < own && other >= range.min)
            range.min = other + 1;
        if (other > own)
            range.max = own;
    }
    return range;
}

// The words of a row; `by` (NULL: the row's own) replaces the value of --by.
static kiln_status_t words_of(const maker_t *maker, size_t row, const int64_t *by,
                              char ***out_words)
{
    KILN_TRY(kiln_size_rows_words(&maker->rows, row, maker->words, maker->word_count, out_words));
    if (!by)
        return KILN_OK;
    char *word = kiln_string_print("%s=%" PRId64, maker->rows.names[maker->by], *by);
    if (!word) {
        kiln_size_rows_free_words(&maker->rows, *out_words);
        *out_words = NULL;
        return kiln_status_out_of_memory();
    }
    free((*out_words)[maker->by]);
    (*out_words)[maker->by] = word;
    return KILN_OK;
}

// Whether the declared conditions hold for a configuration with another value of --by.
static kiln_status_t admits(const maker_t *maker, size_t row, const char *config, int64_t by,
                            bool *out_admits)
{
    const kiln_launch_flags_t *launch = &maker->given->launch;
    char **words = NULL;
    kiln_arguments_t *arguments = NULL;
    kiln_tune_space_t *space = NULL;
    kiln_setting_list_t settings = {0};
    kiln_compile_options_t options = maker->base;
    options.kernel = launch->kernel;
    kiln_status_t status = kiln_settings_put_text(&settings, config);
    if (!status)
        status = words_of(maker, row, &by, &words);
    if (!status) { // settings that arguments use
        kiln_launch_flags_t flags = *launch;
        for (size_t i = 0; i < settings.count && !status; i++)
            status = kiln_launch_add_setting(&flags, &settings.items[i]);
        if (!status)
            status = kiln_launch_arguments(&flags, maker->device, words,
                                           maker->rows.name_count + maker->word_count, &arguments);
    }
    if (!status)
        status = kiln_tune_space_create(&space);
    if (!status)
        status = kiln_tune_space_declare(space, &maker->source, &options, launch->settings,
                                         launch->setting_count, NULL, NULL, NULL);
    if (!status) {
        const kiln_tune_candidate_t candidate = {settings.items, settings.count, config};
        kiln_tune_space_bind(space, arguments, launch->settings, launch->setting_count);
        status = kiln_tune_space_admits(&candidate, out_admits, space);
    }
    kiln_tune_space_release(space);
    kiln_arguments_release(arguments);
    kiln_size_rows_free_words(&maker->rows, words);
    kiln_settings_free(&settings);
    return status;
}

// Narrows the range to the row's own value if the conditions do not hold at both of its ends.
static kiln_status_t check_range(const maker_t *maker, size_t row, const char *config,
                                 range_t *io_range)
{
    const int64_t own = kiln_size_rows_value(&maker->rows, row, maker->by);
    const int64_t ends[] = {io_range->min == INT64_MIN ? 1 : io_range->min,
                            io_range->max == INT64_MAX ? own : io_range->max};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        bool is_admitted = true;
        if (ends[i] != own)
            KILN_TRY(admits(maker, row, config, ends[i], &is_admitted));
        if (is_admitted)
            continue;
        fprintf(stderr,
                "kiln: the settings of %s=%" PRId64 " do not meet the conditions of the source at "
                "%" PRId64 ", so they are used for %" PRId64 " only\n",
                maker->rows.names[maker->by], own, ends[i], own);
        *io_range = (range_t){own, own};
        return KILN_OK;
    }
    return KILN_OK;
}

// Arguments ---------------------------------------------------------------------------------------

static bool names(const char *word, const char *name)
{
    const size_t length = strlen(name);
    const char *value = strchr(word, '=');
    for (const char *at = value; at && (at = strstr(at + 1, name));)
        if (!kiln_is_alphanumeric(at[-1]) && at[-1] != '_' && !kiln_is_alphanumeric(at[length]) &&
            at[length] != '_')
            return true;
    return false;
}

// Whether the value of an argument is computed from --by's, also through other arguments.
static bool depends_on_by(const maker_t *maker, const char *argument)
{
    const char *by = maker->rows.names[maker->by];
    for (size_t i = 0; i < maker->word_count; i++) {
        const char *word = maker->words[i];
        const size_t length = strcspn(word, "=");
        if (strncmp(word, argument, length) != 0 || argument[length])
            continue;
        if (names(word, by))
            return true;
        for (size_t k = 0; k < i; k++) { // a word may use those before it
            char *other = strndup(maker->words[k], strcspn(maker->words[k], "="));
            const bool does = !other || (names(word, other) && depends_on_by(maker, other));
            free(other);
            if (does)
                return true;
        }
    }
    return false;
}

typedef enum promise {
    PROMISE_NOTHING,    // about no argument: the variant for other sizes
    PROMISE_ALL,        // what the tuned code promises, as far as it holds for the range
    PROMISE_NO_MULTIPLE // that, but not that --by's is a multiple of 16
} promise_t;

static kiln_status_t set_hints(const maker_t *maker, const kiln_jit_call_t *call, promise_t promise,
                               bool is_range, variant_t *out)
{
    out->hints = calloc(call->argument_count + 1, sizeof *out->hints);
    if (!out->hints)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < call->argument_count; i++) {
        kiln_arg_hint_t *hint = &out->hints[i];
        const char *name = call->arguments[i].name;
        *hint = kiln_jit_argument_hint(&call->arguments[i]);
        const bool is_by = is_range && strcmp(name, maker->rows.names[maker->by]) == 0;
        const bool varies =
            is_range && call->arguments[i].kind != KILN_JIT_POINTER && depends_on_by(maker, name);
        if (promise == PROMISE_NOTHING || varies || (is_by && promise == PROMISE_NO_MULTIPLE))
            hint->divisibility = 0;
        if (promise == PROMISE_NOTHING)
            hint->pointer_range_32 = false;
        if (!(hint->name = strdup(name)))
            return kiln_status_out_of_memory();
        out->options.arg_count = i + 1;
    }
    out->options.args = out->hints;
    return KILN_OK;
}

static kiln_status_t set_ranges(const maker_t *maker, size_t row, const range_t *range,
                                variant_t *out)
{
    const size_t count = maker->rows.name_count;
    if (!(out->ranges = calloc(count + 1, sizeof *out->ranges)))
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        const int64_t value = kiln_size_rows_value(&maker->rows, row, i);
        const range_t own = i == maker->by ? *range : (range_t){value, value};
        if (own.min != INT64_MIN || own.max != INT64_MAX)
            out->ranges[out->options.range_count++] =
                (kiln_arg_range_t){maker->rows.names[i], own.min, own.max};
    }
    out->options.ranges = out->ranges;
    return KILN_OK;
}

// Variants ----------------------------------------------------------------------------------------

// The tuned settings (NULL: none) and those of the command line.
static kiln_status_t set_settings(const maker_t *maker, const char *config, variant_t *out)
{
    const kiln_launch_flags_t *launch = &maker->given->launch;
    if (config)
        KILN_TRY(kiln_settings_put_text(&out->settings, config));
    for (size_t i = 0; i < launch->setting_count; i++)
        KILN_TRY(kiln_settings_put(&out->settings, launch->settings[i].name,
                                   strlen(launch->settings[i].name), launch->settings[i].value,
                                   strlen(launch->settings[i].value)));
    if (!(out->defines = calloc(out->settings.count + 1, sizeof *out->defines)))
        return kiln_status_out_of_memory();
    return kiln_compile_options_apply(&out->options, out->settings.items, out->settings.count,
                                      out->defines);
}

// Adds a variant of a row; `range` is --by's, and NULL for the variant without sizes.
static kiln_status_t add_variant(maker_t *maker, const kiln_launch_plan_t *plan, size_t row,
                                 const range_t *range, promise_t promise)
{
    if (!KILN_ARRAY_RESERVE(&maker->variants, &maker->capacity, maker->count + 1))
        return kiln_status_out_of_memory();
    variant_t *variant = &maker->variants[maker->count++];
    *variant = (variant_t){.options = maker->base};
    variant->options.kernel = maker->given->launch.kernel;
    variant->options.grid = maker->given->launch.grid;
    variant->options.arch = kiln_device_properties(maker->device)->arch;
    const bool is_range = range && maker->by < maker->rows.name_count && range->min != range->max;
    KILN_TRY(set_hints(maker, &plan->calls[0], promise, is_range, variant));
    if (range)
        KILN_TRY(set_ranges(maker, row, range, variant));
    return set_settings(maker, range ? plan->configs[0] : NULL, variant);
}

// Whether the row's value of --by is promised to be a multiple of 16 by the tuned code.
static bool is_multiple(const maker_t *maker, size_t row)
{
    return kiln_size_rows_value(&maker->rows, row, maker->by) % 16 == 0;
}

static kiln_status_t add_row(maker_t *maker, const kiln_launch_plan_t *plan, size_t row)
{
    range_t range = {INT64_MIN, INT64_MAX}; // unused without --by
    if (maker->by == maker->rows.name_count)
        return add_variant(maker, plan, row, &range, PROMISE_ALL);
    range = range_of(maker, row);
    KILN_TRY(check_range(maker, row, plan->match.config, &range));
    KILN_TRY(add_variant(maker, plan, row, &range, PROMISE_ALL));
    const bool has_hints = maker->source.stage == KILN_STAGE_TILE; // MLIR contains its promises
    return range.min != range.max && has_hints && is_multiple(maker, row)
               ? add_variant(maker, plan, row, &range, PROMISE_NO_MULTIPLE)
               : KILN_OK;
}

// Whether the variant for other sizes compiles; it has the constants' defaults.
static kiln_status_t check_last(maker_t *maker)
{
    const kiln_program_unit_t unit = {maker->source, &maker->variants[maker->count - 1].options};
    void *bundle;
    size_t size;
    kiln_status_t status = kiln_program_compile(&unit, 1, NULL, &bundle, &size);
    free(bundle);
    if (kiln_status_code(status) != KILN_STATUS_INVALID_INPUT)
        return status;
    fprintf(stderr, "kiln: there is no variant for other sizes: %s\n", kiln_status_message(status));
    kiln_status_free(status);
    free_variant(&maker->variants[--maker->count]);
    return KILN_OK;
}

static kiln_status_t make_row(maker_t *maker, size_t row)
{
    char **words;
    kiln_launch_plan_t plan;
    kiln_compile_options_t options = maker->base;
    kiln_tune_problem_t problem;
    kiln_tune_problem_initialize(&problem);
    options.kernel = maker->given->launch.kernel;
    problem.source = maker->source;
    problem.options = &options;
    problem.device = maker->device;
    problem.store = maker->store;
    problem.fixed = maker->given->launch.settings;
    problem.fixed_count = maker->given->launch.setting_count;
    problem.diagnostic = kiln_launch_diagnostic;
    problem.diagnostic_user = maker->out_shown;
    KILN_TRY(words_of(maker, row, NULL, &words));
    kiln_status_t status =
        kiln_launch_plan_make(&maker->given->launch, &problem, KILN_TUNE_USE_EXACT, words,
                              maker->rows.name_count + maker->word_count, &plan);
    if (!status && !plan.match.config)
        status = kiln_status_make(KILN_STATUS_NOT_FOUND,
                                  "the store has no result for this problem (%s); tune it by kiln "
                                  "tune with the same --sizes, arguments and flags",
                                  plan.key);
    if (!status)
        status = add_row(maker, &plan, row);
    if (!status && row + 1 == maker->rows.row_count) {
        status = add_variant(maker, &plan, row, NULL, PROMISE_NOTHING);
        if (!status)
            status = check_last(maker);
    }
    kiln_launch_plan_free(&plan);
    kiln_size_rows_free_words(&maker->rows, words);
    if (status) {
        char *text = kiln_size_rows_text(&maker->rows, row);
        status = kiln_status_annotate(status, "for the sizes %s", text ? text : "");
        free(text);
    }
    return status;
}

static kiln_status_t compile_all(maker_t *maker, void **out_bundle, size_t *out_size)
{
    kiln_program_compile_options_t options;
    kiln_program_compile_options_initialize(&options);
    options.diagnostic = kiln_launch_diagnostic;
    options.diagnostic_user = maker->out_shown;
    kiln_program_unit_t *units = calloc(maker->count + 1, sizeof *units);
    if (!units)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < maker->count; i++)
        units[i] = (kiln_program_unit_t){maker->source, &maker->variants[i].options};
    kiln_status_t status =
        kiln_program_compile(units, maker->count, &options, out_bundle, out_size);
    free(units);
    return status;
}

// The whole ---------------------------------------------------------------------------------------

static kiln_status_t open_store(maker_t *maker)
{
    char *path;
    KILN_TRY(kiln_tune_store_path(maker->given->store, &path));
    kiln_status_t status = path ? kiln_tune_store_open_existing(path, &maker->store) : KILN_OK;
    if (!status && !maker->store)
        status = kiln_status_make(KILN_STATUS_NOT_FOUND, "no store of tuning results exists%s%s",
                                  path ? ": " : "", path ? path : "");
    free(path);
    return status;
}

static kiln_status_t read_rows(maker_t *maker)
{
    const kiln_bundle_sizes_t *given = maker->given;
    kiln_compile_options_t options = maker->base;
    options.kernel = given->launch.kernel;
    KILN_TRY(kiln_size_rows_read(given->sizes, &maker->source, &options, &maker->rows));
    maker->by = maker->rows.name_count;
    if (given->by && !kiln_size_rows_find(&maker->rows, given->by, &maker->by))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--by=%s: '%s' has no such column that is an "
                                "argument of the kernel",
                                given->by, given->sizes);
    return KILN_OK;
}

// The words of all rows, with the arguments that the source declares.
static kiln_status_t complete_words(maker_t *maker)
{
    const kiln_bundle_sizes_t *given = maker->given;
    const size_t names = maker->rows.name_count;
    char **words = NULL;
    if (!maker->rows.row_count)
        return KILN_OK;
    KILN_TRY(kiln_size_rows_words(&maker->rows, 0, given->words, given->word_count, &words));
    kiln_status_t status = kiln_launch_words_make(&given->launch, &maker->source, words,
                                                  names + given->word_count, &maker->all);
    kiln_size_rows_free_words(&maker->rows, words);
    if (!status) {
        maker->words = maker->all.items + names;
        maker->word_count = maker->all.count - names;
    }
    return status;
}

kiln_status_t kiln_bundle_sizes_make(kiln_device_t *device, const kiln_bundle_sizes_t *given,
                                     void **out_bundle, size_t *out_size, bool *out_shown)
{
    maker_t maker = {.given = given, .device = device, .out_shown = out_shown};
    char *text = NULL;
    *out_bundle = NULL;
    kiln_compile_options_initialize(&maker.base);
    kiln_status_t status = kiln_source_flags_set(&maker.base);
    if (!status)
        status = kiln_input_read_source(given->path, "", &text, &maker.source);
    if (!status)
        status = kiln_option_flags_check(maker.source.stage, KILN_STAGE_HSACO);
    if (!status)
        status = read_rows(&maker);
    if (!status)
        status = complete_words(&maker);
    if (!status)
        status = open_store(&maker);
    for (size_t i = 0; i < maker.rows.row_count && !status; i++)
        status = make_row(&maker, i);
    if (!status)
        status = compile_all(&maker, out_bundle, out_size);
    for (size_t i = 0; i < maker.count; i++)
        free_variant(&maker.variants[i]);
    free(maker.variants);
    kiln_launch_words_free(&maker.all);
    kiln_size_rows_free(&maker.rows);
    kiln_tune_store_release(maker.store);
    free(text);
    return status;
}
