// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler of one host thread.
//
// A workgroup runs on one thread. Its waves take turns, each until it ends, waits at a barrier,
// sleeps, or has used its time slice. Normally one workgroup finishes before the next begins. A
// workgroup that does not finish may be waiting for another one (split-K kernels spin on a
// semaphore). When it has used up its patience, the thread adds workgroups, doubling their number
// each time up to what the machine would hold at once, and lets them take turns, too.
//
// If the launch has an order (run/order.h), the order selects the wave that executes the next
// instruction, and a turn of a workgroup lasts for a number of cycles of its clock.
//
// A turn of a workgroup ends when all its waves have had theirs, so that workgroups that spin on
// each other make progress in a reproducible order.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "run/gws.h"
#include "run/observe.h"
#include "run/order.h"
#include "run/spin.h"
#include "run/state_cycle.h"

#define SLICE 65536 // instructions of a wave's turn
#define PATIENCE 64 // a full slice costs FULL, a turn in which every wave sleeps costs 1
#define FULL 8
#define CYCLES 65536 // of a workgroup's turn if the launch has an order; costs FULL
#define SLEEP 64u    // additional instructions that a turn counts if it ends in s_sleep
#define QUIET                                                                                      \
    (1u << 20) // after this many instructions without the end of a wave, check whether waves only
               // spin
#define SPIN_SLICE 512   // instructions in a turn of a wave that only spins
#define WAIT_SLICE 1024  // of a wave whose workgroup waits for another one
#define SPIN_CYCLES 4096 // cycles in a turn of a workgroup whose waves only spin

struct kiln_sim_group {
    kiln_sim_workgroup_t base;
    kiln_sim_wave_t *waves;
    uint8_t *scratch;
    size_t wave_capacity, lds_capacity,
        scratch_capacity; // bytes of scratch: all lanes of all waves
    unsigned running;     // waves that have not ended
    unsigned held;        // in a launch with an order: waves that wait for GWS
    int patience;
    bool blocked; // all its waves wait, some of them for GWS
    bool waits;   // in its latest turn it returned to an earlier state
    kiln_sim_work_t work;
};

typedef struct scheduler {
    kiln_sim_thread_t *thread;
    kiln_sim_launch_t *launch;
    kiln_sim_group_t **resident;
    size_t count, capacity;
    kiln_sim_group_t *spare; // a finished workgroup's storage
    uint64_t resident_limit;
    uint64_t ended,
        stalled;  // launch->ended_waves at the last check; instructions executed since it changed
    bool spins;   // in this round, all waves that can run have only spun so far
    bool endless; // one of them is in an infinite loop
    bool polls_program;  // one of them polls memory that the host program may change
    uint64_t idle_since; // time in ms since when waves have only polled such memory; 0: they do not
    kiln_sim_spins_t spinning;
} scheduler_t;

// ---- one workgroup

static void group_free(kiln_sim_group_t *group)
{
    if (!group)
        return;
    free(group->waves);
    free(group->base.lds);
    free(group->scratch);
    free(group);
}

// The same if observers may have state there.
static void group_discard(kiln_sim_thread_t *thread, kiln_sim_group_t *group)
{
    if (group)
        kiln_sim_observe_group_free(thread, &group->base);
    group_free(group);
}

