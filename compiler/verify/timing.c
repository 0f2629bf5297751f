// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures launches and judges their times.
#include "verify/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/number.h"

// A GPU that was idle needs some milliseconds to reach its clock.
enum { MAX_RUNS = 15, WARM_UP_MS = 20 };

kiln_status_t kiln_verify_predictor(kiln_verify_context_t *context, kiln_device_t **out_device)
{
    const char *parameters = context->run->options->parameters;
    const kiln_sim_setting_t settings[] = {
        {"clock", "only"}, {"caches", "kept"}, {"parameters", parameters ? parameters : ""}};
    if (!context->predictor)
        KILN_TRY(kiln_verify_open_simulator(&context->run->machine, settings,
                                            sizeof settings / sizeof *settings,
                                            &context->predictor));
    *out_device = context->predictor;
    return KILN_OK;
}

unsigned kiln_verify_runs(const kiln_verify_context_t *context)
{
    return context->run->machine.is_simulated ? 1 : MAX_RUNS;
}

static kiln_status_t time_once(kiln_device_t *device, kiln_function_t *function,
                               const kiln_launch_t *launch, kiln_event_t *const events[2],
                               double *out_microseconds)
{
    double milliseconds;
    KILN_TRY(kiln_event_record(events[0], NULL));
    KILN_TRY(kiln_function_launch(function, launch));
    KILN_TRY(kiln_event_record(events[1], NULL));
    KILN_TRY(kiln_stream_synchronize(device, NULL));
    KILN_TRY(kiln_event_elapsed(events[0], events[1], &milliseconds));
    *out_microseconds = 1e3 * milliseconds;
    return KILN_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

kiln_status_t kiln_verify_time(kiln_device_t *device, kiln_function_t *function,
                               const kiln_launch_t *launch, unsigned runs, double *out_microseconds)
{
    double times[MAX_RUNS];
    kiln_event_t *events[2] = {NULL, NULL};
    kiln_status_t status = kiln_event_create(device, &events[0]);
    if (!status)
        status = kiln_event_create(device, &events[1]);
    if (!status)
        status = time_once(device, function, launch, events, &times[0]);
    const double warm = kiln_now_ms() + (double)WARM_UP_MS;
    while (runs > 1 && !status && kiln_now_ms() < warm)
        status = time_once(device, function, launch, events, &times[0]);
    for (unsigned i = 0; i < runs && !status; i++)
        status = time_once(device, function, launch, events, &times[i]);
    kiln_event_release(events[0]);
    kiln_event_release(events[1]);
    if (status)
        return status;
    qsort(times, runs, sizeof *times, ascending);
    *out_microseconds = times[runs / 2];
    return KILN_OK;
}

void kiln_verify_judge_times(kiln_verify_result_t *result, double measured, double predicted,
                             const char *unit, double tolerance)
{
    const double error = predicted / measured - 1;
    result->measured = measured;
    result->predicted = predicted;
    result->compared = 1;
    result->verdict =
        measured > 0 && fabs(error) <= tolerance ? KILN_VERIFY_CLOSE : KILN_VERIFY_DIFFERS;
    result->different = result->verdict == KILN_VERIFY_DIFFERS;
    snprintf(result->unit, sizeof result->unit, "%s", unit);
    kiln_format(result->text, sizeof result->text, "measured %.4g %s, predicted %.4g %s (%+.1f %%)",
                measured, unit, predicted, unit, 100 * error);
}
