// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects registers that are used before the s_waitcnt that their load requires. CDNA3 ISA guide,
// section 4.4; docs/gfx942.md, 4.3.
//
// Operations are numbered in each queue, and a wait advances the queue's `done` mark. A register
// records the number of the load that will write it and may be used once the mark has passed that
// number. Loads of an ordered queue return in order, so with n operations left, all but the last n
// are complete, however many operations of other kinds are outstanding. Scalar loads and FLAT have
// no order: only a wait for zero completes them.
//
// A load may overwrite the destination of an earlier load of the same ordered queue, because the
// later one returns last. A full counter, which may stall the machine's next operation, does not
// count as a wait, because no compiler relies on it. However, any s_waitcnt finds at most 63 and 15
// operations left, and LLVM relies on that.
#include <stdio.h>

#include "check/state.h"

static void retire(check_wave_t *w, kiln_sim_queue_t queue, uint32_t left)
{
    uint32_t done = w->issued[queue] > left ? w->issued[queue] - left : 0;
    if (done > w->done[queue])
        w->done[queue] = done;
}

static void wait_for(check_wave_t *w, const kiln_sim_inst_t *inst)
{
    unsigned imm = (unsigned)inst->imm, vm = (imm & 15) | (imm >> 14 & 3) << 4,
             lgkm = imm >> 8 & 15;
    retire(w, KILN_SIM_QUEUE_VM, vm);
    retire(w, KILN_SIM_QUEUE_LDS, lgkm);
    if (vm == 0)
        w->flat_done[0] = w->issued[KILN_SIM_QUEUE_FLAT];
    if (lgkm == 0) {
        w->flat_done[1] = w->issued[KILN_SIM_QUEUE_FLAT];
        w->done[KILN_SIM_QUEUE_SMEM] = w->issued[KILN_SIM_QUEUE_SMEM];
    }
    w->done[KILN_SIM_QUEUE_FLAT] =
        w->flat_done[0] < w->flat_done[1] ? w->flat_done[0] : w->flat_done[1];
}

static const char *needed(kiln_sim_queue_t queue, uint32_t after, char text[64])
{
    switch (queue) {
    case KILN_SIM_QUEUE_VM:
        snprintf(text, 64, "vmcnt(%u)", after);
        break;
    case KILN_SIM_QUEUE_LDS:
        snprintf(text, 64, "lgkmcnt(%u)", after);
        break;
    case KILN_SIM_QUEUE_SMEM:
        snprintf(text, 64, "lgkmcnt(0), because scalar loads return out of order");
        break;
    default:
        snprintf(text, 64, "vmcnt(0) and lgkmcnt(0), because the load is FLAT");
        break;
    }
    return text;
}

// Removes a load that was used too early, so that it is reported once, at its first use.
static void drop_reported(kiln_sim_wave_t *wave, check_wave_t *w, check_pending_t load)
{
    const check_facts_t *f = kiln_sim_check_facts(wave->thread, load.inst);
    for (unsigned i = 0; f && i < f->uses->count; i++) {
        for (unsigned k = 0;
             f->uses->spans[i].role == KILN_SIM_WRITES && k < f->uses->spans[i].count; k++) {
            unsigned number = f->uses->spans[i].first + k;
            if (w->pending[number].inst == load.inst && w->pending[number].ticket == load.ticket)
                w->queue_of[number] = KILN_SIM_QUEUE_NONE;
        }
    }
}

static void use(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_facts_t *f,
                const kiln_sim_registers_t *span, unsigned number)
{
    check_wave_t *w = kiln_sim_check_wave(wave);
    kiln_sim_queue_t queue = w->queue_of[number];
    const check_pending_t load = w->pending[number];
    if (load.ticket <= w->done[queue]) {
        w->queue_of[number] = KILN_SIM_QUEUE_NONE;
        return;
    }
    bool writes = span->role == KILN_SIM_WRITES,
         ordered = queue == KILN_SIM_QUEUE_VM || queue == KILN_SIM_QUEUE_LDS;
    if (writes && f->uses->queue == queue && ordered)
        return;
    bool vector = number < KILN_SIM_FIRST_SGPR;
    uint64_t lanes =
        vector && !(f->uses->all_lanes && !writes) ? load.lanes & wave->exec : load.lanes;
    if (lanes == 0)
        return;
    char name[24], wanted[64];
    kiln_sim_register_name(number, name, sizeof name);
    needed(queue, w->issued[queue] - load.ticket, wanted);
    if (wave->thread->launch->options->checks & KILN_SIM_CHECK_WAIT)
        kiln_sim_check_found(wave, inst, load.inst, vector ? __builtin_ctzll(lanes) : -1,
                             KILN_SIM_CHECK_INDEX_WAIT,
                             "%s is %s while the load that writes it may be in flight; wait for %s",
                             name, writes ? "overwritten" : "read", wanted);
    drop_reported(wave, w, load);
}

// Whether a packed instruction of 32-bit numbers encodes a pair of registers, but selects the other
// one of the pair for both results.
static bool ignores(const kiln_sim_inst_t *inst, const kiln_sim_registers_t *span, unsigned number)
{
    if (span->role == KILN_SIM_WRITES || span->count != 2 ||
        !(kiln_sim_inst_starts(inst, "v_pk_add_f32") ||
          kiln_sim_inst_starts(inst, "v_pk_mul_f32") || kiln_sim_inst_starts(inst, "v_pk_fma_f32")))
        return false;
    for (unsigned n = 0; n < 3; n++) {
        const unsigned half = number - span->first, low = inst->op_sel >> n & 1,
                       high = inst->op_sel_hi >> n & 1;
        if (inst->src[n].kind == KILN_SIM_OP_VGPR && inst->src[n].reg == span->first &&
            (half == low || half == high))
            return false;
    }
    return true;
}

void kiln_sim_check_wait(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_facts_t *f)
{
    check_wave_t *w = kiln_sim_check_wave(wave);
    if (f->uses->is_wait) {
        wait_for(w, inst);
        return;
    }
    for (unsigned i = 0; i < f->uses->count; i++) {
        const kiln_sim_registers_t *span = &f->uses->spans[i];
        unsigned end = span->role & (KILN_SIM_READS | KILN_SIM_WRITES)
                           ? (unsigned)span->first + span->count
                           : 0;
        for (unsigned number = span->first; number < end; number++) {
            if (w->queue_of[number] && !ignores(inst, span, number))
                use(wave, inst, f, span, number);
        }
    }
    if (f->uses->queue == KILN_SIM_QUEUE_NONE)
        return;
    uint32_t ticket = ++w->issued[f->uses->queue];
    for (unsigned i = 0; i < f->uses->count; i++) {
        const kiln_sim_registers_t *span = &f->uses->spans[i];
        for (unsigned number = span->first;
             span->role == KILN_SIM_WRITES && number < (unsigned)span->first + span->count;
             number++) {
            uint64_t lanes = number < KILN_SIM_FIRST_SGPR ? wave->exec : UINT64_MAX;
            if (w->queue_of[number] && w->pending[number].ticket > w->done[w->queue_of[number]])
                lanes |= w->pending[number].lanes;
            w->queue_of[number] = f->uses->queue;
            w->pending[number] = (check_pending_t){inst, lanes, ticket};
        }
    }
}