// Returns storage for a workgroup: `old` if that is large enough, or new storage. Scratch memory is
// zeroed for each launch.
static kiln_sim_group_t *group_new(const kiln_sim_launch_t *launch, kiln_sim_group_t *old)
{
    const size_t lds = (launch->lds_size + 127u) / 64 * 64;
    const uint64_t scratch =
        (uint64_t)launch->scratch_bytes * KILN_GFX942_LANES * launch->wave_count;
    if (old && old->wave_capacity >= launch->wave_count && old->lds_capacity >= lds &&
        old->scratch_capacity >= scratch) {
        if (scratch)
            memset(old->scratch, 0, scratch);
        return old;
    }
    group_free(old);
    kiln_sim_group_t *group = calloc(1, sizeof *group);
    if (!group)
        return NULL;
    group->waves = aligned_alloc(64, launch->wave_count * sizeof *group->waves);
    group->base.lds = aligned_alloc(64, lds);
    group->scratch = scratch ? calloc(1, scratch) : NULL;
    group->wave_capacity = launch->wave_count;
    group->lds_capacity = lds;
    group->scratch_capacity = scratch;
    if (!group->waves || !group->base.lds || (scratch && !group->scratch)) {
        group_free(group);
        return NULL;
    }
    return group;
}

static bool group_start(scheduler_t *s, kiln_sim_group_t *group, uint64_t index)
{
    const kiln_sim_launch_t *launch = s->launch;
    const uint32_t *grid = launch->dispatch->grid;
    group->base.index = (uint32_t)index;
    group->base.id[0] = (uint32_t)(index % grid[0]);
    group->base.id[1] = (uint32_t)(index / grid[0] % grid[1]);
    group->base.id[2] = (uint32_t)(index / grid[0] / grid[1]);
    group->base.lds_size = launch->lds_size;
    group->base.wave_count = launch->wave_count;
    group->running = launch->wave_count;
    group->held = 0;
    group->patience = PATIENCE;
    group->waits = false;
    group->work = (kiln_sim_work_t){0};
    memset(group->base.lds, 0xc7, launch->lds_size); // undefined, but reproducible
    for (unsigned i = 0; i < launch->wave_count; i++) {
        kiln_sim_wave_t *wave = &group->waves[i];
        wave->index = i;
        wave->group = &group->base;
        wave->thread = s->thread;
        wave->scratch_size = launch->scratch_bytes;
        wave->scratch = wave->scratch_size
                            ? group->scratch + (uint64_t)i * KILN_GFX942_LANES * wave->scratch_size
                            : NULL;
        kiln_sim_wave_start(launch, &group->base, wave);
    }
    return kiln_sim_observe_group_begin(s->thread, &group->base, group->waves);
}

static void release_barrier(kiln_sim_group_t *group)
{
    for (unsigned i = 0; i < group->base.wave_count; i++) {
        kiln_sim_wave_t *wave = &group->waves[i];
        if (wave->stop == KILN_SIM_STOP_BARRIER)
            wave->stop = KILN_SIM_STOP_YIELD;
    }
}

// Whether a failure elsewhere ends the workgroup. In a thorough launch, workgroups before the
// failed one continue, so that findings do not depend on timing, unless one takes too long: it may
// be waiting for the failed one.
static bool is_over(const kiln_sim_launch_t *launch, const kiln_sim_group_t *group)
{
    if (!__atomic_load_n(&launch->failed, __ATOMIC_ACQUIRE))
        return false;
    return !launch->thorough || group->patience < -PATIENCE * 16 ||
           group->base.index >= __atomic_load_n(&launch->failed_group, __ATOMIC_RELAXED);
}

