// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes events on to observers (run/observe.h).
//
// A workgroup has two sets of observers: all observers of the launch are notified of its start and
// end, the other events go to those that watch it.
#include "run/observe.h"

#include <stdlib.h>

#include "memory/ignore_races.h"
#include "run/launch.h"

#define FOR_PLACES(place, set)                                                                     \
    for (unsigned left_ = (set), place = 0; left_ && (place = (unsigned)__builtin_ctz(left_), 1);  \
         left_ &= left_ - 1)

static const kiln_sim_observer_slot_t *slot_of(const kiln_sim_launch_t *launch, unsigned place)
{
    return &launch->slots[place];
}

void kiln_sim_machine_observe(kiln_sim_machine_t *machine, unsigned place,
                              const kiln_sim_observer_t *table, void *user)
{
    pthread_mutex_lock(&machine->lock);
    machine->setup.observers[place] = (kiln_sim_observer_slot_t){table, user};
    pthread_mutex_unlock(&machine->lock);
}

// ---- launches and threads

bool kiln_sim_observe_launch_begin(kiln_sim_launch_t *launch)
{
    for (unsigned place = 0; place < KILN_SIM_PLACES; place++) {
        const kiln_sim_observer_slot_t *slot = slot_of(launch, place);
        if (!slot->table)
            continue;
        launch->observers |= 1u << place;
        launch->access_observers |= slot->table->access ? 1u << place : 0;
        launch->executed_observers |= slot->table->executed ? 1u << place : 0;
        launch->thorough = launch->thorough || slot->table->thorough;
        if (slot->table->launch_begin &&
            !slot->table->launch_begin(slot->user, launch, &launch->observed[place]))
            return false;
    }
    return true;
}

void kiln_sim_observe_launch_end(kiln_sim_launch_t *launch)
{
    FOR_PLACES(place, launch->observers)
    {
        const kiln_sim_observer_slot_t *slot = slot_of(launch, place);
        if (slot->table->launch_end)
            slot->table->launch_end(slot->user, launch, launch->observed[place]);
    }
    launch->observers = 0;
}

bool kiln_sim_observe_thread_begin(kiln_sim_thread_t *thread)
{
    kiln_sim_launch_t *launch = thread->launch;
    if (launch->access_observers && !thread->watch_storage) {
        thread->watch_storage = aligned_alloc(64, (sizeof *thread->watch_storage + 63) / 64 * 64);
        if (!thread->watch_storage)
            return false;
    }
    FOR_PLACES(place, launch->observers)
    {
        const kiln_sim_observer_slot_t *slot = slot_of(launch, place);
        thread->observed[place] = NULL;
        if (slot->table->thread_begin &&
            !slot->table->thread_begin(slot->user, thread, &thread->observed[place]))
            return false;
    }
    return true;
}

void kiln_sim_observe_thread_end(kiln_sim_thread_t *thread)
{
    FOR_PLACES(place, thread->launch->observers)
    {
        const kiln_sim_observer_slot_t *slot = slot_of(thread->launch, place);
        if (slot->table->thread_end)
            slot->table->thread_end(slot->user, thread, thread->observed[place]);
        thread->observed[place] = NULL;
    }
}

// ---- workgroups

bool kiln_sim_observe_group_begin(kiln_sim_thread_t *thread, kiln_sim_workgroup_t *group,
                                  kiln_sim_wave_t *waves)
{
    group->watchers = 0;
    group->lean = false;
    FOR_PLACES(place, thread->launch->observers)
    {
        const kiln_sim_observer_slot_t *slot = slot_of(thread->launch, place);
        kiln_sim_interest_t interest = KILN_SIM_WATCHES;
        if (slot->table->group_begin)
            interest = slot->table->group_begin(slot->user, group, waves, &group->observed[place]);
        if (interest == KILN_SIM_FAILS)
            return false;
        group->watchers |= interest == KILN_SIM_WATCHES ? 1u << place : 0;
    }
    return true;
}

void kiln_sim_observe_group_end(kiln_sim_thread_t *thread, kiln_sim_workgroup_t *group)
{
    FOR_PLACES(place, thread->launch->observers)
    {
        const kiln_sim_observer_slot_t *slot = slot_of(thread->launch, place);
        if (slot->table->group_end)
            slot->table->group_end(slot->user, group, group->observed[place]);
    }
}

