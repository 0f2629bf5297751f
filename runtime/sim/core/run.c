// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler of one host thread.
//
// A workgroup runs on one thread; its waves take turns, each until it ends, waits at a barrier, sleeps, or has used its
// time slice. Normally one workgroup is finished before the next begins. A workgroup that does not finish may be
// waiting for another one (split-K kernels spin on a semaphore), so when it has used up its patience, the thread takes
// in more workgroups, twice as many each time, up to what the machine would hold at once, and lets them take turns,
// too.
//
// Where the launch has an order (core/order.h), that says which wave executes the next instruction, and a turn of a workgroup lasts for
// so many cycles of its clock.
//
// What a reader gets wrong: a turn of one workgroup ends where all its waves have had theirs, so workgroups that spin
// on each other make progress in the same order every time.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/gws.h"
#include "core/observe.h"
#include "core/order.h"
#include "core/spin.h"

#define SLICE 65536      // instructions of a wave's turn
#define PATIENCE 64      // a full slice costs 8, a turn in which every wave sleeps costs 1
#define CYCLES 65536     // of a workgroup's turn, where the launch has an order; costs 8, too
#define SLEEP 64u        // a turn that ends in s_sleep counts as so many instructions more
#define QUIET (1u << 20) // instructions without the end of a wave behind which it is looked whether waves only spin
#define SPIN_SLICE 512   // instructions of the turn of a wave that only spins
#define SPIN_CYCLES 4096 // of the turn of a workgroup whose waves only spin

struct kiln_sim_group {
    kiln_sim_workgroup_t base;
    kiln_sim_wave_t *waves;
    uint8_t *scratch;
    size_t wave_capacity, lds_capacity, scratch_capacity; // bytes of scratch: all lanes of all waves
    unsigned running;                                     // waves that have not ended
    unsigned held;                                        // of a launch with an order: that wait for GWS
    int patience;
    bool blocked; // all its waves wait, some of them for GWS
    kiln_sim_work_t work;
};

