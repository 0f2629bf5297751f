// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock that a wave sees, and waves that wait for it.
//
// Idea: a kernel that shall take a second looks at the clock until one has passed; on the machine that costs nothing, here thousands of
// millions of instructions. So for a wave in a loop that does nothing but look at the clock time goes ever faster: behind PATIENCE looks each one
// adds a GAIN-th of what the wave has waited by then. It comes to any time in some hundred looks, at most a GAIN-th later than it wanted to.
//
// What a reader gets wrong: the loop must not touch memory. One that does may wait for another wave, with the clock to end it when that fails;
// for such a loop time goes on as ever.
#include <string.h>

#include "core/launch.h"
#include "core/order.h"

enum { PATIENCE = 256, GAIN = 64, LENGTH = 512 };

static bool is_clock(const kiln_sim_inst_t *inst)
{
    return inst->format == KILN_SIM_SMEM && inst->src[0].kind == KILN_SIM_OP_NONE && inst->dst.kind != KILN_SIM_OP_NONE;
}

// Instructions of which nobody but the wave itself notices anything.
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

// The number of instructions of the loop around a look at the clock; 0 where there is none, or it does more than look.
static unsigned loop_length(const kiln_sim_inst_t *look)
{
    const kiln_sim_inst_t *first = NULL, *last = NULL, *i = look;
    for (unsigned n = 0; i && n < LENGTH; i = i->next, n++) {
        if (!(i->row->flags & KILN_SIM_ROW_BRANCHES) || !i->target || i->target->address > look->address)
            continue;
        if (!first)
            first = i->target;
        else if (i->target->address < first->address)
            break; // of a loop around this one
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
    enum { LATENCY = 64 }; // time never stands still
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
