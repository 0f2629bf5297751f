// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distributes settings and hints among the kernels of a sequence.
//
// Names are known from the sources' declarations, which need no values of constants, so nothing has
// to be compiled first.
#include "steps.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "base/string.h"
#include "problem.h"

void kiln_tune_step_initialize_sized(kiln_tune_step_t *step, size_t struct_size)
{
    static const kiln_tune_step_t defaults = {0};
    kiln_struct_initialize(step, struct_size, &defaults, sizeof defaults);
}

// Names -------------------------------------------------------------------------------------------

bool kiln_step_has_argument(const kiln_step_t *step, const char *name)
{
    const char *other;
    for (size_t i = 0; (other = kiln_tuning_argument(step->signature, i)); i++)
        if (strcmp(other, name) == 0)
            return true;
    return false;
}

bool kiln_step_has_constant(const kiln_step_t *step, const char *name)
{
    const char *other;
    for (size_t i = 0; (other = kiln_tuning_constant(step->signature, i)); i++)
        if (strcmp(other, name) == 0)
            return true;
    return false;
}

kiln_status_t kiln_steps_name(const kiln_steps_t *steps, char **out_name)
{
    kiln_string_t text = {0};
    for (size_t i = 0; i < steps->count; i++)
        kiln_string_appendf(&text, "%s%s", i ? "+" : "",
                            kiln_tuning_kernel(steps->items[i].signature));
    *out_name = kiln_string_take(&text);
    return *out_name ? KILN_OK : kiln_status_out_of_memory();
}

// Arguments ---------------------------------------------------------------------------------------

// The kernel's own name for NAME or KERNEL.NAME; NULL if that belongs to another kernel.
static const char *plain_name(const char *kernel, const char *name)
{
    const char *dot = strchr(name, '.');
    if (!dot)
        return name;
    const size_t length = (size_t)(dot - name);
    return strncmp(kernel, name, length) == 0 && !kernel[length] ? dot + 1 : NULL;
}

// Hints and arguments begin with their names.
_Static_assert(offsetof(kiln_arg_hint_t, name) == 0, "items begin with their names");
_Static_assert(offsetof(kiln_jit_argument_t, name) == 0, "items begin with their names");

static const char *name_of(const void *item)
{
    const char *name;
    memcpy(&name, item, sizeof name);
    return name;
}

// Chooses items of `size` bytes. KERNEL.NAME takes the place of NAME, whichever is first.
static void choose(const char *kernel, bool (*takes)(const char *name, const void *),
                   const void *user, const void *items, size_t count, size_t size, void *out_items,
                   size_t *out_count)
{
    *out_count = 0;
    for (size_t i = 0; i < count; i++) {
        const char *item = (const char *)items + i * size, *full = name_of(item),
                   *name = plain_name(kernel, full);
        if (!name || !takes(name, user))
            continue;
        size_t at = 0;
        while (at < *out_count && strcmp(name_of((char *)out_items + at * size), name) != 0)
            at++;
        if (at < *out_count && name == full) // it is replaced
            continue;
        memcpy((char *)out_items + at * size, item, size);
        memcpy((char *)out_items + at * size, &name, sizeof name);
        *out_count += at == *out_count;
    }
}

bool kiln_steps_take_argument(const kiln_steps_t *steps, const char *name)
{
    for (size_t i = 0; i < steps->count; i++) {
        const kiln_step_t *step = &steps->items[i];
        const char *plain = plain_name(kiln_tuning_kernel(step->signature), name);
        if (plain && kiln_step_has_argument(step, plain))
            return true;
    }
    return false;
}

void kiln_step_choose_arguments(const char *kernel, bool (*takes)(const char *name, const void *),
                                const void *user, const kiln_jit_argument_t *arguments,
                                size_t count, kiln_jit_argument_t *out_arguments, size_t *out_count)
{
    choose(kernel, takes, user, arguments, count, sizeof *arguments, out_arguments, out_count);
}

static bool takes_argument(const char *name, const void *step)
{
    return kiln_step_has_argument(step, name);
}

// Making ------------------------------------------------------------------------------------------