// A turn of a wave: until it stops or has executed `slice` instructions. False: the launch has
// failed.
static bool wave_turn(scheduler_t *s, kiln_sim_group_t *group, kiln_sim_wave_t *wave,
                      uint64_t slice)
{
    const uint64_t limit = s->launch->options->limit;
    const bool long_quiet = s->stalled > QUIET && (s->spins || slice > SPIN_SLICE);
    uint64_t before = wave->executed, inside = 0;
    const kiln_sim_spin_t *spin = long_quiet ? kiln_sim_spin_find(&s->spinning, wave) : NULL;
    const kiln_sim_spin_t loop = spin ? *spin : (kiln_sim_spin_t){0};
    const uint64_t turn = spin && slice > SPIN_SLICE ? SPIN_SLICE : slice;
    if (spin && s->spins)
        inside = kiln_sim_spin_count(wave, &loop);
    wave->slice_end = before + turn < limit ? before + turn : limit;
    kiln_sim_wave_run(wave);
    if (s->spins) // it may have left the loop and returned to it
        s->spins = spin && wave->stop == KILN_SIM_STOP_YIELD &&
                   kiln_sim_spin_find(&s->spinning, wave) &&
                   kiln_sim_spin_count(wave, &loop) - inside == wave->executed - before;
    s->endless = s->endless || (s->spins && loop.endless);
    if (s->spins && !loop.endless && !s->polls_program)
        s->polls_program = kiln_sim_spin_polls_shared(&loop, wave);
    s->stalled += wave->executed - before + (wave->executed < wave->slice_end ? SLEEP : 0);
    if (wave->stop == KILN_SIM_STOP_END) {
        group->running--;
        __atomic_fetch_add(&s->launch->ended_waves, 1, __ATOMIC_RELAXED);
    }
    if (wave->stop == KILN_SIM_STOP_YIELD && wave->executed >= limit) {
        kiln_sim_observe_limit(group->waves, group->base.wave_count, wave);
        kiln_sim_wave_limit(wave, wave->resume);
    }
    return wave->stop != KILN_SIM_STOP_FAULT;
}

// Releases the barrier if all running waves wait at it; `waiting` is how many do.
static void meet(scheduler_t *s, kiln_sim_group_t *group, unsigned waiting)
{
    if (group->running == 0 || waiting < group->running)
        return;
    kiln_sim_observe_barrier(group->waves, group->base.wave_count);
    release_barrier(group);
    s->spins = false;
}

static uint64_t count_executed(const kiln_sim_group_t *group)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < group->base.wave_count; i++)
        sum += group->waves[i].executed;
    return sum;
}

// A turn of a workgroup: lasts until it ends or its waves have used their slices: each its own or,
// with barriers in between, all of them together. A workgroup that returns to the same barrier with
// the same registers waits for another workgroup: this counts as a full turn, and its next turn is
// short. Otherwise it very likely computes, and uses up its patience more slowly. False: the launch
// has failed.
static bool group_turn(scheduler_t *s, kiln_sim_group_t *group)
{
    uint64_t slice = group->waits ? WAIT_SLICE : s->count > 1 ? SLICE / 8 : SLICE;
    group->waits = false;
    const uint64_t end = count_executed(group) + slice * group->base.wave_count;
    kiln_sim_state_cycle_t cycle = {0};
    for (bool yielded = false; group->running && !yielded;) {
        unsigned waiting = 0, slept = 0, held = 0;
        for (unsigned i = 0; i < group->base.wave_count; i++) {
            kiln_sim_wave_t *wave = &group->waves[i];
            if (wave->stop == KILN_SIM_STOP_END)
                continue;
            if (wave->stop == KILN_SIM_STOP_BARRIER) {
                waiting++;
                continue;
            }
            if (wave->stop == KILN_SIM_STOP_GWS) {
                s->spins = false;
                if (!kiln_sim_gws_ready(wave)) {
                    held++;
                    continue;
                }
            }
            if (!wave_turn(s, group, wave, slice))
                return false;
            if (wave->stop == KILN_SIM_STOP_BARRIER) {
                waiting++;
            } else if (wave->stop == KILN_SIM_STOP_YIELD) { // waves that wait for GWS are checked
                                                            // in the next round
                yielded = true;
                slept += wave->executed < wave->slice_end;
            }
        }
        meet(s, group, waiting);
        group->blocked = held && held + waiting == group->running;
        if (group->blocked) {
            group->patience = 0;
            return true;
        }
        int cost = slept == group->running ? 1 : FULL;
        if (!yielded && group->running && count_executed(group) >= end) {
            const kiln_sim_state_cycle_result_t found =
                kiln_sim_state_cycle_check(&cycle, s->launch->kernel, group->waves);
            yielded = found != KILN_SIM_STATE_CYCLE_OPEN;
            group->waits = found == KILN_SIM_STATE_CYCLE_CLOSED;
            cost = group->waits ? FULL : 1;
        }
        if (yielded)
            group->patience -= cost;
        if (is_over(s->launch, group))
            return false;
    }
    return true;
}

