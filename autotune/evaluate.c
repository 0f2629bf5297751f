// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, costs and verifies one candidate.
//
// On the simulator a candidate is launched once, on a GPU many times; see cost.c.
#include "evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf_file.h"

// Loaded candidates -------------------------------------------------------------------------------

typedef struct kiln_loaded_step {
    kiln_module_t *module;
    kiln_function_t *function;
    kiln_launch_t launch;
} loaded_step_t;

kiln_status_t kiln_loaded_prepare_again(kiln_loaded_t *loaded)
{
    const kiln_tune_problem_t *problem = loaded->problem;
    loaded_step_t *steps = loaded->steps;
    KILN_TRY(
        problem->prepare(loaded->candidate, loaded->kernels[0], &steps[0].launch, problem->user));
    for (size_t i = 1; i < loaded->count; i++) {
        KILN_TRY(problem->prepare_step(loaded->candidate, i, loaded->kernels[i], &steps[i].launch,
                                       problem->user));
        steps[i].launch.stream = steps[0].launch.stream;
    }
    return KILN_OK;
}

kiln_status_t kiln_loaded_prepare(const kiln_tune_problem_t *problem,
                                  const kiln_tune_candidate_t *candidate,
                                  kiln_kernel_t *const *kernels, size_t count,
                                  kiln_loaded_t *out_loaded)
{
    *out_loaded =
        (kiln_loaded_t){problem, candidate, kernels, calloc(count, sizeof(loaded_step_t)), count};
    if (!out_loaded->steps)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++)
        kiln_launch_initialize(&out_loaded->steps[i].launch);
    return kiln_loaded_prepare_again(out_loaded);
}

kiln_status_t kiln_loaded_load(kiln_loaded_t *loaded)
{
    for (size_t i = 0; i < loaded->count; i++) {
        size_t size;
        const void *code = kiln_kernel_code_object(loaded->kernels[i], &size);
        loaded_step_t *step = &loaded->steps[i];
        KILN_TRY(kiln_module_load(loaded->problem->device, code, size, &step->module));
        KILN_TRY(kiln_module_function(step->module, kiln_kernel_name(loaded->kernels[i]),
                                      &step->function));
    }
    return KILN_OK;
}

void kiln_loaded_free(kiln_loaded_t *loaded, kiln_loaded_fate_t fate)
{
    for (size_t i = 0; i < loaded->count && loaded->steps && fate == KILN_LOADED_UNLOAD; i++)
        kiln_module_release(loaded->steps[i].module);
    free(loaded->steps);
    *loaded = (kiln_loaded_t){0};
}

kiln_status_t kiln_loaded_launch(void *loaded, size_t step)
{
    const kiln_loaded_t *candidate = loaded;
    return kiln_function_launch(candidate->steps[step].function, &candidate->steps[step].launch);
}

bool kiln_loaded_is_empty(void *loaded, size_t step)
{
    const kiln_loaded_t *candidate = loaded;
    const unsigned *grid = candidate->steps[step].launch.grid;
    return !grid[0] || !grid[1] || !grid[2];
}

kiln_stream_t *kiln_loaded_stream(const kiln_loaded_t *loaded)
{
    return loaded->steps[0].launch.stream;
}

// Evaluation --------------------------------------------------------------------------------------

// Hashes what a device loads of a code object. The file's header is left out: it says where the
// section headers are, behind sections for readers only.
static void hash_code(kiln_hasher_t *hasher, const kiln_kernel_t *kernel)
{
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    kiln_elf_t elf;
    Elf64_Phdr segment;
    if (kiln_elf_open(code, size, &elf)) {
        kiln_hasher_field(hasher, code, size);
        return;
    }
    for (unsigned i = 0; kiln_elf_segment(&elf, i, &segment); i++) {
        const uint64_t skipped = segment.p_offset ? 0 : sizeof elf.header;
        const char *bytes = kiln_elf_range(&elf, segment.p_offset, segment.p_filesz);
        if (bytes && segment.p_type == PT_LOAD && segment.p_filesz > skipped)
            kiln_hasher_field(hasher, bytes + skipped, (size_t)(segment.p_filesz - skipped));
    }
}

