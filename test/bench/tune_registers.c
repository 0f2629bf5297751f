// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates are compiled, and not launched. What matters of their registers is how many waves a
// SIMD holds and whether some are in memory; the number itself also depends on what is free.
#include "tune_registers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"
#include "kiln/tune_model.h"
#include "problem.h"
#include "space.h"
#include "trials.h"

typedef struct errors {
    size_t count;
    double sum, absolute;         // of the logarithms of estimated by real registers
    size_t same, more;            // whose waves on a SIMD are as expected, or fewer
    size_t spill, known, unknown; // that spill; of these, as expected; others, not as expected
} errors_t;

static kiln_status_t estimate(const kiln_tune_problem_t *problem,
                              const kiln_tune_candidate_t *candidate,
                              const kiln_compile_options_t *options, kiln_session_t *session,
                              kiln_tune_estimate_t *out_estimate)
{
    kiln_work_t *work = NULL;
    kiln_workload_t *workload = NULL;
    kiln_launch_t launch;
    kiln_work_launch_t counted;
    kiln_launch_initialize(&launch);
    kiln_work_launch_initialize(&counted);
    kiln_status_t status = kiln_work_create(session, &problem->source, options, &work);
    if (!status)
        status = problem->plan(candidate, kiln_work_kernel(work), &launch, problem->user);
    memcpy(counted.grid, launch.grid, sizeof counted.grid);
    counted.args = launch.args;
    if (!status)
        status = kiln_work_measure(work, &counted, &workload);
    if (!status)
        status = kiln_tune_estimate(workload, options, kiln_device_properties(problem->device),
                                    out_estimate);
    kiln_workload_release(workload);
    kiln_work_release(work);
    return status;
}

static unsigned waves_of(unsigned registers)
{
    const unsigned granule = KILN_GFX942_VGPR_GRANULE,
                   granules = (registers + granule - 1) / granule,
                   waves = KILN_GFX942_SIMD_VGPRS / granule / (granules ? granules : 1);
    return waves < KILN_GFX942_WAVES_PER_SIMD ? waves : KILN_GFX942_WAVES_PER_SIMD;
}

// Accumulation registers begin at a multiple of four.
static unsigned allocated(const kiln_resources_t *resources)
{
    return resources->agprs ? (resources->vgprs + 3) / 4 * 4 + resources->agprs : resources->vgprs;
}

static void add(errors_t *errors, const kiln_tune_estimate_t *estimate,
                const kiln_resources_t *resources)
{
    const unsigned real = allocated(resources), waves = waves_of(real),
                   expected = waves_of(estimate->registers);
    const bool spills = kiln_trials_spills(resources) > 0,
               is_expected = estimate->spilled_registers > 0;
    const double error = log((double)estimate->registers / real);
    errors->count++;
    errors->sum += error;
    errors->absolute += fabs(error);
    errors->same += waves == expected;
    errors->more += expected > waves;
    errors->spill += spills;
    errors->known += spills && is_expected;
    errors->unknown += !spills && is_expected;
}

static kiln_status_t compare(const kiln_tune_problem_t *problem,
                             const kiln_tune_candidate_t *candidate, kiln_session_t *session,
                             errors_t *errors)
{
    kiln_compile_options_t options;
    kiln_setting_t *defines;
    kiln_kernel_t *kernel = NULL;
    kiln_tune_estimate_t estimated = {.struct_size = sizeof estimated};
    kiln_status_t status = kiln_tune_candidate_options(problem, candidate, &options, &defines);
    if (!status)
        status = kiln_compile(session, &problem->source, &options, &kernel);
    if (!status)
        status = estimate(problem, candidate, &options, session, &estimated);
    if (!status)
        add(errors, &estimated, kiln_kernel_resources(kernel));
    kiln_kernel_release(kernel);
    free(defines);
    return status;
}

static double percent(size_t part, size_t count)
{
    return 100.0 * (double)part / (double)(count ? count : 1);
}

static void print(const char *name, const errors_t *e)
{
    printf("%-36s %5zu %6.1f %6.1f %6.1f %6.1f %5zu %6zu %8zu\n", name, e->count,
           100 * (exp(e->sum / (double)e->count) - 1),
           100 * (exp(e->absolute / (double)e->count) - 1), percent(e->same, e->count),
           percent(e->more, e->count), e->spill, e->known, e->unknown);
    fflush(stdout);
}

typedef struct comparison {
    size_t wanted; // candidates of a problem
    errors_t all;
} comparison_t;

static void compare_row(const row_t *row, const kiln_tune_problem_t *problem, void *user)
{
    comparison_t *comparison = user;
    errors_t errors = {0}, *all = &comparison->all;
    kiln_session_t *session;
    size_t size;
    bench_must(kiln_session_create(&session));
    bench_must(kiln_space_size(problem->axes, problem->axis_count, &size));
    const size_t stride = kiln_space_stride(size);
    for (size_t i = 0; i < comparison->wanted && i < size; i++) {
        kiln_tune_candidate_t candidate;
        bench_must(kiln_space_candidate(problem->axes, problem->axis_count, i * stride % size,
                                        &candidate));
        kiln_status_free(compare(problem, &candidate, session, &errors));
        kiln_space_candidate_free(&candidate);
    }
    kiln_session_release(session);
    print(row->name, &errors);
    all->count += errors.count;
    all->sum += errors.sum;
    all->absolute += errors.absolute;
    all->same += errors.same;
    all->more += errors.more;
    all->spill += errors.spill;
    all->known += errors.known;
    all->unknown += errors.unknown;
}

// Whether an earlier row has the same candidates: only its sizes differ.
static bool is_repeated(size_t index)
{
    for (size_t i = 0; i < index; i++) {
        bool is_same = strcmp(bench_rows[i].file, bench_rows[index].file) == 0;
        for (size_t a = 0; a < ROW_AXES && is_same; a++)
            for (size_t v = 0; v < ROW_VALUES && is_same; v++) {
                const char *x = bench_rows[i].axes[a].values[v],
                           *y = bench_rows[index].axes[a].values[v];
                is_same = x && y ? strcmp(x, y) == 0 : x == y;
            }
        if (is_same)
            return true;
    }
    return false;
}

void bench_compare_registers(kiln_device_t *device, const char *part, size_t count)
{
    comparison_t comparison = {.wanted = count};
    printf("%-36s %5s %6s %6s %6s %6s %5s %6s %8s\n", "problem", "codes", "mean %", "abs %",
           "same %", "more %", "spill", "known", "unknown");
    for (size_t i = 0; i < bench_row_count; i++)
        if (strstr(bench_rows[i].name, part) && !is_repeated(i))
            bench_with_row(device, NULL, &bench_rows[i], compare_row, &comparison);
    print("all", &comparison.all);
}