void kiln_sim_observe_group_free(kiln_sim_thread_t *thread, kiln_sim_workgroup_t *group)
{
    FOR_PLACES(place, thread->launch->observers)
    {
        const kiln_sim_observer_slot_t *slot = slot_of(thread->launch, place);
        if (slot->table->group_free)
            slot->table->group_free(slot->user, group, group->observed[place]);
        group->observed[place] = NULL;
    }
}

// ---- waves

#define NOTIFY(wave_, callback, ...)                                                               \
    FOR_PLACES(place, (wave_)->group->watchers)                                                    \
    {                                                                                              \
        const kiln_sim_observer_slot_t *slot = slot_of((wave_)->thread->launch, place);            \
        if (slot->table->callback)                                                                 \
            slot->table->callback(slot->user, __VA_ARGS__);                                        \
    }

void kiln_sim_observe_instruction(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                  const kiln_sim_inst_t *as_run)
{
    NOTIFY(wave, instruction, wave, inst, as_run)
}

// In reverse order, so that no other observer runs within an observer's time measurement.
void kiln_sim_observe_executed(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                               const kiln_sim_inst_t *as_run)
{
    for (unsigned left = wave->group->watchers & wave->thread->launch->executed_observers; left;) {
        const unsigned place = 31u - (unsigned)__builtin_clz(left);
        const kiln_sim_observer_slot_t *slot = slot_of(wave->thread->launch, place);
        left &= ~(1u << place);
        slot->table->executed(slot->user, wave, inst, as_run);
    }
}

void kiln_sim_observe_barrier(kiln_sim_wave_t *waves, unsigned count)
{
    NOTIFY(waves, barrier, waves, count)
}

void kiln_sim_observe_limit(kiln_sim_wave_t *waves, unsigned count, kiln_sim_wave_t *busy)
{
    NOTIFY(busy, limit, waves, count, busy)
}

void kiln_sim_observe_fault(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane,
                            const char *what)
{
    NOTIFY(wave, fault, wave, inst, lane, what)
}

// ---- accesses

static void empty(kiln_sim_accesses_t *a)
{
    a->lds_parts = a->lds_bytes = a->lds_kind = a->bytes = a->kind = 0;
    a->is_buffer = false;
    a->lds_lanes[0] = a->lds_lanes[1] = a->lds_outside[0] = a->lds_outside[1] = 0;
    a->lanes = a->partial = a->cut = a->misaligned = a->torn = a->base = a->end = a->scratch_lanes =
        0;
    a->format = NULL;
    a->scalar_dwords = 0;
}

void kiln_sim_watch_begin(kiln_sim_wave_t *wave)
{
    kiln_sim_thread_t *thread = wave->thread;
    thread->watch =
        wave->group->watchers & thread->launch->access_observers ? thread->watch_storage : NULL;
    if (thread->watch) {
        thread->watch->counted = thread->dynamic;
        thread->watch->patterns = thread->pattern.number;
        empty(&thread->watch->accesses);
    }
}

void kiln_sim_watch_notify(kiln_sim_wave_t *wave)
{
    struct kiln_sim_watch *watch = wave->thread->watch;
    kiln_sim_accesses_t *a = &watch->accesses;
    const kiln_sim_dynamic_counts_t *now = &wave->thread->dynamic;
    a->lines64 = (uint32_t)(now->lines64 - watch->counted.lines64);
    a->lookups = (uint32_t)(now->lookups - watch->counted.lookups);
    a->least_lookups = (uint32_t)(now->least_lookups - watch->counted.least_lookups);
    a->lines128 = (uint32_t)(now->lines128 - watch->counted.lines128);
    a->lds_cycles = (uint32_t)(now->lds_cycles - watch->counted.lds_cycles);
    const kiln_sim_pattern_t *pattern = &wave->thread->pattern;
    a->pattern = pattern->number - watch->patterns == 1 ? pattern : NULL;
    watch->patterns = pattern->number;
    watch->counted = *now;
    kiln_sim_ignore_races_end(); // a handler calls this function
    NOTIFY(wave, access, wave, watch->inst, a)
    kiln_sim_ignore_races_begin();
    empty(a);
}

