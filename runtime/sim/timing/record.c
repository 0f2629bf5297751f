// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the streams of the planned workgroups. Each group's streams are written by only one
// thread, so threads do not synchronize, and the recording does not depend on the number of
// threads.
#include "timing/record.h"

#include "run/launch.h"
#include "timing/op.h"
#include "timing/predict.h"

static void fail(kiln_timing_clock_t *clock)
{
    __atomic_store_n(&clock->out_of_memory, true, __ATOMIC_RELAXED);
}

static bool launch_begin(void *user, const kiln_sim_launch_t *launch, void **state)
{
    (void)state;
    return kiln_timing_clock_begin(user, launch);
}

static void launch_end(void *user, const kiln_sim_launch_t *launch, void *state)
{
    (void)state;
    kiln_timing_clock_end(user, launch);
}

static kiln_sim_interest_t group_begin(void *user, kiln_sim_workgroup_t *group,
                                       kiln_sim_wave_t *waves, void **state)
{
    kiln_timing_clock_t *clock = user;
    kiln_timing_group_t *recorded = kiln_timing_plan_find(&clock->plan, group->index);
    group->lean = recorded && !recorded->needs_steps && waves->thread->launch->slice;
    *state = recorded;
    return *state ? KILN_SIM_WATCHES : KILN_SIM_SKIPS;
}

static void group_end(void *user, kiln_sim_workgroup_t *group, void *state)
{
    (void)user;
    (void)group;
    kiln_timing_group_t *recorded = state;
    if (recorded)
        recorded->recorded = true;
}

static kiln_timing_group_t *group_of(const kiln_sim_wave_t *wave)
{
    return wave->group->observed[KILN_SIM_PLACE_CLOCK];
}

// ---- accesses

static bool is_vector_memory(const kiln_sim_inst_t *inst)
{
    return inst->row->class_ >= KILN_SIM_CLASS_VMEM_LOAD;
}

static bool is_local(const kiln_sim_inst_t *inst)
{
    return inst->row->class_ == KILN_SIM_CLASS_SMEM || inst->row->class_ == KILN_SIM_CLASS_LDS;
}

bool kiln_timing_record_begin(kiln_timing_stream_t *stream, const kiln_sim_inst_t *inst)
{
    const bool local = is_local(inst);
    if (!local && !is_vector_memory(inst))
        return true;
    kiln_timing_access_t *access = kiln_timing_stream_access(stream);
    if (!access)
        return false;
    access->local = local;
    stream->memory_count += !local;
    access->scalar = inst->row->class_ == KILN_SIM_CLASS_SMEM;
    access->writes = inst->row->class_ == KILN_SIM_CLASS_VMEM_STORE;
    access->atomic = inst->row->class_ == KILN_SIM_CLASS_VMEM_ATOMIC;
    access->bypasses = (inst->cache & (KILN_SIM_CACHE_SC1 | KILN_SIM_CACHE_NT)) != 0;
    return true;
}

// Adds the lines of 128 bytes that contain [at, at + bytes).
static bool add_lines(kiln_timing_stream_t *stream, kiln_timing_access_t *access, uint64_t at,
                      unsigned bytes)
{
    bool good = true;
    for (uint64_t line = at >> 7; good && bytes && line <= (at + bytes - 1) >> 7; line++)
        good = kiln_timing_stream_add(stream, access, line);
    return good;
}

static unsigned count(uint64_t lanes)
{
    return (unsigned)__builtin_popcountll(lanes);
}

static bool ascends(const uint64_t at[KILN_GFX942_LANES], uint64_t lanes, unsigned bytes)
{
    uint64_t end = 0;
    for (; lanes; lanes &= lanes - 1) {
        const uint64_t begin = at[__builtin_ctzll(lanes)];
        if (begin < end)
            return false;
        end = begin + bytes;
    }
    return true;
}

