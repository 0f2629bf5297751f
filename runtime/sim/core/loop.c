// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run loop of one wave: executes instructions until the wave ends, waits, or has used its time slice.
//
// There are three loops: the plain one, which does nothing but count and call handlers; one for the rare modes that change what
// an instruction means; and one that tells observers (core/observe.h) of each instruction. A wave changes loops when its MODE
// does.
//
// What a reader gets wrong: wave->next is what handlers change; inst->next is only the default.
#include "core/guest.h"
#include "core/launch.h"
#include "core/observe.h"
#include "core/slice.h"

static bool is_vector(const kiln_sim_inst_t *inst)
{
    return inst->format >= KILN_SIM_VOP1;
}

static void shift_register(kiln_sim_operand_t *op, unsigned index)
{
    unsigned bank = op->reg & KILN_SIM_ACC_ROW, number = (op->reg & 255u) + index;
    if (op->kind == KILN_SIM_OP_VGPR)
        op->reg = (uint16_t)(bank + (number + op->dwords <= 256 ? number : 0)); // out of range is v0
}

// MODE.VSKIP and MODE.GPR_IDX_EN are rare; only waves that use them, or are watched, come here.
const kiln_sim_inst_t *kiln_sim_wave_resolve(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                             kiln_sim_inst_t *storage)
{
    if (wave->mode & KILN_SIM_MODE_VSKIP && is_vector(inst))
        return NULL;
    bool arithmetic = inst->format >= KILN_SIM_VOP1 && inst->format <= KILN_SIM_VOP3P;
    if (!(wave->mode & KILN_SIM_MODE_GPR_IDX_EN) || !arithmetic)
        return inst;
    *storage = *inst;
    unsigned index = wave->m0 & 255, which = wave->m0 >> 12 & 15;
    for (unsigned i = 0; i < 3; i++) {
        bool is_dst = i == 2 && (inst->row->flags & KILN_SIM_ROW_READS_DST);
        if (which >> (is_dst ? 3 : i) & 1)
            shift_register(&storage->src[i], index);
    }
    if (which & 8)
        shift_register(&storage->dst, index);
    return storage;
}

static void run(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    kiln_sim_guest_begin();
    inst->run(wave, inst);
    kiln_sim_guest_end();
}

static void run_special(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    kiln_sim_inst_t storage;
    const kiln_sim_inst_t *resolved = kiln_sim_wave_resolve(wave, inst, &storage);
    if (resolved)
        run(wave, resolved);
}

// As much of it as the launch wants.
static void run_sliced(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const kiln_sim_inst_t *resolved)
{
    const kiln_sim_slice_t *slice = wave->thread->launch->slice;
    const uint8_t action = slice && inst->index < slice->count ? slice->actions[inst->index] : KILN_SIM_SLICE_RUNS;
    if (!resolved || action == KILN_SIM_SLICE_SKIPS)
        return;
    if (wave->thread->watch)
        wave->thread->watch->moves_nothing = action == KILN_SIM_SLICE_MOVES_NOTHING;
    run(wave, resolved);
}

static void run_watched(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    kiln_sim_inst_t storage;
    const kiln_sim_inst_t *resolved = kiln_sim_wave_resolve(wave, inst, &storage);
    if (wave->thread->watch)
        wave->thread->watch->inst = inst;
    kiln_sim_observe_instruction(wave, inst, resolved);
    if (wave->stop == KILN_SIM_STOP_FAULT)
        return;
    run_sliced(wave, inst, resolved);
    kiln_sim_observe_executed(wave, inst, resolved);
}

// Of a workgroup of which only accesses to device memory are wanted.
static void run_lean(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    if (inst->row->class_ >= KILN_SIM_CLASS_VMEM_LOAD) {
        run_watched(wave, inst);
        return;
    }
    wave->thread->watch->inst = inst; // scalar memory, and LDS where it is needed, tell all the same
    run_sliced(wave, inst, inst);
}

// ---- the loops: each gives the instruction to go on with, or NULL, and the last one it executed

typedef struct loop {
    const kiln_sim_inst_t *next, *last;
} loop_t;

#define LOOP(...)                                                                                                      \
    kiln_sim_thread_t *const thread = wave->thread;                                                                    \
    const kiln_sim_inst_t *inst = first, *last = first;                                                                \
    while (inst && wave->executed < wave->slice_end) {                                                                 \
        last = inst;                                                                                                   \
        wave->next = inst->next;                                                                                       \
        thread->counts[inst->index]++;                                                                                 \
        wave->executed++;                                                                                              \
        __VA_ARGS__;                                                                                                   \
        inst = wave->next;                                                                                             \
    }                                                                                                                  \
    return (loop_t)                                                                                                    \
    {                                                                                                                  \
        inst, last                                                                                                     \
    }

static loop_t loop_plain(kiln_sim_wave_t *wave, const kiln_sim_inst_t *first)
{
    LOOP(run(wave, inst));
}

static loop_t loop_special(kiln_sim_wave_t *wave, const kiln_sim_inst_t *first)
{
    LOOP(run_special(wave, inst));
}

static loop_t loop_watched(kiln_sim_wave_t *wave, const kiln_sim_inst_t *first)
{
    LOOP(run_watched(wave, inst));
}

// Past what the slice skips. Code that was decoded later, because a place in it was computed, is none of it.
static const kiln_sim_inst_t *skip(const kiln_sim_slice_t *slice, const kiln_sim_inst_t *inst)
{
    return inst && inst->index < slice->count ? slice->lean[inst->index] : inst;
}

static loop_t loop_lean(kiln_sim_wave_t *wave, const kiln_sim_inst_t *first)
{
    const kiln_sim_slice_t *slice = wave->thread->launch->slice;
    first = skip(slice, first);
    LOOP(run_lean(wave, inst); wave->next = skip(slice, wave->next));
}

void kiln_sim_wave_run(kiln_sim_wave_t *wave)
{
    kiln_sim_thread_t *thread = wave->thread;
    kiln_sim_watch_begin(wave);
    loop_t at = {wave->resume, wave->resume};
    for (bool again = true; again;) {
        thread->special_modes = wave->mode & (KILN_SIM_MODE_GPR_IDX_EN | KILN_SIM_MODE_VSKIP);
        wave->stop = KILN_SIM_STOP_NONE;
        wave->resume = NULL;
        if (wave->group->lean && !thread->special_modes)
            at = loop_lean(wave, at.next);
        else if (wave->group->watchers)
            at = loop_watched(wave, at.next);
        else if (thread->special_modes)
            at = loop_special(wave, at.next);
        else
            at = loop_plain(wave, at.next);
        again = !at.next && wave->stop == KILN_SIM_STOP_NONE && wave->resume; // only the loop has to change
        if (again)
            at.next = wave->resume;
    }

    if (at.next)
        kiln_sim_wave_stop(wave, KILN_SIM_STOP_YIELD, at.next);
    else if (wave->stop == KILN_SIM_STOP_NONE)
        kiln_sim_wave_fault(wave, at.last, -1, "execution runs past the end of the code");
    bool goes_on =
        wave->stop == KILN_SIM_STOP_YIELD || wave->stop == KILN_SIM_STOP_BARRIER || wave->stop == KILN_SIM_STOP_GWS;
    if (goes_on && !wave->resume)
        kiln_sim_wave_fault(wave, at.last, -1, "execution runs past the end of the code");
}
