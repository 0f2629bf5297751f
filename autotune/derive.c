// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives axes from the program, by the rules in kiln/tune_space.h.
//
// The program's text does not show whether a constant may vary: BLOCK_K of a GEMM may, the width of
// an attention head may not, and BLOCK of a softmax may only grow. Therefore values are tried, from
// the default outward, and those that give the same results as the default become values of the
// axis.
//
// A constant that changes neither tiles nor the grid may still change which program computes which
// part: GROUP_M of a GEMM. It is tried with the numbers that suit the device's XCDs. If the results
// stay the same with all of them, they are values of an axis.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"
#include "base/number.h"
#include "base/require.h"
#include "base/string.h"
#include "kiln/tune_model.h"
#include "problem.h"
#include "space.h"
#include "tune_space.h"

enum {
    MIN_CONSTANT = 16,    // smaller ones are rarely sizes of tiles
    MIN_EXTENT = 16,      // of a dot: of the smallest matrix instruction
    LARGE_EXTENT = 32,    // of a dot: of the larger matrix instruction
    MAX_ELEMENTS = 65536, // of a tile: 256 registers per lane of 4 waves
    STEPS = 2,            // doublings and halvings of a constant
    ORDERS = 3            // doublings of the number of XCDs
};

typedef struct derivation {
    const kiln_tune_problem_t *problem;
    kiln_tune_space_t *space;
    kiln_session_t *session;
    kiln_program_facts_t facts; // with the defaults
    int64_t largest_tile;       // with any value of one constant
    kiln_string_t stays;        // reasons why constants do not vary
    int64_t min_workgroups;     // least number of candidates' workgroups; 0: any
    bool is_unexecuted, lost_device;
    bool has_failed; // the current value gives other results
} derivation_t;

// Facts -------------------------------------------------------------------------------------------

// Compiles to tt with NAME=VALUE, or with the defaults if `name` is NULL.
static kiln_status_t parse(const derivation_t *derivation, const char *name, const char *value,
                           kiln_kernel_t **out_kernel)
{
    const kiln_setting_t setting = {name, value};
    const kiln_tune_candidate_t candidate = {&setting, name ? 1 : 0, ""};
    kiln_compile_options_t options;
    kiln_setting_t *defines;
    kiln_status_t status =
        kiln_tune_candidate_options(derivation->problem, &candidate, &options, &defines);
    options.last_stage = KILN_STAGE_TT;
    options.warning_count = 0; // warnings are reported with the candidates
    if (!status)
        status =
            kiln_compile(derivation->session, &derivation->problem->source, &options, out_kernel);
    free(defines);
    return status;
}

// Whether a value gives a program whose tiles have allowed sizes. *out_elements: of all its tiles.
static kiln_status_t measure(derivation_t *derivation, const char *name, const char *value,
                             bool *out_fits, int64_t *out_elements)
{
    kiln_kernel_t *kernel = NULL;
    *out_fits = false;
    *out_elements = derivation->facts.tile_elements;
    kiln_status_t status = parse(derivation, name, value, &kernel);
    if (status) { // a failed assertion of the program, for example
        const bool is_host = kiln_status_is_out_of_memory(status);
        if (!is_host)
            kiln_status_free(status);
        return is_host ? status : KILN_OK;
    }
    const kiln_program_facts_t *facts = kiln_kernel_program_facts(kernel);
    *out_elements = facts->tile_elements;
    *out_fits = facts->largest_tile <= MAX_ELEMENTS && facts->largest_tile >= KILN_GFX942_LANES &&
                (facts->dots == 0 || facts->min_dot_extent >= MIN_EXTENT);
    if (*out_fits && facts->largest_tile > derivation->largest_tile)
        derivation->largest_tile = facts->largest_tile;
    kiln_kernel_release(kernel);
    return KILN_OK;
}

// Trying values -----------------------------------------------------------------------------------

static kiln_status_t prepare(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                             kiln_launch_t *out_launch, void *user)
{
    const derivation_t *derivation = user;
    return derivation->problem->prepare(candidate, kernel, out_launch, derivation->problem->user);
}

static kiln_status_t verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user)
{
    const derivation_t *derivation = user;
    return derivation->problem->verify(candidate, out_error, derivation->problem->user);
}

static kiln_status_t restore(void *user)
{
    const derivation_t *derivation = user;
    return derivation->problem->restore(derivation->problem->user);
}

