// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KILN_SIM_ORDER=time (timing/order.h): the observer that maintains a compute unit for each
// workgroup, and the order, which is that of the compute unit.
#include "timing/order.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/gfx942.h"
#include "run/launch.h"
#include "timing/record.h"
#include "timing/unit.h"

enum {
    L2_BYTES = KILN_GFX942_L2_BYTES / 32, // share of one of the 38 compute units, as a power of two
    CACHE_BYTES = 100 << 10               // of all caches' tags
};

// A host thread's operations of the clock, each made when a wave first reaches its instruction.
typedef struct ops {
    kiln_timing_op_t *all; // by index of instruction; size 0: not made yet
    size_t count, capacity;
} ops_t;

// A workgroup's state. The stream of a wave holds its next instruction and, while that is issued,
// also the one after it.
typedef struct turns {
    kiln_timing_unit_t unit;
    kiln_timing_slot_t slot;
    kiln_timing_group_t group;
    kiln_timing_stream_t streams[KILN_TIMING_GROUP_WAVES];
    kiln_sim_wave_t *waves;
} turns_t;

static turns_t *turns_of(const kiln_sim_workgroup_t *group)
{
    return group->observed[KILN_SIM_PLACE_ORDER];
}

// ---- instructions

static bool thread_begin(void *user, kiln_sim_thread_t *thread, void **state)
{
    (void)user;
    (void)thread;
    *state = calloc(1, sizeof(ops_t));
    return *state != NULL;
}

static void thread_end(void *user, kiln_sim_thread_t *thread, void *state)
{
    (void)user;
    (void)thread;
    ops_t *ops = state;
    if (ops)
        free(ops->all);
    free(ops);
}

// Makes the operation of the instruction that a wave reaches. The program may have grown, after a
// computed jump. False if memory is exhausted.
static bool make_op(turns_t *turns, kiln_sim_thread_t *thread, const kiln_sim_inst_t *inst)
{
    ops_t *ops = thread->observed[KILN_SIM_PLACE_ORDER];
    if (inst->index >= ops->count) {
        const size_t count = kiln_sim_program_count(thread->launch->program);
        if (!KILN_ARRAY_RESERVE(&ops->all, &ops->capacity, count))
            return false;
        memset(ops->all + ops->count, 0, (count - ops->count) * sizeof *ops->all);
        ops->count = count;
    }
    if (ops->all[inst->index].size == 0)
        kiln_timing_op_make(&ops->all[inst->index], inst);
    turns->unit.ops = ops->all;
    return true;
}

// Updates the pointer: another workgroup of the thread may have reallocated the operations.
static void refresh_ops(turns_t *turns)
{
    const ops_t *ops = turns->waves->thread->observed[KILN_SIM_PLACE_ORDER];
    turns->unit.ops = ops->all;
}

// ---- workgroups

static kiln_timing_place_t find(const kiln_timing_map_t *map, uint64_t line)
{
    (void)map;
    (void)line;
    return (kiln_timing_place_t){.in_mall = true, .sharers = 1};
}

static const kiln_timing_map_t map = {find};

// Earlier workgroups have left the code in the instruction cache.
static void warm_code(kiln_timing_unit_t *unit, const kiln_sim_program_t *program)
{
    for (size_t i = 0; i < kiln_sim_program_count(program); i++) {
        const kiln_sim_inst_t *inst = kiln_sim_program_inst(program, i);
        kiln_timing_scalar_warm(&unit->scalar, unit->image + inst->address);
        kiln_timing_scalar_warm(&unit->scalar, unit->image + inst->address + inst->size - 1);
    }
}

static bool start(turns_t *turns, const kiln_sim_launch_t *launch, kiln_sim_workgroup_t *group,
                  kiln_sim_wave_t *waves)
{
    const kiln_sim_product_t *product = launch->options->product;
    const double mhz =
        launch->options->clock_mhz ? (double)launch->options->clock_mhz : product->clock_mhz;
    const double gb_s = kiln_sim_product_memory_gb_s(product);
    kiln_timing_unit_close(&turns->unit);
    turns->unit = (kiln_timing_unit_t){.image = launch->image - launch->memory->arena, .map = &map};
    if (!kiln_timing_unit_open(&turns->unit, L2_BYTES, mhz * 1e-3, gb_s, (unsigned)product->xcds))
        return false;
    warm_code(&turns->unit, launch->program);
    for (unsigned w = 0; w < group->wave_count; w++) {
        kiln_timing_stream_t *stream = &turns->streams[w];
        stream->step_count = 0;
        if (!make_op(turns, waves[w].thread, waves[w].resume) ||
            !kiln_timing_stream_step(stream, waves[w].resume->index))
            return false;
    }
    turns->waves = waves;
    turns->group = (kiln_timing_group_t){
        .id = group->index, .wave_count = group->wave_count, .waves = turns->streams};
    turns->slot.group = &turns->group; // kiln_timing_unit_start begins its waves
    kiln_timing_unit_start(&turns->unit, &turns->slot, 0);
    return true;
}

