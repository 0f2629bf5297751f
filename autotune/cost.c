// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of one launch.
//
// On the simulator it is the time that its clock predicts. If the clock is off, it is an estimate:
// each unit of an MI300X (matrix cores, vector ALUs, LDS, vector memory, …) is busy with the
// executed work for a minimum number of cycles, and the estimate is the largest of these bounds. It
// does not include latency that occupancy does not hide, so it ranks kernels that are bound by
// throughput and underestimates kernels that are bound by latency.
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/require.h"
#include "evaluate.h"
#include "kiln/sim.h"
#include "kiln/tune.h"

enum { WARMUP_LAUNCHES = 3, TIMED_LAUNCHES = 20 };

typedef struct request {
    kiln_device_t *device;
    kiln_stream_t *stream;
    kiln_cost_launch_t launch;
    double limit_ms; // of a launch; 0: none
    bool *is_lost;   // set if a launch exceeds it
} request_t;

static kiln_status_t restore(const request_t *request)
{
    return request->launch.restore ? request->launch.restore(request->launch.restore_user)
                                   : KILN_OK;
}

static kiln_status_t launch_once(const request_t *request)
{
    KILN_TRY(restore(request));
    KILN_TRY(request->launch.launch(request->launch.user));
    return kiln_stream_synchronize(request->device, request->stream);
}

typedef struct unit {
    const char *name;
    double busy; // any measure that increases with utilization
} unit_t;

static unit_t busiest(const unit_t *units, size_t count)
{
    unit_t largest = units[0];
    for (size_t i = 1; i < count; ++i)
        if (units[i].busy >= largest.busy)
            largest = units[i];
    return largest;
}

static kiln_cost_t predicted_cost(const kiln_sim_prediction_t *p)
{
    const unit_t shares[] = {{"MFMA", p->mfma_busy}, {"VALU", p->valu_busy}, {"LDS", p->lds_busy},
                             {"L1", p->l1_busy},     {"L2", p->l2_busy},     {"HBM", p->hbm_busy}};
    const unit_t largest = busiest(shares, sizeof shares / sizeof shares[0]);
    return (kiln_cost_t){.kind = KILN_COST_PREDICTED_NANOSECONDS,
                         .value = p->microseconds * 1e3,
                         .bound = largest.busy < 0.5 ? "latency" : largest.name,
                         .unexecuted = p->unexecuted};
}

static kiln_status_t simulate(const request_t *request, kiln_cost_t *out_cost)
{
    KILN_TRY(launch_once(request));
    kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction};
    kiln_status_t unpredicted = kiln_device_launch_prediction(request->device, &prediction);
    if (!unpredicted) {
        *out_cost = predicted_cost(&prediction);
        return KILN_OK;
    }
    kiln_status_code_t why = kiln_status_code(unpredicted);
    if (why != KILN_STATUS_NOT_FOUND && why != KILN_STATUS_UNSUPPORTED)
        return unpredicted;
    kiln_status_free(unpredicted);
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
    KILN_TRY(kiln_device_launch_stats(request->device, &stats));
    const unit_t bounds[] = {{"MFMA", stats.bound_mfma}, {"VALU", stats.bound_valu},
                             {"SALU", stats.bound_salu}, {"LDS", stats.bound_lds},
                             {"L1", stats.bound_l1},     {"L2", stats.bound_l2}};
    *out_cost = (kiln_cost_t){.kind = KILN_COST_ESTIMATED_CYCLES,
                              .value = stats.estimated_cycles,
                              .bound = busiest(bounds, sizeof bounds / sizeof bounds[0]).name};
    return KILN_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// Waits for the event, at most until the limit.
static kiln_status_t wait_for(const request_t *request, kiln_event_t *event)
{
    if (request->limit_ms <= 0)
        return kiln_event_synchronize(event);
    const struct timespec pause = {.tv_nsec = 50000};
    const double begin = kiln_now_ms();
    for (bool is_done = false;; nanosleep(&pause, NULL)) {
        const bool is_late = kiln_now_ms() - begin > request->limit_ms;
        KILN_TRY(kiln_event_query(event, &is_done));
        if (is_done)
            return KILN_OK;
        if (is_late) // only the end of the process can end the launch
            break;
    }
    *request->is_lost = true;
    return kiln_status_make(KILN_STATUS_DEVICE,
                            "a launch did not end within %g s, the limit (`launch_limit_ms`)",
                            request->limit_ms / 1e3);
}