static void note(const kiln_tune_sample_t *sample, size_t done, size_t total, void *user)
{
    (void)done, (void)total;
    derivation_t *derivation = user;
    derivation->has_failed |= sample->verdict != KILN_TUNE_OK;
    derivation->is_unexecuted |= sample->verdict == KILN_TUNE_OK && isnan(sample->error);
}

static bool is_over(void *user)
{
    const derivation_t *derivation = user;
    const kiln_tune_problem_t *problem = derivation->problem;
    return derivation->has_failed || derivation->is_unexecuted ||
           (problem->is_cancelled && problem->is_cancelled(problem->user));
}

// Launches the values in order, of which the first is the default, until one gives other results.
// *out_count is the number of values that give the same results.
static kiln_status_t try_values(derivation_t *derivation, const char *name,
                                const kiln_axis_values_t *values, size_t *out_count)
{
    const kiln_tune_axis_t axis = {name, (const char *const *)values->items, values->count};
    kiln_tune_problem_t problem = kiln_tune_inner_problem(derivation->problem, &axis, 1);
    kiln_tune_result_t *result = NULL;
    *out_count = 0;
    problem.prepare = prepare;
    problem.verify = verify;
    problem.restore = problem.restore ? restore : NULL;
    problem.progress = note;
    problem.is_cancelled = is_over;
    problem.user = derivation;
    derivation->has_failed = false;
    KILN_TRY_NOTE(kiln_tune(&problem, &result), "while trying values of '%s'", name);
    for (size_t i = 0; i < kiln_tune_result_count(result); i++)
        *out_count += kiln_tune_result_sample(result, i)->verdict == KILN_TUNE_OK;
    derivation->lost_device |= kiln_tune_result_lost_device(result);
    kiln_tune_result_release(result);
    return derivation->lost_device
               ? kiln_status_make(KILN_STATUS_DEVICE, "a launch with another '%s' did not end",
                                  name)
               : KILN_OK;
}

// Constants ---------------------------------------------------------------------------------------

static kiln_status_t add_number(kiln_axis_values_t *values, int64_t number)
{
    char text[24];
    const int length = snprintf(text, sizeof text, "%" PRId64, number);
    return kiln_axis_values_add(values, text, (size_t)length);
}

// Lists the default and then, doubled or halved step by step, the values that fit.
static kiln_status_t list_values(derivation_t *derivation, const char *name, int64_t first,
                                 bool doubles, kiln_axis_values_t *values, bool *io_changes_tiles)
{
    bool fits = true;
    KILN_TRY(add_number(values, first));
    for (int step = 0; step < STEPS; step++) {
        int64_t elements;
        first = doubles ? first * 2 : first / 2;
        KILN_TRY(add_number(values, first));
        KILN_TRY(measure(derivation, name, values->items[values->count - 1], &fits, &elements));
        *io_changes_tiles |= elements != derivation->facts.tile_elements;
        if (!fits) {
            free(values->items[--values->count]);
            break;
        }
    }
    return KILN_OK;
}

static void note_other_result(derivation_t *derivation, const char *name, const char *value)
{
    kiln_string_appendf(&derivation->stays, "%s%s=%s computes something else",
                        derivation->stays.length ? ", " : "", name, value);
}

// Tries one direction from the default; adds the values that give the same results, except the
// default.
static kiln_status_t walk(derivation_t *derivation, const char *name,
                          const kiln_axis_values_t *wanted, kiln_axis_values_t *found)
{
    size_t count;
    if (wanted->count < 2 || derivation->is_unexecuted)
        return KILN_OK;
    KILN_TRY(try_values(derivation, name, wanted, &count));
    if (derivation->has_failed && count >= 1)
        note_other_result(derivation, name, wanted->items[count]);
    for (size_t i = 1; i < count && !derivation->is_unexecuted; i++)
        KILN_TRY(kiln_axis_values_add(found, wanted->items[i], strlen(wanted->items[i])));
    return KILN_OK;
}

static kiln_status_t put_in_order(const kiln_axis_values_t *down, const char *first,
                                  const kiln_axis_values_t *up, kiln_axis_values_t *out)
{
    for (size_t i = down->count; i-- > 0;)
        KILN_TRY(kiln_axis_values_add(out, down->items[i], strlen(down->items[i])));
    KILN_TRY(kiln_axis_values_add(out, first, strlen(first)));
    for (size_t i = 0; i < up->count; i++)
        KILN_TRY(kiln_axis_values_add(out, up->items[i], strlen(up->items[i])));
    return KILN_OK;
}