void kiln_sim_watch_lds_lanes(kiln_sim_wave_t *wave, unsigned part, kiln_sim_access_t kind,
                              unsigned bytes, uint64_t lanes, uint64_t inside)
{
    kiln_sim_accesses_t *a = &wave->thread->watch->accesses;
    a->lds_parts = (uint8_t)(part + 1);
    a->lds_kind = (uint8_t)kind;
    a->lds_bytes = (uint8_t)bytes;
    a->lds_lanes[part] = lanes & inside;
    a->lds_outside[part] = lanes & ~inside;
}

void kiln_sim_watch_lds(kiln_sim_wave_t *wave, unsigned part, kiln_sim_access_t kind,
                        unsigned bytes, const uint32_t address[KILN_GFX942_LANES], uint32_t offset,
                        uint64_t lanes, uint64_t inside)
{
    kiln_sim_accesses_t *a = &wave->thread->watch->accesses;
    kiln_sim_watch_lds_lanes(wave, part, kind, bytes, lanes, inside);
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
        a->lds_at[part][lane] = address[lane] + offset;
}

void kiln_sim_watch_lds_lane(kiln_sim_wave_t *wave, kiln_sim_access_t kind, unsigned bytes,
                             unsigned lane, uint32_t offset)
{
    kiln_sim_accesses_t *a = &wave->thread->watch->accesses;
    a->lds_parts = 1;
    a->lds_kind = (uint8_t)kind;
    a->lds_bytes = (uint8_t)bytes;
    a->lds_lanes[0] |= 1ull << lane;
    a->lds_at[0][lane] = offset;
}

void kiln_sim_watch_lds_row(kiln_sim_wave_t *wave, uint64_t first, uint64_t lanes)
{
    enum { BYTES = 4 };
    kiln_sim_accesses_t *a = &wave->thread->watch->accesses;
    a->lds_parts = 1;
    a->lds_kind = KILN_SIM_STORE;
    a->lds_bytes = BYTES;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        const uint64_t at = first + lane * BYTES, bit = (lanes >> lane & 1) << lane;
        a->lds_at[0][lane] = (uint32_t)at;
        if (at <= wave->group->lds_size && wave->group->lds_size - at >= BYTES)
            a->lds_lanes[0] |= bit;
        else
            a->lds_outside[0] |= bit;
    }
}

static kiln_sim_accesses_t *begin_device(kiln_sim_wave_t *wave, kiln_sim_access_t kind,
                                         unsigned bytes)
{
    kiln_sim_accesses_t *a = &wave->thread->watch->accesses;
    a->bytes = (uint8_t)bytes;
    a->kind = (uint8_t)kind;
    return a;
}

void kiln_sim_watch_span(kiln_sim_wave_t *wave, kiln_sim_access_t kind, unsigned bytes,
                         uint64_t base, const uint32_t offset[KILN_GFX942_LANES], uint64_t lanes)
{
    kiln_sim_accesses_t *a = begin_device(wave, kind, bytes);
    a->lanes = lanes;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
        a->at[lane] = base + offset[lane];
}

void kiln_sim_watch_lanes(kiln_sim_wave_t *wave, kiln_sim_access_t kind, unsigned bytes,
                          const uint64_t at[KILN_GFX942_LANES], uint64_t lanes)
{
    kiln_sim_accesses_t *a = begin_device(wave, kind, bytes);
    a->lanes = lanes;
    memcpy(a->at, at, sizeof a->at);
}

void kiln_sim_watch_scratch(kiln_sim_wave_t *wave, kiln_sim_access_t kind, unsigned bytes,
                            unsigned lane, uint32_t offset)
{
    kiln_sim_accesses_t *a = begin_device(wave, kind, bytes);
    a->scratch_lanes |= 1ull << lane;
    a->scratch_at[lane] = offset;
}

void kiln_sim_watch_scalar(kiln_sim_wave_t *wave, kiln_sim_access_t kind, uint64_t at,
                           unsigned dwords)
{
    kiln_sim_accesses_t *a = &wave->thread->watch->accesses;
    a->kind = (uint8_t)kind;
    a->scalar_at = at;
    a->scalar_dwords = dwords;
}