static kiln_sim_interest_t group_begin(void *user, kiln_sim_workgroup_t *group,
                                       kiln_sim_wave_t *waves, void **state)
{
    (void)user;
    if (!*state)
        *state = calloc(1, sizeof(turns_t));
    return *state && start(*state, waves->thread->launch, group, waves) ? KILN_SIM_WATCHES
                                                                        : KILN_SIM_FAILS;
}

static void group_free(void *user, kiln_sim_workgroup_t *group, void *state)
{
    (void)user;
    (void)group;
    turns_t *turns = state;
    if (!turns)
        return;
    kiln_timing_unit_close(&turns->unit);
    for (unsigned w = 0; w < KILN_TIMING_GROUP_WAVES; w++)
        kiln_timing_stream_free(&turns->streams[w]);
    free(turns);
}

// ---- executing an instruction

static kiln_timing_stream_t *stream_of(const kiln_sim_wave_t *wave)
{
    return &turns_of(wave->group)->streams[wave->index];
}

static void fail(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    kiln_sim_wave_fault(wave, inst, -1, "out of host memory");
}

static void instruction(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const kiln_sim_inst_t *as_run)
{
    (void)user;
    (void)as_run;
    kiln_timing_stream_t *stream = stream_of(wave);
    kiln_timing_stream_forget(stream);
    if (!kiln_timing_record_begin(stream, inst))
        fail(wave, inst);
}

static void access(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                   const kiln_sim_accesses_t *a)
{
    (void)user;
    kiln_timing_stream_t *stream = stream_of(wave);
    if (stream->access_count && !kiln_timing_record_reach(stream, wave, a))
        fail(wave, inst);
}

const kiln_sim_observer_t kiln_timing_order_observer = {.thread_begin = thread_begin,
                                                        .thread_end = thread_end,
                                                        .group_begin = group_begin,
                                                        .group_free = group_free,
                                                        .instruction = instruction,
                                                        .access = access};

// ---- the order

static kiln_sim_wave_t *next(kiln_sim_workgroup_t *group)
{
    turns_t *turns = turns_of(group);
    refresh_ops(turns);
    const kiln_timing_wave_t *wave = kiln_timing_unit_next(&turns->unit);
    return wave ? &turns->waves[wave->number] : NULL;
}

static void executed(kiln_sim_wave_t *wave)
{
    turns_t *turns = turns_of(wave->group);
    kiln_timing_stream_t *stream = &turns->streams[wave->index];
    kiln_timing_wave_t *timed = &turns->slot.waves[wave->index];
    stream->steps[0] = stream->steps[timed->step];
    stream->step_count = 1;
    timed->step = timed->access = 0;
    if (wave->resume && (!make_op(turns, wave->thread, wave->resume) ||
                         !kiln_timing_stream_step(stream, wave->resume->index))) {
        fail(wave, wave->resume);
        return;
    }
    kiln_timing_unit_issue(&turns->unit, timed);
    if (wave->stop == KILN_SIM_STOP_GWS)
        kiln_timing_unit_hold(&turns->unit, timed);
}

static void release(kiln_sim_wave_t *wave)
{
    turns_t *turns = turns_of(wave->group);
    refresh_ops(turns);
    kiln_timing_unit_release(&turns->unit, &turns->slot.waves[wave->index]);
}

static uint64_t now(const kiln_sim_workgroup_t *group)
{
    return turns_of(group)->unit.now;
}

const kiln_sim_order_t kiln_timing_order = {.group_bytes = sizeof(turns_t) + CACHE_BYTES,
                                            .next = next,
                                            .executed = executed,
                                            .release = release,
                                            .now = now};