static kiln_status_t derive_constant(derivation_t *derivation, const char *name, const char *text)
{
    int64_t value;
    bool changes_tiles = false;
    if (!kiln_integer_parse_all(text, 10, &value) || value < MIN_CONSTANT || value > MAX_ELEMENTS ||
        (value & (value - 1)))
        return KILN_OK;
    kiln_axis_values_t up = {0}, down = {0}, more = {0}, less = {0}, all = {0};
    kiln_status_t status = list_values(derivation, name, value, true, &up, &changes_tiles);
    if (!status)
        status = list_values(derivation, name, value, false, &down, &changes_tiles);
    if (!status && changes_tiles)
        status = walk(derivation, name, &up, &more);
    if (!status && changes_tiles)
        status = walk(derivation, name, &down, &less);
    if (!status)
        status = put_in_order(&less, text, &more, &all);
    if (!status && all.count > 1)
        status = kiln_tune_space_push(derivation->space, name, &all, KILN_TUNE_DERIVED);
    kiln_axis_values_t *const lists[] = {&up, &down, &more, &less, &all};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        kiln_axis_values_free(lists[i]);
    return status;
}

static bool is_free(const derivation_t *derivation, const char *name)
{
    const kiln_tune_problem_t *problem = derivation->problem;
    return !kiln_tune_space_has(derivation->space, name) &&
           !kiln_tune_is_set(name, problem->options, problem->fixed, problem->fixed_count);
}

static kiln_status_t derive_constants(derivation_t *derivation, const kiln_kernel_t *kernel)
{
    kiln_setting_t constant;
    for (size_t i = 0; (constant = kiln_kernel_constant(kernel, i)).name; i++)
        if (is_free(derivation, constant.name))
            KILN_TRY(derive_constant(derivation, constant.name, constant.value));
    return KILN_OK;
}

// The order of programs ---------------------------------------------------------------------------

static bool is_word_char(char c)
{
    return kiln_is_alphanumeric(c) || c == '_';
}

static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !is_word_char(at[-1])) && !is_word_char(at[length]))
            return true;
    return false;
}

// Whether the program with a value differs, but has the same tiles. One that does not compile does
// not count.
static kiln_status_t changes_order(derivation_t *derivation, const char *name, const char *value,
                                   const kiln_kernel_t *initial, bool *out_changes)
{
    kiln_kernel_t *kernel = NULL;
    *out_changes = false;
    kiln_status_t status = parse(derivation, name, value, &kernel);
    if (kiln_status_is_out_of_memory(status))
        return status;
    kiln_status_free(status);
    if (kernel) {
        const kiln_program_facts_t *facts = kiln_kernel_program_facts(kernel),
                                   *own = &derivation->facts;
        *out_changes = facts->tile_elements == own->tile_elements &&
                       facts->largest_tile == own->largest_tile && facts->dots == own->dots &&
                       facts->loops == own->loops &&
                       strcmp(kiln_kernel_text(kernel, KILN_STAGE_TT),
                              kiln_kernel_text(initial, KILN_STAGE_TT)) != 0;
    }
    kiln_kernel_release(kernel);
    return KILN_OK;
}

// Lists the default, 1, and multiples of the number of XCDs, as far as they are other programs.
static kiln_status_t list_orders(derivation_t *derivation, const kiln_kernel_t *initial,
                                 const char *name, int64_t value, kiln_axis_values_t *values)
{
    unsigned xcds, units;
    kiln_tune_device_dies(kiln_device_properties(derivation->problem->device), &xcds, &units);
    int64_t orders[ORDERS + 1] = {1};
    for (int i = 0; i < ORDERS; i++)
        orders[i + 1] = (int64_t)xcds << i;
    KILN_TRY(add_number(values, value));
    for (size_t i = 0; i < sizeof orders / sizeof *orders && xcds > 1; i++) {
        bool changes;
        if (orders[i] == value)
            continue;
        KILN_TRY(add_number(values, orders[i]));
        KILN_TRY(
            changes_order(derivation, name, values->items[values->count - 1], initial, &changes));
        if (!changes)
            free(values->items[--values->count]);
    }
    return KILN_OK;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = strtoll(*(char *const *)a, NULL, 10),
                  y = strtoll(*(char *const *)b, NULL, 10);
    return x < y ? -1 : x > y;
}

// Adds the axis if the program computes the same with all values.
static kiln_status_t try_orders(derivation_t *derivation, const char *name,
                                kiln_axis_values_t *values)
{
    size_t correct;
    KILN_TRY(try_values(derivation, name, values, &correct));
    if (correct == values->count && !derivation->is_unexecuted) {
        qsort(values->items, values->count, sizeof *values->items, by_number);
        return kiln_tune_space_push(derivation->space, name, values, KILN_TUNE_DERIVED);
    }
    if (derivation->has_failed && correct >= 1) // else the default itself has failed
        note_other_result(derivation, name, values->items[correct]);
    return KILN_OK;
}

