// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples' times on large inputs, measured and predicted. An error of the clock is not a
// failure; the report summarizes the errors.
#include <math.h>

#include "verify/examples.h"
#include "verify/timing.h"

kiln_status_t kiln_verify_list_times(kiln_verify_run_t *io_run)
{
    for (size_t i = 0; i < kiln_verify_example_count(); i++)
        KILN_TRY(kiln_verify_add(io_run, KILN_VERIFY_times, kiln_verify_example_name(i), i));
    return KILN_OK;
}

static kiln_status_t time_on(kiln_device_t *device, const kiln_verify_example_t *example,
                             unsigned runs, double *out_microseconds)
{
    kiln_arguments_t *arguments;
    kiln_module_t *module = NULL;
    kiln_function_t *function;
    kiln_verify_call_t call;
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    KILN_TRY(kiln_verify_example_arguments(example, device, &arguments));
    kiln_status_t status = kiln_verify_example_call(example, arguments, &call);
    if (!status)
        status = kiln_module_load(device, example->code.bytes, example->code.size, &module);
    if (!status)
        status = kiln_module_function(module, example->code.symbol, &function);
    for (unsigned i = 0; i < 3; i++)
        launch.grid[i] = call.grid[i];
    launch.block[0] = example->code.block;
    launch.args = call.args;
    if (!status)
        status = kiln_verify_time(device, function, &launch, runs, out_microseconds);
    kiln_module_release(module);
    kiln_arguments_release(arguments);
    return status;
}

void kiln_verify_run_times(kiln_verify_context_t *context, size_t index,
                           kiln_verify_result_t *result)
{
    kiln_verify_example_t example;
    kiln_device_t *predictor = NULL;
    double measured, predicted;
    const char *where = "compiler";
    kiln_status_t status = kiln_verify_example_compile(index, KILN_VERIFY_LARGE, &example);
    if (!status)
        status = kiln_verify_predictor(context, &predictor), where = "simulator";
    if (!status)
        status = time_on(predictor, &example, 1, &predicted);
    if (!status)
        status = time_on(context->gpu, &example, kiln_verify_runs(context), &measured),
        where = "GPU";
    if (status)
        kiln_verify_fail(result, where, status);
    else
        kiln_verify_judge_times(result, measured, predicted, "us", INFINITY);
    kiln_verify_example_release(&example);
}
