// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, costs and verifies one candidate.
//
// On the simulator a candidate is launched once, on a GPU many times; see cost.c. After a device
// was lost, its code must not be unloaded: HIP would wait for the launch forever.
#include "evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct candidate_launch {
    kiln_function_t *function;
    kiln_launch_t launch;
} candidate_launch_t;

static kiln_status_t launch_candidate(void *user)
{
    const candidate_launch_t *candidate = user;
    return kiln_function_launch(candidate->function, &candidate->launch);
}

// Hashes everything that the launch's cost and results depend on, given the contents of buffers.
static kiln_status_t hash_launch(const kiln_kernel_t *kernel, const kiln_launch_t *launch,
                                 kiln_hash_t *out_hash)
{
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    kiln_hasher_t *hasher = kiln_hasher_create();
    if (!hasher)
        return kiln_status_out_of_memory();
    kiln_hasher_string(hasher, kiln_kernel_name(kernel));
    kiln_hasher_field(hasher, code, size);
    kiln_hasher_field(hasher, launch->grid, sizeof launch->grid);
    kiln_hasher_field(hasher, launch->block, sizeof launch->block);
    kiln_hasher_integer(hasher, launch->dynamic_lds_bytes);
    for (size_t i = 0; launch->args && i < kiln_kernel_argument_count(kernel); i++)
        kiln_hasher_field(hasher, launch->args[i], kiln_kernel_argument(kernel, i)->size);
    if (launch->packed)
        kiln_hasher_field(hasher, launch->packed, launch->packed_size);
    *out_hash = kiln_hasher_finish(hasher);
    kiln_hasher_release(hasher);
    return KILN_OK;
}

static kiln_status_t launch_and_verify(const kiln_tune_problem_t *problem,
                                       const kiln_tune_candidate_t *candidate,
                                       const kiln_kernel_t *kernel, candidate_launch_t *launch,
                                       kiln_tune_finding_t *finding)
{
    kiln_cost_t *cost = &finding->cost;
    const kiln_cost_launch_t timed = {launch_candidate, launch, problem->restore, problem->user};
    KILN_TRY(kiln_cost_of_launch_within(problem->launch_limit_ms, problem->device,
                                        launch->launch.stream, &timed, cost, &finding->is_lost));
    // Timing launched the kernel many times, which may have changed its inputs even if `restore`
    // restores some buffers. Therefore the kernel runs once more on fresh buffers.
    if (cost->kind == KILN_COST_MEASURED_NANOSECONDS) {
        KILN_TRY(problem->prepare(candidate, kernel, &launch->launch, problem->user));
        if (problem->restore)
            KILN_TRY(problem->restore(problem->user));
        KILN_TRY(launch_candidate(launch));
        KILN_TRY(kiln_device_synchronize(problem->device));
    }
    if (cost->unexecuted) {
        finding->error = NAN;
        return KILN_OK;
    }
    return problem->verify(candidate, &finding->error, problem->user);
}

kiln_status_t kiln_tune_evaluate(const kiln_tune_problem_t *problem,
                                 const kiln_tune_candidate_t *candidate,
                                 const kiln_kernel_t *kernel,
                                 bool (*is_known)(kiln_hash_t launch, void *user), void *user,
                                 kiln_tune_finding_t *out_finding)
{
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    kiln_module_t *module = NULL;
    candidate_launch_t launch = {0};
    *out_finding = (kiln_tune_finding_t){.cost = {.struct_size = sizeof out_finding->cost}};
    kiln_launch_initialize(&launch.launch);
    kiln_status_t status = problem->prepare(candidate, kernel, &launch.launch, problem->user);
    if (!status)
        status = hash_launch(kernel, &launch.launch, &out_finding->launch);
    if (status || is_known(out_finding->launch, user))
        return status;
    status = kiln_module_load(problem->device, code, size, &module);
    if (!status)
        status = kiln_module_function(module, kiln_kernel_name(kernel), &launch.function);
    if (!status)
        status = launch_and_verify(problem, candidate, kernel, &launch, out_finding);
    if (!out_finding->is_lost)
        kiln_module_release(module);
    return status;
}
