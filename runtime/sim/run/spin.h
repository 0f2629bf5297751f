// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects waves that wait in loops for memory to change, launches in which no wave is left that
// could change it, and endless loops.
//
// A loop spins if its results depend only on memory at fixed addresses, which it does not change,
// and on registers that it does not write. A wave in such a loop stays in it until another wave
// stores. If all waves that can run spend whole slices in such loops, none will. A loop is endless,
// whatever it computes and stores, if none of its branches depends on memory or on values that
// differ between iterations.
//
// A loop that counts or reads the clock does not spin: it ends by itself.
#ifndef KILN_SIM_SPIN_H
#define KILN_SIM_SPIN_H

#include "run/launch.h"

enum { KILN_SIM_SPIN_LENGTH = 128, KILN_SIM_SPIN_CACHE = 256 };

typedef struct kiln_sim_spin {
    const kiln_sim_inst_t *at, *first,
        *last; // an instruction, and the loop around it; first is NULL if no loop spins
    const kiln_sim_inst_t *adds[2]; // atomics that change nothing while their data is zero
    bool endless;                   // does not depend on memory either
} kiln_sim_spin_t;

// State of a host thread.
typedef struct kiln_sim_spins {
    kiln_sim_spin_t found[KILN_SIM_SPIN_CACHE];
    uint64_t news; // launch->spinning at the last check
    unsigned rounds;
    bool ready;
} kiln_sim_spins_t;

// Returns the loop in which a wave spins that continues at `wave->resume`; NULL if the wave does
// not spin.
const kiln_sim_spin_t *kiln_sim_spin_find(kiln_sim_spins_t *spins, const kiln_sim_wave_t *wave);
// How often the wave's host thread has executed instructions of the loop.
uint64_t kiln_sim_spin_count(const kiln_sim_wave_t *wave, const kiln_sim_spin_t *spin);
// Called after a round in which all waves of the thread had their turns. `all`: they only spun.
// `endless`: one of them in an endless loop. True if the waves of all host threads have only spun
// for some rounds.
bool kiln_sim_spin_agree(kiln_sim_spins_t *spins, kiln_sim_launch_t *launch, bool all,
                         bool endless);
// Whether a spinning wave polls memory that the host program may change while the kernel runs
// (pinned, managed or registered). Executes a few instructions of the wave.
bool kiln_sim_spin_polls_shared(const kiln_sim_spin_t *spin, kiln_sim_wave_t *wave);

#endif