static kiln_status_t derive_order(derivation_t *derivation, const kiln_kernel_t *kernel,
                                  const char *name, const char *text)
{
    int64_t value;
    const char *grid = kiln_kernel_declared_grid(kernel);
    if (!kiln_integer_parse_all(text, 10, &value) || value < 1 || value > MAX_ELEMENTS ||
        (grid && has_word(grid, name)))
        return KILN_OK;
    kiln_axis_values_t values = {0};
    kiln_status_t status = list_orders(derivation, kernel, name, value, &values);
    if (!status && values.count > 1)
        status = try_orders(derivation, name, &values);
    kiln_axis_values_free(&values);
    return status;
}

// Constants that do not change tiles.
static kiln_status_t derive_orders(derivation_t *derivation, const kiln_kernel_t *kernel)
{
    kiln_setting_t constant;
    if (!kiln_kernel_reads_program_id(kernel))
        return KILN_OK;
    for (size_t i = 0; (constant = kiln_kernel_constant(kernel, i)).name; i++)
        if (is_free(derivation, constant.name) && !derivation->is_unexecuted)
            KILN_TRY(derive_order(derivation, kernel, constant.name, constant.value));
    return KILN_OK;
}

// Options -----------------------------------------------------------------------------------------

static kiln_status_t derive_option(derivation_t *derivation, const char *name, const char *text)
{
    if (!is_free(derivation, name))
        return KILN_OK;
    kiln_axis_values_t values = {0};
    kiln_status_t status = kiln_axis_values_add_all(&values, text);
    if (!status && values.count > 1)
        status = kiln_tune_space_push(derivation->space, name, &values, KILN_TUNE_DERIVED);
    kiln_axis_values_free(&values);
    return status;
}

static kiln_status_t derive_options(derivation_t *derivation)
{
    const kiln_program_facts_t *facts = &derivation->facts;
    const int64_t waves = derivation->largest_tile / KILN_GFX942_LANES;
    KILN_TRY(derive_option(derivation, "num_warps",
                           waves >= 8   ? "1,2,4,8"
                           : waves >= 4 ? "1,2,4"
                           : waves >= 2 ? "1,2"
                                        : "1"));
    if (facts->dots && facts->loads_in_loops)
        KILN_TRY(derive_option(derivation, "num_stages", facts->dots == 1 ? "1,2,3" : "1,2"));
    if (facts->dots && derivation->largest_tile >= LARGE_EXTENT * LARGE_EXTENT)
        KILN_TRY(derive_option(derivation, "matrix_instr_nonkdim", "16,32"));
    if (facts->dots && facts->loads_in_loops)
        KILN_TRY(derive_option(derivation, "kpack", "1,2"));
    // Accumulators take so many registers that one wave per SIMD may remain, which hides no
    // latency.
    if (facts->dots)
        KILN_TRY(derive_option(derivation, "waves_per_eu", "0,2"));
    return KILN_OK;
}

// Workgroups --------------------------------------------------------------------------------------

// The product of the extents of "X, Y, Z", from malloc.
static char *grid_product(const char *grid)
{
    kiln_string_t text = {0};
    int depth = 0;
    kiln_string_append_char(&text, '(');
    for (; *grid; grid++) {
        depth += (*grid == '(') - (*grid == ')');
        if (*grid == ',' && depth == 0)
            kiln_string_append(&text, ")*(");
        else
            kiln_string_append_char(&text, *grid);
    }
    kiln_string_append_char(&text, ')');
    return kiln_string_take(&text);
}

// The maximum number of workgroups that values of derived constants can give. *out_max is 0 if it
// is unknown because the grid uses a name that is neither an axis nor an argument.
static kiln_status_t max_workgroups(const derivation_t *derivation, const char *product,
                                    int64_t *out_max)
{
    size_t axis_count, size;
    const kiln_tune_axis_t *axes = kiln_tune_space_axes(derivation->space, &axis_count);
    *out_max = 0;
    KILN_TRY(kiln_space_size(axes, axis_count, &size));
    for (size_t i = 0; i < size; i++) {
        kiln_tune_candidate_t candidate;
        int64_t value;
        KILN_TRY(kiln_space_candidate(axes, axis_count, i, &candidate));
        kiln_status_t unknown =
            kiln_tune_space_evaluate(derivation->space, &candidate, product, &value);
        kiln_space_candidate_free(&candidate);
        if (unknown) {
            const bool is_host = kiln_status_is_out_of_memory(unknown);
            if (!is_host)
                kiln_status_free(unknown);
            *out_max = 0;
            return is_host ? unknown : KILN_OK;
        }
        *out_max = value > *out_max ? value : *out_max;
    }
    return KILN_OK;
}

