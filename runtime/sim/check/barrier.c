// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects barriers that not all waves of a workgroup reach.
//
// The machine releases a barrier when the missing waves have ended, so nothing hangs. Waves may
// meet at different s_barrier instructions, as specialized and ping-pong kernels do on purpose.
#include "check/state.h"

void kiln_sim_check_barrier(kiln_sim_wave_t *first_waiting, const kiln_sim_wave_t *ended)
{
    check_wave_t *waits = kiln_sim_check_wave(first_waiting),
                 *finished = kiln_sim_check_wave(ended);
    if (!waits->last || !finished->last)
        return;
    kiln_sim_check_found(
        first_waiting, waits->last, finished->last, -1, KILN_SIM_CHECK_INDEX_BARRIER,
        "wave %u waits at a barrier, but wave %u of the workgroup ended without reaching it",
        first_waiting->index, ended->index);
}

void kiln_sim_check_barrier_stuck(const kiln_sim_wave_t *waves, unsigned count,
                                  kiln_sim_wave_t *busy)
{
    unsigned waiting = count;
    for (unsigned i = count; i-- > 0;)
        waiting = waves[i].stop == KILN_SIM_STOP_BARRIER ? i : waiting;
    const check_wave_t *goes_on = kiln_sim_check_wave(busy);
    if (waiting == count || !goes_on->last ||
        !(busy->thread->launch->options->checks & KILN_SIM_CHECK_BARRIER))
        return;
    kiln_sim_check_found(
        busy, goes_on->last, kiln_sim_check_wave(&waves[waiting])->last, -1,
        KILN_SIM_CHECK_INDEX_BARRIER,
        "wave %u waits at a barrier, but wave %u of the workgroup never reaches it and never ends",
        waves[waiting].index, busy->index);
}