typedef struct scheduler {
    kiln_sim_thread_t *thread;
    kiln_sim_launch_t *launch;
    kiln_sim_group_t **resident;
    size_t count, capacity;
    kiln_sim_group_t *spare; // a finished workgroup's storage
    uint64_t resident_limit;
    uint64_t ended, stalled; // launch->ended_waves when last looked at, instructions executed since it changed
    bool spins;              // in this round, all waves that could run only spun so far
    bool endless;            // one of them in an endless loop
    bool asks_program;       // one of them looks at memory that the program may change
    uint64_t asked;          // since when, in ms, and nothing else has happened; 0: not so
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

// The same where observers may have something there.
static void group_discard(kiln_sim_thread_t *thread, kiln_sim_group_t *group)
{
    if (group)
        kiln_sim_observe_group_free(thread, &group->base);
    group_free(group);
}

// Storage for a workgroup: `old`, where that is large enough, or new. Scratch starts as zeros in each launch.
static kiln_sim_group_t *group_new(const kiln_sim_launch_t *launch, kiln_sim_group_t *old)
{
    const size_t lds = (launch->lds_size + 127u) / 64 * 64;
    const uint64_t scratch = (uint64_t)launch->scratch_bytes * KILN_SIM_LANES * launch->wave_count;
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
    group->work = (kiln_sim_work_t){0};
    memset(group->base.lds, 0xc7, launch->lds_size); // undefined, but the same every time
    for (unsigned i = 0; i < launch->wave_count; i++) {
        kiln_sim_wave_t *wave = &group->waves[i];
        wave->index = i;
        wave->group = &group->base;
        wave->thread = s->thread;
        wave->scratch_size = launch->scratch_bytes;
        wave->scratch = wave->scratch_size ? group->scratch + (uint64_t)i * KILN_SIM_LANES * wave->scratch_size : NULL;
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

// Whether a failure elsewhere ends the workgroup. In a thorough launch those before the one that failed go on, so that findings
// do not depend on who was faster; except for one that takes for ever, perhaps waiting for what failed.
static bool is_over(const kiln_sim_launch_t *launch, const kiln_sim_group_t *group)
{
    if (!__atomic_load_n(&launch->failed, __ATOMIC_ACQUIRE))
        return false;
    return !launch->thorough || group->patience < -PATIENCE * 16 ||
           group->base.index >= __atomic_load_n(&launch->failed_group, __ATOMIC_RELAXED);
}

// A turn of a wave: until it stops or has executed so many instructions. False: the launch has failed.
static bool wave_turn(scheduler_t *s, kiln_sim_group_t *group, kiln_sim_wave_t *wave, uint64_t slice)
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
    if (s->spins) // it may have left the loop, and come back to it
        s->spins = spin && wave->stop == KILN_SIM_STOP_YIELD && kiln_sim_spin_find(&s->spinning, wave) &&
                   kiln_sim_spin_count(wave, &loop) - inside == wave->executed - before;
    s->endless = s->endless || (s->spins && loop.endless);
    if (s->spins && !loop.endless && !s->asks_program)
        s->asks_program = kiln_sim_spin_polls_shared(&loop, wave);
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

// So many waves wait at a barrier. They go on where that is all.
static void meet(scheduler_t *s, kiln_sim_group_t *group, unsigned waiting)
{
    if (group->running == 0 || waiting < group->running)
        return;
    kiln_sim_observe_barrier(group->waves, group->base.wave_count);
    release_barrier(group);
    s->spins = false;
}

// A turn of a workgroup: until it ends or every wave that can run has had its slice. False: the launch has failed.
static bool group_turn(scheduler_t *s, kiln_sim_group_t *group)
{
    uint64_t slice = s->count > 1 ? SLICE / 8 : SLICE;
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
            } else if (wave->stop == KILN_SIM_STOP_YIELD) { // one that waits for GWS is asked again in the next round
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
        if (yielded)
            group->patience -= slept == group->running ? 1 : 8;
        if (is_over(s->launch, group))
            return false;
    }
    return true;
}

// ---- the same in a launch with an order

static unsigned count_stopped(const kiln_sim_group_t *group, kiln_sim_stop_t stop)
{
    unsigned count = 0;
    for (unsigned i = 0; i < group->base.wave_count; i++)
        count += group->waves[i].stop == stop;
    return count;
}

// Waves for which GWS has been released go on.
static void let_go(scheduler_t *s, kiln_sim_group_t *group)
{
    s->spins = false;
    for (unsigned i = 0; i < group->base.wave_count; i++) {
        kiln_sim_wave_t *wave = &group->waves[i];
        if (wave->stop == KILN_SIM_STOP_GWS && kiln_sim_gws_ready(wave)) {
            wave->stop = KILN_SIM_STOP_YIELD;
            group->held--;
            s->launch->options->order->let_go(wave);
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

// A turn of a workgroup, instruction by instruction: for so many cycles, or until all its waves have ended or wait.
static bool ordered_turn(scheduler_t *s, kiln_sim_group_t *group)
{
    const kiln_sim_order_t *order = s->launch->options->order;
    const uint64_t begun = order->now(&group->base);
    const uint64_t cycles = s->stalled > QUIET && all_spin(s, group) ? SPIN_CYCLES : s->count > 1 ? CYCLES / 8 : CYCLES;
    group->blocked = false;
    while (group->running && order->now(&group->base) - begun < cycles) {
        if (group->held)
            let_go(s, group);
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
    group->patience -= group->running ? 8 : 0;
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
    if (group && s->count == s->capacity) {
        size_t capacity = s->capacity ? s->capacity * 2 : 8;
        kiln_sim_group_t **resident = realloc(s->resident, capacity * sizeof *resident);
        if (resident) {
            s->resident = resident;
            s->capacity = capacity;
        }
    }
    if (!group || s->count == s->capacity || !group_start(s, group, index)) {
        group_discard(s->thread, group);
        int expected = 0;
        if (__atomic_compare_exchange_n(&launch->failed, &expected, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            kiln_sim_fail(&launch->error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for the waves of a workgroup");
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

static bool more_may_come(const scheduler_t *s)
{
    return s->count < s->resident_limit && __atomic_load_n(&s->launch->next_group, __ATOMIC_RELAXED) < s->launch->todo;
}

// All waves of the thread wait, some for GWS: only other threads can release them.
static bool wait_for_others(scheduler_t *s, uint64_t changes)
{
    if (kiln_sim_gws_wait(s->launch, changes))
        return true;
    for (unsigned i = 0; i < s->resident[0]->base.wave_count; i++) {
        kiln_sim_wave_t *wave = &s->resident[0]->waves[i];
        if (wave->stop == KILN_SIM_STOP_GWS) {
            kiln_sim_wave_fault(wave, wave->gws_inst, -1,
                                "the wave waits for GWS resource %u, and no wave is left that would release it",
                                wave->gws_resource);
            break;
        }
    }
    return false;
}

// Whether waves that look at the program's memory have done so for less than some seconds: another of its threads may
// still change it. (The one that launched the kernel can't, it waits here.)
static bool program_may_answer(scheduler_t *s)
{
    struct timespec t;
    if (!s->spins || s->endless || !s->asks_program) {
        s->asked = 0;
        return false;
    }
    clock_gettime(CLOCK_MONOTONIC, &t);
    const uint64_t now = (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
    if (s->asked == 0)
        s->asked = now;
    return (now - s->asked) / 1000u < s->launch->options->patience;
}

static void tell_spin(const scheduler_t *s, kiln_sim_wave_t *wave)
{
    char what[200];
    snprintf(what, sizeof what,
             "the wave waits in a loop for the program to change memory, which has not changed it for %llu s; so does "
             "every other wave that can run",
             (unsigned long long)s->launch->options->patience);
    kiln_sim_wave_spins(
        wave, wave->resume,
        s->endless ? "endless loop: nothing that the wave's branches here depend on will ever change"
        : s->asks_program
            ? what
            : "deadlock: the wave waits in a loop for memory to change, and so does every other wave that "
              "can run");
}

// Whether the launch still gets on. Waves that spin or sleep until something happens stay below KILN_SIM_LIMIT for hours
// when there are thousands of them.
static bool gets_on(scheduler_t *s)
{
    uint64_t ended = __atomic_load_n(&s->launch->ended_waves, __ATOMIC_RELAXED);
    if (ended != s->ended) {
        s->ended = ended;
        s->stalled = 0;
    }
    // Never before a few waves could meet their own limit, nor before thousands that run in step have done honest work.
    const kiln_sim_options_t *options = s->launch->options;
    const bool all = s->spins && !more_may_come(s) && !program_may_answer(s);
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
                continue; // another one is to blame
            kiln_sim_observe_limit(s->resident[g]->waves, s->resident[g]->base.wave_count, wave);
            if (deadlock)
                tell_spin(s, wave);
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
        s.endless = s.asks_program = false;
        for (size_t i = 0; good && i < s.count;) {
            good = launch->options->order ? ordered_turn(&s, s.resident[i]) : group_turn(&s, s.resident[i]);
            kiln_sim_work_take(thread, &s.resident[i]->work);
            if (good && s.resident[i]->running == 0) {
                kiln_sim_work_raise(&thread->slowest, &s.resident[i]->work);
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
        if (good && s.count && blocked && !finished && !more_may_come(&s))
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