// ---- the same for a launch with an order

static unsigned count_stopped(const kiln_sim_group_t *group, kiln_sim_stop_t stop)
{
    unsigned count = 0;
    for (unsigned i = 0; i < group->base.wave_count; i++)
        count += group->waves[i].stop == stop;
    return count;
}

// Lets waves continue whose GWS resource has been released.
static void release(scheduler_t *s, kiln_sim_group_t *group)
{
    s->spins = false;
    for (unsigned i = 0; i < group->base.wave_count; i++) {
        kiln_sim_wave_t *wave = &group->waves[i];
        if (wave->stop == KILN_SIM_STOP_GWS && kiln_sim_gws_ready(wave)) {
            wave->stop = KILN_SIM_STOP_YIELD;
            group->held--;
            s->launch->options->order->release(wave);
        }
    }
}

static bool all_spin(scheduler_t *s, const kiln_sim_group_t *group)
{
    for (unsigned i = 0; i < group->base.wave_count; i++) {
        const kiln_sim_wave_t *wave = &group->waves[i];
        const bool runs = wave->stop == KILN_SIM_STOP_NONE || wave->stop == KILN_SIM_STOP_YIELD;
        if (runs && !kiln_sim_spin_find(&s->spinning, wave))
            return false;
    }
    return true;
}

static bool is_sleep(const kiln_sim_inst_t *inst)
{
    return inst->row->class_ == KILN_SIM_CLASS_SYNC && strcmp(inst->row->name, "s_sleep") == 0;
}

// A turn of a workgroup, instruction by instruction: for a number of cycles, or until all its waves
// have ended or wait.
static bool ordered_turn(scheduler_t *s, kiln_sim_group_t *group)
{
    const kiln_sim_order_t *order = s->launch->options->order;
    const uint64_t begun = order->now(&group->base);
    const uint64_t cycles = s->stalled > QUIET && all_spin(s, group) ? SPIN_CYCLES
                            : s->count > 1                           ? CYCLES / 8
                                                                     : CYCLES;
    group->blocked = false;
    while (group->running && order->now(&group->base) - begun < cycles) {
        if (group->held)
            release(s, group);
        kiln_sim_wave_t *wave = order->next(&group->base);
        if (!wave) {
            group->blocked = true;
            group->patience = 0;
            return true;
        }
        s->stalled += is_sleep(wave->resume) ? SLEEP : 0;
        if (!wave_turn(s, group, wave, 1))
            return false;
        order->executed(wave);
        if (wave->stop == KILN_SIM_STOP_FAULT)
            return false;
        group->held += wave->stop == KILN_SIM_STOP_GWS;
        if (wave->stop == KILN_SIM_STOP_BARRIER || wave->stop == KILN_SIM_STOP_END)
            meet(s, group, count_stopped(group, KILN_SIM_STOP_BARRIER));
    }
    group->patience -= group->running ? FULL : 0;
    return !is_over(s->launch, group);
}

// ---- one thread

