// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a launch, or of a sequence of launches.
//
// On the simulator it is the time that its clock predicts. If the clock is off, it is an estimate:
// each unit of an MI300X (matrix cores, vector ALUs, LDS, vector memory, …) is busy with the
// executed work for a minimum number of cycles, and the estimate is the largest of these bounds. It
// does not include latency that occupancy does not hide, so it ranks kernels that are bound by
// throughput and underestimates kernels that are bound by latency.
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/require.h"
#include "evaluate.h"
#include "kiln/sim.h"
#include "kiln/tune.h"

enum {
    WARMUP_LAUNCHES = 3,
    TIMED_LAUNCHES = 20,
    MAX_LAUNCHES = 1 << 24,
    DECIDING_LAUNCHES = 5 // after which a slower candidate is given up
};

typedef struct request {
    kiln_device_t *device;
    kiln_stream_t *stream;
    kiln_cost_launch_t launch;
    double limit_ms;        // of a launch; 0: none
    bool *is_lost;          // set if a launch exceeds it
    unsigned warmup, timed; // numbers of launches
} request_t;

static kiln_status_t restore(const request_t *request)
{
    return request->launch.restore ? request->launch.restore(request->launch.restore_user)
                                   : KILN_OK;
}

// Enqueues all launches without waiting.
static kiln_status_t launch_all(const request_t *request)
{
    for (size_t i = 0; i < request->launch.step_count; i++)
        KILN_TRY(request->launch.launch(request->launch.user, i));
    return KILN_OK;
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

// The cost of the last launch.
static kiln_status_t cost_of_last(const request_t *request, kiln_cost_t *out_cost)
{
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

// Launches once, step by step, and adds up. The unit is that of the most expensive step.
static kiln_status_t simulate(const request_t *request, kiln_cost_t *out_cost)
{
    double max = -1;
    bool is_begun = false;
    KILN_TRY(restore(request));
    for (size_t i = 0; i < request->launch.step_count; i++) {
        kiln_cost_t cost;
        if (request->launch.is_empty && request->launch.is_empty(request->launch.user, i))
            continue; // the last launch's cost would be that of another
        KILN_TRY(request->launch.launch(request->launch.user, i));
        KILN_TRY(kiln_stream_synchronize(request->device, request->stream));
        KILN_TRY(cost_of_last(request, &cost));
        if (is_begun && cost.kind != out_cost->kind)
            return kiln_status_make(
                KILN_STATUS_UNSUPPORTED,
                "the time of one of its kernels can be predicted and that of another cannot: the "
                "simulator cannot predict the time of workgroups that wait for others");
        const kiln_cost_t sum = is_begun ? *out_cost : (kiln_cost_t){0};
        is_begun = true;
        const char *bound = cost.value > max ? cost.bound : sum.bound;
        max = cost.value > max ? cost.value : max;
        *out_cost = (kiln_cost_t){.kind = cost.kind,
                                  .value = sum.value + cost.value,
                                  .bound = bound,
                                  .unexecuted = sum.unexecuted || cost.unexecuted,
                                  .timed = 1};
    }
    out_cost->low = out_cost->high = out_cost->fastest = out_cost->slowest = out_cost->value;
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
    KILN_TRY(launch_all(request));
    KILN_TRY(kiln_event_record(stop, request->stream));
    KILN_TRY(wait_for(request, stop));
    return kiln_event_elapsed(start, stop, out_ms);
}

typedef struct events {
    kiln_event_t *start, *stop;
} events_t;

static kiln_status_t create_events(kiln_device_t *device, events_t *events)
{
    KILN_TRY(kiln_event_create(device, &events->start));
    return kiln_event_create(device, &events->stop);
}

// HIP waits for an event when it is freed, so nothing may be freed after the device was lost.
static void release_events(const events_t *events, bool is_lost)
{
    if (is_lost)
        return;
    kiln_event_release(events->start);
    kiln_event_release(events->stop);
}

static kiln_status_t warm_up(const request_t *request, const events_t *events)
{
    double ms;
    for (unsigned i = 0; i < request->warmup; ++i)
        KILN_TRY(time_launch(request, events->start, events->stop, &ms));
    return KILN_OK;
}

// The ranks, from 1, of the two samples between which the median of their distribution lies with a
// probability of at least 95 %. The number of samples below the median has the binomial
// distribution B(n, 1/2), so the interval from rank r to n + 1 - r misses it with twice the
// probability of less than r. Rank 1 if there are too few samples for 95 %.
static int median_rank(int count)
{
    double log_share = -count * log(2), below = 0; // the share itself underflows from 1075 on
    int rank = 0;
    for (; rank < count / 2 && 2 * (below + exp(log_share)) <= 0.05; rank++) {
        below += exp(log_share);
        log_share += log((double)(count - rank) / (rank + 1));
    }
    return rank ? rank : 1;
}

static kiln_cost_t measured_cost(double *ms, int count)
{
    qsort(ms, (size_t)count, sizeof ms[0], by_value);
    const int rank = median_rank(count);
    return (kiln_cost_t){.struct_size = sizeof(kiln_cost_t),
                         .kind = KILN_COST_MEASURED_NANOSECONDS,
                         .value = (ms[(count - 1) / 2] + ms[count / 2]) / 2 * 1e6,
                         .low = ms[rank - 1] * 1e6,
                         .high = ms[count - rank] * 1e6,
                         .fastest = ms[0] * 1e6,
                         .slowest = ms[count - 1] * 1e6,
                         .timed = (unsigned)count};
}

// Whether all of these launches were slower than the slowest one of the best candidate. If both had
// the same distribution, whatever it is, 5 launches would be the slowest of 25 once in 53130 times
// (Wilcoxon's rank-sum test).
static bool has_lost(const request_t *request, const double *ms, int count)
{
    if (request->launch.best_slowest <= 0 || count < DECIDING_LAUNCHES)
        return false;
    double min = ms[0];
    for (int i = 1; i < count; i++)
        min = ms[i] < min ? ms[i] : min;
    return min * 1e6 > request->launch.best_slowest;
}

static kiln_status_t measure(const request_t *request, kiln_cost_t *out_cost)
{
    events_t events = {0};
    double *ms = calloc(request->timed, sizeof *ms);
    int count = 0;
    kiln_status_t status =
        ms ? create_events(request->device, &events) : kiln_status_out_of_memory();
    if (!status)
        status = warm_up(request, &events);
    if (!status)
        status = kiln_held_clock_begin(request->launch.clock, request->stream);
    while (!status && (unsigned)count < request->timed && !has_lost(request, ms, count)) {
        status = time_launch(request, events.start, events.stop, &ms[count]);
        count++;
    }
    double mhz = 0;
    if (!status)
        status = kiln_held_clock_end(request->launch.clock, request->stream, &mhz);
    release_events(&events, *request->is_lost);
    if (!status) {
        *out_cost = measured_cost(ms, count);
        out_cost->clock_mhz = mhz;
    }
    free(ms);
    return status;
}

kiln_status_t kiln_cost_of_launch_within(double limit_ms, kiln_device_t *device,
                                         kiln_stream_t *stream, const kiln_cost_launch_t *launch,
                                         kiln_cost_t *out_cost, bool *out_is_lost)
{
    *out_is_lost = false;
    const request_t request = {device,      stream,          *launch,       limit_ms,
                               out_is_lost, WARMUP_LAUNCHES, TIMED_LAUNCHES};
    return kiln_device_properties(device)->kind == KILN_DEVICE_SIM ? simulate(&request, out_cost)
                                                                   : measure(&request, out_cost);
}

// One candidate's turn: a launch that leaves its data in the caches, as earlier ones do in
// `measure`, and the timed one.
static kiln_status_t take_turn(const request_t *request, const events_t *events, double *out_ms)
{
    KILN_TRY(request->launch.begin(request->launch.user));
    KILN_TRY(time_launch(request, events->start, events->stop, out_ms));
    return time_launch(request, events->start, events->stop, out_ms);
}

kiln_status_t kiln_cost_in_turn(double limit_ms, kiln_device_t *device, kiln_stream_t *stream,
                                const kiln_cost_launch_t *launches, size_t count,
                                kiln_cost_t *costs, bool *out_is_lost)
{
    *out_is_lost = false;
    events_t events = {0};
    double (*ms)[TIMED_LAUNCHES] = calloc(count, sizeof *ms);
    kiln_status_t status = ms ? create_events(device, &events) : kiln_status_out_of_memory();
    for (int round = -WARMUP_LAUNCHES; round < TIMED_LAUNCHES && !status; round++) {
        if (round == 0)
            status = kiln_held_clock_begin(launches[0].clock, stream);
        for (size_t i = 0; i < count && !status; i++) {
            const request_t request = {.device = device,
                                       .stream = stream,
                                       .launch = launches[i],
                                       .limit_ms = limit_ms,
                                       .is_lost = out_is_lost};
            status = take_turn(&request, &events, &ms[i][round < 0 ? 0 : round]);
        }
    }
    double mhz = 0;
    if (!status)
        status = kiln_held_clock_end(launches[0].clock, stream, &mhz);
    release_events(&events, *out_is_lost);
    for (size_t i = 0; i < count && !status; i++) {
        costs[i] = measured_cost(ms[i], TIMED_LAUNCHES);
        costs[i].clock_mhz = mhz;
    }
    free(ms);
    return status;
}

// The caller's launch as a sequence of one.
typedef struct single {
    kiln_status_t (*launch)(void *user);
    void *user;
} single_t;

static kiln_status_t launch_single(void *user, size_t step)
{
    const single_t *single = user;
    (void)step;
    return single->launch(single->user);
}

static kiln_status_t cost_of(kiln_device_t *device, kiln_stream_t *stream, unsigned warmup,
                             unsigned launches, kiln_status_t (*restore_arguments)(void *user),
                             single_t *single, kiln_cost_t *out_cost)
{
    bool is_lost = false;
    kiln_cost_t cost;
    const request_t request = {.device = device,
                               .stream = stream,
                               .launch = {.launch = launch_single,
                                          .user = single,
                                          .step_count = 1,
                                          .restore = restore_arguments,
                                          .restore_user = single->user},
                               .is_lost = &is_lost,
                               .warmup = warmup,
                               .timed = launches};
    KILN_TRY(kiln_device_properties(device)->kind == KILN_DEVICE_SIM ? simulate(&request, &cost)
                                                                     : measure(&request, &cost));
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
    return cost_of(device, stream, WARMUP_LAUNCHES, TIMED_LAUNCHES, NULL, &(single_t){launch, user},
                   out_cost);
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
    return cost_of(device, stream, WARMUP_LAUNCHES, TIMED_LAUNCHES, restore_arguments,
                   &(single_t){launch, user}, out_cost);
}

kiln_status_t kiln_cost_of_repeated_launch(kiln_device_t *device, kiln_stream_t *stream,
                                           unsigned warmup, unsigned launches,
                                           kiln_status_t (*restore_arguments)(void *user),
                                           kiln_status_t (*launch)(void *user), void *user,
                                           kiln_cost_t *out_cost)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_cost_t, out_cost);
    KILN_REQUIRE(device);
    KILN_REQUIRE(restore_arguments);
    KILN_REQUIRE(launch);
    if (launches == 0 || launches > MAX_LAUNCHES)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "kiln_cost_of_repeated_launch: launches is %u; it must be 1 to %d",
                                launches, (int)MAX_LAUNCHES);
    return cost_of(device, stream, warmup, launches, restore_arguments, &(single_t){launch, user},
                   out_cost);
}