static kiln_status_t take_step(const char *function, const kiln_tune_problem_t *problem,
                               size_t index, kiln_step_t *step)
{
    *step = (kiln_step_t){.source = problem->source, .options = *problem->options};
    if (index == 0)
        return KILN_OK;
    kiln_tune_step_t taken;
    kiln_tune_step_initialize(&taken);
    KILN_TRY(kiln_struct_take(function, "problem->then[i]", "kiln_tune_step_t", &taken,
                              sizeof taken, problem->then[index - 1]));
    if (taken.source.text)
        step->source = taken.source;
    step->options.kernel = taken.kernel;
    step->options.defines = NULL;
    step->options.define_count = 0;
    return KILN_OK;
}

// Passes errors on. Warnings are reported when the kernels are compiled.
typedef struct listener {
    const kiln_tune_problem_t *problem;
    bool follows_error;
} listener_t;

static void pass_errors(const kiln_diagnostic_t *diagnostic, void *user)
{
    listener_t *listener = user;
    if (diagnostic->severity != KILN_SEVERITY_NOTE)
        listener->follows_error = diagnostic->severity == KILN_SEVERITY_ERROR;
    if (listener->follows_error && listener->problem->diagnostic)
        listener->problem->diagnostic(diagnostic, listener->problem->diagnostic_user);
}

static kiln_status_t read_signature(const kiln_tune_problem_t *problem, kiln_step_t *step)
{
    if (step->source.stage != KILN_STAGE_TILE)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "'%s' is not Tile C; the kernels of a sequence must be, as the "
                                "names of their constants are unknown otherwise",
                                step->source.name ? step->source.name : "kernel");
    listener_t listener = {.problem = problem};
    return kiln_tuning_read(&step->source, &step->options, pass_errors, &listener,
                            &step->signature);
}

// Keeps the hints about this kernel's arguments.
static kiln_status_t take_hints(kiln_step_t *step)
{
    const kiln_arg_hint_t *all = step->options.args;
    const size_t count = step->options.arg_count;
    if (!(step->hints = calloc(count + 1, sizeof *step->hints)))
        return kiln_status_out_of_memory();
    step->options.args = step->hints;
    choose(kiln_tuning_kernel(step->signature), takes_argument, step, all, count, sizeof *all,
           step->hints, &step->options.arg_count);
    return KILN_OK;
}

kiln_status_t kiln_steps_make(const char *function, const kiln_tune_problem_t *problem,
                              kiln_steps_t *out_steps)
{
    *out_steps = (kiln_steps_t){.items = calloc(problem->then_count + 1, sizeof(kiln_step_t))};
    if (!out_steps->items)
        return kiln_status_out_of_memory();
    out_steps->count = problem->then_count + 1;
    for (size_t i = 0; i < out_steps->count; i++) {
        kiln_step_t *step = &out_steps->items[i];
        KILN_TRY(take_step(function, problem, i, step));
        if (!kiln_steps_is_sequence(out_steps))
            return KILN_OK;
        KILN_TRY(read_signature(problem, step));
        KILN_TRY(take_hints(step));
    }
    return KILN_OK;
}

void kiln_steps_free(kiln_steps_t *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        kiln_tuning_release(steps->items[i].signature);
        free(steps->items[i].hints);
    }
    free(steps->items);
    *steps = (kiln_steps_t){0};
}

// Settings ----------------------------------------------------------------------------------------

static bool is_kernel(const kiln_step_t *step, const char *name, size_t length)
{
    const char *kernel = kiln_tuning_kernel(step->signature);
    return strncmp(kernel, name, length) == 0 && !kernel[length];
}

static bool is_option(const char *name)
{
    return kiln_compile_option_find(name, strlen(name)) != NULL;
}

// Whether a setting without a kernel's name belongs to a step. One that no kernel has goes to all
// of them: it may be a macro, and if it is not, the compiler reports it.
static bool has_name(const kiln_steps_t *steps, size_t step, const char *name)
{
    if (is_option(name) || kiln_step_has_constant(&steps->items[step], name))
        return true;
    for (size_t i = 0; i < steps->count; i++)
        if (kiln_step_has_constant(&steps->items[i], name))
            return false;
    return true;
}

static kiln_status_t check_kernel(const kiln_steps_t *steps, const char *name, size_t length)
{
    for (size_t i = 0; i < steps->count; i++)
        if (is_kernel(&steps->items[i], name, length))
            return KILN_OK;
    return kiln_status_make(KILN_STATUS_USAGE,
                            "'%s' is for kernel '%.*s', which is not in the sequence", name,
                            (int)length, name);
}

