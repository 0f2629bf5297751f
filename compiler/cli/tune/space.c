// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates the space of kiln tune and prints the origin of its axes.
#include "space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "cli/words.h"
#include "configs.h"
#include "tune_space.h"

// Flags -------------------------------------------------------------------------------------------

bool kiln_tune_space_take_axis(kiln_tune_space_flags_t *flags, const char *word)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word || !equals[1] || flags->axis_count == KILN_TUNE_MAX_AXES)
        return false;
    flags->axes[flags->axis_count++] = word;
    return true;
}

bool kiln_tune_space_take_condition(kiln_tune_space_flags_t *flags, const char *word)
{
    if (flags->condition_count == KILN_TUNE_MAX_CONDITIONS)
        return false;
    flags->conditions[flags->condition_count++] = word;
    return true;
}

bool kiln_tune_space_take_use(kiln_tune_space_flags_t *flags, const char *word)
{
    static const char *const names[] = {[KILN_TUNE_SPACE_GIVEN] = "given",
                                        [KILN_TUNE_SPACE_DECLARED] = "declared",
                                        [KILN_TUNE_SPACE_DERIVED] = "derived"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && strcmp(word, names[i]) == 0) {
            flags->use = (kiln_tune_space_use_t)i;
            return true;
        }
    return false;
}

bool kiln_tune_space_is_given(const kiln_tune_space_flags_t *flags, const char *name)
{
    for (size_t i = 0; i < flags->axis_count; i++)
        if (strncmp(flags->axes[i], name, strlen(name)) == 0 && flags->axes[i][strlen(name)] == '=')
            return true;
    return false;
}

// The space ---------------------------------------------------------------------------------------

// Warnings are left to the compiler, which reports them once more.
static void show_error(const kiln_diagnostic_t *diagnostic, void *user)
{
    bool *shown = user;
    if (diagnostic->severity != KILN_SEVERITY_ERROR && diagnostic->severity != KILN_SEVERITY_NOTE)
        return;
    kiln_cli_print_diagnostic(diagnostic, stderr);
    *shown |= diagnostic->severity == KILN_SEVERITY_ERROR;
}

// "kiln: axes that gemm.tile.c declares: BLOCK_M=64,128 num_warps=4,8"
static void print_axes(const kiln_tune_space_flags_t *flags, const kiln_tune_space_t *space,
                       kiln_tune_origin_t origin, const char *from)
{
    size_t count, shown = 0;
    if (flags->is_quiet)
        return;
    const kiln_tune_axis_t *axes = kiln_tune_space_axes(space, &count);
    for (size_t i = 0; i < count; i++) {
        if (kiln_tune_space_origin(space, i) != origin)
            continue;
        if (shown++ == 0)
            fprintf(stderr, "kiln: axes %s:", from);
        fprintf(stderr, " %s=", axes[i].name);
        for (size_t j = 0; j < axes[i].value_count; j++)
            fprintf(stderr, "%s%s", j ? "," : "", axes[i].values[j]);
    }
    if (shown)
        fputc('\n', stderr);
}

static kiln_status_t add_given(const kiln_tune_space_flags_t *flags, kiln_tune_space_t *space)
{
    for (size_t i = 0; i < flags->axis_count; i++)
        KILN_TRY(kiln_tune_space_add(space, flags->axes[i]));
    for (size_t i = 0; i < flags->condition_count; i++)
        KILN_TRY(kiln_tune_space_require(space, flags->conditions[i]));
    return KILN_OK;
}

static kiln_status_t declare(const kiln_tune_problem_t *problem, kiln_tune_space_t *space,
                             bool is_quiet, bool *shown, size_t *out_declared)
{
    if (problem->then_count)
        return kiln_tune_space_declare_steps(space, problem, out_declared);
    return kiln_tune_space_declare(space, &problem->source, problem->options, problem->fixed,
                                   problem->fixed_count, is_quiet ? NULL : show_error, shown,
                                   out_declared);
}

static kiln_status_t complete(const kiln_tune_space_flags_t *flags,
                              const kiln_tune_problem_t *problem, kiln_tune_space_t *space,
                              bool *shown)
{
    size_t declared = 0;
    KILN_TRY(add_given(flags, space));
    if (flags->configs)
        KILN_TRY(kiln_tune_configs_add(flags->configs, &problem->source, flags->is_quiet, space));
    if ((flags->use == KILN_TUNE_SPACE_ANY && !flags->configs) ||
        flags->use == KILN_TUNE_SPACE_DECLARED)
        KILN_TRY(declare(problem, space, flags->is_quiet, shown, &declared));
    else
        KILN_TRY(kiln_tune_space_require_declared(space, problem,
                                                  flags->is_quiet ? NULL : show_error, shown));
    if (flags->use == KILN_TUNE_SPACE_DECLARED && !declared)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "'%s' declares no axes, or values are given for all of them; write "
                                "[[tune(NAME = V1, V2, …)]] before the kernel",
                                problem->source.name);
    if (flags->use == KILN_TUNE_SPACE_GIVEN && flags->axis_count == 0 && !flags->configs)
        return kiln_status_make(KILN_STATUS_USAGE, "nothing to tune; give values to try with "
                                                   "--axis NAME=V1,V2,…");
    if (!declared)
        return KILN_OK;
    print_axes(flags, space, KILN_TUNE_GIVEN, "of --axis");
    print_axes(flags, space, KILN_TUNE_DECLARED, "that the source declares");
    return KILN_OK;
}

kiln_status_t kiln_tune_space_make(const kiln_tune_space_flags_t *flags,
                                   const kiln_tune_problem_t *problem,
                                   kiln_tune_space_t **out_space, bool *out_shown)
{
    *out_shown = false;
    KILN_TRY(kiln_tune_space_create(out_space));
    kiln_status_t status = complete(flags, problem, *out_space, out_shown);
    if (status) {
        kiln_tune_space_release(*out_space);
        *out_space = NULL;
    }
    return status;
}

// Derived axes ------------------------------------------------------------------------------------

bool kiln_tune_space_needs_derived(const kiln_tune_space_flags_t *flags,
                                   const kiln_tune_space_t *space)
{
    size_t count;
    kiln_tune_space_axes(space, &count);
    return flags->use == KILN_TUNE_SPACE_DERIVED || count == 0;
}

kiln_status_t kiln_tune_space_make_derived(const kiln_tune_space_flags_t *flags,
                                           kiln_tune_space_t *space,
                                           const kiln_tune_problem_t *problem,
                                           bool *out_lost_device)
{
    char *summary;
    size_t before, after;
    kiln_tune_space_axes(space, &before);
    KILN_TRY(kiln_tune_space_derive(space, problem, &summary, out_lost_device));
    kiln_tune_space_axes(space, &after);
    if (before < after)
        print_axes(flags, space, KILN_TUNE_GIVEN, "of --axis");
    char *from = kiln_string_print("derived from the program (%s)", summary);
    free(summary);
    if (!from)
        return kiln_status_out_of_memory();
    print_axes(flags, space, KILN_TUNE_DERIVED, from);
    kiln_status_t status =
        after ? KILN_OK
              : kiln_status_make(KILN_STATUS_USAGE,
                                 "nothing to tune, and no axis can be %s; give values to try with "
                                 "--axis NAME=V1,V2,…, or declare them before the kernel: "
                                 "[[tune(NAME = V1, V2, …)]]",
                                 from);
    free(from);
    return status;
}