static void hash_step(kiln_hasher_t *hasher, const kiln_kernel_t *kernel,
                      const kiln_launch_t *launch)
{
    kiln_hasher_string(hasher, kiln_kernel_name(kernel));
    hash_code(hasher, kernel);
    kiln_hasher_field(hasher, launch->grid, sizeof launch->grid);
    kiln_hasher_field(hasher, launch->block, sizeof launch->block);
    kiln_hasher_integer(hasher, launch->dynamic_lds_bytes);
    for (size_t i = 0; launch->args && i < kiln_kernel_argument_count(kernel); i++)
        kiln_hasher_field(hasher, launch->args[i], kiln_kernel_argument(kernel, i)->size);
    if (launch->packed)
        kiln_hasher_field(hasher, launch->packed, launch->packed_size);
}

// Hashes everything that the launches' cost and results depend on, given the contents of buffers.
static kiln_status_t hash_launches(const kiln_loaded_t *loaded, kiln_hash_t *out_hash)
{
    kiln_hasher_t *hasher = kiln_hasher_create();
    if (!hasher)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < loaded->count; i++)
        hash_step(hasher, loaded->kernels[i], &loaded->steps[i].launch);
    *out_hash = kiln_hasher_finish(hasher);
    kiln_hasher_release(hasher);
    return KILN_OK;
}

// A candidate that launches nothing has no cost: it would be the cheapest.
static kiln_status_t check_grids(kiln_loaded_t *loaded)
{
    for (size_t i = 0; i < loaded->count; i++)
        if (!kiln_loaded_is_empty(loaded, i))
            return KILN_OK;
    const unsigned *grid = loaded->steps[0].launch.grid;
    return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                            "its grid %u,%u,%u is empty, so nothing is launched", grid[0], grid[1],
                            grid[2]);
}

// Timing launched the kernels many times, which may have changed their inputs even if `restore`
// restores some buffers. Therefore they run once more on fresh buffers.
static kiln_status_t launch_afresh(kiln_loaded_t *loaded)
{
    const kiln_tune_problem_t *problem = loaded->problem;
    KILN_TRY(kiln_loaded_prepare_again(loaded));
    if (problem->restore)
        KILN_TRY(problem->restore(problem->user));
    for (size_t i = 0; i < loaded->count; i++)
        KILN_TRY(kiln_loaded_launch(loaded, i));
    return kiln_device_synchronize(problem->device);
}

static kiln_status_t launch_and_verify(kiln_loaded_t *loaded, double best_slowest,
                                       kiln_held_clock_t *clock, kiln_tune_finding_t *finding)
{
    const kiln_tune_problem_t *problem = loaded->problem;
    kiln_cost_t *cost = &finding->cost;
    const kiln_cost_launch_t timed = {.launch = kiln_loaded_launch,
                                      .is_empty = kiln_loaded_is_empty,
                                      .user = loaded,
                                      .step_count = loaded->count,
                                      .restore = problem->restore,
                                      .restore_user = problem->user,
                                      .best_slowest = best_slowest,
                                      .clock = clock};
    KILN_TRY(kiln_cost_of_launch_within(problem->launch_limit_ms, problem->device,
                                        kiln_loaded_stream(loaded), &timed, cost,
                                        &finding->is_lost));
    if (cost->kind == KILN_COST_MEASURED_NANOSECONDS)
        KILN_TRY(launch_afresh(loaded));
    if (cost->unexecuted) {
        finding->error = NAN;
        return KILN_OK;
    }
    return problem->verify(loaded->candidate, &finding->error, problem->user);
}

kiln_status_t kiln_tune_evaluate(const kiln_tune_problem_t *problem,
                                 const kiln_tune_candidate_t *candidate,
                                 kiln_kernel_t *const *kernels, size_t count, double best_slowest,
                                 kiln_held_clock_t *clock,
                                 bool (*is_known)(kiln_hash_t launch, void *user), void *user,
                                 kiln_tune_finding_t *out_finding)
{
    kiln_loaded_t loaded;
    *out_finding = (kiln_tune_finding_t){.cost = {.struct_size = sizeof out_finding->cost}};
    kiln_status_t status = kiln_loaded_prepare(problem, candidate, kernels, count, &loaded);
    if (!status)
        status = check_grids(&loaded);
    if (!status)
        status = hash_launches(&loaded, &out_finding->launch);
    if (!status && !is_known(out_finding->launch, user)) {
        status = kiln_loaded_load(&loaded);
        if (!status)
            status = launch_and_verify(&loaded, best_slowest, clock, out_finding);
    }
    kiln_loaded_free(&loaded, out_finding->is_lost ? KILN_LOADED_LEAVE : KILN_LOADED_UNLOAD);
    return status;
}