bool kiln_timing_record_reach(kiln_timing_stream_t *stream, const kiln_sim_wave_t *wave,
                              const kiln_sim_accesses_t *a)
{
    kiln_timing_access_t *to = &stream->accesses[stream->access_count - 1];
    const uint64_t arena = wave->thread->launch->memory->arena;
    bool good = true;
    if (a->scalar_dwords) {
        good = add_lines(stream, to, (a->scalar_at & ~3ull) - arena, 4u * a->scalar_dwords);
        to->bytes = (uint16_t)a->scalar_dwords;
    }
    const uint64_t lanes = a->lanes | a->partial;
    if (good && a->bytes && lanes && a->pattern && a->pattern->lanes == lanes)
        good =
            kiln_timing_stream_pattern(stream, to, a->pattern->key, a->at, arena, lanes, a->bytes);
    else if (good && a->bytes)
        good = kiln_timing_stream_lanes(stream, to, a->at, arena, lanes, a->bytes);
    to->ascends = to->atomic && lanes && ascends(a->at, lanes, a->bytes);
    unsigned bytes = a->bytes * count(lanes);
    // Scratch memory is interleaved: the same dword of all lanes of a wave is contiguous. A
    // workgroup reuses the scratch of the workgroup whose place it took.
    if (good && a->scratch_lanes) {
        const unsigned lane = (unsigned)__builtin_ctzll(a->scratch_lanes);
        const kiln_sim_launch_t *launch = wave->thread->launch;
        const uint64_t places =
            (uint64_t)launch->options->product->compute_units *
            kiln_sim_groups_per_cu(launch->kernel, launch->wave_count, launch->lds_size);
        const uint64_t place = wave->group->index % places;
        const uint64_t own =
            KILN_TIMING_SCRATCH +
            (place * launch->wave_count + wave->index) * wave->scratch_size * KILN_GFX942_LANES +
            (uint64_t)a->scratch_at[lane] * KILN_GFX942_LANES;
        good = add_lines(stream, to, own & ~127ull, a->bytes * KILN_GFX942_LANES);
        bytes += a->bytes * count(a->scratch_lanes);
    }
    to->bytes = (uint16_t)(to->bytes + (bytes + 3) / 4);
    to->lane_bytes = a->bytes;
    to->halves = (uint16_t)(to->halves + (a->scratch_lanes ? bytes / 64 : a->lines64));
    to->lookups = (uint16_t)(to->lookups + (a->scratch_lanes ? bytes / 64 : a->lookups));
    to->least_lookups =
        (uint16_t)(to->least_lookups + (a->scratch_lanes ? bytes / 64 : a->least_lookups));
    to->lds_cycles = (uint16_t)(to->lds_cycles + a->lds_cycles);
    if (a->lds_parts)
        to->bytes =
            (uint16_t)(to->bytes +
                       (a->lds_bytes * (count(a->lds_lanes[0]) + count(a->lds_lanes[1])) + 3) / 4);
    return good;
}

// ---- the observer

// For workgroups whose instructions are not needed, only vector accesses to device memory are
// recorded.
static bool is_wanted(const kiln_timing_group_t *group, const kiln_sim_inst_t *inst)
{
    return is_vector_memory(inst) || (is_local(inst) && group->needs_steps);
}

static void instruction(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const kiln_sim_inst_t *as_run)
{
    (void)as_run;
    const kiln_timing_group_t *group = group_of(wave);
    kiln_timing_stream_t *stream = &group->waves[wave->index];
    if ((group->needs_steps && !kiln_timing_stream_step(stream, inst->index)) ||
        (is_wanted(group, inst) && !kiln_timing_record_begin(stream, inst)))
        fail(user);
}

static void access(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                   const kiln_sim_accesses_t *a)
{
    const kiln_timing_group_t *group = group_of(wave);
    if (is_wanted(group, inst) && !kiln_timing_record_reach(&group->waves[wave->index], wave, a))
        fail(user);
}

const kiln_sim_observer_t kiln_timing_record_observer = {.launch_begin = launch_begin,
                                                         .launch_end = launch_end,
                                                         .group_begin = group_begin,
                                                         .group_end = group_end,
                                                         .instruction = instruction,
                                                         .access = access};