// Takes the next workgroup of the launch, if there is one.
static bool admit(scheduler_t *s)
{
    kiln_sim_launch_t *launch = s->launch;
    if (__atomic_load_n(&launch->next_group, __ATOMIC_RELAXED) >= launch->todo ||
        __atomic_load_n(&launch->failed, __ATOMIC_RELAXED))
        return false;
    uint64_t index = __atomic_fetch_add(&launch->next_group, 1, __ATOMIC_RELAXED);
    if (index >= launch->todo)
        return false;
    if (launch->only)
        index = launch->only[index];
    kiln_sim_group_t *group = s->spare;
    if (!group) {
        group = group_new(launch, s->thread->spare);
        s->thread->spare = NULL;
    }
    s->spare = NULL;
    if (!group || !KILN_ARRAY_RESERVE(&s->resident, &s->capacity, s->count + 1) ||
        !group_start(s, group, index)) {
        group_discard(s->thread, group);
        int expected = 0;
        if (__atomic_compare_exchange_n(&launch->failed, &expected, 1, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            kiln_sim_fail(&launch->error, KILN_SIM_OUT_OF_MEMORY,
                          "out of host memory for the waves of a workgroup");
        return false;
    }
    s->resident[s->count++] = group;
    return true;
}

static void retire(scheduler_t *s, size_t at)
{
    group_discard(s->thread, s->spare);
    s->spare = s->resident[at];
    kiln_sim_observe_group_end(s->thread, &s->spare->base);
    memmove(s->resident + at, s->resident + at + 1, (s->count - at - 1) * sizeof *s->resident);
    s->count--;
}

static bool has_more_groups(const scheduler_t *s)
{
    return s->count < s->resident_limit &&
           __atomic_load_n(&s->launch->next_group, __ATOMIC_RELAXED) < s->launch->todo;
}

// All waves of the thread wait, some for GWS: only other threads can release them.
static bool wait_for_others(scheduler_t *s, uint64_t changes)
{
    if (kiln_sim_gws_wait(s->launch, changes))
        return true;
    for (unsigned i = 0; i < s->resident[0]->base.wave_count; i++) {
        kiln_sim_wave_t *wave = &s->resident[0]->waves[i];
        if (wave->stop == KILN_SIM_STOP_GWS) {
            kiln_sim_wave_fault(
                wave, wave->gws_inst, -1,
                "deadlock: the wave waits for GWS resource %u, which no other wave can release",
                wave->gws_resource);
            break;
        }
    }
    return false;
}

// Whether waves that poll the host program's memory have done so for less than options->patience:
// another thread of the program may still change the memory. (The thread that launched the kernel
// cannot, since it waits here.)
static bool program_may_answer(scheduler_t *s)
{
    struct timespec t;
    if (!s->spins || s->endless || !s->polls_program) {
        s->idle_since = 0;
        return false;
    }
    clock_gettime(CLOCK_MONOTONIC, &t);
    const uint64_t now = (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
    if (s->idle_since == 0)
        s->idle_since = now;
    return (now - s->idle_since) / 1000u < s->launch->options->patience;
}

static void report_spin(const scheduler_t *s, kiln_sim_wave_t *wave)
{
    char what[200];
    snprintf(what, sizeof what,
             "the wave and every other runnable wave wait in a loop for the host to change memory; "
             "the host has not changed it for %llu s",
             (unsigned long long)s->launch->options->patience);
    kiln_sim_wave_spins(
        wave, wave->resume,
        s->endless ? "infinite loop: the wave's branches here depend on values that never change"
        : s->polls_program ? what
                           : "deadlock: the wave and every other runnable wave wait in a loop for "
                             "memory to change");
}

// Whether the launch still makes progress. With thousands of waves that spin or sleep, none reaches
// KILN_SIM_LIMIT for hours.
static bool gets_on(scheduler_t *s)
{
    uint64_t ended = __atomic_load_n(&s->launch->ended_waves, __ATOMIC_RELAXED);
    if (ended != s->ended) {
        s->ended = ended;
        s->stalled = 0;
    }
    // Do not fail before a few waves could reach their own limit, or before thousands in lockstep
    // could do useful work.
    const kiln_sim_options_t *options = s->launch->options;
    const bool all = s->spins && !has_more_groups(s) && !program_may_answer(s);
    const bool deadlock = kiln_sim_spin_agree(&s->spinning, s->launch, all, s->endless);
    uint64_t own = options->limit < UINT64_MAX / 32 ? 16 * options->limit : UINT64_MAX / 2;
    const bool stalled = s->stalled >= own + s->count * s->launch->wave_count * options->stall;
    if (s->count == 0 || !(deadlock || stalled))
        return true;
    for (size_t g = 0; g < s->count; g++) {
        for (unsigned i = 0; i < s->resident[g]->base.wave_count; i++) {
            kiln_sim_wave_t *wave = &s->resident[g]->waves[i];
            if (wave->stop != KILN_SIM_STOP_YIELD)
                continue;
            const kiln_sim_spin_t *spin = deadlock ? kiln_sim_spin_find(&s->spinning, wave) : NULL;
            if (deadlock && s->endless && !(spin && spin->endless))
                continue; // another wave is to blame
            kiln_sim_observe_limit(s->resident[g]->waves, s->resident[g]->base.wave_count, wave);
            if (deadlock)
                report_spin(s, wave);
            else
                kiln_sim_wave_stalled(wave, wave->resume, s->count);
            return false;
        }
    }
    return true;
}

// Keeps a workgroup's storage for the next launch, unless it is very large.
static void keep(kiln_sim_thread_t *thread, kiln_sim_group_t *group)
{
    if (!group)
        return;
    kiln_sim_observe_group_free(thread, &group->base);
    if (group->scratch_capacity > 1u << 20) {
        free(group->scratch);
        group->scratch = NULL;
        group->scratch_capacity = 0;
    }
    group_free(thread->spare);
    thread->spare = group;
}

void kiln_sim_thread_free(kiln_sim_thread_t *thread)
{
    group_free(thread->spare);
    free(thread->counts);
    free(thread->watch_storage);
    free(thread->known_counts);
    free(thread->totals);
    free(thread->prices);
}

bool kiln_sim_thread_run(kiln_sim_thread_t *thread)
{
    kiln_sim_launch_t *launch = thread->launch;
    scheduler_t s = {.thread = thread, .launch = launch};
    s.resident_limit = (launch->resident_limit + launch->threads - 1) / launch->threads;
    if (s.resident_limit < 1)
        s.resident_limit = 1;
    bool good = true;
    uint64_t wanted = launch->dispatch->cooperative ? s.resident_limit : 1;
    while (good) {
        while (s.count < wanted && admit(&s))
            continue;
        if (s.count == 0)
            break;
        bool finished = false, impatient = true, blocked = true;
        uint64_t changes = kiln_sim_gws_changes(launch->machine->gws);
        s.spins = s.stalled > QUIET;
        s.endless = s.polls_program = false;
        for (size_t i = 0; good && i < s.count;) {
            good = launch->options->order ? ordered_turn(&s, s.resident[i])
                                          : group_turn(&s, s.resident[i]);
            kiln_sim_work_take(thread, &s.resident[i]->work);
            if (good && s.resident[i]->running == 0) {
                kiln_sim_work_max(&thread->slowest, &s.resident[i]->work);
                finished = true;
                retire(&s, i);
                continue;
            }
            impatient = impatient && s.resident[i]->patience <= 0;
            blocked = blocked && s.resident[i]->blocked;
            i++;
        }
        good = good && gets_on(&s);
        if (finished)
            wanted = s.count ? s.count : 1;
        else if (impatient)
            wanted = 2 * s.count < s.resident_limit ? 2 * s.count : s.resident_limit;
        if (wanted < s.count)
            wanted = s.count;
        if (good && s.count && blocked && !finished && !has_more_groups(&s))
            good = wait_for_others(&s, changes);
    }
    kiln_sim_work_settle(thread);
    kiln_sim_gws_leave(launch, 1);
    for (size_t i = 0; i < s.count; i++) {
        kiln_sim_observe_group_end(thread, &s.resident[i]->base);
        group_discard(thread, s.resident[i]);
    }
    keep(thread, s.spare);
    free(s.resident);
    return !__atomic_load_n(&launch->failed, __ATOMIC_ACQUIRE);
}
