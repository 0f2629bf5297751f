// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock that a wave sees, and waves that wait for it.
//
// A kernel that waits for a second reads the clock until the second has passed. This is cheap on
// the hardware but takes billions of instructions here. For a wave in a loop that only reads the
// clock, time therefore accelerates: after PATIENCE reads, each read adds 1/GAIN of the time that
// the wave has waited so far. The wave reaches any time within a few hundred reads, at most 1/GAIN
// late.
//
// Pitfall: the loop must not access memory. One that does may be waiting for another wave, with the
// clock as a timeout; time does not accelerate for such a loop.
#include <string.h>

#include "run/launch.h"
#include "run/order.h"

enum { PATIENCE = 256, GAIN = 64, LENGTH = 512 };

static bool is_clock(const kiln_sim_inst_t *inst)
{
    return inst->format == KILN_SIM_SMEM && inst->src[0].kind == KILN_SIM_OP_NONE &&
           inst->dst.kind != KILN_SIM_OP_NONE;
}

// Instructions whose effects only the wave itself can observe.
static bool is_private(const kiln_sim_inst_t *inst)
{
    static const char *const idle[] = {"s_nop", "s_sleep", "s_waitcnt", "s_setprio"};
    switch (inst->row->class_) {
    case KILN_SIM_CLASS_SALU:
    case KILN_SIM_CLASS_VALU:
    case KILN_SIM_CLASS_TRANS:
        return true;
    case KILN_SIM_CLASS_SMEM:
        return is_clock(inst);
    case KILN_SIM_CLASS_BRANCH:
        return (inst->row->flags & KILN_SIM_ROW_BRANCHES) && inst->target;
    case KILN_SIM_CLASS_SYNC:
        for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++) {
            if (strcmp(inst->row->name, idle[i]) == 0)
                return true;
        }
        return false;
    default:
        return false;
    }
}

// The number of instructions in the loop around a clock read; 0 if there is no loop or it does
// anything besides reading the clock.
static unsigned loop_length(const kiln_sim_inst_t *look)
{
    const kiln_sim_inst_t *first = NULL, *last = NULL, *i = look;
    for (unsigned n = 0; i && n < LENGTH; i = i->next, n++) {
        if (!(i->row->flags & KILN_SIM_ROW_BRANCHES) || !i->target ||
            i->target->address > look->address)
            continue;
        if (!first)
            first = i->target;
        else if (i->target->address < first->address)
            break; // of an outer loop
        last = i;
    }
    unsigned length = 0;
    for (i = first; i && length < LENGTH && is_private(i); i = i->next) {
        length++;
        if (i == last)
            return length;
    }
    return 0;
}

static uint64_t wait(kiln_sim_wave_t *wave, const kiln_sim_inst_t *look, uint64_t now)
{
    const bool again = wave->look == look && wave->executed - wave->looked_at <= LENGTH;
    wave->looked_at = wave->executed;
    if (!again) {
        wave->look = look;
        wave->looks = 0;
        wave->wait_began = now;
        return 0;
    }
    if (++wave->looks < PATIENCE)
        return 0;
    if (wave->looks == PATIENCE && !loop_length(look)) {
        wave->looks = 0;
        return 0;
    }
    return (now - wave->wait_began) / GAIN;
}

uint64_t kiln_sim_wave_clock(kiln_sim_wave_t *wave, const kiln_sim_inst_t *look)
{
    enum { LATENCY = 64 }; // so that time always advances
    const kiln_sim_order_t *order = wave->thread->launch->options->order;
    if (order)
        return order->now(wave->group);
    wave->idle += LATENCY;
    const uint64_t waited = wait(wave, look, 4 * wave->executed + wave->idle);
    wave->idle += waited;
    wave->waited += waited;
    if (wave->waited > wave->thread->waited)
        wave->thread->waited = wave->waited;
    return 4 * wave->executed + wave->idle;
}