// Adds a setting of one kernel, in place of one for all kernels.
static void replace(kiln_setting_t *settings, size_t *count, const kiln_setting_t *setting,
                    const char *name)
{
    size_t i = 0;
    while (i < *count && strcmp(settings[i].name, name) != 0)
        i++;
    settings[i] = (kiln_setting_t){name, setting->value};
    *count += i == *count;
}

kiln_status_t kiln_steps_select(const kiln_steps_t *steps, size_t step,
                                const kiln_setting_t *settings, size_t count,
                                kiln_setting_t **out_settings, size_t *out_count)
{
    const bool is_sequence = kiln_steps_is_sequence(steps);
    kiln_setting_t *own = *out_settings = calloc(count + 1, sizeof *own);
    *out_count = 0;
    if (!own)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        const char *dot = is_sequence ? strchr(settings[i].name, '.') : NULL;
        if (dot)
            KILN_TRY(check_kernel(steps, settings[i].name, (size_t)(dot - settings[i].name)));
        else if (!is_sequence || has_name(steps, step, settings[i].name))
            own[(*out_count)++] = settings[i];
    }
    for (size_t i = 0; i < count && is_sequence; i++) {
        const char *dot = strchr(settings[i].name, '.');
        if (dot &&
            is_kernel(&steps->items[step], settings[i].name, (size_t)(dot - settings[i].name)))
            replace(own, out_count, &settings[i], dot + 1);
    }
    return KILN_OK;
}

kiln_status_t kiln_steps_options(const kiln_steps_t *steps, size_t step,
                                 const kiln_tune_problem_t *problem,
                                 const kiln_tune_candidate_t *candidate,
                                 kiln_compile_options_t *out_options, kiln_setting_t **out_defines)
{
    const size_t varied = candidate ? candidate->setting_count : 0;
    const size_t all_count = problem->fixed_count + varied;
    *out_options = steps->items[step].options;
    kiln_setting_t *all = calloc(all_count + 1, sizeof *all), *own = NULL;
    size_t count = 0;
    *out_defines = calloc(out_options->define_count + all_count + 1, sizeof **out_defines);
    kiln_status_t status = all && *out_defines ? KILN_OK : kiln_status_out_of_memory();
    if (!status) {
        if (problem->fixed_count)
            memcpy(all, problem->fixed, problem->fixed_count * sizeof *all);
        if (varied)
            memcpy(all + problem->fixed_count, candidate->settings, varied * sizeof *all);
        status = kiln_steps_select(steps, step, all, all_count, &own, &count);
    }
    if (!status)
        status = kiln_compile_options_apply(out_options, own, count, *out_defines);
    free(all);
    free(own);
    return status;
}

kiln_status_t kiln_tune_candidate_options(const kiln_tune_problem_t *problem,
                                          const kiln_tune_candidate_t *candidate,
                                          kiln_compile_options_t *out_options,
                                          kiln_setting_t **out_defines)
{
    kiln_step_t step = {.source = problem->source, .options = *problem->options};
    const kiln_steps_t steps = {&step, 1};
    return kiln_steps_options(&steps, 0, problem, candidate, out_options, out_defines);
}

// Results -----------------------------------------------------------------------------------------

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

kiln_resources_t kiln_steps_resources(kiln_kernel_t *const *kernels, size_t count,
                                      int *out_stages_made)
{
    kiln_resources_t max = *kiln_kernel_resources(kernels[0]);
    *out_stages_made = kiln_kernel_pipeline_stages(kernels[0]);
    for (size_t i = 1; i < count; i++) {
        const kiln_resources_t *own = kiln_kernel_resources(kernels[i]);
        const int stages = kiln_kernel_pipeline_stages(kernels[i]);
        if (stages > *out_stages_made)
            *out_stages_made = stages;
        // The sum of the registers is shown, so both are those of the kernel with the larger sum.
        if (own->vgprs + own->agprs > max.vgprs + max.agprs) {
            max.vgprs = own->vgprs;
            max.agprs = own->agprs;
        }
        max.sgprs = larger(max.sgprs, own->sgprs);
        max.vgpr_spills = larger(max.vgpr_spills, own->vgpr_spills);
        max.sgpr_spills = larger(max.sgpr_spills, own->sgpr_spills);
        max.lds_bytes = larger(max.lds_bytes, own->lds_bytes);
        max.scratch_bytes_per_lane =
            larger(max.scratch_bytes_per_lane, own->scratch_bytes_per_lane);
        if (own->occupancy < max.occupancy)
            max.occupancy = own->occupancy;
    }
    return max;
}