// Requires enough workgroups for half of the compute units, or for half of the maximum that
// constants can give.
static kiln_status_t require_workgroups(derivation_t *derivation, const kiln_kernel_t *kernel)
{
    const char *grid = kiln_kernel_declared_grid(kernel);
    const int64_t units = kiln_device_properties(derivation->problem->device)->compute_units;
    if (!grid)
        return KILN_OK;
    char *product = grid_product(grid);
    int64_t max = 0;
    kiln_status_t status =
        product ? max_workgroups(derivation, product, &max) : kiln_status_out_of_memory();
    if (!status && max > 1) {
        const int64_t min = ((max < units ? max : units) + 1) / 2;
        char *condition = kiln_string_print("%s >= %" PRId64, product, min);
        status = condition ? kiln_tune_space_require(derivation->space, condition)
                           : kiln_status_out_of_memory();
        derivation->min_workgroups = min;
        free(condition);
    }
    free(product);
    return status;
}

// The whole ---------------------------------------------------------------------------------------

static void append_count(kiln_string_t *text, unsigned count, const char *what)
{
    if (count)
        kiln_string_appendf(text, "%s%u %s%s", text->length ? ", " : "", count, what,
                            count == 1 ? "" : "s");
}

static kiln_status_t summarize(const derivation_t *derivation, char **out_summary)
{
    const kiln_program_facts_t *facts = &derivation->facts;
    kiln_string_t text = {0};
    append_count(&text, facts->dots, "dot");
    append_count(&text, facts->reductions, "reduction");
    append_count(&text, facts->loops, "loop");
    kiln_string_appendf(&text, "%stiles of up to %" PRId64 " elements", text.length ? ", " : "",
                        facts->largest_tile);
    if (derivation->min_workgroups)
        kiln_string_appendf(&text, "; at least %" PRId64 " workgroups", derivation->min_workgroups);
    if (derivation->is_unexecuted)
        kiln_string_append(&text, "; constants do not vary, as nothing is executed");
    else if (derivation->stays.length)
        kiln_string_appendf(&text, "; %s", derivation->stays.data);
    *out_summary = derivation->stays.failed ? NULL : kiln_string_take(&text);
    kiln_string_free(&text);
    return *out_summary ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t derive(derivation_t *derivation, char **out_summary)
{
    kiln_kernel_t *kernel = NULL;
    KILN_TRY(kiln_session_create(&derivation->session));
    KILN_TRY(parse(derivation, NULL, NULL, &kernel));
    derivation->facts = *kiln_kernel_program_facts(kernel);
    derivation->largest_tile = derivation->facts.largest_tile;
    kiln_status_t status = derive_constants(derivation, kernel);
    if (!status)
        status = require_workgroups(derivation, kernel);
    if (!status)
        status = derive_orders(derivation, kernel);
    kiln_kernel_release(kernel);
    if (!status)
        status = derive_options(derivation);
    return status ? status : summarize(derivation, out_summary);
}

kiln_status_t kiln_tune_space_derive(kiln_tune_space_t *space, const kiln_tune_problem_t *problem,
                                     char **out_summary, bool *out_lost_device)
{
    KILN_REQUIRE_OUT(out_summary);
    KILN_REQUIRE_OUT(out_lost_device);
    KILN_REQUIRE(space);
    kiln_tune_problem_t taken;
    kiln_compile_options_t options;
    KILN_TRY(kiln_tune_take(__func__, problem, &taken, &options));
    KILN_REQUIRE_THAT(taken.prepare && taken.verify, "problem->%s is NULL",
                      taken.prepare ? "verify" : "prepare");
    if (taken.source.stage == KILN_STAGE_TTG)
        return kiln_status_make(
            KILN_STATUS_UNSUPPORTED,
            "cannot derive axes from ttg, whose tiles already have layouts; give axes");
    if (taken.then_count)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "cannot derive axes from a sequence of kernels; give axes, or "
                                "declare them before the kernels");
    derivation_t derivation = {.problem = &taken, .space = space};
    kiln_status_t status = derive(&derivation, out_summary);
    *out_lost_device = derivation.lost_device;
    kiln_session_release(derivation.session);
    kiln_string_free(&derivation.stays);
    return status;
}
