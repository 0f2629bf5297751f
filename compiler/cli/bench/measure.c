// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures on a GPU through the tuner's runner, which restores and rotates buffers.
//
// Note that with rotation the buffers of each launch have other addresses, so the call's pointers
// move.
#include "measure.h"

#include <stdlib.h>
#include <string.h>

#include "cli/device_flags.h"
#include "kiln/tune_runner.h"

enum { WARMUP = 3, LAUNCHES = 20 };

typedef struct sequence {
    kiln_bench_launch_t *launches;
    size_t count;
    kiln_tune_runner_t *runner;
} sequence_t;

kiln_status_t kiln_bench_plan_check(const kiln_bench_plan_t *plan, const kiln_device_t *device)
{
    const bool is_sim = kiln_device_properties(device)->kind == KILN_DEVICE_SIM;
    const char *measured = plan->iters        ? "--iters"
                           : plan->has_warmup ? "--warmup"
                           : plan->rotating   ? "--rotating"
                           : plan->cold_code  ? "--cold-code"
                                              : NULL;
    if (is_sim && measured)
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "%s has no effect here: it is about measuring on a GPU; the simulator predicts one "
            "launch%s",
            measured, plan->rotating ? ", with --cold that of cold caches" : "");
    if (plan->cold && plan->rotating)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--cold is --rotating=512; give only one of them");
    return plan->cold && is_sim ? kiln_flag_requires_prediction("--cold") : KILN_OK;
}

// Lets the call have pointers of its own.
static kiln_status_t begin_moving(kiln_bench_launch_t *launch)
{
    const size_t count = launch->call.argument_count;
    launch->arguments = launch->call.arguments;
    launch->moved = calloc(count + 1, sizeof *launch->moved);
    if (!launch->moved)
        return kiln_status_out_of_memory();
    if (count)
        memcpy(launch->moved, launch->arguments, count * sizeof *launch->moved);
    launch->call.arguments = launch->moved;
    return KILN_OK;
}

static void end_moving(kiln_bench_launch_t *launch)
{
    if (launch->moved)
        launch->call.arguments = launch->arguments;
    free(launch->moved);
    launch->moved = NULL;
}

// Moves pointers to where the runner's next launch finds the buffers.
static void move_pointers(kiln_bench_launch_t *launch, const kiln_tune_runner_t *runner)
{
    for (size_t i = 0; launch->moved && i < launch->call.argument_count; i++)
        if (launch->moved[i].kind == KILN_JIT_POINTER)
            launch->moved[i].address =
                kiln_tune_runner_address(runner, launch->arguments[i].address);
}

static kiln_status_t restore(void *user)
{
    const sequence_t *sequence = user;
    KILN_TRY(kiln_tune_runner_restore(sequence->runner));
    for (size_t i = 0; i < sequence->count; i++)
        move_pointers(&sequence->launches[i], sequence->runner);
    return KILN_OK;
}

static kiln_status_t launch_all(void *user)
{
    const sequence_t *sequence = user;
    for (size_t i = 0; i < sequence->count; i++)
        KILN_TRY(kiln_jit_launch_kernel(sequence->launches[i].kernel, &sequence->launches[i].call));
    return KILN_OK;
}

kiln_status_t kiln_bench_launch_check(const kiln_bench_launch_t *launch)
{
    unsigned grid[3];
    KILN_TRY(kiln_jit_kernel_grid(launch->kernel, &launch->call, grid));
    return grid[0] && grid[1] && grid[2]
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                  "the grid %u,%u,%u of kernel '%s' is empty, so nothing is "
                                  "launched that could be timed",
                                  grid[0], grid[1], grid[2], kiln_jit_kernel_name(launch->kernel));
}

kiln_status_t kiln_bench_simulate(kiln_device_t *device, kiln_bench_launch_t *launch,
                                  kiln_cost_t *out_cost)
{
    sequence_t one = {launch, 1, NULL};
    return kiln_cost_of_launch(device, launch->call.stream, launch_all, &one, out_cost);
}

kiln_status_t kiln_bench_measure(kiln_device_t *device, kiln_arguments_t *arguments,
                                 kiln_bench_launch_t *launches, size_t count,
                                 const kiln_bench_plan_t *plan, kiln_cost_t *out_cost)
{
    sequence_t sequence = {launches, count, NULL};
    const bool moves = plan->cold || plan->rotating;
    KILN_TRY(kiln_tune_runner_create(arguments, NULL, NULL, 0, &sequence.runner));
    kiln_status_t status =
        moves ? kiln_tune_runner_rotate(sequence.runner, plan->rotating << 20) : KILN_OK;
    if (!status && plan->cold_code)
        status = kiln_tune_runner_cold_code(sequence.runner);
    for (size_t i = 0; i < count && moves && !status; i++)
        status = begin_moving(&launches[i]);
    if (!status)
        status = kiln_cost_of_repeated_launch(device, launches[0].call.stream,
                                              plan->has_warmup ? (unsigned)plan->warmup : WARMUP,
                                              plan->iters ? (unsigned)plan->iters : LAUNCHES,
                                              restore, launch_all, &sequence, out_cost);
    for (size_t i = 0; i < count; i++)
        end_moving(&launches[i]);
    kiln_tune_runner_release(sequence.runner);
    return status;
}