kiln_status_t kiln_tune_wait(double limit_ms, kiln_device_t *device, kiln_stream_t *stream,
                             bool *out_is_lost)
{
    *out_is_lost = false;
    if (limit_ms <= 0 || kiln_device_properties(device)->kind == KILN_DEVICE_SIM)
        return kiln_stream_synchronize(device, stream);
    const request_t request = {
        .device = device, .stream = stream, .limit_ms = limit_ms, .is_lost = out_is_lost};
    kiln_event_t *event;
    KILN_TRY(kiln_event_create(device, &event));
    kiln_status_t status = kiln_event_record(event, stream);
    if (!status)
        status = wait_for(&request, event);
    if (!*out_is_lost) // HIP waits for an event when it is freed
        kiln_event_release(event);
    return status;
}

static kiln_status_t time_launch(const request_t *request, kiln_event_t *start, kiln_event_t *stop,
                                 double *out_ms)
{
    KILN_TRY(restore(request)); // before the first event, so that it is not measured
    KILN_TRY(kiln_event_record(start, request->stream));
    KILN_TRY(request->launch.launch(request->launch.user));
    KILN_TRY(kiln_event_record(stop, request->stream));
    KILN_TRY(wait_for(request, stop));
    return kiln_event_elapsed(start, stop, out_ms);
}

static kiln_status_t measure(const request_t *request, kiln_cost_t *out_cost)
{
    kiln_event_t *start = NULL, *stop = NULL;
    double ms[TIMED_LAUNCHES] = {0};
    kiln_status_t status = kiln_event_create(request->device, &start);
    if (!status)
        status = kiln_event_create(request->device, &stop);
    for (int i = 0; i < WARMUP_LAUNCHES && !status; ++i)
        status = time_launch(request, start, stop, &ms[0]);
    for (int i = 0; i < TIMED_LAUNCHES && !status; ++i)
        status = time_launch(request, start, stop, &ms[i]);
    if (*request->is_lost)
        return status; // HIP waits for an event when it is freed
    kiln_event_release(start);
    kiln_event_release(stop);
    KILN_TRY(status);
    qsort(ms, TIMED_LAUNCHES, sizeof ms[0], by_value);
    double median = (ms[TIMED_LAUNCHES / 2 - 1] + ms[TIMED_LAUNCHES / 2]) / 2;
    *out_cost = (kiln_cost_t){.kind = KILN_COST_MEASURED_NANOSECONDS, .value = median * 1e6};
    return KILN_OK;
}

kiln_status_t kiln_cost_of_launch_within(double limit_ms, kiln_device_t *device,
                                         kiln_stream_t *stream, const kiln_cost_launch_t *launch,
                                         kiln_cost_t *out_cost, bool *out_is_lost)
{
    *out_is_lost = false;
    const request_t request = {device, stream, *launch, limit_ms, out_is_lost};
    return kiln_device_properties(device)->kind == KILN_DEVICE_SIM ? simulate(&request, out_cost)
                                                                   : measure(&request, out_cost);
}

static kiln_status_t cost_of(kiln_device_t *device, kiln_stream_t *stream,
                             const kiln_cost_launch_t *launch, kiln_cost_t *out_cost)
{
    bool is_lost;
    kiln_cost_t cost;
    KILN_TRY(kiln_cost_of_launch_within(0, device, stream, launch, &cost, &is_lost));
    kiln_struct_copy_out(out_cost, &cost, sizeof cost);
    return KILN_OK;
}

kiln_status_t kiln_cost_of_launch(kiln_device_t *device, kiln_stream_t *stream,
                                  kiln_status_t (*launch)(void *user), void *user,
                                  kiln_cost_t *out_cost)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_cost_t, out_cost);
    KILN_REQUIRE(device);
    KILN_REQUIRE(launch);
    return cost_of(device, stream, &(kiln_cost_launch_t){.launch = launch, .user = user}, out_cost);
}

kiln_status_t kiln_cost_of_restored_launch(kiln_device_t *device, kiln_stream_t *stream,
                                           kiln_status_t (*restore_arguments)(void *user),
                                           kiln_status_t (*launch)(void *user), void *user,
                                           kiln_cost_t *out_cost)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_cost_t, out_cost);
    KILN_REQUIRE(device);
    KILN_REQUIRE(restore_arguments);
    KILN_REQUIRE(launch);
    const kiln_cost_launch_t both = {launch, user, restore_arguments, user};
    return cost_of(device, stream, &both, out_cost);
}
