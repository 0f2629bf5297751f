// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run loops of a wave, which execute instructions until the wave ends, waits, or has used its
// time slice.
//
// There is a plain loop, which only counts and calls handlers; one for the rare modes that change
// the meaning of an instruction; one that reports each instruction to observers (run/observe.h);
// and a lean one for launches that only need accesses to device memory (decode/slice.h). A wave
// changes loops when its MODE does.
//
// Handlers change wave->next; inst->next is only the default.
#include "decode/slice.h"
#include "memory/ignore_races.h"
#include "run/launch.h"
#include "run/observe.h"

static bool is_vector(const kiln_sim_inst_t *inst)
{
    return inst->format >= KILN_SIM_VOP1;
}

static void shift_register(kiln_sim_operand_t *op, unsigned index)
{
    unsigned bank = op->reg & KILN_SIM_ACC_ROW, number = (op->reg & 255u) + index;
    if (op->kind == KILN_SIM_OP_VGPR)
        op->reg =
            (uint16_t)(bank + (number + op->dwords <= 256 ? number : 0)); // out of range is v0
}

// MODE.VSKIP and MODE.GPR_IDX_EN are rare; this is called only for waves that use them or are
// watched.
const kiln_sim_inst_t *kiln_sim_wave_resolve(const kiln_sim_wave_t *wave,
                                             const kiln_sim_inst_t *inst, kiln_sim_inst_t *storage)
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
    kiln_sim_ignore_races_begin();
    inst->run(wave, inst);
    kiln_sim_ignore_races_end();
}

static void run_special(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    kiln_sim_inst_t storage;
    const kiln_sim_inst_t *resolved = kiln_sim_wave_resolve(wave, inst, &storage);
    if (resolved)
        run(wave, resolved);
}

// Executes the part of an instruction that the launch needs.
static void run_sliced(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                       const kiln_sim_inst_t *resolved)
{
    const kiln_sim_slice_t *slice = wave->thread->launch->slice;
    const uint8_t action =
        slice && inst->index < slice->count ? slice->actions[inst->index] : KILN_SIM_SLICE_RUNS;
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

// For a workgroup of which only accesses to device memory are needed.
static void run_lean(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    if (inst->row->class_ >= KILN_SIM_CLASS_VMEM_LOAD) {
        run_watched(wave, inst);
        return;
    }
    wave->thread->watch->inst = inst; // scalar memory instructions, and LDS ones that are needed,
                                      // report their accesses anyway
    run_sliced(wave, inst, inst);
}

// ---- the loops: each returns the next instruction, or NULL, and the last one it executed

typedef struct loop {
    const kiln_sim_inst_t *next, *last;
} loop_t;

#define LOOP(...)                                                                                  \
    kiln_sim_thread_t *const thread = wave->thread;                                                \
    const kiln_sim_inst_t *inst = first, *last = first;                                            \
    while (inst && wave->executed < wave->slice_end) {                                             \
        last = inst;                                                                               \
        wave->next = inst->next;                                                                   \
        thread->counts[inst->index]++;                                                             \
        wave->executed++;                                                                          \
        __VA_ARGS__;                                                                               \
        inst = wave->next;                                                                         \
    }                                                                                              \
    return (loop_t)                                                                                \
    {                                                                                              \
        inst, last                                                                                 \
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

// Returns the first instruction that the slice does not skip. Code that was decoded later, after a
// computed branch, is not part of the slice.
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
        again = !at.next && wave->stop == KILN_SIM_STOP_NONE && wave->resume; // just change loops
        if (again)
            at.next = wave->resume;
    }

    if (at.next)
        kiln_sim_wave_stop(wave, KILN_SIM_STOP_YIELD, at.next);
    else if (wave->stop == KILN_SIM_STOP_NONE)
        kiln_sim_wave_fault(wave, at.last, -1, "execution runs past the end of the code");
    bool goes_on = wave->stop == KILN_SIM_STOP_YIELD || wave->stop == KILN_SIM_STOP_BARRIER ||
                   wave->stop == KILN_SIM_STOP_GWS;
    if (goes_on && !wave->resume)
        kiln_sim_wave_fault(wave, at.last, -1, "execution runs past the end of the code");
}
