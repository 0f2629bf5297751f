// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects a wave's use of LDS bytes that a direct load to LDS of its own may not have written yet.
//
// Only vmcnt tracks the completion of such a load; DS instructions do not wait for it. The wave
// remembers its outstanding loads, each of which writes 64 consecutive dwords, and compares its
// accesses to LDS with them. Accesses of other waves are left to the race check.
//
// Direct loads to the same LDS bytes are ordered among themselves.
#include "check/state.h"

static void remember(check_wave_t *w, const kiln_sim_inst_t *inst, const kiln_sim_accesses_t *a)
{
    w->direct[w->direct_count++ % CHECK_DIRECT] =
        (check_direct_t){inst, a->lds_lanes[0], w->issued[KILN_SIM_QUEUE_VM], a->lds_at[0][0]};
}

// A lane of the access that overlaps the load's bytes, or -1.
static int meets(const check_direct_t *load, const kiln_sim_accesses_t *a, unsigned part)
{
    for (uint64_t left = a->lds_lanes[part]; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        int64_t first = (int64_t)a->lds_at[part][lane] - load->at, last = first + a->lds_bytes - 1;
        for (int64_t i = first < 0 ? 0 : first / 4;
             i <= last / 4 && i < KILN_GFX942_LANES && last >= 0; i++) {
            if (load->lanes >> i & 1)
                return lane;
        }
    }
    return -1;
}

void kiln_sim_check_direct(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                           const check_facts_t *f, const kiln_sim_accesses_t *a)
{
    check_wave_t *w = kiln_sim_check_wave(wave);
    if (f->uses->queue == KILN_SIM_QUEUE_VM) {
        if (a->lds_lanes[0])
            remember(w, inst, a);
        return;
    }
    uint32_t oldest = w->direct_count < CHECK_DIRECT ? 0 : w->direct_count - CHECK_DIRECT;
    for (uint32_t n = w->direct_count; n > oldest; n--) {
        check_direct_t *load = &w->direct[(n - 1) % CHECK_DIRECT];
        if (load->ticket <= w->done[KILN_SIM_QUEUE_VM]) // and so are all earlier loads
            break;
        for (unsigned part = 0; part < a->lds_parts; part++) {
            int lane = meets(load, a, part);
            if (lane < 0 || !load->lanes)
                continue;
            kiln_sim_check_found(wave, inst, load->inst, lane, KILN_SIM_CHECK_INDEX_WAIT,
                                 "LDS at 0x%x is %s while the direct load to LDS that writes it "
                                 "may be in flight; wait for vmcnt(%u)",
                                 a->lds_at[part][lane],
                                 a->lds_kind == KILN_SIM_LOAD ? "read" : "changed",
                                 w->issued[KILN_SIM_QUEUE_VM] - load->ticket);
            load->lanes = 0; // reported once
        }
    }
}
